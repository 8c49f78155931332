package emit

import (
	"fmt"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// expressions are the ops on elements: $0 and $1 are the operands' elements, $w is the width of the type. What comes
// out is wrapped or rounded to the result's type.
var expressions = [hlo.NumOps]string{
	hlo.Abs:                  "x_abs($0)",
	hlo.Acos:                 "x_acos($0)",
	hlo.Acosh:                "x_acosh($0)",
	hlo.Add:                  "x_add($0, $1)",
	hlo.And:                  "x_and($0, $1)",
	hlo.Asin:                 "x_asin($0)",
	hlo.Asinh:                "x_asinh($0)",
	hlo.Atan:                 "x_atan($0)",
	hlo.Atan2:                "x_atan2($0, $1)",
	hlo.Atanh:                "x_atanh($0)",
	hlo.Cbrt:                 "x_cbrt($0)",
	hlo.Ceil:                 "x_ceil($0)",
	hlo.Clamp:                "x_min(x_max($1, $0), $2)",
	hlo.Clz:                  "x_clz($0, $w)",
	hlo.Cos:                  "x_cos($0)",
	hlo.Cosh:                 "x_cosh($0)",
	hlo.Divide:               "x_div($0, $1)",
	hlo.Erf:                  "x_erf($0)",
	hlo.Exp:                  "x_exp($0)",
	hlo.Expm1:                "x_expm1($0)",
	hlo.Floor:                "x_floor($0)",
	hlo.IsFinite:             "x_finite($0)",
	hlo.Log:                  "x_log($0)",
	hlo.Log1p:                "x_log1p($0)",
	hlo.Logistic:             "x_logistic($0)",
	hlo.Maximum:              "x_max($0, $1)",
	hlo.Minimum:              "x_min($0, $1)",
	hlo.Mulhi:                "x_mulhi($0, $1, $w)",
	hlo.Multiply:             "x_mul($0, $1)",
	hlo.Negate:               "x_neg($0)",
	hlo.Not:                  "x_not($0)",
	hlo.Or:                   "x_or($0, $1)",
	hlo.PopulationCount:      "x_popc($0, $w)",
	hlo.Power:                "x_pow($0, $1)",
	hlo.Remainder:            "x_rem($0, $1)",
	hlo.RoundNearestAfz:      "x_round($0)",
	hlo.RoundNearestEven:     "x_rint($0)",
	hlo.Rsqrt:                "x_rsqrt($0)",
	hlo.ShiftLeft:            "x_shl($0, $1, $w)",
	hlo.ShiftRightArithmetic: "x_sar($0, $1, $w)",
	hlo.ShiftRightLogical:    "x_shr($0, $1, $w)",
	hlo.Sign:                 "x_sign($0)",
	hlo.Sin:                  "x_sin($0)",
	hlo.Sinh:                 "x_sinh($0)",
	hlo.Sqrt:                 "x_sqrt($0)",
	hlo.Subtract:             "x_sub($0, $1)",
	hlo.Tan:                  "x_tan($0)",
	hlo.Tanh:                 "x_tanh($0)",
	hlo.Xor:                  "x_xor($0, $1)",
}

// keepsType are the ops whose results on f16 and bf16 need no rounding.
var keepsType = [hlo.NumOps]bool{
	hlo.Abs: true, hlo.Ceil: true, hlo.Clamp: true, hlo.Floor: true, hlo.Maximum: true, hlo.Minimum: true,
	hlo.Negate: true, hlo.RoundNearestAfz: true, hlo.RoundNearestEven: true, hlo.Sign: true,
}

// elementwise applies the expression of an op.
func elementwise(g *graph, in *hlo.Instruction, ix index) []value {
	args := make([]value, len(in.Operands))
	for i, o := range in.Operands {
		args[i] = g.b.plain(g.at(o, ix))
	}
	return []value{g.b.operation(in.Op, in.Shape.Type, args)}
}

// operation is an op on plain values with a result of type t.
func (b *body) operation(op hlo.Opcode, t shape.ElementType, args []value) value {
	text := expressions[op]
	for i, a := range args {
		text = strings.ReplaceAll(text, fmt.Sprintf("$%d", i), a.text)
	}
	text = strings.ReplaceAll(text, "$w", num(int64(args[0].t.Bits())))
	b.need(ctypes[args[0].t].uses)
	if keepsType[op] && (t == shape.F16 || t == shape.BF16) {
		return b.element(t, text)
	}
	return b.element(t, fill(ctypes[t].wrap, text))
}

// real and imaginary parts; those of a float are itself and 0.
func realPart(g *graph, in *hlo.Instruction, ix index) []value {
	v := g.at(in.Operands[0], ix)
	if !v.t.IsComplex() {
		return []value{v}
	}
	return []value{g.b.element(in.Shape.Type, v.text+".re")}
}

func imaginaryPart(g *graph, in *hlo.Instruction, ix index) []value {
	v := g.at(in.Operands[0], ix)
	if !v.t.IsComplex() {
		return []value{g.b.element(in.Shape.Type, fmt.Sprintf("(%s)0", ctypes[in.Shape.Type].value))}
	}
	return []value{g.b.element(in.Shape.Type, v.text+".im")}
}

func complexOf(g *graph, in *hlo.Instruction, ix index) []value {
	re, im := g.at(in.Operands[0], ix), g.at(in.Operands[1], ix)
	return []value{g.b.element(in.Shape.Type, fmt.Sprintf("%v{%s, %s}", in.Shape.Type, re.text, im.text))}
}

var directions = map[hlo.Direction]string{hlo.Eq: "==", hlo.Ne: "!=", hlo.Ge: ">=", hlo.Gt: ">", hlo.Le: "<=",
	hlo.Lt: "<"}

func compare(g *graph, in *hlo.Instruction, ix index) []value {
	a := in.Attrs.(*hlo.CompareAttrs)
	x, y := g.at(in.Operands[0], ix), g.at(in.Operands[1], ix)
	if x.t.IsFloat() && a.Type == hlo.TotalOrder {
		return []value{g.b.element(shape.Pred, g.b.totalKey(x)+" "+directions[a.Direction]+" "+g.b.totalKey(y))}
	}
	x, y = g.b.plain(x), g.b.plain(y)
	text := x.text + " " + directions[a.Direction] + " " + y.text
	if x.t.IsComplex() {
		text = fmt.Sprintf("x_eq(%s, %s) == %v", x.text, y.text, a.Direction == hlo.Eq)
	}
	return []value{g.b.element(shape.Pred, text)}
}

// totalKey is the integer by which floats are totally ordered.
func (b *body) totalKey(v value) string {
	if minusZeroIsNaN(v.t) {
		v = b.converted(v, shape.F32)
	}
	bits := b.bitsOf(v)
	if v.t == shape.F8E8M0FNU { // has no sign
		return bits
	}
	return fmt.Sprintf("total(%s, %d)", bits, v.t.Bits())
}

// minusZeroIsNaN reports whether floats of type t have NaN, a negative one, for the bits that are -0 in others.
func minusZeroIsNaN(t shape.ElementType) bool {
	return t == shape.F8E4M3B11FNUZ || t == shape.F8E4M3FNUZ || t == shape.F8E5M2FNUZ
}

// choose is select: the bits of floats stay what they are.
func choose(g *graph, in *hlo.Instruction, ix index) []value {
	p, x, y := g.at(in.Operands[0], ix), g.at(in.Operands[1], ix), g.at(in.Operands[2], ix)
	if x.raw != y.raw {
		x, y = g.b.asRaw(x), g.b.asRaw(y)
	}
	text := fmt.Sprintf("%s ? %s : %s", p.text, x.text, y.text)
	return []value{{g.b.let(carrier(x), text), x.t, x.raw}}
}

func convert(g *graph, in *hlo.Instruction, ix index) []value {
	return []value{g.b.converted(g.at(in.Operands[0], ix), in.Shape.Type)}
}

// converted returns v as an element of type t.
func (b *body) converted(v value, t shape.ElementType) value {
	if v.t == t {
		return v
	}
	v = b.plain(v)
	if v.t.IsComplex() {
		if t.IsComplex() {
			return b.element(t, map[shape.ElementType]string{shape.C64: "narrow(", shape.C128: "wide("}[t]+v.text+")")
		}
		part := v.t.Component()
		return b.converted(b.element(part, v.text+".re"), t)
	}
	if t.IsComplex() {
		part := b.converted(v, t.Component())
		return b.element(t, fmt.Sprintf("%v{%s, 0}", t, part.text))
	}
	return b.element(t, conversion(v, t))
}

// conversion is the text of a conversion between types that are not complex.
func conversion(v value, t shape.ElementType) string {
	c := ctypes[t]
	switch {
	case t == shape.Pred:
		return v.text + " != 0"
	case t.IsSigned() && v.t.IsFloat():
		return fmt.Sprintf("(%s)to_signed(%s, %d)", c.value, v.text, t.Bits())
	case t.IsUnsigned() && v.t.IsFloat():
		return fmt.Sprintf("(%s)to_unsigned(%s, %d)", c.value, v.text, t.Bits())
	case !narrow(t):
		return fill(c.wrap, fmt.Sprintf("(%s)%s", c.value, v.text))
	case v.t == shape.Pred:
		return fill(c.wrap, "(f32)"+v.text)
	}
	return fill(c.wrap, "odd("+v.text+")")
}

// bitsOf returns the bits of v as an unsigned integer of 32 or 64 bits.
func (b *body) bitsOf(v value) string {
	switch n := v.t.Bits(); {
	case v.t.IsComplex():
		refuse("bits of %v", v.t)
	case v.t.IsFloat() && n >= 32:
		return "bits(" + v.text + ")"
	case v.t.IsFloat():
		return "(u32)" + b.asRaw(v).text
	case n == 64:
		return "(u64)" + v.text
	case n < 32 && v.t.IsSigned():
		return fmt.Sprintf("low((u32)%s, %d)", v.text, n)
	}
	return "(u32)" + v.text
}

// ofBits returns the element of type t whose bits are the low ones of an unsigned integer of 32 or 64 bits.
func (b *body) ofBits(t shape.ElementType, bits string) value {
	c := ctypes[t]
	switch n := t.Bits(); {
	case t.IsComplex():
		refuse("%v of bits", t)
	case t == shape.Pred:
		return b.element(t, "("+bits+") != 0")
	case narrow(t):
		b.need(c.uses)
		mask := ""
		if n < 8 {
			mask = fmt.Sprintf(" & %d", 1<<n-1)
		}
		return value{b.let(c.store, fmt.Sprintf("(%s)((%s)%s)", c.store, bits, mask)), t, true}
	case t.IsFloat():
		return b.element(t, fmt.Sprintf("float_of((u%d)(%s))", n, bits))
	}
	return b.element(t, fill(c.wrap, fmt.Sprintf("(%s)(%s)", c.value, bits)))
}

// bitcast is bitcast-convert between any widths.
func bitcast(g *graph, in *hlo.Instruction, ix index) []value {
	o, t := in.Operands[0], in.Shape.Type
	from, to := o.Shape.Type.Bits(), t.Bits()
	if o.Shape.Size()*int64(from) != in.Shape.Size()*int64(to) {
		refuse("bitcast-convert of predicates of one bit")
	}
	if o.Shape.Type == t {
		return []value{g.at(o, g.b.as(ix, o.Shape.Dims))}
	}
	switch {
	case from == to:
		return []value{g.b.ofBits(t, g.b.bitsOf(g.at(o, ix)))}
	case from > to:
		dims := g.b.coordinates(ix)
		last := len(dims) - 1
		bits := g.b.let(unsignedType(from), g.b.bitsOf(g.at(o, at(o.Shape.Dims, dims[:last]))))
		shift := times(dims[last], int64(to))
		return []value{g.b.ofBits(t, g.b.let(unsignedType(from), fmt.Sprintf("%s >> %s", bits, group(shift))))}
	}
	text := ""
	for i := range to / from {
		dims := append(append([]string{}, g.b.coordinates(ix)...), num(int64(i)))
		part := fmt.Sprintf("(%s)(%s)", unsignedType(to), g.b.bitsOf(g.at(o, at(o.Shape.Dims, dims))))
		text += fmt.Sprintf(" | %s << %d", part, i*from)
	}
	return []value{g.b.ofBits(t, g.b.let(unsignedType(to), strings.TrimPrefix(text, " | ")))}
}

// unsignedType is the C type that holds n bits.
func unsignedType(n int) string {
	if n > 32 {
		return "u64"
	}
	return "u32"
}

func reducePrecision(g *graph, in *hlo.Instruction, ix index) []value {
	a, t := in.Attrs.(*hlo.ReducePrecisionAttrs), in.Shape.Type
	bits := fmt.Sprintf("reduce_precision((u64)(%s), %d, %d, %d, %d)", g.b.bitsOf(g.at(in.Operands[0], ix)), t.Bits(),
		t.MantissaBits(), min(a.ExponentBits, 64), min(a.MantissaBits, 64))
	return []value{g.b.ofBits(t, bits)}
}
