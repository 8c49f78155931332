package hlo

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// The examples of section 2.2 and its table of dynamic sizes.
func TestImplicitBroadcast(t *testing.T) {
	for _, c := range []struct {
		x, y string
		dims []int64
		want string
	}{
		{"f32[]", "f32[2,3]", nil, "f32[2,3]"},
		{"f32[3]", "f32[4,3]", []int64{1}, "f32[4,3]"},
		{"f32[2,3]", "f32[2,3,4]", []int64{0, 1}, "f32[2,3,4]"},
		{"f32[2,1]", "f32[2,3,4]", []int64{0, 2}, "f32[2,3,4]"},
		{"f32[2,3]", "f32[2,1,4]", []int64{0, 1}, "f32[2,3,4]"},
		{"f32[2,3]", "f32[2,3]", []int64{0, 1}, "f32[2,3]"},
		{"f32[2,1]", "f32[1,3]", nil, "f32[2,3]"},
		{"f32[1]", "f32[0]", nil, "f32[0]"},
		{"f32[1]", "f32[<=3]", nil, "f32[<=3]"},
		{"f32[3]", "f32[<=3]", nil, "f32[<=3]"},
		{"f32[<=3]", "f32[<=3]", nil, "f32[<=3]"},
		{"f32[1]", "f32[?]", nil, "f32[?]"},
		{"f32[3]", "f32[?]", nil, "f32[3]"},
		{"f32[<=3]", "f32[?]", nil, "f32[?]"},
		{"f32[?]", "f32[?]", nil, "f32[?]"},
		{"f32[]", "f32[?,<=4]", nil, "f32[?,<=4]"},
	} {
		for range 2 {
			b := NewBuilder("test")
			x, _ := shape.Parse(c.x)
			y, _ := shape.Parse(c.y)
			sum := b.Add(b.Parameter(0, x, "x"), b.Parameter(1, y, "y"), c.dims...)
			if b.Err() != nil || sum.Shape.String() != c.want {
				t.Errorf("%s + %s %v: got %v, %v, want %s", c.x, c.y, c.dims, sum.Shape, b.Err(), c.want)
			}
			c.x, c.y = c.y, c.x
		}
	}
}

// evalOn evaluates what f builds of constants.
func evalOn(t *testing.T, f func(b *Builder, args []*Instruction) *Instruction,
	args ...*literal.Literal) *literal.Literal {
	t.Helper()
	b := NewBuilder("test")
	ins := make([]*Instruction, len(args))
	for i, l := range args {
		ins[i] = b.Parameter(int64(i), l.Shape(), "")
	}
	c, err := b.Build(f(b, ins))
	if err != nil {
		t.Fatal(err)
	}
	out, err := Evaluate(context.Background(), NewModule("m", c), args, EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestBuilderForms(t *testing.T) {
	x, y := floatsOf(shape.F32, 4, 2), floatsOf(shape.F32, 1, 2)
	p, q := intsOf(shape.Pred, 1, 0), intsOf(shape.Pred, 1, 1)
	for _, c := range []struct {
		name string
		f    func(b *Builder, a []*Instruction) *Instruction
		args []*literal.Literal
		want []float64
	}{
		{"Square", func(b *Builder, a []*Instruction) *Instruction { return b.Square(a[0]) },
			[]*literal.Literal{x}, []float64{16, 4}},
		{"SquareF32", func(b *Builder, a []*Instruction) *Instruction { return b.SquareF32(a[0]) },
			[]*literal.Literal{x}, []float64{16, 4}},
		{"SqrtF32", func(b *Builder, a []*Instruction) *Instruction { return b.SqrtF32(a[0]) },
			[]*literal.Literal{floatsOf(shape.F32, 4, 9)}, []float64{2, 3}},
		{"ReciprocalF32", func(b *Builder, a []*Instruction) *Instruction { return b.ReciprocalF32(a[0]) },
			[]*literal.Literal{x}, []float64{0.25, 0.5}},
		{"Reciprocal", func(b *Builder, a []*Instruction) *Instruction { return b.Reciprocal(a[0]) },
			[]*literal.Literal{x}, []float64{0.25, 0.5}},
		{"Clamp", func(b *Builder, a []*Instruction) *Instruction { return b.Clamp(a[0], a[1], a[2]) },
			[]*literal.Literal{literal.Scalar[float32](0), floatsOf(shape.F32, -1, 5, 9), literal.Scalar[float32](6)},
			[]float64{0, 5, 6}},
		{"Clamp to an empty range", func(b *Builder, a []*Instruction) *Instruction { return b.Clamp(a[0], a[1], a[2]) },
			[]*literal.Literal{literal.Scalar[float32](7), floatsOf(shape.F32, nan, 5), literal.Scalar[float32](6)},
			[]float64{nan, 6}},
		{"Select", func(b *Builder, a []*Instruction) *Instruction { return b.Select(a[0], a[1], a[2]) },
			[]*literal.Literal{p, x, y}, []float64{4, 2}},
		{"Select by a scalar", func(b *Builder, a []*Instruction) *Instruction { return b.Select(a[0], a[1], a[2]) },
			[]*literal.Literal{literal.Scalar(false), x, y}, []float64{1, 2}},
		{"Select of tuples", func(b *Builder, a []*Instruction) *Instruction {
			return b.GetTupleElement(b.Select(a[0], b.Tuple(a[1]), b.Tuple(a[2])), 0)
		}, []*literal.Literal{literal.Scalar(false), x, y}, []float64{1, 2}},
		{"AndAll", func(b *Builder, a []*Instruction) *Instruction {
			return b.ConvertElementType(b.AndAll(a[0], a[1], a[1]), shape.F32)
		}, []*literal.Literal{p, q}, []float64{1, 0}},
		{"OrAll", func(b *Builder, a []*Instruction) *Instruction {
			return b.ConvertElementType(b.OrAll(a[0], a[1], a[0]), shape.F32)
		}, []*literal.Literal{p, q}, []float64{1, 1}},
		{"LogicalNot, LogicalAnd, LogicalOr", func(b *Builder, a []*Instruction) *Instruction {
			return b.ConvertElementType(b.LogicalOr(b.LogicalNot(a[0]), b.LogicalAnd(a[0], a[1])), shape.F32)
		}, []*literal.Literal{p, q}, []float64{1, 1}},
		{"Conj", func(b *Builder, a []*Instruction) *Instruction { return b.Imag(b.Conj(a[0])) },
			[]*literal.Literal{complexOf(shape.C64, 1+2i, -3i)}, []float64{-2, 3}},
	} {
		got := evalOn(t, c.f, c.args...).Wide().F
		if !slices.EqualFunc(got, c.want, sameFloat) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// Rows 43 to 54: NaN, zeros and NaN payloads under both orders. The columns are EQ, NE, GE, GT, LE, LT.
func TestCompare(t *testing.T) {
	const quiet, negQuiet, payload = 0x7FC00000, 0xFFC00000, 0x7FC00001
	for _, c := range []struct {
		x, y         uint32 // bits of f32
		plain, total string
	}{
		{quiet, quiet, "010000", "101010"},
		{quiet, payload, "010000", "010011"},
		{0x80000000, 0, "101010", "010011"},
		{negQuiet, 0xFF800000, "010000", "010011"},
		{0x7F800000, quiet, "010000", "010011"},
		{0x3F800000, 0x40000000, "010011", "010011"},
		{0xBF800000, 0xC0000000, "011100", "011100"},
	} {
		x, y := typed(t, bits32(c.x), shape.F32, 1), typed(t, bits32(c.y), shape.F32, 1)
		for d := Eq; d <= Lt; d++ {
			for _, k := range []struct {
				order ComparisonType
				want  string
			}{{DefaultComparison, c.plain}, {FloatComparison, c.plain}, {TotalOrder, c.total}} {
				got := evalOp(t, Compare, &CompareAttrs{d, k.order}, shape.Shape{}, x, y).Wide().B[0]
				if want := k.want[d] == '1'; got != want {
					t.Errorf("%#x %s %#x by %q: got %v", c.x, directionNames[d], c.y, comparisonNames[k.order], got)
				}
			}
		}
	}
	if evalOp(t, Compare, &CompareAttrs{Lt, DefaultComparison}, shape.Shape{}, intsOf(shape.U64, -1),
		intsOf(shape.U64, 1)).Wide().B[0] {
		t.Error("2^64-1 < 1 as u64")
	}
	if !evalOp(t, Compare, &CompareAttrs{Gt, TotalOrder}, shape.Shape{}, intsOf(shape.S8, 1),
		intsOf(shape.S8, -1)).Wide().B[0] {
		t.Error("not 1 > -1 by the total order of s8")
	}
	if evalOp(t, Compare, &CompareAttrs{Ne, DefaultComparison}, shape.Shape{}, complexOf(shape.C64, 1i),
		complexOf(shape.C64, 1i)).Wide().B[0] {
		t.Error("i differs from i")
	}
}

func TestResultAccuracy(t *testing.T) {
	b := NewBuilder("main")
	x := b.Parameter(0, shape.Array(shape.F32), "x")
	y := b.Tanh(b.Exp(x, ResultAccuracy{Mode: "highest"}), ResultAccuracy{Rtol: 0.25, ULPs: 2})
	c, err := b.Build(y)
	if err != nil {
		t.Fatal(err)
	}
	text := NewModule("m", c).Text()
	for _, want := range []string{"result_accuracy={mode=highest}",
		"result_accuracy={tolerance={atol=0,rtol=0.25,ulps=2}}"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if _, err := Parse([]byte(text), "m.hlo"); err != nil {
		t.Error(err)
	}
}
