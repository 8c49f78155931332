package hlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// indexDims are the dimension numbers that gather and scatter share, under gather's names, and what messages call them.
type indexDims struct {
	offset, collapsed, batching, startBatching, startMap []int64
	vector                                               int64
	names                                                *indexNames
}

type indexNames struct{ offset, collapsed, batching, startBatching, startMap, start string }

var (
	gatherNames = indexNames{"offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
		"start_index_map", "start_indices"}
	scatterNames = indexNames{"update_window_dims", "inserted_window_dims", "input_batching_dims",
		"scatter_indices_batching_dims", "scatter_dims_to_operand_dims", "scatter_indices"}
)

func (a *GatherAttrs) dims() indexDims {
	return indexDims{a.OffsetDims, a.CollapsedSliceDims, a.OperandBatchingDims, a.StartIndicesBatchingDims,
		a.StartIndexMap, a.IndexVectorDim, &gatherNames}
}

func (a *DynamicGatherAttrs) dims() indexDims {
	return indexDims{a.OffsetDims, a.CollapsedSliceDims, a.OperandBatchingDims, a.StartIndicesBatchingDims,
		a.StartIndexMap, a.IndexVectorDim, &gatherNames}
}

func (a *ScatterAttrs) dims() indexDims {
	return indexDims{a.UpdateWindowDims, a.InsertedWindowDims, a.InputBatchingDims, a.ScatterIndicesBatchingDims,
		a.ScatterDimsToOperandDims, a.IndexVectorDim, &scatterNames}
}

// hidden are the operand dimensions that the windows do not show: collapsed and batching ones.
func (g *indexDims) hidden() []int64 { return slices.Concat(g.collapsed, g.batching) }

// windowDims returns the operand dimensions that offset dimensions stand for, ascending.
func (g *indexDims) windowDims(rank int) []int64 {
	hidden, out := g.hidden(), make([]int64, 0, rank)
	for d := range int64(rank) {
		if !slices.Contains(hidden, d) {
			out = append(out, d)
		}
	}
	return out
}

// batchDims returns the dimensions of the result, of the given rank, that are no offset dimensions.
func (g *indexDims) batchDims(rank int) []int64 {
	out := make([]int64, 0, rank)
	for d := range int64(rank) {
		if !slices.Contains(g.offset, d) {
			out = append(out, d)
		}
	}
	return out
}

// startDims returns the dimensions of the indices, of the given rank, without the one along which a vector lies.
func (g *indexDims) startDims(rank int) []int64 {
	out := make([]int64, 0, rank)
	for d := range int64(rank) {
		if d != g.vector {
			out = append(out, d)
		}
	}
	return out
}

// check checks the numbers against the shapes of operand and indices; windowed is the rank of gather's result or
// scatter's updates. c has the labels of gather's rules; scatter's are the same rules under other numbers.
func (g *indexDims) check(operand, start shape.Shape, windowed int) error {
	n, rank := g.names, len(operand.Dims)
	if !start.Type.IsInteger() {
		return fmt.Errorf("%s: got %v, want integers", n.start, start)
	}
	if got := len(g.offset) + len(g.collapsed) + len(g.batching); got != rank { // C1, scatter C2
		return fmt.Errorf("%s, %s and %s have %d dimensions, want %d, the rank of %v", n.offset, n.collapsed, n.batching,
			got, rank, operand)
	}
	if g.vector < 0 || g.vector > int64(len(start.Dims)) { // C2, scatter C22
		return fmt.Errorf("index_vector_dim: got %d, want 0 to %d", g.vector, len(start.Dims))
	}
	size := int64(1)
	if g.vector < int64(len(start.Dims)) {
		size = start.Dims[g.vector]
	}
	if size != shape.Unbounded && int64(len(g.startMap)) != size { // C3, scatter C19
		return fmt.Errorf("%s has %d dimensions, want %d, the size of an index vector", n.startMap, len(g.startMap), size)
	}
	if err := checkDims(n.offset, g.offset, windowed, true, true); err != nil { // C4, C5, scatter C7, C8
		return err
	}
	if err := checkDims(n.collapsed, g.collapsed, rank, false, true); err != nil { // C7, C8, scatter C10, C11
		return err
	}
	if err := checkDims(n.batching, g.batching, rank, false, true); err != nil { // C10, C11, scatter C12, C13
		return err
	}
	if err := checkDims(n.collapsed+" and "+n.batching, g.hidden(), rank, true, false); err != nil { // C6, scatter C9
		return err
	}
	mapped := slices.Concat(g.startMap, g.batching) // C18, C19, scatter C20, C21
	if err := checkDims(n.startMap+" and "+n.batching, mapped, rank, true, false); err != nil {
		return err
	}
	return g.checkBatching(operand, start)
}

func (g *indexDims) checkBatching(operand, start shape.Shape) error {
	n := g.names
	// C13, C14, scatter C14, C15
	if err := checkDims(n.startBatching, g.startBatching, len(start.Dims), true, false); err != nil {
		return err
	}
	if slices.Contains(g.startBatching, g.vector) { // C15, scatter C16
		return fmt.Errorf("%s: got %s, want dimensions other than index_vector_dim %d", n.startBatching,
			list(g.startBatching), g.vector)
	}
	if len(g.batching) != len(g.startBatching) { // C16, scatter C17
		return fmt.Errorf("%s has %d dimensions, %s has %d", n.batching, len(g.batching), n.startBatching,
			len(g.startBatching))
	}
	for i, d := range g.batching { // C17, scatter C18
		if s := g.startBatching[i]; !compatibleDim(operand, int(d), start, int(s)) {
			return fmt.Errorf("batching sizes differ: dimension %d of %v and dimension %d of %v", d, operand, s, start)
		}
	}
	return nil
}

// checkSliceSizes checks the sizes of a gather's slices.
func (g *indexDims) checkSliceSizes(operand shape.Shape, sizes []int64) error {
	if _, err := slicedShape(operand, sizes); err != nil { // C20, C21
		return err
	}
	for _, d := range g.hidden() {
		if sizes[d] > 1 { // C9, C12
			return fmt.Errorf("slice size of collapsed or batching dimension %d: got %d, want at most 1", d, sizes[d])
		}
	}
	return nil
}

// gathered returns the shape of a gather's result: the sizes of the slices at the offset dimensions, those of the
// indices elsewhere. C22
func (g *indexDims) gathered(operand, start, slice shape.Shape) shape.Shape {
	starts := g.startDims(len(start.Dims))
	window := g.windowDims(len(operand.Dims))
	out := newDimList(operand.Type, len(starts)+len(window))
	for d := range int64(len(starts) + len(window)) {
		if slices.Contains(g.offset, d) {
			out.addOf(slice, window[0])
			window = window[1:]
			continue
		}
		out.addOf(start, starts[0])
		starts = starts[1:]
	}
	return out.shape()
}

// resultRank returns the rank of a gather's result.
func (g *indexDims) resultRank(start shape.Shape) int {
	return len(g.startDims(len(start.Dims))) + len(g.offset)
}

func inferGather(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand, start := in.Operands[0].Shape, in.Operands[1].Shape
	a := in.Attrs.(*GatherAttrs)
	g := a.dims()
	if err := g.check(operand, start, g.resultRank(start)); err != nil {
		return poison, err
	}
	if err := g.checkSliceSizes(operand, a.SliceSizes); err != nil {
		return poison, err
	}
	slice, err := slicedShape(operand, a.SliceSizes)
	if err != nil {
		return poison, err
	}
	out := g.gathered(operand, start, slice) // C22, C23
	return out, checkCount(out)
}

func inferDynamicGather(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand, start := in.Operands[0].Shape, in.Operands[1].Shape
	g := in.Attrs.(*DynamicGatherAttrs).dims()
	if err := g.check(operand, start, g.resultRank(start)); err != nil {
		return poison, err
	}
	sizes, err := checkSizes("slice_sizes", in.Operands[2], len(operand.Dims)) // C20
	if err != nil {
		return poison, err
	}
	unknown := make([]int64, len(operand.Dims))
	for d := range unknown {
		unknown[d] = shape.Unbounded
	}
	slice := shape.Array(operand.Type, unknown...)
	if sizes != nil {
		if err := g.checkSliceSizes(operand, sizes); err != nil {
			return poison, err
		}
		slice = shape.Array(operand.Type, sizes...)
	}
	out := g.gathered(operand, start, slice)
	if s := in.Shape.WithoutLayout(); s.Type == out.Type && compatibleDims(s, out) && sizes == nil {
		return s, nil // the program may know more of the sizes
	}
	return out, checkCount(out)
}
