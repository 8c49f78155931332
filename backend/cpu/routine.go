package cpu

import (
	"strings"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/linalg"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// lowerRoutine calls LAPACK. Column-major matrices are transposed into memory of their own before, and back after.
func lowerRoutine(l *exec.Lowering) (exec.Thunk, error) {
	r, err := lapack.Compile(l.In, l.Constant)
	if err != nil {
		return nil, err
	}
	if t := factored(l, r); t != nil {
		return t, nil
	}
	var before, after []*thunk
	var uses []exec.Use
	operands, results := make([]exec.Slice, len(r.Operands)), make([]exec.Slice, len(r.Results))
	turned := make([]exec.Slice, len(r.Operands))
	for i, p := range r.Operands {
		operands[i] = l.Operands(p.Index)[0]
		if p.Columns && operands[i].Size > 0 {
			from := operands[i]
			operands[i] = l.Scratch(from.Size)
			turned[i] = operands[i]
			before = append(before, turnedBy(p, operands[i], from, false))
		}
		uses = append(uses, exec.Reads(operands[i])...)
	}
	for i, p := range r.Results {
		results[i] = l.Results()[p.Index]
		if p.Columns && results[i].Size > 0 {
			to := results[i]
			if p.Same >= 0 && turned[p.Same].Size > 0 {
				results[i] = turned[p.Same]
			} else {
				results[i] = l.Scratch(to.Size)
			}
			after = append(after, turnedBy(p, to, results[i], true))
		}
		uses = append(uses, exec.Writes(results[i])...)
	}
	call := goThunk(r.Kernel, uses, func(x *exec.Run) error {
		r.Run(x.Parallel, memoryOf(x, operands), memoryOf(x, results))
		return nil
	})
	if strings.HasPrefix(r.Kernel, "openblas") {
		call.calling(routineCalls(r.Operands[0].Shape))
	}
	all := sequence(append(append(before, call), after...)...)
	all.kernel = r.Kernel
	return all, nil
}

// factored returns a factorization by native kernels, nil if those have none or the matrices are small.
func factored(l *exec.Lowering, r *lapack.Routine) exec.Thunk {
	p := r.Problem
	if p == nil {
		return nil
	}
	t, a, out := r.Operands[0].Shape.Type, l.Operands(r.Operands[0].Index)[0], l.Results()
	f := batchedRoutine(l, r)
	switch {
	case f != nil:
	case p.Routine == "potrf" && len(out) == 2:
		f = factorThunk(t, p.N, p.Batch, p.Lower, out[0], a, out[1])
	case p.Routine == "getrf" && len(out) == 3 && ownLinalg(t) && min(p.M, p.N) >= leastOwn:
		at := func(i int) exec.Slice { return out[r.Results[i].Index] }
		u := linalg.LU{Dst: ref(at(0)), Src: ref(a), Pivots: ref(at(1)), Info: ref(at(2)), M: p.M, N: p.N, Batch: p.Batch,
			Wide: t == shape.F64}
		f = recordThunk("loops lu", append(exec.Reads(a), exec.Writes(out...)...), u.Record(run.Level()))
	}
	if f == nil {
		return nil
	}
	return f.overwriting(exec.Pair{Result: out[0].Slot, Operand: a.Slot})
}

// turnedBy moves the matrices of a part to or from columns.
func turnedBy(p lapack.Part, dst, src exec.Slice, back bool) *thunk {
	dims := append([]int64(nil), p.Shape.Dims...)
	order := make([]int64, len(dims))
	for i := range order {
		order[i] = int64(i)
	}
	last := len(dims) - 1
	order[last-1], order[last] = order[last], order[last-1]
	if back {
		dims[last-1], dims[last] = dims[last], dims[last-1]
	}
	b := box{move: kernel.Transpose(widthOf(p.Shape), dims, order), dst: dst, src: src}
	uses := append(exec.Reads(src), exec.Writes(dst)...)
	if run.Available() {
		return recordThunk("loops transpose", uses, moveRecord(run.Level(), []box{b}))
	}
	return goThunk("go transpose", uses, b.run)
}
