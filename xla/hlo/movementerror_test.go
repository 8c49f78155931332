package hlo

import (
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

// movementErrors has one program for each rule that it breaks, and what the error says.
var movementErrors = []struct {
	name  string
	build func(t *testing.T, b *Builder)
	want  string
}{
	{"broadcast: negative size", func(t *testing.T, b *Builder) { b.Broadcast(count(t, b, 2), dims(-1)) }, "size of dimension 0: got -1"},
	{"broadcast: tuple", func(t *testing.T, b *Builder) {
		b.Broadcast(b.Parameter(0, shape.TupleOf(s32S), "t"), dims(2))
	}, "want an array"},
	{"broadcast: too many elements", func(t *testing.T, b *Builder) {
		b.Broadcast(count(t, b, 2), dims(1<<40, 1<<40))
	}, "too many elements"},
	{"broadcast in dim: count C2", func(t *testing.T, b *Builder) {
		b.BroadcastInDim(count(t, b, 1, 2), dims(1, 2, 3), dims(1))
	}, "got 1 broadcast dimensions {1}, want 2"},
	{"broadcast in dim: range C3", func(t *testing.T, b *Builder) {
		b.BroadcastInDim(count(t, b, 2), dims(2), dims(1))
	}, "dimension 1 is out of range"},
	{"broadcast in dim: twice C4", func(t *testing.T, b *Builder) {
		b.BroadcastInDim(count(t, b, 1, 1, 3), dims(1, 2, 3), dims(0, 0, 2))
	}, "dimension 0 is there twice"},
	{"broadcast in dim: size C5", func(t *testing.T, b *Builder) {
		b.BroadcastInDim(count(t, b, 3), dims(2, 2), dims(0))
	}, "got size 3, want 1 or 2"},
	{"broadcast in dim: order", func(t *testing.T, b *Builder) {
		b.BroadcastInDim(count(t, b, 2, 3), dims(3, 2), dims(1, 0))
	}, "want ascending"},
	{"broadcast in dim: rank below the operand's", func(t *testing.T, b *Builder) {
		b.BroadcastInDim(count(t, b, 2, 3), dims(3), dims(0, 1))
	}, "dimension 1 is out of range"},
	{"broadcast: unknown result", func(t *testing.T, b *Builder) {
		b.BroadcastInDim(count(t, b, 3), dims(shape.Unbounded, 3), dims(1))
	}, "is unknown"},
	{"reshape: counts", func(t *testing.T, b *Builder) { b.Reshape(count(t, b, 5), dims(2, 3)) }, "numbers of elements differ"},
	{"reshape: type", func(t *testing.T, b *Builder) { b.ReshapeTo(f32S, count(t, b, 1)) }, "element types differ"},
	{"reshape: no permutation", func(t *testing.T, b *Builder) {
		b.ReshapeInOrder(count(t, b, 2, 3), dims(0, 0), dims(6))
	}, "there twice"},
	{"reshape: inferred dimension", func(t *testing.T, b *Builder) {
		b.ReshapeWithInferredDimension(count(t, b, 4), dims(2, 2), 2)
	}, "inferred dimension: dimension 2 is out of range"},
	{"collapse: not consecutive", func(t *testing.T, b *Builder) { b.Collapse(count(t, b, 1, 2, 3), dims(0, 2)) }, "want consecutive"},
	{"collapse: order", func(t *testing.T, b *Builder) { b.Collapse(count(t, b, 1, 2), dims(1, 0)) }, "want ascending"},
	{"transpose: length C2", func(t *testing.T, b *Builder) { b.Transpose(count(t, b, 1, 2), dims(0)) }, "want a permutation of 2"},
	{"transpose: twice C2", func(t *testing.T, b *Builder) { b.Transpose(count(t, b, 1, 2), dims(1, 1)) }, "there twice"},
	{"reverse: twice C2", func(t *testing.T, b *Builder) { b.Rev(count(t, b, 1, 2), dims(1, 1)) }, "there twice"},
	{"reverse: range C3", func(t *testing.T, b *Builder) { b.Rev(count(t, b, 1, 2), dims(2)) }, "out of range"},
	{"concatenate: nothing C3", func(_ *testing.T, b *Builder) { b.ConcatInDim(nil, 0) }, "got no operands"},
	{"concatenate: rank C2", func(t *testing.T, b *Builder) {
		b.ConcatInDim([]*Instruction{count(t, b, 1), count(t, b, 2, 2)}, 0)
	}, "ranks differ"},
	{"concatenate: size C2", func(t *testing.T, b *Builder) {
		b.ConcatInDim([]*Instruction{count(t, b, 1, 3), count(t, b, 2, 2)}, 0)
	}, "sizes of dimension 1 differ: 3 and 2"},
	{"concatenate: scalars C4", func(t *testing.T, b *Builder) {
		b.ConcatInDim([]*Instruction{scalarInt(b, 1), scalarInt(b, 2)}, 0)
	}, "dimension 0 is out of range"},
	{"concatenate: dimension C4", func(t *testing.T, b *Builder) {
		b.ConcatInDim([]*Instruction{count(t, b, 1), count(t, b, 2)}, 10)
	}, "dimension 10 is out of range"},
	{"concatenate: types C5", func(t *testing.T, b *Builder) {
		b.ConcatInDim([]*Instruction{count(t, b, 1), b.IotaVector(shape.F32, 2)}, 0)
	}, "element types differ"},
	{"pad: types C1", func(t *testing.T, b *Builder) {
		b.Pad(b.IotaVector(shape.F32, 2), scalarInt(b, 1), Padding{{}})
	}, "element types differ"},
	{"pad: rank C2", func(t *testing.T, b *Builder) { b.Pad(count(t, b, 2, 2), scalarInt(b, 1), Padding{{}}) }, "got padding for 1 dimensions, want 2"},
	{"pad: interior C3", func(t *testing.T, b *Builder) {
		b.Pad(count(t, b, 2), scalarInt(b, 1), Padding{{Interior: -1}})
	}, "interior padding: got -1"},
	{"pad: negative size", func(t *testing.T, b *Builder) { b.PadInDim(count(t, b, 2), scalarInt(b, 1), 0, -3, 0) }, "padded size: got -1"},
	{"pad: overflow", func(t *testing.T, b *Builder) {
		b.PadInDim(count(t, b, 2), scalarInt(b, 1), 0, 1<<62, 1<<62)
	}, "overflows"},
	{"pad: value", func(t *testing.T, b *Builder) { b.Pad(count(t, b, 2), count(t, b, 1), Padding{{}}) }, "padding value"},
	{"pad in dim: dimension", func(t *testing.T, b *Builder) { b.PadInDim(count(t, b, 2), scalarInt(b, 1), 1, 1, 1) }, "out of range"},
	{"iota: scalar", func(_ *testing.T, b *Builder) { b.Iota(s32S, 0) }, "out of range"},
	{"iota: dimension C1", func(_ *testing.T, b *Builder) { b.Iota(shape.Array(shape.S32, 2), 1) }, "out of range"},
	{"iota: pred", func(_ *testing.T, b *Builder) { b.IotaVector(shape.Pred, 2) }, "got pred"},
	{"slice: rank C2", func(t *testing.T, b *Builder) { b.Slice(count(t, b, 2, 2), dims(0), dims(1), nil) }, "want 2, the rank"},
	{"slice: lists", func(t *testing.T, b *Builder) { b.Slice(count(t, b, 2, 2), dims(0, 0), dims(1), nil) }, "want the same number"},
	{"slice: negative start C3", func(t *testing.T, b *Builder) { b.Slice(count(t, b, 2), dims(-1), dims(1), nil) }, "start index: got -1"},
	{"slice: limit C3", func(t *testing.T, b *Builder) { b.Slice(count(t, b, 2), dims(0), dims(3), nil) }, "limit index: got 3, want at most 2"},
	{"slice: order C3", func(t *testing.T, b *Builder) { b.Slice(count(t, b, 4), dims(3), dims(2), nil) }, "beyond the limit index 2"},
	{"slice: stride C4", func(t *testing.T, b *Builder) { b.Slice(count(t, b, 4), dims(0), dims(2), dims(0)) }, "stride: got 0"},
	{"dynamic slice: index count C2", func(t *testing.T, b *Builder) {
		b.DynamicSlice(count(t, b, 3, 4), []*Instruction{scalarInt(b, 0)}, dims(1, 4))
	}, "got 1 start indices, want 2"},
	{"dynamic slice: size count C2", func(t *testing.T, b *Builder) {
		b.DynamicSlice(count(t, b, 3), []*Instruction{scalarInt(b, 0)}, dims(1, 4))
	}, "got 2 slice sizes"},
	{"dynamic slice: index shape C3", func(t *testing.T, b *Builder) {
		b.DynamicSlice(count(t, b, 3, 4), []*Instruction{count(t, b, 1), count(t, b, 1)}, dims(1, 4))
	}, "want an integer scalar"},
	{"dynamic slice: index type", func(t *testing.T, b *Builder) {
		b.DynamicSlice(count(t, b, 3), []*Instruction{b.Reshape(b.IotaVector(shape.F32, 1), nil)}, dims(1))
	}, "want an integer scalar"},
	{"dynamic slice: index types differ C3", func(t *testing.T, b *Builder) {
		b.DynamicSlice(count(t, b, 3, 4), []*Instruction{scalarInt(b, 0), b.Reshape(b.IotaVector(shape.S64, 1), nil)}, dims(1, 4))
	}, "types of the start indices differ"},
	{"dynamic slice: size C4", func(t *testing.T, b *Builder) {
		b.DynamicSlice(count(t, b, 3), []*Instruction{scalarInt(b, 0)}, dims(4))
	}, "got 4, want 0 to 3"},
	{"dynamic slice: negative size C4", func(t *testing.T, b *Builder) {
		b.DynamicSlice(count(t, b, 3), []*Instruction{scalarInt(b, 0)}, dims(-1))
	}, "got -1, want 0 to 3"},
	{"dynamic update slice: types C2", func(t *testing.T, b *Builder) {
		b.DynamicUpdateSlice(count(t, b, 3), b.IotaVector(shape.F32, 1), []*Instruction{scalarInt(b, 0)})
	}, "element types differ"},
	{"dynamic update slice: ranks C3", func(t *testing.T, b *Builder) {
		b.DynamicUpdateSlice(count(t, b, 3), scalarInt(b, 0), []*Instruction{scalarInt(b, 0)})
	}, "ranks differ"},
	{"dynamic update slice: size C6", func(t *testing.T, b *Builder) {
		b.DynamicUpdateSlice(count(t, b, 3), count(t, b, 4), []*Instruction{scalarInt(b, 0)})
	}, "update is larger"},
}

func TestMovementErrors(t *testing.T) {
	for _, c := range movementErrors {
		t.Run(c.name, func(t *testing.T) {
			wantError(t, c.name, buildError(t, func(b *Builder) { c.build(t, b) }), c.want)
		})
	}
}
