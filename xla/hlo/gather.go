package hlo

// GatherAttrs are gather's dimension numbers and slice sizes; rows 68.
type GatherAttrs struct {
	OffsetDims, CollapsedSliceDims, StartIndexMap []int64
	IndexVectorDim                                int64
	OperandBatchingDims, StartIndicesBatchingDims []int64
	SliceSizes                                    []int64
	IndicesAreSorted                              bool
}

// Fields lists the attributes.
func (a *GatherAttrs) Fields() []Field {
	return []Field{
		{"offset_dims", "", &a.OffsetDims, Always},
		{"collapsed_slice_dims", "", &a.CollapsedSliceDims, Always},
		{"start_index_map", "", &a.StartIndexMap, Always},
		{"operand_batching_dims", "", &a.OperandBatchingDims, Set},
		{"start_indices_batching_dims", "", &a.StartIndicesBatchingDims, Set},
		{"index_vector_dim", "", &a.IndexVectorDim, Always},
		{"slice_sizes", "slice_sizes", &a.SliceSizes, Always},
		{"indices_are_sorted", "indices_are_sorted", &a.IndicesAreSorted, Set},
	}
}

// DynamicGatherAttrs are GatherAttrs without SliceSizes, which are an operand.
type DynamicGatherAttrs struct {
	OffsetDims, CollapsedSliceDims, StartIndexMap []int64
	IndexVectorDim                                int64
	OperandBatchingDims, StartIndicesBatchingDims []int64
	IndicesAreSorted                              bool
}

// Fields lists the attributes.
func (a *DynamicGatherAttrs) Fields() []Field {
	return []Field{
		{"offset_dims", "", &a.OffsetDims, Always},
		{"collapsed_slice_dims", "", &a.CollapsedSliceDims, Always},
		{"start_index_map", "", &a.StartIndexMap, Always},
		{"operand_batching_dims", "", &a.OperandBatchingDims, Set},
		{"start_indices_batching_dims", "", &a.StartIndicesBatchingDims, Set},
		{"index_vector_dim", "", &a.IndexVectorDim, Always},
		{"indices_are_sorted", "indices_are_sorted", &a.IndicesAreSorted, Set},
	}
}

// ScatterAttrs are scatter's dimension numbers and its computation; row 69.
type ScatterAttrs struct {
	UpdateWindowDims, InsertedWindowDims, ScatterDimsToOperandDims []int64
	InputBatchingDims, ScatterIndicesBatchingDims                  []int64
	IndexVectorDim                                                 int64
	IndicesAreSorted, UniqueIndices                                bool
	ToApply                                                        *Computation
}

// Fields lists the attributes.
func (a *ScatterAttrs) Fields() []Field {
	return []Field{
		{"update_window_dims", "", &a.UpdateWindowDims, Always},
		{"inserted_window_dims", "", &a.InsertedWindowDims, Always},
		{"scatter_dims_to_operand_dims", "", &a.ScatterDimsToOperandDims, Always},
		{"input_batching_dims", "", &a.InputBatchingDims, Set},
		{"scatter_indices_batching_dims", "", &a.ScatterIndicesBatchingDims, Set},
		{"index_vector_dim", "", &a.IndexVectorDim, Always},
		{"indices_are_sorted", "indices_are_sorted", &a.IndicesAreSorted, Set},
		{"unique_indices", "unique_indices", &a.UniqueIndices, Set},
		{"to_apply", "", &a.ToApply, Always},
	}
}
