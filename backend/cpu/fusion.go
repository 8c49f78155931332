package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/tile"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// lowerFusion lowers a fusion of operations on elements, and of what only chooses elements: broadcasts, slices,
// reverses, iotas. It may have several results of one size, and end in reductions of rows.
func lowerFusion(l *exec.Lowering) (exec.Thunk, error) {
	c := l.In.Attrs.(*hlo.FusionAttrs).Calls
	roots := []*hlo.Instruction{c.Root}
	if c.Root.Op == hlo.Tuple {
		roots = c.Root.Operands
	}
	f := newFused(l, append([]int64(nil), spaceOf(roots[0]).Dims...))
	for i, p := range c.Parameters {
		if slices := l.Operands(i); len(slices) == 1 && p.Shape.IsArray() {
			f.leaves[p] = slices[0]
		}
	}
	for i, r := range roots {
		if !r.Shape.IsArray() || spaceOf(r).Size() != spaceOf(roots[0]).Size() {
			return nil, unsupported("a fusion with results of several sizes")
		}
		if err := f.addRoot(i, r, len(roots)); err != nil {
			return nil, err
		}
	}
	t := f.thunk(l.Results())
	if t == nil {
		return nil, unsupported("a fusion with these reductions")
	}
	return t, nil
}

// spaceOf is the shape over which a root of a fusion is computed.
func spaceOf(r *hlo.Instruction) shape.Shape {
	if r.Op == hlo.Reduce {
		return r.Operands[0].Shape
	}
	return r.Shape
}

// addRoot adds result i of n.
func (f *fused) addRoot(i int, r *hlo.Instruction, n int) error {
	at := r
	if r.Op == hlo.Reduce {
		row, ok := rowOf(r)
		if !ok || f.reduce != nil && f.rows() != row {
			return unsupported("a fusion with such a reduction")
		}
		if f.reduce == nil {
			f.reduce = make([]*rowReduction, n)
		}
		init, err := f.add(r.Operands[1], view{})
		if err != nil {
			return err
		}
		at = r.Operands[0]
		op, _ := simpleReducer(r.Attrs.(*hlo.ReduceAttrs).ToApply)
		f.reduce[i] = &rowReduction{plainStages[op].of(r.Shape.Type), init, row}
	}
	root, err := f.add(at, f.identity())
	f.roots = append(f.roots, root)
	return err
}

// rows is the length of the rows that are reduced.
func (f *fused) rows() int64 {
	for _, d := range f.reduce {
		if d != nil {
			return d.row
		}
	}
	return 0
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
	simple = simple && (exact || t.Bits() >= 32 || t.Bits() >= 8 && !t.IsFloat())
	return row, simple && row >= shortRow && plainStages[op].of(t) != "" && in.Operands[0].Shape.Type == t
}

// reducible reports whether in may end a fusion.
func reducible(in *hlo.Instruction) bool {
	_, ok := rowOf(in)
	return ok && run.Available() && inPipeline(in.Shape.Type)
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
	return ok || t.Bits() == 64 && !t.IsComplex()
}

// changesLanes reports whether in has operands with lanes of 64 bits and a result without, or the other way around. A
// fusion of both has lanes of 64 bits for all its values.
func changesLanes(in *hlo.Instruction) bool {
	for _, o := range in.Operands {
		if t := o.Shape.Type; t != shape.Pred && (t.Bits() == 64) != (in.Shape.Type.Bits() == 64) {
			return true
		}
	}
	return false
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
	_, ok := f.program(make([]exec.Slice, 1))
	return ok
}
