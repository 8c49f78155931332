package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/run"
	native "github.com/halo-xla/halo/cgo/loops/sort"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

func lowerTopK(l *exec.Lowering) (exec.Thunk, error) {
	a, s := attrsOf[*hlo.TopKAttrs](l), operandShape(l, 0)
	src, values, places := l.Operand(0), l.Results()[0], l.Results()[1]
	rows := kernel.RowsOf(s.Dims, len(s.Dims)-1)
	key := sortKey{SortKey: kernel.SortKey{Type: s.Type, Total: true, Descending: a.Largest}}
	uses := append(exec.Reads(src), exec.Writes(values, places)...)
	if run.Available() && key.native() {
		r := native.Rows(rows).TopK(run.Level(), ref(src), ref(values), ref(places), a.K, nativeKey(key))
		return recordThunk("loops topk", uses, r), nil
	}
	return goThunk("go topk", uses, func(r *exec.Run) error {
		to := kernel.Cast[int32](r.Bytes(places))
		kernel.TopK(s.Type, r.Bytes(values), to, r.Bytes(src), rows.N, a.K, a.Largest, r.Parallel)
		return r.Cancelled()
	}), nil
}
