package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

func lowerGather(l *exec.Lowering) (exec.Thunk, error) {
	a := attrsOf[*hlo.GatherAttrs](l)
	d := kernel.IndexDims{Offset: a.OffsetDims, Collapsed: a.CollapsedSliceDims, Batching: a.OperandBatchingDims,
		StartBatching: a.StartIndicesBatchingDims, StartMap: a.StartIndexMap, Vector: a.IndexVectorDim}
	operand, starts := operandShape(l, 0), operandShape(l, 1)
	x := kernel.NewIndexing(operand.Type, d, operand.Dims, starts.Dims, l.In.Shape.Dims, a.SliceSizes,
		indexType(starts.Type))
	dst, src, at := l.Result(), l.Operand(0), l.Operand(1)
	uses := append(exec.Reads(src, at), exec.Writes(dst)...)
	return goThunk("go gather", uses, func(r *exec.Run) error {
		x.Gather(r.Bytes(dst), r.Bytes(src), r.Bytes(at), tasks(r))
		return r.Cancelled()
	}), nil
}
