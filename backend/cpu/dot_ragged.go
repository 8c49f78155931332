package cpu

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// lowerRaggedDot lowers a ragged dot to a contraction for each group, which are known when it runs.
func lowerRaggedDot(l *exec.Lowering) (exec.Thunk, error) {
	in, lhs, rhs, sizes, out := l.In, l.Operand(0), l.Operand(1), l.Operand(2), l.Result()
	if err := hlo.CheckRaggedDot(in); err != nil {
		return nil, err
	}
	groups := in.Operands[2].Shape
	ragged, err := raggedShape(in.Attrs.(*hlo.RaggedDotAttrs), in.Operands[0].Shape.Dims, in.Operands[1].Shape.Dims,
		groups.Rank())
	if err != nil {
		return nil, err
	}
	lt, rt, t := in.Operands[0].Shape.Type, in.Operands[1].Shape.Type, in.Shape.Type
	return goThunk("go contraction", append(exec.Reads(lhs, rhs, sizes), exec.Writes(out)...), func(r *exec.Run) error {
		to, x, y := r.Bytes(out), r.Bytes(lhs), r.Bytes(rhs)
		for i := range to {
			to[i] = zeroByte(t)
		}
		n := make([]int64, groups.Size())
		for i := range n {
			n[i] = kernel.IntAt(r.Bytes(sizes), groups.Type, int64(i))
		}
		for _, c := range ragged.Contractions(n, int(groups.Dims[groups.Rank()-1])) {
			k := kernel.NewContractor(c, lt, rt, t, nil)
			r.Parallel(k.Tasks, func(task int64) { k.Run(to, x, y, task) })
		}
		return r.Cancelled()
	}), nil
}

// raggedShape returns the plain numbers of a ragged dot whose group sizes have the given rank.
func raggedShape(a *hlo.RaggedDotAttrs, lhs, rhs []int64, rank int) (*kernel.Ragged, error) {
	r := &kernel.Ragged{LHS: lhs, RHS: rhs, LHSBatch: a.LHSBatch, LHSContracting: a.LHSContracting,
		RHSBatch: a.RHSBatch, RHSContracting: a.RHSContracting, Ragged: a.LHSRagged[0], Group: -1}
	if len(a.RHSGroup) > 0 {
		r.Group = a.RHSGroup[0]
	}
	var before []int64 // dimensions that may have groups of their own, in order
	switch i := slices.Index(a.LHSBatch, r.Ragged); {
	case i >= 0:
		before = a.LHSBatch[:i]
	case r.Contracting():
		before = slices.Concat(a.LHSBatch, a.LHSContracting[:slices.Index(a.LHSContracting, r.Ragged)])
	default:
		before = slices.Clone(a.LHSBatch)
		for d := range r.Ragged {
			if !slices.Contains(a.LHSBatch, d) && !slices.Contains(a.LHSContracting, d) {
				before = append(before, d)
			}
		}
	}
	if rank-1 > len(before) {
		return nil, fmt.Errorf("group sizes of rank %d, want at most %d: %w", rank, len(before)+1, errors.ErrUnsupported)
	}
	r.Prefix = before[:rank-1]
	if r.Contracting() && rank-1 > len(a.LHSBatch) {
		return nil, fmt.Errorf("groups of their own for each index of a contracting dimension: %w", errors.ErrUnsupported)
	}
	return r, nil
}
