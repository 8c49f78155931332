package stablehlo

import (
	"errors"
	"math"
)

// vhloAttrs are the attributes of VHLO. They become those of StableHLO at once.
func vhloAttrs() []attrCode {
	codes := []attrCode{
		1:  func(c *cursor) Attr { return c.attrs() },
		2:  func(c *cursor) Attr { return BoolAttr(c.varint() != 0) },
		5:  func(c *cursor) Attr { return number32(int64(c.varint())) }, // a custom call's api_version
		6:  (*cursor).dict,
		8:  func(c *cursor) Attr { return c.float(c.typ()) },
		9:  func(c *cursor) Attr { return c.integer(c.typ()) },
		10: (*cursor).outputAlias,
		14: func(c *cursor) Attr { return StringAttr(c.str()) },
		15: (*cursor).denseElements,
		17: func(c *cursor) Attr { return TypeAttr{c.typ()} },
		18: (*cursor).bounds,
		20: (*cursor).resultAccuracy,
		21: (*cursor).subAxis,
		22: (*cursor).axisRef,
		23: (*cursor).meshAxes,
		24: (*cursor).meshAxis,
		25: (*cursor).mesh,
	}
	for kind, e := range vhloEnums {
		codes[e.code] = enumCode(kind, e.first)
	}
	return codes
}

func vhloTypes() []typeCode {
	codes := []typeCode{
		1:  func(c *cursor) Type { return ComplexType{c.typ()} },
		8:  func(c *cursor) Type { return FuncType{c.types(), c.types()} },
		20: func(c *cursor) Type { return c.tensor(nil) },
		21: func(c *cursor) Type { return c.tensor(c.attr()) },
		23: func(c *cursor) Type { return newTuple(c.types()) },
		24: (*cursor).quantized,
		25: func(c *cursor) Type { return &TensorType{Unranked: true, Elem: c.typ()} },
		30: (*cursor).quantizedAxis,
		41: (*cursor).buffer,
		42: func(c *cursor) Type { return FutureType{c.types()} },
	}
	for _, p := range vhloPlainTypes {
		codes[p.code] = constantType(p.typ)
	}
	return codes
}

// enumCode reads a word of an enumeration, whose first word has the number first.
func enumCode(kind string, first uint64) attrCode {
	words := enums[kind]
	all := make([]*DialectAttr, len(words))
	for i, w := range words {
		all[i] = word(kind, w)
	}
	return func(c *cursor) Attr {
		n := c.varint() - first
		if n >= uint64(len(all)) {
			c.fail("%s has no word %d", kind, n+first)
			return nil
		}
		return all[n]
	}
}

func (c *cursor) outputAlias() Attr {
	return &DialectAttr{Name: "stablehlo.output_operand_alias", Fields: DictAttr{
		named("output_tuple_indices", numberList(c.signedList())), named("operand_index", number64(c.signed())),
		named("operand_tuple_indices", numberList(c.signedList())),
	}}
}

func (c *cursor) resultAccuracy() Attr {
	tolerance := func() Attr { return FloatAttr{floatText(math.Float64frombits(c.wide(64))), FloatType{"f64"}} }
	return &DialectAttr{Name: "stablehlo.result_accuracy", Fields: DictAttr{
		named("atol", tolerance()), named("rtol", tolerance()), named("ulps", number64(c.signed())),
		named("mode", c.attr()),
	}}
}

// subAxis is the (pre-size)size of a part of a mesh axis.
func (c *cursor) subAxis() Attr { return ArrayAttr{number64(c.signed()), number64(c.signed())} }

func (c *cursor) axisRef() Attr {
	a := &DialectAttr{Name: "stablehlo.axis_ref", Fields: DictAttr{named("name", c.attr())}}
	if c.varint() != 0 {
		a.Fields = append(a.Fields, named("sub_axis_info", c.attr()))
	}
	return a
}

func (c *cursor) meshAxes() Attr {
	mesh, axes := c.attr(), c.attr()
	if s, ok := mesh.(StringAttr); ok {
		mesh = symbolOf(string(s))
	}
	return &DialectAttr{Name: "stablehlo.replica_group_mesh_axes", Fields: DictAttr{named("mesh", mesh),
		named("axes", axes)}}
}

func (c *cursor) meshAxis() Attr {
	return &DialectAttr{Name: "stablehlo.mesh_axis", Body: c.kept(AttrString(c.attr())) + "=" + number64(c.signed()).Text}
}

// mesh is a list of axes, and maybe the devices in their order.
func (c *cursor) mesh() Attr {
	axes, _ := c.attr().(ArrayAttr)
	a := &DialectAttr{Name: "stablehlo.mesh", Body: c.kept("[" + joinBodies(axes) + "]")}
	if ids := c.optionalAttr(); ids != nil {
		a.Body += ", device_ids=" + c.kept(AttrString(ids))
	}
	return a
}

// buffer is a memory reference.
func (c *cursor) buffer() Type {
	t := TensorType{Dims: c.signedList(), Elem: c.typ()}
	dynamic(t.Dims)
	return OpaqueType{"memref" + c.kept(t.String()[len("tensor"):])}
}

func quantTypes() []typeCode {
	return []typeCode{4: (*cursor).quantized, 5: (*cursor).quantizedAxis}
}

// quantized reads a type with one scale and zero point.
func (c *cursor) quantized() Type {
	t := c.quantStorage()
	t.Scales = []float64{math.Float64frombits(c.wide(64))}
	t.ZeroPoints = []int64{c.signed()}
	c.quantRange(t)
	return c.checked(t)
}

// quantizedAxis reads a type with a scale and a zero point for each index of a dimension.
func (c *cursor) quantizedAxis() Type {
	t := c.quantStorage()
	t.Axes = []int64{int64(c.varint())}
	c.quantRange(t)
	for range c.count("scales") {
		t.Scales = append(t.Scales, math.Float64frombits(c.wide(64)))
	}
	t.ZeroPoints = c.signedList()
	if n := len(t.Scales); n == 0 || n != len(t.ZeroPoints) {
		c.fail("%d scales and %d zero points", n, len(t.ZeroPoints))
		return NoneType{}
	}
	t.ParamDims = []int64{int64(len(t.Scales))}
	return c.checked(t)
}

func (c *cursor) quantStorage() *QuantType {
	signed := c.varint()&1 != 0
	storage, ok := c.typ().(IntType)
	if !ok || storage.Width < 1 || storage.Width > 32 {
		c.fail("storage of a quantised type is no integer type: %v", errors.ErrUnsupported)
		storage.Width = 8
	}
	storage.Sign = Unsigned
	if signed {
		storage.Sign = Signless
	}
	return &QuantType{Storage: storage, Expressed: c.typ()}
}

// quantRange reads the range of what is stored.
func (c *cursor) quantRange(t *QuantType) {
	t.Min, t.Max = c.signed(), c.signed()
	low, high := storageRange(t.Storage)
	t.HasRange = t.Min != low || t.Max != high
}

// checked wants a type to be one that its text could give.
func (c *cursor) checked(t *QuantType) Type {
	if c.f.err == nil {
		p := c.f.textParser(c, t.String())
		p.parseType()
		p.endOfText(c.f)
	}
	return t
}
