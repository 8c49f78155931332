package stablehlo

import (
	"slices"
	"strings"
)

// upgradeAttrs turns lists of numbers and of flags, which VHLO has as tensors, into arrays. A constant's value and
// matrices stay tensors.
func upgradeAttrs(l *attrList) {
	for i := range *l {
		a := &(*l)[i]
		if d, ok := a.Value.(*DenseAttr); ok && a.Property && a.Name != "value" {
			a.Value = arrayOf(d)
		}
	}
}

// arrayOf returns a list of 64-bit integers or flags as an array, and any other attribute as it is.
func arrayOf(d *DenseAttr) Attr {
	t, ok := d.Type.Elem.(IntType)
	if !ok || len(d.Type.Dims) != 1 || t.Width != 64 && t.Width != 1 {
		return d
	}
	l, err := d.Literal()
	if err != nil {
		return d
	}
	return DenseArrayAttr{Elem: d.Type.Elem, Elems: elementTexts(l.Shape().Type, l.Bytes())}
}

// upgradeAccuracy leaves out the accuracy that every op has that says none. Ops had none before VHLO 1.9.0 or 1.10.0.
func upgradeAccuracy(l *attrList) {
	l.drop(isDefault, "result_accuracy")
}

// upgradeCollective gives an op its channel. Collectives took one operand before VHLO 1.5.0, had matrices for groups
// before 1.16.0, and broadcasts had a root that was known before 1.20.0.
func upgradeCollective(l *attrList) {
	id, _ := intOf(l.take("channel_id"))
	if id != 0 {
		l.put("channel_handle", channelHandle(id, deviceToDevice))
	}
	l.drop(isFalse, "has_dynamic_root", "use_global_device_ids")
	l.change("use_global_device_ids", func(Attr) Attr { return UnitAttr{} })
}

// upgradeTransfer gives a send or receive its channel. They had no pairs of devices before VHLO 1.12.0.
func upgradeTransfer(l *attrList) {
	id, _ := intOf(l.take("channel_id"))
	kind, _ := intOf(l.take("channel_type"))
	l.put("channel_handle", channelHandle(id, kind))
	l.drop(isEmpty, "source_target_pairs")
}

func channelHandle(handle, kind int64) Attr {
	return &DialectAttr{Name: "stablehlo.channel_handle",
		Fields: DictAttr{named("handle", number64(handle)), named("type", number64(kind))}}
}

// upgradeCompare leaves out a comparison type that is none.
func upgradeCompare(l *attrList) {
	l.drop(func(a Attr) bool {
		d, ok := a.(*DialectAttr)
		return ok && d.Word == "NOTYPE"
	}, "compare_type")
}

// upgradeCall makes the name of a function a symbol.
func upgradeCall(l *attrList) { l.change("callee", symbolFrom) }

func symbolFrom(a Attr) Attr {
	if s, ok := a.(StringAttr); ok {
		return symbolOf(string(s))
	}
	return a
}

// upgradeComposite makes the name of the decomposition a symbol. Composites came with VHLO 0.19.0, and got regions,
// which those that are read do not have, with 1.14.0.
func upgradeComposite(l *attrList) {
	l.change("decomposition", symbolFrom)
	l.drop(isEmpty, "composite_attributes")
}

// upgradeFunc leaves out what a function has none of.
func upgradeFunc(l *attrList) { l.drop(isEmpty, "sym_visibility", "arg_attrs", "res_attrs") }

// upgradeInfeed leaves out layouts that nobody said.
func upgradeInfeed(l *attrList) { l.drop(isEmpty, "layout") }

// upgradeKnownDims leaves out lists of dimensions that nobody said.
func upgradeKnownDims(l *attrList) {
	l.drop(isEmpty, "known_expanding_dimensions", "known_nonexpanding_dimensions")
}

// upgradeCustomCall makes the called functions symbols and leaves out layouts and aliases that nobody said. The
// backend_config is a dictionary from VHLO 1.3.0 on, tilings of results came with 1.18.0.
func upgradeCustomCall(l *attrList) {
	l.change("called_computations", func(a Attr) Attr {
		list, _ := a.(ArrayAttr)
		list = slices.Clone(list)
		for i := range list {
			list[i] = symbolFrom(list[i])
		}
		return list
	})
	l.drop(func(a Attr) bool { return a == StringAttr("") }, "backend_config") // {} is said
	l.drop(isEmpty, "called_computations", "output_operand_aliases", "result_tilings")
	if isEmpty(l.find("operand_layouts")) && isEmpty(l.find("result_layouts")) {
		l.drop(isEmpty, "operand_layouts", "result_layouts")
	}
	l.drop(isFalse, "has_side_effect")
}

// upgradeGather joins the dimension numbers. Batching dimensions came with VHLO 1.1.0.
func upgradeGather(l *attrList) { l.join("dimension_numbers", "gather") }

// upgradeScatter joins the dimension numbers. Batching dimensions came with VHLO 1.1.0.
func upgradeScatter(l *attrList) { l.join("scatter_dimension_numbers", "scatter") }

// upgradePrecision leaves out a precision that nobody said.
func upgradePrecision(l *attrList) { l.drop(isEmpty, "precision_config") }

// upgradeConvolution joins the dimension numbers.
func upgradeConvolution(l *attrList) {
	upgradePrecision(l)
	l.join("dimension_numbers", "conv")
}

// upgradeDynamicConv leaves out the padding, which an operand says as well; it was taken away with VHLO 0.20.0.
func upgradeDynamicConv(l *attrList) {
	l.take("padding")
	upgradeConvolution(l)
}

// upgradeDotGeneral joins the dimension numbers and the algorithm, which came with VHLO 1.6.0 and is there if it has
// types.
func upgradeDotGeneral(l *attrList) {
	upgradePrecision(l)
	l.join("dot_dimension_numbers", "dot")
	t, _ := l.take("lhs_precision_type").(TypeAttr)
	a := &DialectAttr{Name: "stablehlo.dot_algorithm", Fields: DictAttr{named("lhs_precision_type", t)}}
	for _, key := range strings.Fields(structs["dot_algorithm"])[1:] {
		a.Fields = append(a.Fields, named(key, l.take(key)))
	}
	if t.Type != nil && t.Type != (NoneType{}) {
		l.put("algorithm", a)
	}
}

// join puts the keys of dimension numbers, which VHLO has as attributes of the op, into one attribute. Lists that are
// empty are left out.
func (l *attrList) join(name, kind string) {
	a := &DialectAttr{Name: "stablehlo." + kind, Fields: DictAttr{}}
	for _, key := range numberKeys(kind) {
		switch v := l.take(key).(type) {
		case nil:
		case DenseArrayAttr:
			if list := listOf(v); len(list) > 0 || kind == "conv" {
				a.Fields = append(a.Fields, named(key, list))
			}
		default:
			a.Fields = append(a.Fields, named(key, v))
		}
	}
	l.put(name, a)
}

// listOf returns array<i64: 1, 2> as [1, 2].
func listOf(a DenseArrayAttr) ArrayAttr {
	list := make(ArrayAttr, len(a.Elems))
	for i, e := range a.Elems {
		list[i] = IntAttr{e, IntType{Width: 64}}
	}
	return list
}
