package cpu

import (
	"math/bits"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/index"
	"github.com/halo-xla/halo/cgo/loops/move"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

func lowerGather(l *exec.Lowering) (exec.Thunk, error) { return gatherWrapped(l, 0) }

// gatherWrapped lowers a gather; wrap is added to indices below 0.
func gatherWrapped(l *exec.Lowering, wrap int64) (exec.Thunk, error) {
	x := indexingOf(l.In)
	x.Wrap = wrap
	dst, src, at := l.Result(), l.Operand(0), l.Operand(1)
	uses := append(exec.Reads(src, at), exec.Writes(dst)...)
	if run.Available() {
		return nativeGather(l, &x, uses), nil
	}
	return goThunk("go gather", uses, func(r *exec.Run) error {
		x.Gather(r.Bytes(dst), r.Bytes(src), r.Bytes(at), r.Parallel)
		return r.Cancelled()
	}), nil
}

// indexingOf is where a gather's windows are.
func indexingOf(in *hlo.Instruction) kernel.Indexing {
	a := in.Attrs.(*hlo.GatherAttrs)
	d := kernel.IndexDims{Offset: a.OffsetDims, Collapsed: a.CollapsedSliceDims, Batching: a.OperandBatchingDims,
		StartBatching: a.StartIndicesBatchingDims, StartMap: a.StartIndexMap, Vector: a.IndexVectorDim}
	operand, starts := in.Operands[0].Shape, in.Operands[1].Shape
	return kernel.NewIndexing(operand.Type, d, operand.Dims, starts.Dims, in.Shape.Dims, a.SliceSizes,
		indexType(starts.Type))
}

// nativeGather makes the record of a gather: window by window, or all along the result.
func nativeGather(l *exec.Lowering, x *kernel.Indexing, uses []exec.Use) *thunk {
	p, dst, src := nativePlan(x, l.Operand(1)), ref(l.Result()), ref(l.Operand(0))
	if list, tasks, ok := x.Columns(); ok {
		axes := make([]index.Axis, len(list))
		for i, a := range list {
			axes[i] = index.Axis{N: a.N, Dst: a.Dst, Src: a.Src, Table: a.Table, Part: a.Part}
		}
		table := l.Scratch(8 * x.Count)
		r := p.GatherColumns(dst, src, ref(table), bits.TrailingZeros64(uint64(x.Width)), tasks, axes)
		return recordThunk("loops gather", append(uses, exec.Writes(table)...), r)
	}
	w := nativeWindow(x)
	if w.Tasks == 0 {
		p.Count = 0 // nothing to copy
	}
	return recordThunk("loops gather", uses, p.Gather(run.Level(), dst, src, w))
}

// windowBytes is about how many bytes of windows are in a task.
const windowBytes = 256 << 10

// nativeWindow is how the windows of a gather are copied.
func nativeWindow(x *kernel.Indexing) index.Window {
	m := x.WindowMove()
	w := index.Window{Kind: int(m.Kind), LogWidth: bits.TrailingZeros64(uint64(m.Width)), Tasks: m.Tasks}
	w.Part = max(1, windowBytes/max(m.Bytes(), 16))
	w.Element = m.Bytes() == m.Width
	for d, a := range m.Axes {
		w.Axes = append(w.Axes, move.Axis{N: a.N, Dst: a.Dst, Src: a.Src, Part: m.Parts[d]})
	}
	return w
}

// nativePlan is where windows are, as native kernels take it.
func nativePlan(x *kernel.Indexing, starts exec.Slice) *index.Plan {
	p := &index.Plan{ISA: run.Level(), Starts: ref(starts), LogBytes: x.Starts.LogBytes, Signed: x.Starts.Signed,
		Count: x.Count, Vector: x.Vector}
	for _, a := range x.Batch {
		p.Batches = append(p.Batches, index.Batch(a))
	}
	for _, e := range x.Entries {
		p.Entries = append(p.Entries, index.Entry{Stride: e.Stride, Last: e.Last, Wrap: x.Wrap})
	}
	return p
}
