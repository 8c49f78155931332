package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/tile"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// lowerFusion lowers a fusion of operations on elements, and of what only chooses elements: broadcasts, transposes,
// slices, reverses, iotas. It may have several results of one size.
func lowerFusion(l *exec.Lowering) (exec.Thunk, error) {
	c := l.In.Attrs.(*hlo.FusionAttrs).Calls
	roots := []*hlo.Instruction{c.Root}
	if c.Root.Op == hlo.Tuple {
		roots = c.Root.Operands
	}
	for _, r := range roots {
		if !r.Shape.IsArray() || r.Shape.Size() != roots[0].Shape.Size() {
			return nil, unsupported("a fusion with results of several sizes")
		}
	}
	f := newFused(l, append([]int64(nil), roots[0].Shape.Dims...))
	for i, p := range c.Parameters {
		if slices := l.Operands(i); len(slices) == 1 && p.Shape.IsArray() {
			f.leaves[p] = slices[0]
		}
	}
	for _, r := range roots {
		n, err := f.add(r, f.identity())
		if err != nil {
			return nil, err
		}
		f.roots = append(f.roots, n)
	}
	return f.thunk(l.Results()), nil
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
