package hlo

import (
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

// goodGather is a gather on s32[2,4,9] by s32[1,5,2], whose result is s32[1,5,8].
func goodGather() GatherAttrs {
	return GatherAttrs{OffsetDims: dims(2), CollapsedSliceDims: dims(0, 1), StartIndexMap: dims(0, 1), IndexVectorDim: 2,
		SliceSizes: dims(1, 1, 8)}
}

var gatherErrors = []struct {
	name  string
	start []int64 // sizes of the indices
	edit  func(a *GatherAttrs)
	want  string
}{
	{"rank C1", nil, func(a *GatherAttrs) { a.OffsetDims = dims(1, 2) }, "have 4 dimensions, want 3"},
	{"vector C2", nil, func(a *GatherAttrs) { a.IndexVectorDim = 4 }, "index_vector_dim: got 4, want 0 to 3"},
	{"negative vector C2", nil, func(a *GatherAttrs) { a.IndexVectorDim = -1 }, "index_vector_dim: got -1"},
	{"map size C3", nil, func(a *GatherAttrs) { a.IndexVectorDim = 3 }, "start_index_map has 2 dimensions, want 1"},
	{"offset dims twice C4", nil, func(a *GatherAttrs) {
		a.OffsetDims, a.CollapsedSliceDims = dims(2, 2), dims(0)
	}, "offset_dims: dimension 2 is there twice"},
	{"offset dims order C4", nil, func(a *GatherAttrs) {
		a.OffsetDims, a.CollapsedSliceDims = dims(2, 1), dims(0)
	}, "offset_dims: got {2, 1}, want ascending"},
	{"offset dims range C5", nil, func(a *GatherAttrs) { a.OffsetDims = dims(3) }, "offset_dims: dimension 3 is out of range"},
	{"collapsed twice C6", nil, func(a *GatherAttrs) { a.CollapsedSliceDims = dims(1, 1) }, "dimension 1 is there twice"},
	{"collapsed and batching C6", []int64{2, 5, 1}, func(a *GatherAttrs) {
		a.CollapsedSliceDims, a.OperandBatchingDims, a.StartIndicesBatchingDims, a.StartIndexMap = dims(0), dims(0), dims(0), dims(1)
	}, "collapsed_slice_dims and operand_batching_dims: dimension 0 is there twice"},
	{"collapsed order C7", nil, func(a *GatherAttrs) { a.CollapsedSliceDims = dims(1, 0) }, "want ascending"},
	{"collapsed range C8", nil, func(a *GatherAttrs) { a.CollapsedSliceDims = dims(0, 17) }, "dimension 17 is out of range"},
	{"collapsed size C9", nil, func(a *GatherAttrs) { a.SliceSizes = dims(1, 2, 8) }, "got 2, want at most 1"},
	{"batching order C10", nil, func(a *GatherAttrs) {
		a.CollapsedSliceDims, a.OperandBatchingDims, a.StartIndicesBatchingDims = nil, dims(1, 0), dims(0, 1)
	}, "operand_batching_dims: got {1, 0}, want ascending"},
	{"batching range C11", nil, func(a *GatherAttrs) {
		a.CollapsedSliceDims, a.OperandBatchingDims, a.StartIndicesBatchingDims = dims(1), dims(-1), dims(0)
	}, "operand_batching_dims: dimension -1 is out of range"},
	{"batching size C12", []int64{2, 5, 1}, func(a *GatherAttrs) {
		a.CollapsedSliceDims, a.OperandBatchingDims, a.StartIndicesBatchingDims, a.StartIndexMap = dims(1), dims(0), dims(0), dims(1)
		a.SliceSizes = dims(2, 1, 8)
	}, "got 2, want at most 1"},
	{"start batching twice C13", []int64{2, 4, 1}, func(a *GatherAttrs) {
		a.CollapsedSliceDims, a.OperandBatchingDims, a.StartIndicesBatchingDims, a.StartIndexMap = nil, dims(0, 1), dims(0, 0), dims(2)
	}, "start_indices_batching_dims: dimension 0 is there twice"},
	{"start batching range C14", []int64{2, 4, 1}, func(a *GatherAttrs) {
		a.CollapsedSliceDims, a.OperandBatchingDims, a.StartIndicesBatchingDims, a.StartIndexMap = nil, dims(0, 1), dims(1, -1), dims(2)
	}, "start_indices_batching_dims: dimension -1 is out of range"},
	{"start batching is the vector C15", []int64{2, 4, 1}, func(a *GatherAttrs) {
		a.CollapsedSliceDims, a.OperandBatchingDims, a.StartIndicesBatchingDims, a.StartIndexMap = nil, dims(0, 1), dims(0, 2), dims(2)
	}, "want dimensions other than index_vector_dim 2"},
	{"batching counts C16", []int64{2, 5, 1}, func(a *GatherAttrs) {
		a.CollapsedSliceDims, a.OperandBatchingDims, a.StartIndexMap = dims(1), dims(0), dims(2)
	}, "operand_batching_dims has 1 dimensions, start_indices_batching_dims has 0"},
	{"batching sizes C17", []int64{3, 5, 1}, func(a *GatherAttrs) {
		a.CollapsedSliceDims, a.OperandBatchingDims, a.StartIndicesBatchingDims, a.StartIndexMap = dims(1), dims(0), dims(0), dims(2)
	}, "batching sizes differ"},
	{"map twice C18", nil, func(a *GatherAttrs) { a.StartIndexMap = dims(0, 0) }, "dimension 0 is there twice"},
	{"map and batching C18", []int64{2, 5, 2}, func(a *GatherAttrs) {
		a.CollapsedSliceDims, a.OperandBatchingDims, a.StartIndicesBatchingDims = dims(1), dims(0), dims(0)
	}, "start_index_map and operand_batching_dims: dimension 0 is there twice"},
	{"map range C19", nil, func(a *GatherAttrs) { a.StartIndexMap = dims(0, 3) }, "dimension 3 is out of range"},
	{"slice sizes C20", nil, func(a *GatherAttrs) { a.SliceSizes = dims(1, 1) }, "got 2 slice sizes"},
	{"slice size C21", nil, func(a *GatherAttrs) { a.SliceSizes = dims(1, 1, 10) }, "got 10, want 0 to 9"},
	{"negative slice size C21", nil, func(a *GatherAttrs) { a.SliceSizes = dims(1, 1, -1) }, "got -1, want 0 to 9"},
}

func TestGatherErrors(t *testing.T) {
	for _, c := range gatherErrors {
		a := goodGather()
		c.edit(&a)
		start := c.start
		if start == nil {
			start = dims(1, 5, 2)
		}
		got := buildError(t, func(b *Builder) { b.Gather(count(t, b, 2, 4, 9), count(t, b, start...), a) })
		wantError(t, c.name, got, c.want)
	}
	got := buildError(t, func(b *Builder) {
		b.Gather(count(t, b, 2, 4, 9), b.Iota(shape.Array(shape.F32, 1, 5, 2), 0), goodGather())
	})
	wantError(t, "indices", got, "want integers")
	got = buildError(t, func(b *Builder) {
		d := DynamicGatherAttrs{OffsetDims: dims(2), CollapsedSliceDims: dims(0, 1), StartIndexMap: dims(0, 1), IndexVectorDim: 2}
		b.DynamicGather(count(t, b, 2, 4, 9), count(t, b, 1, 5, 2), ints(t, b, dims(3), 1, 1, 10), d, shape.Array(shape.S32, 1, 5, 10))
	})
	wantError(t, "dynamic slice size", got, "got 10, want 0 to 9")
}

var scatterErrors = []struct {
	name   string
	update []int64
	edit   func(a *ScatterAttrs)
	want   string
}{
	{"rank C2", nil, func(a *ScatterAttrs) { a.InsertedWindowDims = dims(0) }, "have 2 dimensions, want 3"},
	{"update rank C4", dims(10, 30, 1), func(*ScatterAttrs) {}, "has rank 3, want 2"},
	{"window too large C4", dims(10, 31), func(*ScatterAttrs) {}, "window is larger than the operand"},
	{"index sizes C4", dims(9, 30), func(*ScatterAttrs) {}, "index sizes differ"},
	{"window dims twice C7", nil, func(a *ScatterAttrs) {
		a.UpdateWindowDims, a.InsertedWindowDims = dims(1, 1), dims(0)
	}, "update_window_dims: dimension 1 is there twice"},
	{"window dims order C7", nil, func(a *ScatterAttrs) {
		a.UpdateWindowDims, a.InsertedWindowDims = dims(1, 0), dims(0)
	}, "want ascending"},
	{"window dims range C8", nil, func(a *ScatterAttrs) { a.UpdateWindowDims = dims(2) }, "update_window_dims: dimension 2 is out of range"},
	{"inserted twice C9", nil, func(a *ScatterAttrs) { a.InsertedWindowDims = dims(1, 1) }, "dimension 1 is there twice"},
	{"inserted order C10", nil, func(a *ScatterAttrs) { a.InsertedWindowDims = dims(1, 0) }, "inserted_window_dims: got {1, 0}, want ascending"},
	{"inserted range C11", nil, func(a *ScatterAttrs) { a.InsertedWindowDims = dims(0, 3) }, "inserted_window_dims: dimension 3 is out of range"},
	{"map size C19", nil, func(a *ScatterAttrs) { a.ScatterDimsToOperandDims = dims(0) }, "scatter_dims_to_operand_dims has 1 dimensions, want 2"},
	{"map twice C20", nil, func(a *ScatterAttrs) { a.ScatterDimsToOperandDims = dims(0, 0) }, "dimension 0 is there twice"},
	{"map range C21", nil, func(a *ScatterAttrs) { a.ScatterDimsToOperandDims = dims(-1, 0) }, "dimension -1 is out of range"},
	{"vector C22", nil, func(a *ScatterAttrs) { a.IndexVectorDim = 3 }, "index_vector_dim: got 3"},
	{"no computation C23", nil, func(a *ScatterAttrs) { a.ToApply = nil }, "computation is missing"},
}

func TestScatterErrors(t *testing.T) {
	good := func() ScatterAttrs {
		return ScatterAttrs{UpdateWindowDims: dims(1), InsertedWindowDims: dims(0, 1), ScatterDimsToOperandDims: dims(0, 1),
			IndexVectorDim: 1, ToApply: second(t, 1, shape.S32)}
	}
	for _, c := range scatterErrors {
		a := good()
		c.edit(&a)
		update := c.update
		if update == nil {
			update = dims(10, 30)
		}
		got := buildError(t, func(b *Builder) {
			b.Scatter([]*Instruction{count(t, b, 2, 4, 30)}, count(t, b, 10, 2), []*Instruction{count(t, b, update...)}, a)
		})
		wantError(t, c.name, got, c.want)
	}
}

func TestScatterOperandErrors(t *testing.T) {
	row := func(typ shape.ElementType, n int) ScatterAttrs { return rowScatter(second(t, n, typ)) }
	for _, c := range []struct {
		name  string
		build func(b *Builder)
		want  string
	}{
		{"counts C5", func(b *Builder) {
			v := count(t, b, 2)
			b.Scatter([]*Instruction{v, v}, v, []*Instruction{v}, row(shape.S32, 1))
		}, "got 4 operands"},
		{"inputs C1", func(b *Builder) {
			v := count(t, b, 2)
			b.Scatter([]*Instruction{v, count(t, b, 3)}, v, []*Instruction{v, v}, row(shape.S32, 2))
		}, "want the sizes of the first"},
		{"updates C3", func(b *Builder) {
			v := count(t, b, 2)
			b.Scatter([]*Instruction{v, v}, v, []*Instruction{v, count(t, b, 1)}, row(shape.S32, 2))
		}, "want the sizes of the first"},
		{"types C6", func(b *Builder) {
			b.Scatter([]*Instruction{count(t, b, 2)}, count(t, b, 2), []*Instruction{b.IotaVector(shape.S8, 2)}, row(shape.S32, 1))
		}, "element types differ"},
		{"indices", func(b *Builder) {
			v := count(t, b, 2)
			b.Scatter([]*Instruction{v}, b.IotaVector(shape.F32, 2), []*Instruction{v}, row(shape.S32, 1))
		}, "want integers"},
		{"computation narrower than the input C23", func(b *Builder) {
			v := count(t, b, 2)
			b.Scatter([]*Instruction{v}, v, []*Instruction{v}, row(shape.S8, 1))
		}, "parameter 0 is s8[], want s32[]"},
		{"computation of one scalar C23", func(b *Builder) {
			v := count(t, b, 2)
			b.Scatter([]*Instruction{v}, v, []*Instruction{v}, rowScatter(identity(t, s32S)))
		}, "takes 1 parameters, want 2"},
	} {
		wantError(t, c.name, buildError(t, c.build), c.want)
	}
}

// second is a computation of 2n scalars of type t that returns the last n.
func second(t *testing.T, n int, typ shape.ElementType) *Computation {
	t.Helper()
	return build(t, "second", func(b *Builder) *Instruction {
		var p []*Instruction
		for i := range 2 * n {
			p = append(p, b.Parameter(int64(i), shape.Array(typ), ""))
		}
		if n == 1 {
			return p[1]
		}
		return b.add(Tuple, nil, shape.Shape{}, p[n:]...)
	})
}

// rowScatter writes single elements of a vector, indexed by a vector.
func rowScatter(c *Computation) ScatterAttrs {
	return ScatterAttrs{InsertedWindowDims: dims(0), ScatterDimsToOperandDims: dims(0), IndexVectorDim: 1, ToApply: c}
}
