package cpu

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/backend/cpu/tile"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// lowerFusion lowers a fusion of operations on elements, of what only chooses elements (broadcasts, slices, reverses,
// iotas), and of reductions of the innermost dimensions. Its results have the sizes of the space or of its rows.
func lowerFusion(l *exec.Lowering) (exec.Thunk, error) {
	a := l.In.Attrs.(*hlo.FusionAttrs)
	c := a.Calls
	if isTurned(a) {
		return lowerTurnedDot(l, c.Root), nil
	}
	if c.Root.Op == hlo.Dot && a.Kind == "kInput" {
		return lowerWidened(l, c.Root), nil
	}
	if first := contractionIn(a); first != nil {
		return lowerOutputFusion(l, c, first)
	}
	if c.Root.Op == hlo.Pad {
		return lowerFramed(l, c)
	}
	if c.Root.Op == hlo.Concatenate {
		return lowerPieces(l, c)
	}
	if c.Root.Op == hlo.Reduce && c.Root.Operands[0].Op == hlo.Gather {
		return lowerBags(l, c), nil
	}
	if lower := wrapping[c.Root.Op]; lower != nil {
		return lowerWrapped(l, c.Root, lower)
	}
	if areSiblings(c) {
		return lowerSiblings(l, c)
	}
	roots := c.Roots()
	f := newFused(l, slices.Clone(roots[0].Shape.Dims))
	if err := f.findRows(c); err != nil {
		return nil, err
	}
	f.findLeaves(l, c)
	for _, r := range roots {
		if err := f.addRoot(r); err != nil {
			return nil, err
		}
	}
	t := f.thunk(l.Results())
	if t == nil {
		return nil, unsupported("a fusion with these reductions")
	}
	return t, nil
}

// findLeaves notes where the parameters of c lie.
func (f *fused) findLeaves(l *exec.Lowering, c *hlo.Computation) {
	for i, p := range c.Parameters {
		if list := l.Operands(i); len(list) == 1 && p.Shape.IsArray() {
			f.leaves[p] = list[0]
		}
	}
}

// findRows makes the space that of the reductions in c, if there are any.
func (f *fused) findRows(c *hlo.Computation) error {
	for _, in := range c.Instructions {
		if in.Op != hlo.Reduce {
			continue
		}
		if _, ok := rowOf(in); !ok {
			return unsupported("a fusion with such a reduction")
		}
		dims := in.Operands[0].Shape.Dims
		n := len(dims) - len(in.Attrs.(*hlo.ReduceAttrs).Dimensions)
		rows := withoutOnes(dims[:n])
		space := slices.Concat(rows, withoutOnes(dims[n:]))
		if f.rows && (f.lead != len(rows) || !slices.Equal(f.dims, space)) {
			return unsupported("a fusion with several kinds of rows")
		}
		f.rows, f.reduces, f.lead, f.dims = true, true, len(rows), space
	}
	return nil
}

func withoutOnes(dims []int64) []int64 {
	var list []int64
	for _, n := range dims {
		if n != 1 {
			list = append(list, n)
		}
	}
	return list
}

// addRoot adds a result: one with an element for each place, or for each row.
func (f *fused) addRoot(r *hlo.Instruction) error {
	v, byRow := f.identity(), false
	switch {
	case !r.Shape.IsArray():
		return unsupported("a fusion whose results are no arrays")
	case slices.Equal(withoutOnes(r.Shape.Dims), withoutOnes(f.dims)):
	case f.rows && slices.Equal(withoutOnes(r.Shape.Dims), f.dims[:f.lead]):
		v, byRow = view{v.dims[:f.lead], v.axes[:f.lead]}, true
	default:
		return unsupported("a fusion with results of several sizes")
	}
	v, err := v.as(r.Shape.Dims)
	if err != nil {
		return err
	}
	root, err := f.add(r, v)
	f.roots, f.byRow = append(f.roots, root), append(f.byRow, byRow)
	return err
}

// reduction adds what the rows of the space come to; v must mean each place's own row.
func (f *fused) reduction(in *hlo.Instruction, v view) (int, error) {
	at := f.access(v)
	if !f.rows || at.Offset != 0 || !f.isByRow(at) || !inOrder(f.dims[:f.lead], tile.Access{Strides: at.Strides}) {
		return 0, unsupported("a reduction whose results are not used by its rows")
	}
	key := fmt.Sprintf("%p", in)
	if n, ok := f.seen[key]; ok {
		return n, nil
	}
	x, err := f.add(in.Operands[0], f.identity())
	if err != nil {
		return 0, err
	}
	init, err := f.add(in.Operands[1], view{})
	if err != nil {
		return 0, err
	}
	row, err := f.node(node{op: hlo.Reduce, in: in, t: in.Shape.Type, args: []int{x}})
	if err != nil {
		return 0, err
	}
	root := in.Attrs.(*hlo.ReduceAttrs).ToApply.Root
	n, err := f.node(node{op: root.Op, in: root, t: in.Shape.Type, args: []int{init, row}})
	f.seen[key] = n
	return n, err
}

// isByRow reports whether an access depends on the row alone.
func (f *fused) isByRow(a tile.Access) bool {
	return len(a.Strides) <= f.lead || isConstant(tile.Access{Strides: a.Strides[f.lead:]})
}

// shortRow is the least length of rows for which it pays to reduce them one after the other.
const shortRow = 64

// rowOf returns the length of the rows that in reduces, if the pipeline can: the innermost dimensions, by one
// operation, with no more rounding than the lanes have.
func rowOf(in *hlo.Instruction) (row int64, ok bool) {
	a := in.Attrs.(*hlo.ReduceAttrs)
	if len(in.Operands) != 2 || !in.Shape.IsArray() {
		return 0, false
	}
	dims, t := in.Operands[0].Shape.Dims, in.Shape.Type
	op, simple := simpleReducer(a.ToApply)
	row = 1
	for _, d := range a.Dimensions {
		simple = simple && d >= int64(len(dims)-len(a.Dimensions))
		row *= dims[d]
	}
	exact := op != hlo.Add && op != hlo.Multiply
	if op == hlo.Add { // of complex numbers part by part
		t = partType(t)
	}
	simple = simple && (exact || t.Bits() >= 32 || t.Bits() >= 8 && !t.IsFloat())
	return row, simple && row >= shortRow && plainStages[op].of(t) != "" && in.Operands[0].Shape.Type == in.Shape.Type
}

// reducible reports whether in may end a fusion.
func reducible(in *hlo.Instruction) bool {
	return run.Available() && inPipeline(in.Shape.Type) && (isRow(in) || isSibling(in))
}

// isRow reports whether the pipeline can reduce in's rows.
func isRow(in *hlo.Instruction) bool {
	_, ok := rowOf(in)
	return ok
}

// inRow reports whether a fusion may go on with the result of in: its rows fit a cache, and if they are long there are
// enough for all threads.
func inRow(in *hlo.Instruction) bool {
	row, ok := rowOf(in)
	return ok && reducible(in) && (row <= 1<<14 || row <= 1<<17 && in.Shape.Size() >= 16)
}

// fusible reports whether in may be part of a fusion: where there are native kernels, what the pipeline has stages for.
func fusible(in *hlo.Instruction) bool {
	switch in.Op {
	case hlo.Transpose: // its own kernel is much better at it than loads with strides
		return false
	case hlo.Broadcast, hlo.Iota, hlo.Slice, hlo.Reverse, hlo.Reshape:
		return !run.Available() || inPipeline(in.Shape.Type)
	}
	if !hasStep(in) {
		return false
	}
	return !run.Available() || !changesLanes(in) && nativeAlone(in)
}

// inPipeline reports whether the pipeline has values of type t.
func inPipeline(t shape.ElementType) bool {
	_, ok := (&emitter{lane: 4}).conversion(t)
	return ok || t.Bits() == 64 || t.IsComplex()
}

// changesLanes reports whether in has operands with lanes of 64 bits and a result without, or the other way around. A
// fusion of both has lanes of 64 bits for all its values. What numbers of f64 decide is mostly about such; what is not
// are numbers of c64, which have no stages in such lanes.
func changesLanes(in *hlo.Instruction) bool {
	if looksAtQuotient(in) || comparesDoubles(in) {
		return false
	}
	if in.Op == hlo.Select && in.Shape.Type == shape.C64 && comparesDoubles(in.Operands[0]) {
		return true
	}
	for _, o := range in.Operands {
		if t := o.Shape.Type; t != shape.Pred && (partType(t).Bits() == 64) != (partType(in.Shape.Type).Bits() == 64) {
			return true
		}
	}
	return false
}

// comparesDoubles reports whether in is what numbers of f64 decide.
func comparesDoubles(in *hlo.Instruction) bool {
	return in.Shape.Type == shape.Pred && len(in.Operands) > 0 && in.Operands[0].Shape.Type == shape.F64
}

// looksAtQuotient reports whether in compares the sign or the remainder of integers, which are numbers of the same
// lanes as what is chosen by that.
func looksAtQuotient(in *hlo.Instruction) bool {
	return in.Op == hlo.Compare && in.Operands[0].Shape.Type.IsInteger() &&
		slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool {
			return o.Op == hlo.Sign || o.Op == hlo.Remainder
		})
}

// nativeAlone reports whether the pipeline can run in by itself.
func nativeAlone(in *hlo.Instruction) bool {
	if in.Op == hlo.Map {
		return false
	}
	f := &fused{}
	args := make([]int, len(in.Operands))
	for i, o := range in.Operands {
		args[i] = i
		f.inputs = append(f.inputs, exec.Slice{Slot: int32(i)})
		f.nodes = append(f.nodes, node{op: hlo.Parameter, t: o.Shape.Type, input: i, access: tile.Access{}})
	}
	f.nodes = append(f.nodes, node{op: in.Op, in: in, t: in.Shape.Type, args: args})
	f.roots = []int{len(args)}
	results, ok := f.takeApart(make([]exec.Slice, 1))
	if ok {
		_, ok = f.program(results)
	}
	return ok
}
