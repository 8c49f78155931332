package cpu

import (
	"slices"
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
	t := operandShape(l, 0).Type
	if op, simple := simpleReducer(a.ToApply); simple && len(l.In.Operands) == 2 && t == l.In.Shape.Type {
		x := summedParts(l, op)
		if loops, ok := nativeLoops(op, x.Type, terms); ok {
			return plainReduce(l, x, kernel.NewFold(x.Dims, a.Dimensions), loops), nil
		}
	}
	r, err := newReducer(a.ToApply, operandTypes(l, len(l.In.Operands)/2), terms)
	if err != nil {
		return nil, unsupportedComputation(a.ToApply, err)
	}
	return newFold(l, r, plan).thunk(), nil
}

// summedParts is operand 0, or its parts behind the other dimensions if a sum of complex numbers is one of those.
func summedParts(l *exec.Lowering, op hlo.Opcode) shape.Shape {
	x := operandShape(l, 0)
	if op != hlo.Add || !x.Type.IsComplex() || !isZero(l.In.Operands[1]) {
		return x
	}
	return shape.Array(x.Type.Component(), slices.Concat(x.Dims, []int64{2})...)
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
