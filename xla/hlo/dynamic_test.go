package hlo

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// cutTo is the vector 1..10 cut to a size known at run time only: it comes in as a parameter.
func cutTo(t *testing.T, b *Builder) *Instruction {
	t.Helper()
	v := b.add(Add, nil, shape.Shape{}, count(t, b, 10), b.Broadcast(scalarInt(b, 1), dims(10)))
	return b.SetDimensionSize(v, b.Parameter(0, s32S, "n"), 0)
}

func reduceAll(t *testing.T, b *Builder, v *Instruction, op Opcode, init int32) *Instruction {
	t.Helper()
	return b.add(Reduce, &ReduceAttrs{Dimensions: dims(0), ToApply: scalarOp(t, op, shape.S32)}, shape.Shape{}, v, scalarInt(b, init))
}

var dynamicCases = []struct {
	name  string
	n     int32 // the size at run time
	build func(t *testing.T, b *Builder) *Instruction
	dims  []int64
	want  []int32
}{
	{"sum of 5", 5, func(t *testing.T, b *Builder) *Instruction { return reduceAll(t, b, cutTo(t, b), Add, 0) }, nil, []int32{15}},
	{"product of 5", 5, func(t *testing.T, b *Builder) *Instruction { return reduceAll(t, b, cutTo(t, b), Multiply, 1) }, nil, []int32{120}},
	{"sum of 6", 6, func(t *testing.T, b *Builder) *Instruction { return reduceAll(t, b, cutTo(t, b), Add, 0) }, nil, []int32{21}},
	{"size", 7, func(t *testing.T, b *Builder) *Instruction { return b.GetDimensionSize(cutTo(t, b), 0) }, nil, []int32{7}},
	{"size 0", 0, func(t *testing.T, b *Builder) *Instruction { return cutTo(t, b) }, dims(0), nil},
	{"size of a static dimension", 7, func(t *testing.T, b *Builder) *Instruction {
		b.Parameter(0, s32S, "n")
		return b.GetDimensionSize(count(t, b, 2, 3), 1)
	}, nil, []int32{3}},
	{"removed: what lay beyond the size is there again", 2, func(t *testing.T, b *Builder) *Instruction {
		return b.RemoveDynamicDimension(b.SetDimensionSize(ints(t, b, dims(4), 5, 6, 7, 8), b.Parameter(0, s32S, "n"), 0), 0)
	}, dims(4), []int32{5, 6, 7, 8}},
	{"with a static operand", 3, func(t *testing.T, b *Builder) *Instruction {
		return b.add(Add, nil, shape.Shape{}, cutTo(t, b), count(t, b, 10))
	}, dims(3), []int32{1, 3, 5}},
	{"broadcast", 2, func(t *testing.T, b *Builder) *Instruction { return b.Broadcast(cutTo(t, b), dims(2)) }, dims(2, 2), []int32{1, 2, 1, 2}},
	{"transpose", 2, func(t *testing.T, b *Builder) *Instruction {
		return b.Transpose(b.Broadcast(cutTo(t, b), dims(2)), dims(1, 0))
	}, dims(2, 2), []int32{1, 1, 2, 2}},
	{"reverse", 3, func(t *testing.T, b *Builder) *Instruction { return b.Rev(cutTo(t, b), dims(0)) }, dims(3), []int32{3, 2, 1}},
	{"concatenate", 2, func(t *testing.T, b *Builder) *Instruction {
		return b.ConcatInDim([]*Instruction{cutTo(t, b), ints(t, b, dims(1), 9)}, 0)
	}, dims(3), []int32{1, 2, 9}},
	{"pad", 2, func(t *testing.T, b *Builder) *Instruction { return b.PadInDim(cutTo(t, b), scalarInt(b, 9), 0, 1, 1) },
		dims(4), []int32{9, 1, 2, 9}},
	{"slice to the end", 4, func(t *testing.T, b *Builder) *Instruction { return b.SliceInDim(cutTo(t, b), 1, 10, 2, 0) },
		dims(2), []int32{2, 4}},
	{"slice of one", 4, func(t *testing.T, b *Builder) *Instruction { return b.SliceInDim(cutTo(t, b), 2, 3, 1, 0) }, dims(1), []int32{3}},
	{"dynamic slice of all", 2, func(t *testing.T, b *Builder) *Instruction {
		return b.DynamicSlice(cutTo(t, b), []*Instruction{scalarInt(b, 1)}, dims(10))
	}, dims(2), []int32{1, 2}},
	{"gather of all", 2, func(t *testing.T, b *Builder) *Instruction {
		return b.Gather(cutTo(t, b), ints(t, b, dims(1, 1), 1), GatherAttrs{OffsetDims: dims(1), StartIndexMap: dims(0), IndexVectorDim: 1,
			SliceSizes: dims(10)})
	}, dims(1, 2), []int32{1, 2}},
	{"scatter skips indices past the size", 2, func(t *testing.T, b *Builder) *Instruction {
		index := b.SetDimensionSize(ints(t, b, dims(3), 0, 1, 1), b.Parameter(0, s32S, "n"), 0)
		return b.Scatter([]*Instruction{count(t, b, 2)}, index, []*Instruction{ints(t, b, dims(3), 10, 20, 40)},
			rowScatter(scalarOp(t, Add, shape.S32)))
	}, dims(2), []int32{10, 21}},
	{"sort", 3, func(t *testing.T, b *Builder) *Instruction {
		return b.Sort([]*Instruction{b.SetDimensionSize(ints(t, b, dims(4), 3, 2, 1, 0), b.Parameter(0, s32S, "n"), 0)}, nil, 0, false)
	}, dims(3), []int32{1, 2, 3}},
	{"reshape splits a dynamic dimension", 4, func(t *testing.T, b *Builder) *Instruction {
		return b.ReshapeTo(shape.Shape{Type: shape.S32, Dims: dims(5, 2), Dynamic: []bool{true, false}}, cutTo(t, b))
	}, dims(2, 2), []int32{1, 2, 3, 4}},
	{"reshape with an inferred dimension", 4, func(t *testing.T, b *Builder) *Instruction {
		return b.ReshapeWithInferredDimension(cutTo(t, b), dims(2, 5), 1)
	}, dims(2, 2), []int32{1, 2, 3, 4}},
	{"reshape keeps two dynamic dimensions apart", 2, func(t *testing.T, b *Builder) *Instruction {
		v := b.SetDimensionSize(count(t, b, 3, 4), b.Parameter(0, s32S, "n"), 0)
		v = b.SetDimensionSize(v, scalarInt(b, 3), 1)
		return b.ReshapeTo(shape.Shape{Type: shape.S32, Dims: dims(3, 1, 4), Dynamic: []bool{true, false, true}}, v)
	}, dims(2, 1, 3), []int32{0, 1, 2, 4, 5, 6}},
	{"collapse", 2, func(t *testing.T, b *Builder) *Instruction {
		return b.Collapse(b.SetDimensionSize(count(t, b, 3, 2), b.Parameter(0, s32S, "n"), 0), dims(0, 1))
	}, dims(4), []int32{0, 1, 2, 3}},
	{"dynamic reshape", 2, func(t *testing.T, b *Builder) *Instruction {
		n := b.Parameter(0, s32S, "n")
		return b.DynamicReshape(count(t, b, 6), []*Instruction{n, scalarInt(b, 3)}, dims(6, 3), []bool{true, false})
	}, dims(2, 3), []int32{0, 1, 2, 3, 4, 5}},
	{"dynamic iota", 3, func(t *testing.T, b *Builder) *Instruction {
		n := b.Reshape(b.Parameter(0, s32S, "n"), dims(1))
		return b.DynamicIota(n, 0, shape.Array(shape.S32, shape.Unbounded))
	}, dims(3), []int32{0, 1, 2}},
	{"dynamic broadcast", 2, func(t *testing.T, b *Builder) *Instruction {
		n := b.ConcatInDim([]*Instruction{b.Reshape(b.Parameter(0, s32S, "n"), dims(1)), ints(t, b, dims(1), 3)}, 0)
		return b.MhloDynamicBroadcastInDim(ints(t, b, dims(1), 7), n, dims(1), shape.Array(shape.S32, shape.Unbounded, shape.Unbounded))
	}, dims(2, 3), []int32{7, 7, 7, 7, 7, 7}},
	{"dynamic pad", 1, func(t *testing.T, b *Builder) *Instruction {
		n := b.Reshape(b.Parameter(0, s32S, "n"), dims(1))
		return b.DynamicPad(count(t, b, 2), scalarInt(b, 9), n, ints(t, b, dims(1), -1), n, shape.Array(shape.S32, shape.Unbounded))
	}, dims(3), []int32{9, 0, 9}},
	{"real dynamic slice", 1, func(t *testing.T, b *Builder) *Instruction {
		n := b.Reshape(b.Parameter(0, s32S, "n"), dims(1))
		return b.RealDynamicSlice(count(t, b, 5), n, ints(t, b, dims(1), 5), ints(t, b, dims(1), 2), shape.Array(shape.S32, shape.Unbounded))
	}, dims(2), []int32{1, 3}},
	{"unbounded add", 2, func(t *testing.T, b *Builder) *Instruction {
		n := b.Reshape(b.Parameter(0, s32S, "n"), dims(1))
		v := b.DynamicIota(n, 0, shape.Array(shape.S32, shape.Unbounded))
		return b.add(Add, nil, shape.Shape{}, v, v)
	}, dims(2), []int32{0, 2}},
	{"convert", 2, func(t *testing.T, b *Builder) *Instruction {
		v := cutTo(t, b)
		return b.add(Convert, nil, v.Shape.WithType(shape.S32), b.add(Convert, nil, v.Shape.WithType(shape.F32), v))
	}, dims(2), []int32{1, 2}},
}

func TestDynamicSizes(t *testing.T) {
	for _, c := range dynamicCases {
		t.Run(c.name, func(t *testing.T) {
			l := run(t, build(t, "main", func(b *Builder) *Instruction { return c.build(t, b) }), literal.Scalar(c.n))
			if !slices.Equal(l.Shape().Dims, c.dims) {
				t.Errorf("got %v, want sizes %v", l.Shape(), c.dims)
			}
			wantElems(t, c.name, l, c.want...)
		})
	}
}

// TestDynamicSizesThatDoNotFit runs programs whose sizes turn out wrong at run time.
func TestDynamicSizesThatDoNotFit(t *testing.T) {
	unknown := shape.Array(shape.S32, shape.Unbounded)
	for _, c := range []struct {
		name  string
		n     int32
		build func(b *Builder, n *Instruction) *Instruction
		want  string
	}{
		{"size beyond the bound", 11, func(b *Builder, n *Instruction) *Instruction {
			return b.SetDimensionSize(count(t, b, 10), b.Reshape(n, nil), 0)
		}, "got 11, want 0 to 10"},
		{"negative size", -1, func(b *Builder, n *Instruction) *Instruction {
			return b.SetDimensionSize(count(t, b, 10), b.Reshape(n, nil), 0)
		}, "got -1, want 0 to 10"},
		{"dynamic reshape", 4, func(b *Builder, n *Instruction) *Instruction {
			return b.MhloDynamicReshape(count(t, b, 6), n, unknown)
		}, "numbers of elements differ"},
		{"negative dynamic iota", -4, func(b *Builder, n *Instruction) *Instruction { return b.DynamicIota(n, 0, unknown) }, "got -4"},
		{"dynamic broadcast", 4, func(b *Builder, n *Instruction) *Instruction {
			return b.MhloDynamicBroadcastInDim(count(t, b, 3), n, dims(0), unknown)
		}, "got size 3, want 1 or 4"},
		{"dynamic pad", -4, func(b *Builder, n *Instruction) *Instruction {
			return b.DynamicPad(count(t, b, 3), scalarInt(b, 0), n, ints(t, b, dims(1), 0), ints(t, b, dims(1), 0), unknown)
		}, "padded size: got -1"},
		{"real dynamic slice", 4, func(b *Builder, n *Instruction) *Instruction {
			one := ints(t, b, dims(1), 1)
			return b.RealDynamicSlice(count(t, b, 3), one, n, one, unknown)
		}, "limit index: got 4, want at most 3"},
		{"unbounded operands that differ", 4, func(b *Builder, n *Instruction) *Instruction {
			m := b.add(Add, nil, shape.Shape{}, n, n)
			return b.add(Add, nil, shape.Shape{}, b.DynamicIota(n, 0, unknown), b.DynamicIota(m, 0, unknown))
		}, "sizes differ"},
	} {
		c2 := build(t, "main", func(b *Builder) *Instruction {
			return c.build(b, b.Reshape(b.Parameter(0, s32S, "n"), dims(1)))
		})
		_, err := Evaluate(context.Background(), NewModule("m", c2), []*literal.Literal{literal.Scalar(c.n)}, EvalOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q in it", c.name, err, c.want)
		}
	}
}

func TestDynamicErrors(t *testing.T) {
	unknown := shape.Unbounded
	u := func(n ...int64) shape.Shape { return shape.Array(shape.S32, n...) }
	for _, c := range []struct {
		name  string
		build func(b *Builder)
		want  string
	}{
		{"get: range C1", func(b *Builder) { b.GetDimensionSize(count(t, b, 2), 1) }, "dimension 1 is out of range"},
		{"get: too large", func(b *Builder) { b.GetDimensionSize(b.Parameter(0, u(1<<31), "p"), 0) }, "want a size that fits an s32"},
		{"get: tuple", func(b *Builder) { b.GetDimensionSize(b.Parameter(0, shape.TupleOf(), "p"), 0) }, "want an array"},
		{"set: negative dimension C1", func(b *Builder) { b.SetDimensionSize(count(t, b, 2), scalarInt(b, 1), -1) }, "out of range"},
		{"set: range C1", func(b *Builder) { b.SetDimensionSize(count(t, b, 2), scalarInt(b, 1), 1) }, "out of range"},
		{"set: size type", func(b *Builder) { b.SetDimensionSize(count(t, b, 2), count(t, b, 1), 0) }, "size: got s32[1], want s32[]"},
		{"set: size beyond", func(b *Builder) { b.SetDimensionSize(count(t, b, 2), scalarInt(b, 3), 0) }, "size: got 3, want 0 to 2"},
		{"reshape: type C1", func(b *Builder) { b.MhloDynamicReshape(count(t, b, 2), count(t, b, 1), f32S.WithDims(unknown)) }, "element types differ"},
		{"reshape: rank C3", func(b *Builder) { b.MhloDynamicReshape(count(t, b, 2), count(t, b, 2), u(unknown)) }, "want a vector of 1 integers"},
		{"reshape: count C2", func(b *Builder) {
			b.MhloDynamicReshape(count(t, b, 2, 5), ints(t, b, dims(3), 2, 3, 4), u(unknown, unknown, unknown))
		}, "numbers of elements differ"},
		{"reshape: sizes", func(b *Builder) { b.DynamicReshape(count(t, b, 2), nil, dims(2), []bool{true}) }, "got no sizes"},
		{"reshape: flags", func(b *Builder) { b.DynamicReshape(count(t, b, 2), nil, dims(2), nil) }, "want the same number"},
		{"iota: dimension C1", func(b *Builder) { b.DynamicIota(count(t, b, 1), -1, u(unknown)) }, "dimension -1 is out of range"},
		{"iota: rank C2", func(b *Builder) { b.DynamicIota(count(t, b, 2), 0, u(unknown)) }, "want a vector of 1 integers"},
		{"pad: rank C2", func(b *Builder) {
			v := count(t, b, 2)
			b.DynamicPad(count(t, b, 4), scalarInt(b, 0), v, v, v, u(unknown))
		}, "want a vector of 1 integers"},
		{"pad: interior C3", func(b *Builder) {
			z := b.Reshape(scalarInt(b, 0), dims(1))
			b.DynamicPad(count(t, b, 4), scalarInt(b, 0), z, z, ints(t, b, dims(1), -1), u(unknown))
		}, "interior padding of dimension 0: got -1"},
		{"pad: value C1", func(b *Builder) {
			z := count(t, b, 1)
			b.DynamicPad(count(t, b, 4), count(t, b, 1), z, z, z, u(unknown))
		}, "padding value"},
		{"pad: size C4", func(b *Builder) {
			z := count(t, b, 1)
			b.DynamicPad(count(t, b, 4), scalarInt(b, 0), z, z, z, u(5))
		}, "got 4, the result is s32[5]"},
		{"broadcast: type C1", func(b *Builder) {
			b.MhloDynamicBroadcastInDim(count(t, b, 2), count(t, b, 1), dims(0), f32S.WithDims(unknown))
		}, "element types differ"},
		{"broadcast: count C2", func(b *Builder) { b.MhloDynamicBroadcastInDim(count(t, b, 2), count(t, b, 1), nil, u(unknown)) }, "want 1, the rank"},
		{"broadcast: negative C3", func(b *Builder) {
			b.MhloDynamicBroadcastInDim(count(t, b, 1), count(t, b, 3), dims(-1), u(7, 8, 9))
		}, "dimension -1 is out of range"},
		{"broadcast: twice C4", func(b *Builder) {
			b.MhloDynamicBroadcastInDim(count(t, b, 1, 1), b.Parameter(0, u(2), "p"), dims(0, 0), u(unknown, unknown))
		}, "there twice"},
		{"broadcast: size C5", func(b *Builder) {
			b.MhloDynamicBroadcastInDim(count(t, b, 32), b.Parameter(0, u(3), "p"), dims(2), u(7, 8, 9))
		}, "got size 32, want 1 or 9"},
		{"broadcast: size in the constant C5", func(b *Builder) {
			b.MhloDynamicBroadcastInDim(count(t, b, 1, 3), ints(t, b, dims(3), 2, 1, 1), dims(1, 2), u(unknown, unknown, unknown))
		}, "got size 3, want 1 or 1"},
		{"broadcast: negative size C7", func(b *Builder) {
			b.MhloDynamicBroadcastInDim(count(t, b, 4), ints(t, b, dims(2), -1, 4), dims(1), u(3, 4))
		}, "got -1, want 0 or more"},
		{"broadcast: known dims C8", func(b *Builder) {
			b.add(DynamicBroadcastInDim, &DynamicBroadcastAttrs{Dimensions: dims(1, 2), KnownExpanding: dims(0, 0)}, u(unknown, unknown, unknown),
				b.Parameter(0, u(unknown, unknown), "p"), b.Parameter(1, u(3), "q"))
		}, "there twice"},
		{"slice: rank", func(b *Builder) {
			z := count(t, b, 2)
			b.RealDynamicSlice(count(t, b, 4), z, z, z, u(unknown))
		}, "want a vector of 1 integers"},
		{"slice: types", func(b *Builder) {
			z := count(t, b, 1)
			b.RealDynamicSlice(count(t, b, 4), z, z, b.IotaVector(shape.S64, 1), u(unknown))
		}, "want the type of the start indices"},
	} {
		wantError(t, c.name, buildError(t, c.build), c.want)
	}
}
