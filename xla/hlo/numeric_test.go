package hlo

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// numBinary returns the computation op(p0, p1) on scalars of type t.
func numBinary(t *testing.T, op Opcode, et shape.ElementType) *Computation {
	t.Helper()
	b := NewBuilder(op.String())
	x, y := b.Parameter(0, shape.Array(et), "x"), b.Parameter(1, shape.Array(et), "y")
	c, err := b.Build(b.add(op, nil, shape.Shape{}, x, y))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// numArray returns a literal with the elements v.
func numArray[T literal.Element](t testing.TB, v []T, dims ...int64) *literal.Literal {
	t.Helper()
	l, err := literal.FromSlice(v, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// numLit returns an array of type et with the elements v.
func numLit(t testing.TB, et shape.ElementType, v []float64, dims ...int64) *literal.Literal {
	t.Helper()
	l, err := literal.Convert(numArray(t, v, dims...), et)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// evalBuilt builds and evaluates a computation of constants.
func evalBuilt(t testing.TB, build func(b *Builder) *Instruction) *literal.Literal {
	t.Helper()
	b := NewBuilder("test")
	c, err := b.Build(build(b))
	if err != nil {
		t.Fatal(err)
	}
	out, err := Evaluate(context.Background(), NewModule("test", c), nil, EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// wantFloats fails unless l is an array of shape s whose elements, converted to float64, are v; NaN equals NaN.
func wantFloats(t *testing.T, l *literal.Literal, s string, v ...float64) {
	t.Helper()
	f := literal.ConvertWide(l.Wide(), l.Shape().Type, shape.F64).F
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	if l.Shape().String() != s || !slices.EqualFunc(f, v, same) {
		t.Errorf("got %v %v, want %s %v", l.Shape(), f, s, v)
	}
}

// wantBuildError fails unless build makes a builder fail with an error that has text in it.
func wantBuildError(t *testing.T, text string, build func(b *Builder) *Instruction) {
	t.Helper()
	b := NewBuilder("test")
	_, err := b.Build(build(b))
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("got error %v, want one with %q", err, text)
	}
}

// numParam is a parameter of the shape that type and dims name.
func numParam(b *Builder, et shape.ElementType, dims ...int64) *Instruction {
	b.parameters++
	return b.Parameter(b.parameters-1, shape.Array(et, dims...), "")
}

func just(in *Instruction) []*Instruction { return []*Instruction{in} }

// Small programs with huge results end with an error before they take the memory.
func TestHugeResults(t *testing.T) {
	huge := int64(1) << 40
	for name, build := range map[string]func(b *Builder) *Instruction{
		"dot": func(b *Builder) *Instruction {
			x := b.ConstantLiteral(literal.Zeros(shape.Array(shape.S8, 1<<12)))
			return b.DotGeneral(x, x, DotAttrs{})
		},
		"reduce": func(b *Builder) *Instruction {
			x, zero := b.ConstantLiteral(literal.Zeros(shape.Array(shape.S8, 0, huge))), b.ConstantLiteral(literal.Zero(shape.S8))
			return b.Reduce(just(x), just(zero), numBinary(t, Add, shape.S8), 0)
		},
		"reduce-window": func(b *Builder) *Instruction {
			x, zero := b.ConstantLiteral(literal.Zeros(shape.Array(shape.S8, 1))), b.ConstantLiteral(literal.Zero(shape.S8))
			return b.ReduceWindowWithGeneralPadding(just(x), just(zero), numBinary(t, Add, shape.S8), []int64{1}, nil, nil, nil,
				[][2]int64{{huge, huge}})
		},
		"convolution": func(b *Builder) *Instruction {
			x := b.ConstantLiteral(literal.Zeros(shape.Array(shape.S8, 1, 1, 1)))
			return b.ConvWithGeneralPadding(x, x, nil, [][2]int64{{huge, huge}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBuilder("test")
			c, err := b.Build(build(b))
			if err != nil {
				t.Fatal(err)
			}
			opts := EvalOptions{MaxBytes: 1 << 24}
			if _, err := Evaluate(context.Background(), NewModule("test", c), nil, opts); !errors.Is(err, ErrLimit) {
				t.Errorf("got %v, want %v", err, ErrLimit)
			}
		})
	}
}
