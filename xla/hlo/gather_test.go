package hlo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// scalarOp is a computation of two scalars of type t.
func scalarOp(t *testing.T, op Opcode, typ shape.ElementType) *Computation {
	t.Helper()
	return build(t, op.String(), func(b *Builder) *Instruction {
		x := b.Parameter(0, shape.Array(typ), "x")
		y := b.Parameter(1, shape.Array(typ), "y")
		return b.add(op, nil, shape.Shape{}, x, y)
	})
}

var gatherCases = []struct {
	name  string
	build func(t *testing.T, b *Builder) *Instruction
	dims  []int64
	want  []int32
}{
	{"rows, moved into range", func(t *testing.T, b *Builder) *Instruction {
		return b.Gather(count(t, b, 2, 3), ints(t, b, dims(3), 1, -5, 9), GatherAttrs{
			OffsetDims: dims(1), CollapsedSliceDims: dims(0), StartIndexMap: dims(0), IndexVectorDim: 1, SliceSizes: dims(1, 3)})
	}, dims(3, 3), []int32{3, 4, 5, 0, 1, 2, 3, 4, 5}},
	{"index vectors along the first dimension", func(t *testing.T, b *Builder) *Instruction {
		return b.Gather(count(t, b, 2, 3), ints(t, b, dims(2, 2), 0, 1, 2, 0), GatherAttrs{
			CollapsedSliceDims: dims(0, 1), StartIndexMap: dims(0, 1), IndexVectorDim: 0, SliceSizes: dims(1, 1)})
	}, dims(2), []int32{2, 3}},
	{"offset dims in front", func(t *testing.T, b *Builder) *Instruction {
		return b.Gather(count(t, b, 3, 3), ints(t, b, dims(2, 1), 2, 1), GatherAttrs{
			OffsetDims: dims(0, 1), StartIndexMap: dims(1), IndexVectorDim: 1, SliceSizes: dims(3, 2)})
	}, dims(3, 2, 2), []int32{1, 1, 2, 2, 4, 4, 5, 5, 7, 7, 8, 8}},
	{"batching", func(t *testing.T, b *Builder) *Instruction {
		return b.Gather(count(t, b, 2, 3), ints(t, b, dims(2, 1, 1), 2, 0), GatherAttrs{
			CollapsedSliceDims: dims(1), StartIndexMap: dims(1), OperandBatchingDims: dims(0), StartIndicesBatchingDims: dims(0),
			IndexVectorDim: 2, SliceSizes: dims(1, 1)})
	}, dims(2, 1), []int32{2, 3}},
	{"no index vectors", func(t *testing.T, b *Builder) *Instruction {
		return b.Gather(count(t, b, 2), count(t, b, 0, 1), GatherAttrs{
			CollapsedSliceDims: dims(0), StartIndexMap: dims(0), IndexVectorDim: 1, SliceSizes: dims(1)})
	}, dims(0), nil},
	{"slice size 0", func(t *testing.T, b *Builder) *Instruction {
		return b.Gather(count(t, b, 0), ints(t, b, dims(1, 1), 3), GatherAttrs{
			OffsetDims: dims(1), StartIndexMap: dims(0), IndexVectorDim: 1, SliceSizes: dims(0)})
	}, dims(1, 0), nil},
	{"dynamic gather", func(t *testing.T, b *Builder) *Instruction {
		return b.DynamicGather(count(t, b, 2, 3), ints(t, b, dims(1), 1), ints(t, b, dims(2), 1, 2), DynamicGatherAttrs{
			OffsetDims: dims(1), CollapsedSliceDims: dims(0), StartIndexMap: dims(0), IndexVectorDim: 1}, shape.Array(shape.S32, 1, 2))
	}, dims(1, 2), []int32{3, 4}},
	{"scatter adds where indices meet", func(t *testing.T, b *Builder) *Instruction {
		return b.Scatter([]*Instruction{ints(t, b, dims(4), 1, 1, 1, 1)}, ints(t, b, dims(5), 2, 0, 2, 4, -1),
			[]*Instruction{ints(t, b, dims(5), 10, 20, 30, 40, 50)}, rowScatter(scalarOp(t, Add, shape.S32)))
	}, dims(4), []int32{21, 1, 41, 1}},
	{"scatter keeps the last of equal indices", func(t *testing.T, b *Builder) *Instruction {
		return b.Scatter([]*Instruction{count(t, b, 3)}, ints(t, b, dims(3), 1, 2, 1),
			[]*Instruction{ints(t, b, dims(3), 10, 20, 30)}, rowScatter(second(t, 1, shape.S32)))
	}, dims(3), []int32{0, 30, 20}},
	{"scatter: current value first", func(t *testing.T, b *Builder) *Instruction {
		return b.Scatter([]*Instruction{ints(t, b, dims(2), 10, 10)}, ints(t, b, dims(1), 1),
			[]*Instruction{ints(t, b, dims(1), 3)}, rowScatter(scalarOp(t, Subtract, shape.S32)))
	}, dims(2), []int32{10, 7}},
	{"scatter: a window over the edge is left out whole", func(t *testing.T, b *Builder) *Instruction {
		return b.Scatter([]*Instruction{count(t, b, 4)}, ints(t, b, dims(3, 1), 3, 1, -1),
			[]*Instruction{ints(t, b, dims(3, 2), 1, 2, 30, 40, 5, 6)}, ScatterAttrs{
				UpdateWindowDims: dims(1), ScatterDimsToOperandDims: dims(0), IndexVectorDim: 1, ToApply: scalarOp(t, Add, shape.S32)})
	}, dims(4), []int32{0, 31, 42, 3}},
	{"scatter: transposed windows", func(t *testing.T, b *Builder) *Instruction {
		return b.Scatter([]*Instruction{count(t, b, 2, 3)}, ints(t, b, dims(1), 1),
			[]*Instruction{ints(t, b, dims(2, 1), 10, 20)}, ScatterAttrs{UpdateWindowDims: dims(0, 1),
				ScatterDimsToOperandDims: dims(1), IndexVectorDim: 0, ToApply: second(t, 1, shape.S32)})
	}, dims(2, 3), []int32{0, 10, 2, 3, 20, 5}},
	{"scatter: batching", func(t *testing.T, b *Builder) *Instruction {
		return b.Scatter([]*Instruction{count(t, b, 2, 3)}, ints(t, b, dims(2, 1, 1), 2, 0),
			[]*Instruction{ints(t, b, dims(2, 1), 10, 20)}, ScatterAttrs{InsertedWindowDims: dims(1), ScatterDimsToOperandDims: dims(1),
				InputBatchingDims: dims(0), ScatterIndicesBatchingDims: dims(0), IndexVectorDim: 2, ToApply: scalarOp(t, Add, shape.S32)})
	}, dims(2, 3), []int32{0, 1, 12, 23, 4, 5}},
	{"scatter: nothing", func(t *testing.T, b *Builder) *Instruction {
		return b.Scatter([]*Instruction{count(t, b, 2)}, count(t, b, 0), []*Instruction{count(t, b, 0)}, rowScatter(scalarOp(t, Add, shape.S32)))
	}, dims(2), []int32{0, 1}},
}

func TestGatherAndScatter(t *testing.T) {
	for _, c := range gatherCases {
		t.Run(c.name, func(t *testing.T) {
			l := run(t, build(t, "main", func(b *Builder) *Instruction { return c.build(t, b) }))
			if !slices.Equal(l.Shape().Dims, c.dims) {
				t.Errorf("got %v, want sizes %v", l.Shape(), c.dims)
			}
			wantElems(t, c.name, l, c.want...)
		})
	}
}

func TestScatterOfSeveralArrays(t *testing.T) {
	both := build(t, "both", func(b *Builder) *Instruction {
		var p []*Instruction
		for i := range int64(4) {
			p = append(p, b.Parameter(i, s32S, ""))
		}
		return b.add(Tuple, nil, shape.Shape{}, b.add(Add, nil, shape.Shape{}, p[0], p[3]), p[3])
	})
	for _, c := range []struct {
		name   string
		apply  *Computation
		v0, v1 []int32
	}{
		{"folded", both, []int32{21, 2}, []int32{20, 4}},
		{"overwritten", second(t, 2, shape.S32), []int32{10, 2}, []int32{20, 4}},
	} {
		out := run(t, build(t, "main", func(b *Builder) *Instruction {
			return b.Scatter([]*Instruction{ints(t, b, dims(2), 1, 2), ints(t, b, dims(2), 3, 4)}, ints(t, b, dims(1), 0),
				[]*Instruction{ints(t, b, dims(1), 10), ints(t, b, dims(1), 20)}, rowScatter(c.apply))
		}))
		wantElems(t, c.name+" 0", out.Elems()[0], c.v0...)
		wantElems(t, c.name+" 1", out.Elems()[1], c.v1...)
	}
}

// TestScatterFolds compares the quick folds of simple reducers with the computation run step by step.
func TestScatterFolds(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	types := []shape.ElementType{shape.Pred, shape.S8, shape.U64, shape.F32, shape.F64, shape.C128}
	for _, typ := range types {
		for _, op := range []Opcode{Add, Multiply, Maximum, Minimum, And, Or, Xor} {
			v, u := literal.MakeWide(typ.Class(), 3), literal.MakeWide(typ.Class(), 12)
			fill := func(w literal.Wide) {
				for i := range w.Len() {
					setCell(w, i, Cell{I: int64(int8(r.Uint32())), F: float64(float32(r.NormFloat64())), Im: float64(r.IntN(3))})
				}
			}
			fill(v)
			fill(u)
			if typ.Class() == shape.FloatClass {
				u.F[3], u.F[5] = math.NaN(), math.Copysign(0, -1)
			}
			f := simpleFolder(op, typ, v, u)
			c := scalarOpOrNil(op, typ)
			if f == nil || c == nil {
				continue
			}
			index := make([]int32, 12)
			for i := range index {
				index[i] = int32(r.IntN(3))
			}
			input, update := literal.FromWide(shape.Array(typ, 3), v), literal.FromWide(shape.Array(typ, 12), u)
			got := run(t, build(t, "main", func(b *Builder) *Instruction {
				return b.Scatter([]*Instruction{b.ConstantLiteral(input)}, ints(t, b, dims(12), index...),
					[]*Instruction{b.ConstantLiteral(update)}, rowScatter(c))
			}))
			want := [3]*literal.Literal{}
			for i := range want {
				want[i] = literal.FromWide(shape.Array(typ), wideOf(typ, cellAt(v, i)))
			}
			for i, k := range index {
				want[k] = run(t, c, want[k], literal.FromWide(shape.Array(typ), wideOf(typ, cellAt(u, i))))
			}
			w := typ.Bytes()
			for i := range want {
				if g := got.Bytes()[i*w : (i+1)*w]; !slices.Equal(g, want[i].Bytes()) && !bothNaN(got.Wide(), i, want[i].Wide()) {
					t.Errorf("seed %d: %v of %v, element %d: got bytes %v, want %v", seed, op, typ, i, g, want[i].Bytes())
				}
			}
		}
	}
}

func bothNaN(a literal.Wide, i int, b literal.Wide) bool {
	return a.Class == shape.FloatClass && math.IsNaN(a.F[i]) && math.IsNaN(b.F[0])
}

func wideOf(typ shape.ElementType, c Cell) literal.Wide {
	w := literal.MakeWide(typ.Class(), 1)
	setCell(w, 0, c)
	return w
}

// scalarOpOrNil is scalarOp, or nil if the op is not defined on the type.
func scalarOpOrNil(op Opcode, typ shape.ElementType) *Computation {
	b := NewBuilder("op")
	x, y := b.Parameter(0, shape.Array(typ), "x"), b.Parameter(1, shape.Array(typ), "y")
	c, err := b.Build(b.add(op, nil, shape.Shape{}, x, y))
	if err != nil {
		return nil
	}
	return c
}

// TestScatterRoundsEachSum adds a small number to a large one twice: in f32 it is lost each time.
func TestScatterRoundsEachSum(t *testing.T) {
	for _, typ := range []shape.ElementType{shape.F32, shape.BF16} {
		out := run(t, build(t, "main", func(b *Builder) *Instruction {
			in := b.ConstantLiteral(literal.FromWide(shape.Array(typ, 1), wideOf(typ, Cell{F: 1 << 24})))
			one := b.Broadcast(b.ConstantLiteral(literal.FromWide(shape.Array(typ), wideOf(typ, Cell{F: 1}))), dims(2))
			return b.Scatter([]*Instruction{in}, ints(t, b, dims(2), 0, 0), []*Instruction{one}, rowScatter(scalarOp(t, Add, typ)))
		}))
		if got := out.Wide().F[0]; got != 1<<24 {
			t.Errorf("%v: got %v, want %v", typ, got, 1<<24)
		}
	}
}

func TestScatterPromotes(t *testing.T) {
	out := run(t, build(t, "main", func(b *Builder) *Instruction {
		in := b.IotaVector(shape.F32, 2)
		return b.Scatter([]*Instruction{in}, ints(t, b, dims(1), 1), []*Instruction{b.IotaVector(shape.F32, 1)},
			rowScatter(scalarOp(t, Add, shape.F64)))
	}))
	wantElems(t, "f32 added in f64", out, 0.0, 1.0)
}
