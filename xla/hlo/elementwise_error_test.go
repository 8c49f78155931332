package hlo

import (
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

// param adds a parameter of a shape in text.
type param = func(shape string) *Instruction

// TestElementwiseErrors has every way to use an elementwise op, a conversion or a random op wrongly.
func TestElementwiseErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(b *Builder, p param)
		want  string
	}{
		{"tuple operand", func(b *Builder, p param) { b.Exp(p("(f32[])")) }, "operand: got (f32[]), want an array"},
		{"token operand", func(b *Builder, p param) { b.Abs(p("token[]")) }, "operand: got token[]"},
		{"abs of unsigned", func(b *Builder, p param) { b.Abs(p("u8[2]")) }, "signed integer or floating point or complex"},
		{"abs of pred", func(b *Builder, p param) { b.Abs(p("pred[]")) }, "got pred[]"},
		{"ceil of integers", func(b *Builder, p param) {
			b.Ceil(p("s32[]"))
		}, "element type s32 is not supported, want floating point"},
		{"floor of complex", func(b *Builder, p param) { b.Floor(p("c64[]")) }, "element type c64 is not supported"},
		{"is-finite of complex", func(b *Builder, p param) {
			b.IsFinite(p("c64[]"))
		}, "got c64[], want elements that are floating point"},
		{"is-finite of integers", func(b *Builder, p param) { b.IsFinite(p("s32[]")) }, "got s32[]"},
		{"not of floats", func(b *Builder, p param) {
			b.Not(p("f32[]"))
		}, "want predicate, signed integer, unsigned integer"},
		{"neg of pred", func(b *Builder, p param) { b.Neg(p("pred[]")) }, "element type pred is not supported"},
		{"sign of unsigned", func(b *Builder, p param) { b.Sign(p("u32[]")) }, "element type u32 is not supported"},
		{"imag of integers", func(b *Builder, p param) {
			b.Imag(p("s32[]"))
		}, "want elements that are complex or floating point"},
		{"real of integers", func(b *Builder, p param) {
			b.Real(p("s32[]"))
		}, "want elements that are complex or floating point"},
		{"popcnt of pred", func(b *Builder, p param) { b.PopulationCount(p("pred[]")) }, "element type pred"},
		{"popcnt of floats", func(b *Builder, p param) { b.PopulationCount(p("f32[]")) }, "element type f32"},
		{"clz of floats", func(b *Builder, p param) { b.Clz(p("f32[]")) }, "element type f32"},
		{"erf of complex", func(b *Builder, p param) { b.Erf(p("c64[]")) }, "element type c64"},
		{"round of integers", func(b *Builder, p param) { b.Round(p("s32[]")) }, "element type s32"},
		{"exp of integers", func(b *Builder, p param) { b.Exp(p("s32[]")) }, "want floating point, complex"},
		{"types differ", func(b *Builder, p param) {
			b.Add(p("f32[]"), p("f64[]"))
		}, "element types differ: lhs is f32, rhs is f64"},
		{"precisions differ", func(b *Builder, p param) { b.Add(p("f32[]"), p("bf16[]")) }, "element types differ"},
		{"ranks differ", func(b *Builder, p param) {
			b.Add(p("f32[3]"), p("f32[2,3]"))
		}, "ranks differ, want broadcast dimensions"},
		{"sizes differ", func(b *Builder, p param) { b.Add(p("f32[2]"), p("f32[3]")) }, "add(f32[2], f32[3]): sizes differ and neither is 1"},
		{"dims: sizes differ", func(b *Builder, p param) { b.Add(p("f32[3]"), p("f32[4,3]"), 0) }, "sizes differ"},
		{"dims: sizes differ, rank 3", func(b *Builder, p param) {
			b.Add(p("f32[2,1]"), p("f32[2,3,4]"), 1, 2)
		}, "sizes differ"},
		{"dims descend", func(b *Builder, p param) {
			b.Add(p("f32[2,3]"), p("f32[2,3,4]"), 1, 0)
		}, "got {1, 0}, want ascending"},
		{"dims repeat", func(b *Builder, p param) { b.Add(p("f32[2,2]"), p("f32[2,2,2]"), 1, 1) }, "there twice"},
		{"dims out of range", func(b *Builder, p param) {
			b.Add(p("f32[2]"), p("f32[2,2]"), 2)
		}, "dimension 2 is out of range"},
		{"too many dims", func(b *Builder, p param) {
			b.Add(p("f32[2]"), p("f32[2,2]"), 0, 1)
		}, "their number is not the rank"},
		{"dims of equal ranks", func(b *Builder, p param) {
			b.Add(p("f32[2,2]"), p("f32[2,2]"), 1, 0)
		}, "of arrays of equal rank"},
		{"sub of pred", func(b *Builder, p param) { b.Sub(p("pred[]"), p("pred[]")) }, "element type pred"},
		{"div of pred", func(b *Builder, p param) { b.Div(p("pred[]"), p("pred[]")) }, "element type pred"},
		{"rem of pred", func(b *Builder, p param) { b.Rem(p("pred[]"), p("pred[]")) }, "element type pred"},
		{"rem of complex", func(b *Builder, p param) { b.Rem(p("c64[]"), p("c64[]")) }, "element type c64"},
		{"pow of pred", func(b *Builder, p param) { b.Pow(p("pred[]"), p("pred[]")) }, "element type pred"},
		{"atan2 of pred", func(b *Builder, p param) { b.Atan2(p("pred[]"), p("pred[]")) }, "element type pred"},
		{"atan2 of integers", func(b *Builder, p param) { b.Atan2(p("s32[]"), p("s32[]")) }, "element type s32"},
		{"shift of pred", func(b *Builder, p param) { b.ShiftLeft(p("pred[]"), p("pred[]")) }, "element type pred"},
		{"shift of floats", func(b *Builder, p param) { b.ShiftRightLogical(p("f32[]"), p("f32[]")) }, "element type f32"},
		{"shift amount of another type", func(b *Builder, p param) {
			b.ShiftRightArithmetic(p("s32[]"), p("u32[]"))
		}, "element types differ"},
		{"and of floats", func(b *Builder, p param) { b.And(p("f32[]"), p("f32[]")) }, "element type f32"},
		{"or of floats", func(b *Builder, p param) { b.Or(p("f32[]"), p("f32[]")) }, "element type f32"},
		{"xor of complex", func(b *Builder, p param) { b.Xor(p("c64[]"), p("c64[]")) }, "element type c64"},
		{"mulhi of floats", func(b *Builder, p param) { b.Mulhi(p("f32[]"), p("f32[]")) }, "element type f32"},
		{"complex of integers", func(b *Builder, p param) {
			b.Complex(p("s32[]"), p("s32[]"))
		}, "want elements that are floating point"},
		{"complex of f16", func(b *Builder, p param) {
			b.Complex(p("f16[]"), p("f16[]"))
		}, "parts are not supported, want f32 or f64"},
		{"complex of two types", func(b *Builder, p param) { b.Complex(p("f32[]"), p("f64[]")) }, "element types differ"},
		{"order of complex", func(b *Builder, p param) { b.Lt(p("c64[]"), p("c64[]")) }, "complex numbers have no order"},
		{"total order of complex", func(b *Builder, p param) {
			b.EqTotalOrder(p("c64[]"), p("c64[]"))
		}, "TOTALORDER does not suit"},
		{"compare of two types", func(b *Builder, p param) { b.Eq(p("s32[]"), p("u32[]")) }, "element types differ"},
		{"signed comparison of floats", func(b *Builder, p param) {
			b.Compare(p("f32[]"), p("f32[]"), CompareAttrs{Type: SignedComparison})
		}, "type SIGNED does not suit"},
		{"float comparison of integers", func(b *Builder, p param) {
			b.Compare(p("s32[]"), p("s32[]"), CompareAttrs{Type: FloatComparison})
		}, "type FLOAT does not suit"},
		{"unknown direction", func(b *Builder, p param) {
			b.Compare(p("s32[]"), p("s32[]"), CompareAttrs{Direction: 9})
		}, "unknown direction 9"},
		{"select by integers", func(b *Builder, p param) {
			b.Select(p("s32[]"), p("f32[]"), p("f32[]"))
		}, "pred: got s32[]"},
		{"select of two types", func(b *Builder, p param) {
			b.Select(p("pred[]"), p("f32[]"), p("f64[]"))
		}, "on_true is f32, on_false is f64"},
		{"select of two sizes", func(b *Builder, p param) {
			b.Select(p("pred[]"), p("f32[2]"), p("f32[3]"))
		}, "sizes differ"},
		{"select by another size", func(b *Builder, p param) {
			b.Select(p("pred[2]"), p("f32[3]"), p("f32[3]"))
		}, "pred is pred[2], want a scalar or"},
		{"select of tuples by an array", func(b *Builder, p param) {
			b.Select(p("pred[2]"), p("(f32[])"), p("(f32[])"))
		}, "want a scalar for branches that are tuples"},
		{"clamp of two types", func(b *Builder, p param) {
			b.Clamp(p("f32[]"), p("f64[]"), p("f32[]"))
		}, "element types differ"},
		{"clamp of complex", func(b *Builder, p param) {
			b.Clamp(p("c64[]"), p("c64[]"), p("c64[]"))
		}, "complex numbers have no order"},
		{"clamp by another size", func(b *Builder, p param) {
			b.Clamp(p("f32[2]"), p("f32[3]"), p("f32[]"))
		}, "min is f32[2], want a scalar or"},
		{"clamp by another size above", func(b *Builder, p param) {
			b.Clamp(p("f32[]"), p("f32[3]"), p("f32[1]"))
		}, "max is f32[1], want a scalar or"},
		{"convert of a tuple", func(b *Builder, p param) { b.ConvertElementType(p("(f32[])"), shape.F32) }, "want an array"},
		{"convert to a token", func(b *Builder, p param) { b.ConvertElementType(p("f32[]"), shape.Token) }, "want an array"},
		{"bitcast to complex", func(b *Builder, p param) {
			b.BitcastConvertType(p("f64[]"), shape.C64)
		}, "complex numbers convert only to complex"},
		{"bitcast of complex", func(b *Builder, p param) {
			b.BitcastConvertType(p("c64[]"), shape.F64)
		}, "complex numbers convert only to complex"},
		{"bitcast of a tuple", func(b *Builder, p param) { b.BitcastConvertType(p("(f32[])"), shape.F32) }, "want an array"},
		{"bitcast of odd widths", func(b *Builder, p param) {
			b.BitcastConvertType(p("f6e2m3fn[8]"), shape.U8)
		}, "neither width divides"},
		{"bitcast does not fill", func(b *Builder, p param) {
			b.BitcastConvertType(p("u8[2]"), shape.U32)
		}, "want a last dimension of size 4"},
		{"bitcast of a scalar to wider", func(b *Builder, p param) {
			b.BitcastConvertType(p("u8[]"), shape.U32)
		}, "want a last dimension of size 4"},
		{"no exponent", func(b *Builder, p param) {
			b.ReducePrecision(p("f32[]"), 0, 3)
		}, "exponent_bits: got 0, want at least 1"},
		{"negative mantissa", func(b *Builder, p param) {
			b.ReducePrecision(p("f32[]"), 1, -1)
		}, "mantissa_bits: got -1, want at least 0"},
		{"reduce-precision of integers", func(b *Builder, p param) {
			b.ReducePrecision(p("s32[]"), 5, 3)
		}, "want elements that are floating point"},
		{"stochastic-convert by few bits", func(b *Builder, p param) {
			b.StochasticConvertType(p("f32[]"), p("u16[]"), shape.BF16)
		}, "want as many bits"},
		{"stochastic-convert by signed", func(b *Builder, p param) {
			b.StochasticConvertType(p("f32[]"), p("s32[]"), shape.BF16)
		}, "want elements that are unsigned integer"},
		{"stochastic-convert to pred", func(b *Builder, p param) {
			b.StochasticConvertType(p("f32[]"), p("u32[]"), shape.Pred)
		}, "want elements that are integers or floating point"},
		{"stochastic-convert of two sizes", func(b *Builder, p param) {
			b.StochasticConvertType(p("f32[2]"), p("u32[3]"), shape.S8)
		}, "sizes differ"},
		{"bounds are no scalars", func(b *Builder, p param) {
			b.RngUniform(p("f32[1]"), p("f32[]"), shape.Array(shape.F32, 3))
		}, "operand 0: got f32[1], want f32[]"},
		{"bounds of another type", func(b *Builder, p param) {
			b.RngUniform(p("f32[]"), p("s32[]"), shape.Array(shape.F32, 3))
		}, "operand 1: got s32[], want f32[]"},
		{"uniform complex", func(b *Builder, p param) {
			b.RngUniform(p("c64[]"), p("c64[]"), shape.Array(shape.C64, 3))
		}, "rng_uniform of elements that are c64"},
		{"normal integers", func(b *Builder, p param) {
			b.RngNormal(p("s32[]"), p("s32[]"), shape.Array(shape.S32, 3))
		}, "rng_normal of elements that are s32"},
		{"bernoulli floats", func(b *Builder, p param) {
			b.RngBernoulli(p("f32[]"), shape.Array(shape.F32, 3))
		}, "want u32 elements"},
		{"bernoulli by an integer", func(b *Builder, p param) {
			b.RngBernoulli(p("u32[]"), shape.Array(shape.U32, 3))
		}, "got u32[], want f32[]"},
		{"random tuple", func(b *Builder, p param) {
			b.RngUniform(p("f32[]"), p("f32[]"), shape.TupleOf())
		}, "want an array"},
		{"state of another type", func(b *Builder, p param) {
			b.RngBitGenerator(RngPhilox, p("u32[2]"), shape.Array(shape.U32, 3))
		}, "want a vector of u64"},
		{"state too long", func(b *Builder, p param) {
			b.RngBitGenerator(RngThreeFry, p("u64[3]"), shape.Array(shape.U32, 3))
		}, "got u64[3], want u64[2]"},
		{"state too short", func(b *Builder, p param) {
			b.RngBitGenerator(RngDefault, p("u64[1]"), shape.Array(shape.U32, 3))
		}, "want u64[2] or u64[3]"},
		{"random predicates", func(b *Builder, p param) {
			b.RngBitGenerator(RngPhilox, p("u64[2]"), shape.Array(shape.Pred, 3))
		}, "neither pred nor complex"},
		{"new state of another size", func(b *Builder, p param) {
			b.add(RngBitGenerator, &RngBitGeneratorAttrs{RngPhilox},
				shape.TupleOf(shape.Array(shape.U64, 3), shape.Array(shape.U32)), p("u64[2]"))
		}, "new state is u64[3], initial_state is u64[2]"},
		{"bitcast changes the size", func(b *Builder, p param) {
			b.add(Bitcast, nil, shape.Array(shape.F32, 3), p("f32[2]"))
		}, "takes 12 bytes"},
		{"SqrtF32 of f64", func(b *Builder, p param) { b.SqrtF32(p("f64[]")) }, "want f32 elements"},
	} {
		b := NewBuilder("test")
		c.build(b, func(text string) *Instruction {
			s, err := shape.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			return b.Parameter(b.parameters, s, "")
		})
		if _, err := b.Build(nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", c.name, err, c.want)
		}
	}
}
