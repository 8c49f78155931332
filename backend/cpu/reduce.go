package cpu

import (
	"sync/atomic"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// firstError keeps the first of the errors of tasks.
type firstError struct{ err atomic.Pointer[error] }

func (f *firstError) set(err error) {
	if err != nil {
		f.err.CompareAndSwap(nil, &err)
	}
}

// orCancelled returns the first error, or why the run was cancelled.
func (f *firstError) orCancelled(r *exec.Run) error {
	if err := f.err.Load(); err != nil {
		return *err
	}
	return r.Cancelled()
}

// operandTypes returns the element types of the first n operands.
func operandTypes(l *exec.Lowering, n int) []shape.ElementType {
	out := make([]shape.ElementType, n)
	for i := range out {
		out[i] = operandShape(l, i).Type
	}
	return out
}

func lowerReduce(l *exec.Lowering) (exec.Thunk, error) {
	a := attrsOf[*hlo.ReduceAttrs](l)
	plan := kernel.NewFold(operandShape(l, 0).Dims, a.Dimensions)
	terms := plan.Rows()
	if plan.RunReduced {
		terms *= plan.Run
	}
	if op, simple := simpleReducer(a.ToApply); simple && len(l.In.Operands) == 2 {
		x := operandShape(l, 0).Type
		if loops, ok := nativeLoops(op, x, terms); ok && x == l.In.Shape.Type {
			return plainReduce(l, plan, loops), nil
		}
	}
	r, err := newReducer(a.ToApply, operandTypes(l, len(l.In.Operands)/2), terms)
	if err != nil {
		return nil, unsupportedComputation(a.ToApply, err)
	}
	return newFold(l, r, plan).thunk(), nil
}

// lowerWhile runs a loop over scalars, small arrays and elements of large ones as one program; exec runs all others.
func lowerWhile(l *exec.Lowering) (exec.Thunk, error) {
	p, err := scalar.CompileLoop(l.In, l.Wanted())
	if err != nil {
		return nil, err
	}
	t := programThunk(l, "while by program", p)
	var pairs []exec.Pair // all of the state is read before results are written, but arrays that stay where they are
	for i, s := range l.Operands(0) {
		pairs = append(pairs, exec.Pair{Result: l.Results()[i].Slot, Operand: s.Slot})
	}
	return t.overwriting(pairs...), nil
}
