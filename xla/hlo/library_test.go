package hlo

import (
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

func TestFloatTests(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(b *Builder, operand *Instruction) *Instruction
		want []bool
	}{
		{"IsInf", (*Builder).IsInf, []bool{true, true, false, false, false, false}},
		{"IsPosInf", (*Builder).IsPosInf, []bool{true, false, false, false, false, false}},
		{"IsNegInf", (*Builder).IsNegInf, []bool{false, true, false, false, false, false}},
		{"IsNan", (*Builder).IsNan, []bool{false, false, true, false, false, false}},
		{"IsNegZero", (*Builder).IsNegZero, []bool{false, false, false, true, false, false}},
	} {
		got := evalBuilt(t, func(b *Builder) *Instruction {
			return c.f(b, b.ConstantLiteral(floatsOf(shape.F32, inf, -inf, nan, negZero, 0, -1)))
		})
		wantElems(t, c.name, got, c.want...)
		b := NewBuilder("bad")
		if c.f(b, ConstantR0[int32](b, 1)); b.Err() == nil {
			t.Errorf("%s of an integer: got no error", c.name)
		}
	}
}

func TestAny(t *testing.T) {
	got := evalBuilt(t, func(b *Builder) *Instruction {
		return b.Tuple(b.Any(ConstantR2(b, []bool{false, false}, []bool{true, false})), b.Any(ConstantR1(b, false, false)),
			b.Any(ConstantR1[bool](b)))
	})
	for i, want := range []bool{true, false, false} {
		wantElems(t, "any", got.Elems()[i], want)
	}
	wantBuildError(t, "want an array of predicates", func(b *Builder) *Instruction {
		return b.Any(ConstantR0[int32](b, 1))
	})
}

func TestArgMax(t *testing.T) {
	for _, c := range []struct {
		name     string
		v        []float64
		max, min int64
	}{
		{"plain", []float64{1, 3, 2, 0}, 1, 3},
		{"equal ones", []float64{5, 7, 7, 5}, 1, 0},
		{"NaN", []float64{1, nan, 9, nan}, 1, 1},
		{"the least", []float64{-inf, -inf}, 0, 0},
		{"the greatest", []float64{inf, inf}, 0, 0},
		{"the least last", []float64{0, 0, -inf}, 0, 2},
	} {
		got := evalBuilt(t, func(b *Builder) *Instruction {
			x := b.ConstantLiteral(floatsOf(shape.F32, c.v...))
			return b.Tuple(b.ArgMax(x, shape.S64, 0), b.ArgMin(x, shape.S64, 0))
		}).Elems()
		wantElems(t, c.name+": greatest", got[0], c.max)
		wantElems(t, c.name+": smallest", got[1], c.min)
	}
	got := evalBuilt(t, func(b *Builder) *Instruction {
		return b.ArgMax(ConstantR2(b, []int32{1, -2, 3}, []int32{4, -9, 3}), shape.U8, 0)
	})
	wantElems(t, "along rows", got, uint8(1), 0, 0)
	wantBuildError(t, "axis", func(b *Builder) *Instruction {
		return b.ArgMin(ConstantR1[int32](b, 1), shape.S32, 1)
	})
	wantBuildError(t, "elements with an order and integers", func(b *Builder) *Instruction {
		return b.ArgMin(ConstantR1[int32](b, 1), shape.F32, 0)
	})
}

func TestScalarComputations(t *testing.T) {
	add, err := CreateScalarComputation(Add, shape.S32)
	if err != nil {
		t.Fatal(err)
	}
	down, err := CreateScalarGtComputation(shape.F32, shape.S32)
	if err != nil {
		t.Fatal(err)
	}
	up, err := CreateScalarLtComputation(shape.F32, shape.S32)
	if err != nil {
		t.Fatal(err)
	}
	got := evalBuilt(t, func(b *Builder) *Instruction {
		x, y := b.ConstantLiteral(floatsOf(shape.F32, 1, nan, 2, negZero, 0)), ConstantR1[int32](b, 10, 20, 30, 40, 50)
		pair := []*Instruction{x, y}
		return b.Tuple(b.GetTupleElement(b.Sort(pair, down, 0, true), 1), b.GetTupleElement(b.Sort(pair, up, 0, true), 1),
			b.ReduceAll(y, ConstantR0[int32](b, 1), add))
	}).Elems()
	wantElems(t, "descending", got[0], int32(20), 30, 10, 50, 40)
	wantElems(t, "ascending", got[1], int32(40), 50, 10, 30, 20)
	wantElems(t, "sum", got[2], int32(151))
	for _, op := range []Opcode{Negate, Select, Dot, Tuple} {
		if _, err := CreateScalarComputation(op, shape.F32); err == nil {
			t.Errorf("%s: got no error", op)
		}
	}
	if _, err := CreateScalarComputation(And, shape.F32); err == nil {
		t.Error("and of floats: got no error")
	}
	if _, err := CreateScalarLtComputation(); err == nil {
		t.Error("no types: got no error")
	}
}
