package hlo

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Known answers of Random123.
func TestBlockFunctions(t *testing.T) {
	all := uint64(math.MaxUint64)
	if a, b := threeFry(0, 0); a != 0x6b200159 || b != 0x99ba4efe {
		t.Errorf("threefry of zeros: got %x %x", a, b)
	}
	if a, b := threeFry(all, all); a != 0x1cb996fc || b != 0xbb002be7 {
		t.Errorf("threefry of ones: got %x %x", a, b)
	}
	if got, want := philox(0, 0, 0), [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}; got != want {
		t.Errorf("philox of zeros: got %x, want %x", got, want)
	}
}

// The vectors of section 7.
func TestRngBitGenerator(t *testing.T) {
	for _, c := range []struct {
		algorithm   RandomAlgorithm
		t           shape.ElementType
		dims        []int64
		state       []uint64
		bits, after []uint64
	}{
		{RngThreeFry, shape.U32, []int64{5}, []uint64{1, 2},
			[]uint64{0x0296e954, 0x802fd53b, 0xed3492d3, 0xdf435003, 0x63b40bd3}, []uint64{1, 5}},
		{RngThreeFry, shape.U32, []int64{2, 3}, []uint64{1, 2},
			[]uint64{0x0296e954, 0xed3492d3, 0x63b40bd3, 0x802fd53b, 0xdf435003, 0xfcc0f261}, []uint64{1, 5}},
		{RngThreeFry, shape.U32, []int64{3, 4}, []uint64{42, 0},
			[]uint64{0xde79f4b9, 0x4f6cc618, 0x268fd86c, 0xfe251627, 0x8533bc2a, 0x1b41c6e8, 0x3ffbe4ea, 0xdc557f27,
				0x9f821b71, 0x0a548c27, 0x436dbd8a, 0x294e53cc}, []uint64{42, 6}},
		{RngThreeFry, shape.U64, []int64{2}, []uint64{1, 2}, []uint64{0x802fd53b0296e954, 0xdf435003ed3492d3},
			[]uint64{1, 4}},
		{RngThreeFry, shape.U64, nil, []uint64{3, 3}, []uint64{3349939604322698703}, []uint64{3, 4}},
		{RngThreeFry, shape.U8, []int64{2, 3}, []uint64{1, 2}, []uint64{0x54, 0xd3, 0xd3, 0x3b, 0x03, 0x61}, []uint64{1, 5}},
		{RngThreeFry, shape.U32, []int64{0}, []uint64{1, 2}, nil, []uint64{1, 2}},
		{RngPhilox, shape.U32, []int64{5}, []uint64{1, 2, 3},
			[]uint64{0xf045e74a, 0x517630e6, 0x1d8af405, 0xb5e59a96, 0x05545ceb}, []uint64{1, 4, 3}},
		{RngPhilox, shape.U32, []int64{5}, []uint64{1, 2},
			[]uint64{0x7d34a749, 0xa9b8bbe8, 0x7ba423d7, 0x2fb324d9, 0x6cf923fe}, []uint64{1, 4}},
		{RngPhilox, shape.U64, []int64{3}, []uint64{1, 2, 3},
			[]uint64{0x517630e6f045e74a, 0xb5e59a961d8af405, 0x72471b7705545ceb}, []uint64{1, 4, 3}},
		{RngDefault, shape.S16, []int64{2}, []uint64{1, 2, 3}, []uint64{0xe74a, 0x30e6}, []uint64{1, 3, 3}},
		{RngPhilox, shape.F32, []int64{1}, []uint64{1, 2, 3}, []uint64{0xf045e74a}, []uint64{1, 3, 3}},
	} {
		state, _ := literal.FromSlice(c.state)
		told := shape.TupleOf(state.Shape(), shape.Array(c.t, c.dims...))
		out := evalOp(t, RngBitGenerator, &RngBitGeneratorAttrs{c.algorithm}, told, state).Elems()
		if got := out[0].Wide().U; !slices.Equal(got, c.after) {
			t.Errorf("%v %v %v: state after is %v, want %v", algorithmNames[c.algorithm], told, c.state, got, c.after)
		}
		size := c.t.Bytes()
		for i, want := range c.bits {
			if got := getBits(out[1].Bytes()[i*size : (i+1)*size]); got != want {
				t.Errorf("%v %v %v: element %d is %x, want %x", algorithmNames[c.algorithm], told, c.state, i, got, want)
			}
		}
	}
}

func TestPhiloxCarry(t *testing.T) {
	after, err := generateBits(&Evaluator{ctx: context.Background()}, RngPhilox, []uint64{1, math.MaxUint64, 7},
		literal.Zeros(shape.Array(shape.U32, 8)))
	if want := []uint64{1, 1, 8}; err != nil || !slices.Equal(after, want) {
		t.Errorf("state after is %v, %v, want %v", after, err, want)
	}
}

func TestRngGetAndUpdateState(t *testing.T) {
	b := NewBuilder("test")
	x, y := b.RngGetAndUpdateState(3), b.RngGetAndUpdateState(1)
	c, err := b.Build(b.Sub(y, x))
	if err != nil {
		t.Fatal(err)
	}
	out, err := Evaluate(context.Background(), NewModule("m", c), nil, EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Wide().U; !slices.Equal(got, []uint64{3, 0}) {
		t.Errorf("the state moved by %v, want 3", got)
	}
}

// rngSample draws n values with a seed.
func rngSample(t *testing.T, seed uint64, d Distribution, s shape.Shape, params ...*literal.Literal) []float64 {
	t.Helper()
	b := NewBuilder("test")
	var operands []*Instruction
	for _, p := range params {
		operands = append(operands, b.ConstantLiteral(p))
	}
	c, err := b.Build(b.add(Rng, &RngAttrs{d}, s, operands...))
	if err != nil {
		t.Fatal(err)
	}
	out, err := Evaluate(context.Background(), NewModule("m", c), nil, EvalOptions{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return literal.ConvertWide(out.Wide(), s.Type, shape.F64).F
}

// Moments of 20000 draws: the bounds are some five standard errors wide.
func TestRngDistributions(t *testing.T) {
	const n = 20000
	f32, s32 := shape.Array(shape.F32, n), shape.Array(shape.S32, n)
	one := literal.Scalar[float32]
	for _, c := range []struct {
		name                string
		d                   Distribution
		s                   shape.Shape
		params              []*literal.Literal
		mean, deviation     float64
		least, most, within float64
	}{
		{"uniform floats", RngUniform, f32, []*literal.Literal{one(-1), one(3)}, 1, 4 / math.Sqrt(12), -1,
			math.Nextafter(3, 0), 0.05},
		{"uniform integers", RngUniform, s32, []*literal.Literal{literal.Scalar[int32](-3), literal.Scalar[int32](4)}, 0, 2,
			-3, 3, 0.08},
		{"normal", RngNormal, f32, []*literal.Literal{one(2), one(0.5)}, 2, 0.5, -2, 6, 0.02},
		{"bernoulli", RngBernoulli, shape.Array(shape.U32, n), []*literal.Literal{one(0.25)}, 0.25, math.Sqrt(0.1875), 0, 1,
			0.02},
		{"certain", RngBernoulli, shape.Array(shape.U32, n), []*literal.Literal{one(1.5)}, 1, 0, 1, 1, 0},
		{"never for NaN", RngBernoulli, shape.Array(shape.U32, n), []*literal.Literal{one(float32(nan))}, 0, 0, 0, 0, 0},
		{"empty range", RngUniform, f32, []*literal.Literal{one(2), one(2)}, 2, 0, 2, 2, 0},
		{"reversed range", RngUniform, s32, []*literal.Literal{literal.Scalar[int32](5), literal.Scalar[int32](-5)}, 5, 0,
			5, 5, 0},
		{"predicates", RngUniform, shape.Array(shape.Pred, n),
			[]*literal.Literal{literal.Scalar(false), literal.Scalar(true)}, 0.5, 0.5, 0, 1, 0.02},
	} {
		v := rngSample(t, 1, c.d, c.s, c.params...)
		sum, squares := 0.0, 0.0
		for _, x := range v {
			sum += x
			squares += (x - c.mean) * (x - c.mean)
		}
		mean, deviation := sum/n, math.Sqrt(squares/n)
		if math.Abs(mean-c.mean) > c.within || math.Abs(deviation-c.deviation) > c.within {
			t.Errorf("%s: mean %v and deviation %v, want %v and %v", c.name, mean, deviation, c.mean, c.deviation)
		}
		if lo, hi := slices.Min(v), slices.Max(v); lo < c.least || hi > c.most {
			t.Errorf("%s: values from %v to %v, want %v to %v", c.name, lo, hi, c.least, c.most)
		}
	}
}

// The key of the first device is the seed; the others' are told apart by the fraction of the golden ratio.
func TestRngKey(t *testing.T) {
	golden := uint64(math.Floor((math.Sqrt(5) - 1) / 2 * (1 << 32))) // its upper half
	if got := RngKey(7, 0); got != 7 {
		t.Errorf("the first device of seed 7 has key %x, want 7", got)
	}
	if got := RngKey(0, 1) >> 32; got != golden {
		t.Errorf("the second device's key begins with %x, want %x", got, golden)
	}
	if got, want := RngKey(5, 3), 5^(3*RngKey(0, 1)); got != want {
		t.Errorf("the fourth device of seed 5 has key %x, want %x", got, want)
	}
}

func TestRngSeeds(t *testing.T) {
	s, p := shape.Array(shape.F32, 8), []*literal.Literal{literal.Scalar[float32](0), literal.Scalar[float32](1)}
	a, b, c := rngSample(t, 1, RngUniform, s, p...), rngSample(t, 1, RngUniform, s, p...),
		rngSample(t, 2, RngUniform, s, p...)
	if !slices.Equal(a, b) {
		t.Errorf("one seed gave %v and %v", a, b)
	}
	if slices.Equal(a, c) {
		t.Errorf("two seeds gave %v", a)
	}
}

// A value that rounds up to the upper bound of a narrow type must not come out.
func TestUniformStaysBelow(t *testing.T) {
	for _, v := range rngSample(t, 3, RngUniform, shape.Array(shape.BF16, 4096), literal.ScalarOf(shape.BF16, 1),
		literal.ScalarOf(shape.BF16, 1.03125)) {
		if v < 1 || v >= 1.03125 {
			t.Fatalf("got %v, want a value in [1, 1.03125)", v)
		}
	}
}
