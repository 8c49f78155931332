package stablehlo

import (
	"slices"
	"strings"
)

// builtinTyped is a type that a file has as one of MLIR itself and not of VHLO.
type builtinTyped struct{ Type }

// conversionCast is the op between values of both kinds of types.
const conversionCast = "builtin.unrealized_conversion_cast"

// expand replaces the ops of a block that neither VHLO nor XLA's custom calls have: an arctangent becomes that of a
// quotient by one, and other ops of CHLO stand between casts of their operands and results.
func expand(ops []*Op) []*Op {
	i := slices.IndexFunc(ops, func(op *Op) bool { return isArctangent(op) || isForeign(op) })
	if i < 0 {
		return ops
	}
	out := slices.Clone(ops[:i])
	for _, op := range ops[i:] {
		switch {
		case isArctangent(op):
			out = append(out, quotientArctangent(op)...)
		case isForeign(op):
			out = append(out, betweenCasts(op)...)
		default:
			out = append(out, op)
		}
	}
	return out
}

// isForeign reports whether an op of CHLO is written as such.
func isForeign(op *Op) bool {
	dialect, name, _ := cutName(op.Name)
	return dialect == "chlo" && len(op.Regions) == 0 && name != "top_k" && name != "atan" &&
		!slices.Contains(mhloCalls, name)
}

// isArctangent reports whether an op is an arctangent of a tensor of known sizes.
func isArctangent(op *Op) bool {
	if op.Name != "chlo.atan" && op.Name != "mhlo.atan" || len(op.Operands) != 1 || len(op.Results) != 1 {
		return false
	}
	t, ok := op.Results[0].Type.(*TensorType)
	return ok && !t.Unranked && !slices.Contains(t.Dims, Dynamic)
}

func quotientArctangent(op *Op) []*Op {
	t := op.Results[0].Type.(*TensorType)
	one := &Value{Type: t}
	value := &DenseAttr{Kind: DenseSplat, Text: "1.0", Type: t}
	if _, isComplex := t.Elem.(ComplexType); isComplex {
		value.Text = "(1.0, 0.0)"
	}
	quotient := *op
	quotient.Name, quotient.Operands = "stablehlo.atan2", []*Value{op.Operands[0], one}
	return []*Op{{Name: "stablehlo.constant", Pos: op.Pos, Loc: op.Loc, Results: []*Value{one},
		Attrs: []NamedAttr{property("value", value)}}, &quotient}
}

// betweenCasts puts an op between casts to and from types of MLIR itself.
func betweenCasts(op *Op) []*Op {
	inner := *op
	inner.Operands, inner.Results = slices.Clone(op.Operands), slices.Clone(op.Results)
	var before, after []*Op
	cast := func(from, to *Value) *Op {
		return &Op{Name: conversionCast, Pos: op.Pos, Loc: op.Loc, Operands: []*Value{from}, Results: []*Value{to}}
	}
	for i, v := range op.Operands {
		inner.Operands[i] = &Value{Type: builtinTyped{v.Type}}
		before = append(before, cast(v, inner.Operands[i]))
	}
	for i, v := range op.Results {
		inner.Results[i] = &Value{Type: builtinTyped{v.Type}}
		after = append(after, cast(inner.Results[i], v))
	}
	return slices.Concat(before, []*Op{&inner}, after)
}

// foreign writes an op of CHLO as such.
func (w *bytecodeWriter) foreign(op *Op) *downgraded {
	w.need(1, 11, "op "+op.Name)
	d := &downgraded{dialect: chloDialect, name: op.Name[len("chlo."):]}
	attrs := attrList(slices.Clone(op.Attrs))
	if lists := rowOf(op.Name).properties; lists != nil {
		for _, p := range lists[0] {
			a := attrs.take(p.name)
			written := writtenAttr{name: p.name, optional: p.optional, missing: a == nil}
			switch {
			case a != nil:
				written.number = w.builtinAttr(a)
			case !p.optional:
				w.fail("attribute %s is missing", p.name)
			}
			d.properties = append(d.properties, written)
		}
	}
	for _, a := range attrs {
		d.rest = append(d.rest, writtenAttr{name: a.Name, number: w.builtinAttr(a.Value)})
	}
	return w.placed(d)
}

// chloText numbers an attribute of StableHLO or CHLO as one of CHLO, which is text.
func (w *bytecodeWriter) chloText(a *DialectAttr) uint64 {
	text := AttrString(a)
	if rest, ok := strings.CutPrefix(text, "#stablehlo"); ok {
		text = "#chlo" + rest
	}
	return w.attrs.add(coded{dialect: chloDialect, text: true, head: append([]byte(text), 0)})
}
