package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// contraction is what dots and convolutions come down to: the products and sums to make, and where the arrays are.
type contraction struct {
	kernel.Contraction
	lhsType, rhsType, outType shape.ElementType
	split                     *kernel.Split
	lhs, rhs, out             exec.Slice
}

// contract lowers a contraction to the best there is for its types and sizes.
func contract(_ *exec.Lowering, c contraction) (*thunk, error) { return goContract(c), nil }

// goContract multiplies in Go.
func goContract(c contraction) *thunk {
	k := kernel.NewContractor(c.Contraction, c.lhsType, c.rhsType, c.outType, c.split)
	return goThunk("go contraction", c.uses(), func(r *exec.Run) error {
		lhs, rhs, out := r.Bytes(c.lhs), r.Bytes(c.rhs), r.Bytes(c.out)
		r.Parallel(k.Tasks, func(task int64) { k.Run(out, lhs, rhs, task) })
		return r.Cancelled()
	})
}

// uses are what the contraction reads and writes.
func (c *contraction) uses() []exec.Use {
	return append(exec.Reads(c.lhs, c.rhs), exec.Writes(c.out)...)
}

// sequence is a thunk of several that run one after the other; its name is that of the last.
func sequence(list ...*thunk) *thunk {
	var uses []exec.Use
	for _, t := range list {
		uses = append(uses, t.uses...)
	}
	return goThunk(list[len(list)-1].kernel, uses, func(r *exec.Run) error {
		for _, t := range list {
			if err := t.run(r); err != nil {
				return err
			}
		}
		return nil
	})
}
