package hlo

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// The document's example.
func TestReduceWindowGolden(t *testing.T) {
	for _, c := range []struct {
		padding PaddingKind
		shape   string
		want    []float64
	}{{ValidPadding, "f32[2]", []float64{100, 1}}, {SamePadding, "f32[3]", []float64{1000, 10, 1}}} {
		got := evalBuilt(t, func(b *Builder) *Instruction {
			x := b.ConstantLiteral(numLit(t, shape.F32, []float64{10000, 1000, 100, 10, 1}, 5))
			return b.ReduceWindow(just(x), just(b.ConstantLiteral(literal.MaxValue(shape.F32))), numBinary(t, Minimum, shape.F32),
				[]int64{3}, []int64{2}, c.padding)
		})
		wantFloats(t, got, c.shape, c.want...)
	}
}

// naiveWindow folds the elements of each window in row-major order onto init.
func naiveWindow(x []float64, dims, outDims []int64, w Window, init float64, f func(a, b float64) float64) []float64 {
	out := make([]float64, shape.Array(shape.F32, outDims...).Size())
	var sizes []int64
	for _, d := range w {
		sizes = append(sizes, d.Size)
	}
	eachIndex(outDims, func(o []int64) {
		acc := init
		eachIndex(sizes, func(k []int64) {
			at := make([]int64, len(dims))
			for d := range dims {
				p := o[d]*w[d].Stride - w[d].PadLow + k[d]*w[d].WindowDilation
				if p < 0 || p%w[d].BaseDilation != 0 || p/w[d].BaseDilation >= dims[d] {
					return
				}
				at[d] = p / w[d].BaseDilation
			}
			acc = f(acc, x[position(dims, at)])
		})
		out[position(outDims, o)] = acc
	})
	return out
}

// randomWindow returns sizes and a window of any kind; often a running one.
func randomWindow(r *rand.Rand) ([]int64, Window) {
	n := r.IntN(4)
	dims, w := make([]int64, n), make(Window, n)
	for d := range dims {
		dims[d] = r.Int64N(6)
		w[d] = WindowDim{Size: 1 + r.Int64N(4), Stride: 1 + r.Int64N(3), PadLow: r.Int64N(6) - 2, PadHigh: r.Int64N(6) - 2,
			BaseDilation: 1 + r.Int64N(3), WindowDilation: 1 + r.Int64N(3)}
		switch size := max(dims[d], 1); r.IntN(4) {
		case 0:
			w[d] = WindowDim{Size: size, Stride: 1, PadLow: size - 1, BaseDilation: 1, WindowDilation: 1}
		case 1:
			w[d] = WindowDim{Size: size, Stride: 1, PadHigh: size - 1, BaseDilation: 1, WindowDilation: 1}
		}
	}
	return dims, w
}

// Random windows with a plain op and with one that depends on the order of elements.
func TestReduceWindowRandom(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 3))
	ops := []struct {
		op Opcode
		f  func(a, b float64) float64
	}{
		{Add, func(a, b float64) float64 { return a + b }},
		{Maximum, math.Max},
		{Subtract, func(a, b float64) float64 { return a - b }},
	}
	for i := range 600 {
		dims, w := randomWindow(r)
		op := ops[i%len(ops)]
		init := float64(r.IntN(9) - 4)
		x := randomInts(r, dims)
		var sizes, strides, base, dilation []int64
		var padding [][2]int64
		for _, d := range w {
			sizes, strides = append(sizes, d.Size), append(strides, d.Stride)
			base, dilation = append(base, d.BaseDilation), append(dilation, d.WindowDilation)
			padding = append(padding, [2]int64{d.PadLow, d.PadHigh})
		}
		for _, et := range []shape.ElementType{shape.F32, shape.S32} {
			got := evalBuilt(t, func(b *Builder) *Instruction {
				c := b.ConstantLiteral(numLit(t, et, x, dims...))
				return b.ReduceWindowWithGeneralPadding(just(c), just(b.ConstantLiteral(literal.ScalarOf(et, init))),
					numBinary(t, op.op, et), sizes, strides, base, dilation, padding)
			})
			want := naiveWindow(x, dims, got.Shape().Dims, w, init, op.f)
			if f := literal.ConvertWide(got.Wide(), et, shape.F64).F; !slices.Equal(f, want) {
				t.Fatalf("seed %d, case %d: %s of %v %v under %+v, init %v: got %v %v, want %v",
					seed, i, op.op, dims, x, w, init, got.Shape(), f, want)
			}
		}
	}
}

func TestReduceWindowVariadic(t *testing.T) {
	got := evalBuilt(t, func(b *Builder) *Instruction {
		x := b.ConstantLiteral(numLit(t, shape.F32, []float64{3, 1, 2, 5}, 4))
		n := b.ConstantLiteral(numLit(t, shape.S32, []float64{0, 1, 2, 3}, 4))
		inits := []*Instruction{b.ConstantLiteral(literal.MinValue(shape.F32)), b.ConstantLiteral(literal.Zero(shape.S32))}
		return b.ReduceWindow([]*Instruction{x, n}, inits, argmax(t), []int64{2}, []int64{1}, ValidPadding)
	})
	wantFloats(t, got.Elems()[0], "f32[3]", 3, 2, 5)
	wantFloats(t, got.Elems()[1], "s32[3]", 0, 2, 3)
}

func TestReduceWindowErrors(t *testing.T) {
	f32, l := shape.F32, func(v ...int64) []int64 { return v }
	add := numBinary(t, Add, f32)
	general := func(sizes, strides, base, dilation []int64, padding [][2]int64) func(b *Builder) *Instruction {
		return func(b *Builder) *Instruction {
			return b.ReduceWindowWithGeneralPadding(just(numParam(b, f32, 4, 2)), just(numParam(b, f32)), add, sizes, strides, base, dilation, padding)
		}
	}
	for _, c := range []struct {
		want  string
		build func(b *Builder) *Instruction
	}{
		{"at least one", func(b *Builder) *Instruction { return b.ReduceWindow(nil, nil, add, nil, nil, ValidPadding) }}, // C1
		{"sizes differ", func(b *Builder) *Instruction { // C2
			return b.ReduceWindow([]*Instruction{numParam(b, f32, 4), numParam(b, f32, 5)}, []*Instruction{numParam(b, f32), numParam(b, f32)},
				add, l(1), l(1), ValidPadding)
		}},
		{"init value 0 is s32[], want f32[]", func(b *Builder) *Instruction { // C3
			return b.ReduceWindow(just(numParam(b, f32, 4)), just(numParam(b, shape.S32)), add, l(1), l(1), ValidPadding)
		}},
		{"init value 0 is f32[4], want f32[]", func(b *Builder) *Instruction { // C13
			return b.ReduceWindow(just(numParam(b, f32, 4)), just(numParam(b, f32, 4)), add, l(1), l(1), ValidPadding)
		}},
		{"window has 1 dimensions, want 2", general(l(1), l(1), nil, nil, nil)},                // C4
		{"window dim 1: size is 0", general(l(1, 0), nil, nil, nil, nil)},                      // C5
		{"window dim 0: size is -1", general(l(-1, 1), nil, nil, nil, nil)},                    // C5
		{"window strides: got 1 numbers, want 2", general(l(1, 1), l(1), nil, nil, nil)},       // C6
		{"window strides: got 0 for dim 0", general(l(1, 1), l(0, 1), nil, nil, nil)},          // C7
		{"base dilations: got 3 numbers", general(l(1, 1), nil, l(1, 1, 1), nil, nil)},         // C8
		{"base dilations: got 0 for dim 1", general(l(1, 1), nil, l(1, 0), nil, nil)},          // C9
		{"window dilations: got 1 numbers", general(l(1, 1), nil, nil, l(1), nil)},             // C10
		{"window dilations: got 0 for dim 1", general(l(1, 1), nil, nil, l(1, 0), nil)},        // C11
		{"padding: got 1 pairs, want 2", general(l(1, 1), nil, nil, nil, make([][2]int64, 1))}, // C12
		{"takes 2 parameters, want 4", func(b *Builder) *Instruction { // C13
			x, i := numParam(b, f32, 4), numParam(b, f32)
			return b.ReduceWindow([]*Instruction{x, x}, []*Instruction{i, i}, add, l(1), l(1), ValidPadding)
		}},
		{"want a scalar of type s32 or wider", func(b *Builder) *Instruction { // C13
			return b.ReduceWindow(just(numParam(b, shape.S32, 4)), just(numParam(b, shape.S32)), numBinary(t, Add, shape.S8), l(1), l(1), ValidPadding)
		}},
	} {
		wantBuildError(t, c.want, c.build)
	}
}

// compareOf is the computation that compares two scalars.
func compareOf(t *testing.T, d Direction, et shape.ElementType) *Computation {
	t.Helper()
	b := NewBuilder("select")
	c, err := b.Build(b.add(Compare, &CompareAttrs{Direction: d}, shape.Shape{}, numParam(b, et), numParam(b, et)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSelectAndScatter(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name                string
		x                   []float64
		dims, size, strides []int64
		padding             PaddingKind
		source              []float64
		sourceDims          []int64
		want                []float64
	}{
		{"disjoint windows", []float64{1, 3, 2, 7, 5, 4}, []int64{6}, []int64{2}, []int64{2}, ValidPadding,
			[]float64{10, 20, 30}, []int64{3}, []float64{0, 10, 0, 20, 30, 0}},
		{"the first of equals", []float64{2, 2, 2, 2}, []int64{4}, []int64{2}, []int64{2}, ValidPadding,
			[]float64{10, 20}, []int64{2}, []float64{10, 0, 20, 0}},
		{"overlapping windows add", []float64{1, 5, 2, 5, 1}, []int64{5}, []int64{3}, []int64{2}, ValidPadding,
			[]float64{10, 20}, []int64{2}, []float64{0, 10, 0, 20, 0}},
		{"padding is not selected", []float64{-1, -2, -3}, []int64{3}, []int64{2}, []int64{2}, SamePadding,
			[]float64{10, 20}, []int64{2}, []float64{10, 0, 20}},
		{"NaN is passed over", []float64{nan, 1, 3, nan}, []int64{4}, []int64{2}, []int64{2}, ValidPadding,
			[]float64{10, 20}, []int64{2}, []float64{0, 10, 0, 20}},
		{"two dimensions", []float64{7, 2, 5, 3, 10, 2, 3, 8, 9, 3, 4, 2}, []int64{2, 6}, []int64{2, 3}, []int64{2, 3}, ValidPadding,
			[]float64{2, 6}, []int64{1, 2}, []float64{0, 0, 0, 0, 6, 0, 0, 0, 2, 0, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := evalBuilt(t, func(b *Builder) *Instruction {
				x, s := b.ConstantLiteral(numLit(t, shape.F32, c.x, c.dims...)), b.ConstantLiteral(numLit(t, shape.F32, c.source, c.sourceDims...))
				return b.SelectAndScatter(x, compareOf(t, Ge, shape.F32), c.size, c.strides, c.padding, s,
					b.ConstantLiteral(literal.Zero(shape.F32)), numBinary(t, Add, shape.F32))
			})
			wantFloats(t, got, shape.Array(shape.F32, c.dims...).String(), c.want...)
		})
	}
}

// The scatter computation gets the current value first; the init value fills what nobody selects.
func TestSelectAndScatterOrder(t *testing.T) {
	got := evalBuilt(t, func(b *Builder) *Instruction {
		x, s := b.ConstantLiteral(numLit(t, shape.S32, []float64{1, 9, 1}, 3)), b.ConstantLiteral(numLit(t, shape.S32, []float64{1, 20}, 2))
		return b.SelectAndScatterWithGeneralPadding(x, compareOf(t, Ge, shape.S32), []int64{2}, []int64{1}, nil, s,
			b.ConstantLiteral(literal.ScalarOfInt(shape.S32, 100)), numBinary(t, Subtract, shape.S32))
	})
	wantFloats(t, got, "s32[3]", 100, 100-1-20, 100)
}

func TestSelectAndScatterErrors(t *testing.T) {
	f32, s32 := shape.F32, shape.S32
	ge, add := compareOf(t, Ge, f32), numBinary(t, Add, f32)
	l := func(v ...int64) []int64 { return v }
	for _, c := range []struct {
		want  string
		build func(b *Builder) *Instruction
	}{
		{"operand is f32, source is s32", func(b *Builder) *Instruction { // C1
			return b.SelectAndScatter(numParam(b, f32, 4), ge, l(2), l(2), ValidPadding, numParam(b, s32, 2), numParam(b, f32), add)
		}},
		{"source is f32[3], want f32[2]", func(b *Builder) *Instruction { // C2
			return b.SelectAndScatter(numParam(b, f32, 4), ge, l(2), l(2), ValidPadding, numParam(b, f32, 3), numParam(b, f32), add)
		}},
		{"init value is s32[], want f32[]", func(b *Builder) *Instruction { // C3
			return b.SelectAndScatter(numParam(b, f32, 4), ge, l(2), l(2), ValidPadding, numParam(b, f32, 2), numParam(b, s32), add)
		}},
		{"init value is f32[1], want f32[]", func(b *Builder) *Instruction { // row 104
			return b.SelectAndScatter(numParam(b, f32, 4), ge, l(2), l(2), ValidPadding, numParam(b, f32, 2), numParam(b, f32, 1), add)
		}},
		{"window has 2 dimensions, want 1", func(b *Builder) *Instruction { // C4
			return b.SelectAndScatter(numParam(b, f32, 4), ge, l(2, 1), l(2, 1), ValidPadding, numParam(b, f32, 2), numParam(b, f32), add)
		}},
		{"size is 0", func(b *Builder) *Instruction { // C5
			return b.SelectAndScatter(numParam(b, f32, 4), ge, l(0), l(2), ValidPadding, numParam(b, f32, 2), numParam(b, f32), add)
		}},
		{"window strides: got 2 numbers", func(b *Builder) *Instruction { // C6
			return b.SelectAndScatter(numParam(b, f32, 4), ge, l(2), l(2, 2), ValidPadding, numParam(b, f32, 2), numParam(b, f32), add)
		}},
		{"window strides: got 0", func(b *Builder) *Instruction { // C7
			return b.SelectAndScatter(numParam(b, f32, 4), ge, l(2), l(0), ValidPadding, numParam(b, f32, 2), numParam(b, f32), add)
		}},
		{"padding: got 2 pairs", func(b *Builder) *Instruction { // C8
			return b.SelectAndScatterWithGeneralPadding(numParam(b, f32, 4), ge, l(2), l(2), make([][2]int64, 2), numParam(b, f32, 2), numParam(b, f32), add)
		}},
		{"select: computation add returns f32[], want pred[]", func(b *Builder) *Instruction { // C9
			return b.SelectAndScatter(numParam(b, f32, 4), add, l(2), l(2), ValidPadding, numParam(b, f32, 2), numParam(b, f32), add)
		}},
		{"scatter: computation select returns pred[], want f32[]", func(b *Builder) *Instruction { // C10
			return b.SelectAndScatter(numParam(b, f32, 4), ge, l(2), l(2), ValidPadding, numParam(b, f32, 2), numParam(b, f32), ge)
		}},
	} {
		wantBuildError(t, c.want, c.build)
	}
}

func BenchmarkReduceWindow(b *testing.B) {
	for _, c := range []struct {
		name string
		op   Opcode
		w    Window
	}{
		{"cumsum", Add, Window{{Size: 1}, {Size: 2048, PadLow: 2047}}},
		{"cumsum columns", Add, Window{{Size: 2048, PadLow: 2047}, {Size: 1}}},
		{"3x3 max", Maximum, Window{{Size: 3, PadLow: 1, PadHigh: 1}, {Size: 3, PadLow: 1, PadHigh: 1}}},
		{"cumulative general", Subtract, Window{{Size: 1}, {Size: 2048, PadLow: 2047}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := int64(2048)
			if c.op == Subtract {
				n = 16
			}
			nb := NewBuilder("f")
			f, err := nb.Build(nb.add(c.op, nil, shape.Shape{}, numParam(nb, shape.F32), numParam(nb, shape.F32)))
			if err != nil {
				b.Fatal(err)
			}
			m := NewBuilder("m")
			in := m.add(ReduceWindow, &ReduceWindowAttrs{c.w, f}, shape.Shape{}, numParam(m, shape.F32, n, 2048), numParam(m, shape.F32))
			e := &Evaluator{ctx: context.Background()}
			args := []*literal.Literal{literal.Zeros(in.Operands[0].Shape), literal.Zero(shape.F32)}
			b.ResetTimer()
			for range b.N {
				if _, err := evalReduceWindow(e, in, args); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(int64(b.N)*n*2048)/b.Elapsed().Seconds()/1e6, "Melem/s")
		})
	}
}

// No number in a window makes the count of its places overflow.
func TestWindowExtremes(t *testing.T) {
	values := []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, 2, 1 << 40, math.MaxInt64}
	pick := func(i, place int) int64 { return values[i>>(3*place)&7] }
	for i := range 1 << 18 {
		w := WindowDim{Size: pick(i, 0), Stride: pick(i, 1), PadLow: pick(i, 2), PadHigh: pick(i, 3),
			BaseDilation: pick(i, 4), WindowDilation: pick(i, 5)}
		for _, n := range []int64{0, 1, 5, 1 << 40, math.MaxInt64, shape.Unbounded} {
			got, err := w.slide(n)
			if err == nil && got < 0 && !(got == shape.Unbounded && n == shape.Unbounded) {
				t.Fatalf("%+v on %d elements: got %d places", w, n, got)
			}
		}
	}
}

// A window as wide as the array makes every result a long loop, which must still see that its context has ended.
func TestReduceWindowIsCancelled(t *testing.T) {
	const n = 1 << 22 // a day of work
	m := build(t, "main", func(b *Builder) *Instruction {
		x := b.IotaVector(shape.F32, n)
		zero := b.ConstantLiteral(literal.Scalar[float32](0))
		return b.ReduceWindowWithGeneralPadding(just(x), just(zero), numBinary(t, Add, shape.F32), []int64{n / 2}, []int64{1},
			nil, nil, [][2]int64{{0, 0}})
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := Evaluate(ctx, NewModule("m", m), nil, EvalOptions{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want that the deadline has passed", err)
	}
}
