package hlo

import (
	"math"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// ThreeFryBitGenerator makes random bits by ThreeFry from a key and a counter, and returns them and the counter after.
//
//	key u64[]   initialState u64[]   value s   state u64[]
//
// It fails unless s has integer elements. Law: XLA's random library; row 112.
func (b *Builder) ThreeFryBitGenerator(key, initialState *Instruction, s shape.Shape) (value, state *Instruction) {
	return b.generateBits(RngThreeFry, key, initialState, s)
}

// PhiloxBitGenerator is ThreeFryBitGenerator by Philox, whose counter has 128 bits, the low half first.
//
//	key u64[]   initialState u64[2]   value s   state u64[2]
//
// It fails unless s has integer elements. Law: XLA's random library; row 112.
func (b *Builder) PhiloxBitGenerator(key, initialState *Instruction, s shape.Shape) (value, state *Instruction) {
	return b.generateBits(RngPhilox, key, initialState, s)
}

// generateBits is rng-bit-generator with the state in two parts.
func (b *Builder) generateBits(a RandomAlgorithm, key, initial *Instruction,
	s shape.Shape) (value, state *Instruction) {
	b.present(RngBitGenerator, &key, &initial)
	want := shape.Array(shape.U64)
	if a != RngThreeFry {
		want = shape.Array(shape.U64, 2)
	}
	scalar := shape.Array(shape.U64)
	if b.err == nil && (!key.Shape.Compatible(scalar) || !initial.Shape.Compatible(want)) {
		in := b.fail(RngBitGenerator, "got key %v and state %v, want %v and %v", key.Shape, initial.Shape, scalar, want)
		return in, in
	}
	n := want.Size()
	whole := b.ConcatInDim([]*Instruction{b.Reshape(key, []int64{1}), b.Reshape(initial, []int64{n})}, 0)
	out := b.RngBitGenerator(a, whole, s)
	state = b.Slice(b.GetTupleElement(out, 0), []int64{1}, []int64{1 + n}, nil)
	return b.GetTupleElement(out, 1), b.Reshape(state, want.Dims)
}

// unsignedOf are the types of random bits for floats of so many bits.
var unsignedOf = map[int]shape.ElementType{16: shape.U16, 32: shape.U32, 64: shape.U64}

// UniformFloatingPointDistribution makes floats that are evenly distributed from minval up to maxval: of random bits
// as many as the mantissa has become a number in [0, 1), which is scaled. It returns them and the generator's state
// after.
//
//	key u64[]   initialState as algorithm's generator takes it   minval maxval T[]   value s of T
//
// RngDefault is Philox. It fails unless s is an array of f16, bf16, f32 or f64. Law: XLA's random library.
func (b *Builder) UniformFloatingPointDistribution(key, initialState *Instruction, algorithm RandomAlgorithm,
	minval, maxval *Instruction, s shape.Shape) (value, state *Instruction) {
	t, ok := unsignedOf[s.Type.Bits()]
	if !ok || !s.Type.IsFloat() {
		in := b.fail(RngBitGenerator, "got %v, want an array of f16, bf16, f32 or f64", s)
		return in, in
	}
	bits, state := b.generateBits(algorithm, key, initialState, s.WithType(t))
	bits = b.ShiftRightLogical(bits, b.scalarOf(t, int64(s.Type.Bits()-s.Type.MantissaBits())))
	one := b.BitcastConvertType(b.ConstantLiteral(literal.One(s.Type)), t)
	value = b.Sub(b.BitcastConvertType(b.Or(bits, one), s.Type), b.ConstantLiteral(literal.One(s.Type)))
	return b.Add(b.Mul(value, b.Sub(maxval, minval)), minval), state
}

func (b *Builder) scalarOf(t shape.ElementType, v int64) *Instruction {
	return b.ConstantLiteral(literal.ScalarOfInt(t, v))
}

// NormalFloatingPointDistribution makes floats of the normal distribution with mean 0 and deviation 1 by the transform
// of Box and Muller, two of a pair of uniform ones, and returns them and the generator's state after.
//
//	key u64[]   initialState as algorithm's generator takes it   value s
//
// It fails as UniformFloatingPointDistribution does, and for arrays of dynamic size.
// Law: XLA's random library; row 110.
func (b *Builder) NormalFloatingPointDistribution(key, initialState *Instruction, algorithm RandomAlgorithm,
	s shape.Shape) (value, state *Instruction) {
	n, ok := s.CheckedSize()
	if !ok || s.IsDynamic() || n == math.MaxInt64 || !s.Type.IsFloat() {
		in := b.fail(RngBitGenerator, "got %v, want a static array of floats", s)
		return in, in
	}
	pairs := (n + 1) / 2
	zero, one := b.ConstantLiteral(literal.Zero(s.Type)), b.ConstantLiteral(literal.One(s.Type))
	flat := shape.Array(s.Type, 2*pairs)
	u, state := b.UniformFloatingPointDistribution(key, initialState, algorithm, zero, one, flat)
	least := b.ConstantLiteral(literal.ScalarOf(s.Type, 1e-7)) // the logarithm stays finite
	u0 := b.Max(b.SliceInDim(u, 0, pairs, 1, 0), least)
	angle := b.Mul(b.SliceInDim(u, pairs, 2*pairs, 1, 0), b.ConstantLiteral(literal.ScalarOf(s.Type, 2*math.Pi)))
	radius := b.Sqrt(b.Mul(b.Log(u0), b.ConstantLiteral(literal.ScalarOf(s.Type, -2))))
	all := b.ConcatInDim([]*Instruction{b.Mul(radius, b.Sin(angle)), b.Mul(radius, b.Cos(angle))}, 0)
	return b.Reshape(b.SliceInDim(all, 0, n, 1, 0), s.Dims), state
}
