package hlo

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// The example of all generations of the document.
func TestReduceGolden(t *testing.T) {
	f := make([]float64, 24)
	for i := range f {
		f[i] = float64(i%6 + 1)
	}
	for _, c := range []struct {
		dims  []int64
		shape string
		want  []float64
	}{
		{[]int64{0}, "f32[2,3]", []float64{4, 8, 12, 16, 20, 24}},
		{[]int64{2}, "f32[4,2]", []float64{6, 15, 6, 15, 6, 15, 6, 15}},
		{[]int64{0, 1}, "f32[3]", []float64{20, 28, 36}},
		{[]int64{1, 0}, "f32[3]", []float64{20, 28, 36}},
		{[]int64{0, 2}, "f32[2]", []float64{24, 60}},
		{[]int64{0, 1, 2}, "f32[]", []float64{84}},
		{nil, "f32[4,2,3]", f},
	} {
		got := evalBuilt(t, func(b *Builder) *Instruction {
			x, zero := b.ConstantLiteral(numLit(t, shape.F32, f, 4, 2, 3)), b.ConstantLiteral(literal.Zero(shape.F32))
			return b.Reduce(just(x), just(zero), numBinary(t, Add, shape.F32), c.dims...)
		})
		wantFloats(t, got, c.shape, c.want...)
	}
	all := evalBuilt(t, func(b *Builder) *Instruction {
		x, zero := b.ConstantLiteral(numLit(t, shape.F32, f, 4, 2, 3)), b.ConstantLiteral(literal.Zero(shape.F32))
		return b.ReduceAll(x, zero, numBinary(t, Add, shape.F32))
	})
	wantFloats(t, all, "f32[]", 84)
}

func TestReduceTypes(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		op   Opcode
		et   shape.ElementType
		init float64
		x    []float64
		want float64
	}{
		{"wraps", Add, shape.S8, 100, []float64{100, 100}, 300 - 256},
		{"product wraps", Multiply, shape.U8, 1, []float64{16, 17}, 272 - 256},
		{"init counts once", Add, shape.S32, 5, []float64{1, 2, 3}, 11},
		{"empty gives init", Add, shape.F32, 7, nil, 7},
		{"long sum does not stall", Add, shape.F32, 1 << 24, slices.Repeat([]float64{1}, 1000), 1<<24 + 1000},
		{"short sum rounds each term", Add, shape.F32, 1 << 24, []float64{1, 1, 1, 1}, 1 << 24},
		{"half rounds each term", Add, shape.F16, 2048, []float64{1, 1}, 2048},
		{"or", Or, shape.Pred, 0, []float64{0, 1, 0}, 1},
		{"and", And, shape.Pred, 1, []float64{1, 0, 1}, 0},
		{"predicates add as or", Add, shape.Pred, 0, []float64{1, 1}, 1},
		{"max", Maximum, shape.S16, -5, []float64{-7, -3}, -3},
		{"max of NaN", Maximum, shape.F32, 0, []float64{1, nan, 3}, nan},
		{"min of NaN", Minimum, shape.F32, nan, []float64{1, 3}, nan},
		{"xor", Xor, shape.U4, 15, []float64{3, 5}, 9},
		{"complex", Add, shape.C64, 1, []float64{2, 3}, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := evalBuilt(t, func(b *Builder) *Instruction {
				x := b.ConstantLiteral(numLit(t, c.et, c.x, int64(len(c.x))))
				init := b.ConstantLiteral(literal.ScalarOf(c.et, c.init))
				return b.Reduce(just(x), just(init), numBinary(t, c.op, c.et), 0)
			})
			wantFloats(t, got, c.et.String()+"[]", c.want)
		})
	}
}

// argmax is the document's computation of maximum and place.
func argmax(t *testing.T) *Computation {
	t.Helper()
	b := NewBuilder("argmax")
	m, k := numParam(b, shape.F32), numParam(b, shape.S32)
	v, i := numParam(b, shape.F32), numParam(b, shape.S32)
	ge := b.add(Compare, &CompareAttrs{Direction: Ge}, shape.Shape{}, v, m)
	sel := func(x, y *Instruction) *Instruction { return b.add(Select, nil, shape.Shape{}, ge, x, y) }
	c, err := b.Build(b.add(Tuple, nil, shape.Shape{}, sel(v, m), sel(i, k)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The document's recursion f_0 = f(I_V, I_K, V_0, K_0): the last of equal maxima wins under >=.
func TestReduceVariadic(t *testing.T) {
	c := argmax(t)
	x := numLit(t, shape.F32, []float64{1, 5, 5, 9, 0, 9}, 2, 3)
	n := numLit(t, shape.S32, []float64{0, 1, 2, 0, 1, 2}, 2, 3)
	for _, d := range []struct {
		dims       []int64
		shape      string
		max, index []float64
	}{
		{[]int64{1}, "[2]", []float64{5, 9}, []float64{2, 2}},
		{[]int64{0}, "[3]", []float64{9, 5, 9}, []float64{0, 1, 2}},
	} {
		got := evalBuilt(t, func(b *Builder) *Instruction {
			low := b.ConstantLiteral(literal.ScalarOf(shape.F32, math.Inf(-1)))
			zero := b.ConstantLiteral(literal.Zero(shape.S32))
			return b.Reduce([]*Instruction{b.ConstantLiteral(x), b.ConstantLiteral(n)}, []*Instruction{low, zero}, c, d.dims...)
		})
		wantFloats(t, got.Elems()[0], "f32"+d.shape, d.max...)
		wantFloats(t, got.Elems()[1], "s32"+d.shape, d.index...)
	}
}

// A computation that is no plain op keeps the order of elements and the init value on the left.
func TestReduceOrder(t *testing.T) {
	got := evalBuilt(t, func(b *Builder) *Instruction {
		x := b.ConstantLiteral(numLit(t, shape.S32, []float64{1, 2, 3, 4, 5, 6}, 2, 3))
		init := b.ConstantLiteral(literal.ScalarOfInt(shape.S32, 100))
		return b.Reduce(just(x), just(init), numBinary(t, Subtract, shape.S32), 0)
	})
	wantFloats(t, got, "s32[3]", 100-1-4, 100-2-5, 100-3-6)
}

func TestReducePromotes(t *testing.T) {
	got := evalBuilt(t, func(b *Builder) *Instruction {
		x := b.ConstantLiteral(numLit(t, shape.S8, []float64{100, 100, 100}, 3))
		return b.Reduce(just(x), just(b.ConstantLiteral(literal.Zero(shape.S8))), numBinary(t, Add, shape.S32), 0)
	})
	wantFloats(t, got, "s32[]", 300)
}

func TestReduceErrors(t *testing.T) {
	f32, s32 := shape.F32, shape.S32
	add := numBinary(t, Add, f32)
	for _, c := range []struct {
		want  string
		build func(b *Builder) *Instruction
	}{
		{"want as many init values as inputs", func(b *Builder) *Instruction { // C3
			return b.Reduce([]*Instruction{numParam(b, f32, 2), numParam(b, f32, 2)}, just(numParam(b, f32)), add, 0)
		}},
		{"sizes differ: input 0 is f32[2], input 1 is f32[3]", func(b *Builder) *Instruction { // C1
			return b.Reduce([]*Instruction{numParam(b, f32, 2), numParam(b, f32, 3)}, []*Instruction{numParam(b, f32), numParam(b, f32)}, add, 0)
		}},
		{"init value 0 is f32[1], want f32[]", func(b *Builder) *Instruction { // row 101
			return b.Reduce(just(numParam(b, f32, 2)), just(numParam(b, f32, 1)), add, 0)
		}},
		{"init value 0 is s32[], want f32[]", func(b *Builder) *Instruction { // C2
			return b.Reduce(just(numParam(b, f32, 2)), just(numParam(b, s32)), add, 0)
		}},
		{"dimension 1 is out of range", func(b *Builder) *Instruction { // C4
			return b.Reduce(just(numParam(b, f32, 2)), just(numParam(b, f32)), add, 1)
		}},
		{"dimension -1 is out of range", func(b *Builder) *Instruction { // C4
			return b.Reduce(just(numParam(b, f32, 2)), just(numParam(b, f32)), add, -1)
		}},
		{"dimension 0 is there twice", func(b *Builder) *Instruction { // C5
			return b.Reduce(just(numParam(b, f32, 2)), just(numParam(b, f32)), add, 0, 0)
		}},
		{"takes 2 parameters, want 4", func(b *Builder) *Instruction { // C6
			x, i := numParam(b, f32, 2), numParam(b, f32)
			return b.Reduce([]*Instruction{x, x}, []*Instruction{i, i}, add, 0)
		}},
		{"parameter 0 is f32[], want a scalar of type s32 or wider", func(b *Builder) *Instruction { // C6
			return b.Reduce(just(numParam(b, s32, 2)), just(numParam(b, s32)), add, 0)
		}},
		{"parameter 0 is f32[], want a scalar of type f64 or wider", func(b *Builder) *Instruction { // C6
			return b.Reduce(just(numParam(b, shape.F64, 2)), just(numParam(b, shape.F64)), add, 0)
		}},
		{"computation is missing", func(b *Builder) *Instruction {
			return b.Reduce(just(numParam(b, f32, 2)), just(numParam(b, f32)), nil, 0)
		}},
	} {
		wantBuildError(t, c.want, c.build)
	}
}

func TestReduceStopsWhenCancelled(t *testing.T) {
	b := NewBuilder("test")
	x := numParam(b, shape.F32, 1<<21)
	c, err := b.Build(b.ReduceAll(x, b.ConstantLiteral(literal.Zero(shape.F32)), numBinary(t, Subtract, shape.F32)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	e := &Evaluator{ctx: ctx}
	cancel()
	in := c.Root
	if _, err := evalReduce(e, in, []*literal.Literal{literal.Zeros(x.Shape), literal.Zero(shape.F32)}); err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestMap(t *testing.T) {
	got := evalBuilt(t, func(b *Builder) *Instruction {
		x := b.ConstantLiteral(numLit(t, shape.F32, []float64{1, 2, 3, 4}, 2, 2))
		y := b.ConstantLiteral(numLit(t, shape.F32, []float64{10, 20, 30, 40}, 2, 2))
		return b.Map([]*Instruction{x, y}, numBinary(t, Subtract, shape.F32), []int64{0, 1})
	})
	wantFloats(t, got, "f32[2,2]", -9, -18, -27, -36)
	f32 := shape.F32
	sub := numBinary(t, Subtract, f32)
	wantBuildError(t, "dimensions: got {0, 1, 2}, want all 2", func(b *Builder) *Instruction { // C3
		return b.Map([]*Instruction{numParam(b, f32, 4, 5), numParam(b, f32, 4, 5)}, sub, []int64{0, 1, 2})
	})
	wantBuildError(t, "dimensions: got {1, 0}, want all 2 in ascending order", func(b *Builder) *Instruction { // C3
		return b.Map([]*Instruction{numParam(b, f32, 4, 5), numParam(b, f32, 4, 5)}, sub, []int64{1, 0})
	})
	wantBuildError(t, "sizes differ", func(b *Builder) *Instruction { // C1
		return b.Map([]*Instruction{numParam(b, f32, 4), numParam(b, f32, 5)}, sub, []int64{0})
	})
	wantBuildError(t, "takes 2 parameters, want 1", func(b *Builder) *Instruction { // C4
		return b.Map(just(numParam(b, f32, 4)), sub, []int64{0})
	})
	wantBuildError(t, "at least one", func(b *Builder) *Instruction { return b.Map(nil, sub, nil) })
	wantBuildError(t, "got f32[2], want f32[] as computation", func(b *Builder) *Instruction {
		return b.Map(just(numParam(b, f32, 4)), sub, []int64{0}, numParam(b, f32, 2))
	})
	wantBuildError(t, "static operand 0 is alone", func(b *Builder) *Instruction {
		return b.Map(nil, sub, nil, numParam(b, f32, 2))
	})
	wantBuildError(t, "all its dimensions in order", func(b *Builder) *Instruction {
		return b.Map(just(numParam(b, f32, 4, 5)), sub, []int64{1, 0}, numParam(b, f32, 2))
	})
	wantBuildError(t, "want the same sizes", func(b *Builder) *Instruction {
		return b.Map([]*Instruction{numParam(b, f32, 4), numParam(b, f32, 5)}, sub, []int64{0}, numParam(b, f32, 2))
	})
}

func BenchmarkReduce(b *testing.B) {
	for _, c := range []struct {
		name string
		dims []int64
	}{{"rows", []int64{1}}, {"columns", []int64{0}}} {
		b.Run(c.name, func(b *testing.B) {
			x := literal.Zeros(shape.Array(shape.F32, 2048, 2048))
			nb := NewBuilder("add")
			p, q := numParam(nb, shape.F32), numParam(nb, shape.F32)
			add, _ := nb.Build(nb.add(Add, nil, shape.Shape{}, p, q))
			m := NewBuilder("m")
			r := m.Reduce(just(numParam(m, shape.F32, 2048, 2048)), just(numParam(m, shape.F32)), add, c.dims...)
			e := &Evaluator{ctx: context.Background()}
			b.ResetTimer()
			for range b.N {
				if _, err := evalReduce(e, r, []*literal.Literal{x, literal.Zero(shape.F32)}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*2048*2048/b.Elapsed().Seconds()/1e6, "Melem/s")
		})
	}
}
