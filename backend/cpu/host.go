package cpu

import (
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// literalOf makes a value of shape s of the bytes of its leaves, which it borrows.
func literalOf(s shape.Shape, leaves [][]byte) *literal.Literal {
	l, _ := assemble(s.WithoutLayout(), leaves)
	return l
}

// assemble makes a value of the first leaves and returns the rest.
func assemble(s shape.Shape, leaves [][]byte) (*literal.Literal, [][]byte) {
	switch {
	case s.IsToken():
		return literal.NewToken(), leaves[1:]
	case s.IsTuple():
		elems := make([]*literal.Literal, len(s.Elems))
		for i, e := range s.Elems {
			elems[i], leaves = assemble(e, leaves)
		}
		return literal.NewTuple(elems...), leaves
	}
	l, err := literal.FromBytes(shape.Array(s.Type, s.Dims...), leaves[0])
	if err != nil {
		panic("cpu: bug: " + err.Error())
	}
	return l, leaves[1:]
}

// scatterLiteral copies the leaves of l, row-major, to memory.
func scatterLiteral(dst [][]byte, l *literal.Literal) {
	for i, leaf := range l.Leaves() {
		if i < len(dst) && dst[i] != nil {
			copy(dst[i], leaf.Bytes())
		}
	}
}

// hostOptions are what the evaluator's rules for feeds and channels look at.
func hostOptions(r *exec.Run) hlo.EvalOptions {
	return hlo.EvalOptions{Feeds: r.Options().Feeds, Host: r.Options().Host}
}

// lowerInfeed takes a value from the device's infeed. Row 85.
func lowerInfeed(l *exec.Lowering) (exec.Thunk, error) {
	results, want := l.Results(), l.In.Shape.Elems[0]
	return goThunk("go infeed", exec.Writes(results...), func(r *exec.Run) error {
		return r.Wait(func() error {
			v, err := r.Place().TakeInfeed(r.Context(), hostOptions(r), want)
			if err == nil {
				scatterLiteral(memoryOf(r, results), v)
			}
			return err
		})
	}), nil
}

// lowerOutfeed puts a copy of the operand in the device's outfeed.
func lowerOutfeed(l *exec.Lowering) (exec.Thunk, error) {
	operands, s := l.Operands(0), l.In.Operands[0].Shape
	return goThunk("go outfeed", exec.Reads(operands...), func(r *exec.Run) error {
		v := literalOf(s, memoryOf(r, operands)).Clone()
		return r.Wait(func() error { return r.Place().PutOutfeed(r.Context(), hostOptions(r), v) })
	}), nil
}

// lowerSend sends a copy of the operand: the result is (operand, u32[] request, token). Row 86.
func lowerSend(l *exec.Lowering) (exec.Thunk, error) {
	operands, results, in := l.Operands(0), l.Results(), l.In
	s := in.Operands[0].Shape
	uses := append(exec.Reads(operands...), exec.Writes(results...)...)
	return goThunk("go send", uses, func(r *exec.Run) error {
		leaves := memoryOf(r, operands)
		v := literalOf(s, leaves).Clone()
		for i, out := range memoryOf(r, results) {
			if i < len(leaves) {
				copy(out, leaves[i])
			} else {
				clear(out)
			}
		}
		return r.Wait(func() error { return r.Place().Send(r.Context(), hostOptions(r), in, v) })
	}), nil
}

// lowerRecv gives the data nothing yet: recv-done waits for it. Row 88.
func lowerRecv(l *exec.Lowering) (exec.Thunk, error) {
	results := l.Results()
	return goThunk("go recv", exec.Writes(results...), func(r *exec.Run) error {
		for _, out := range memoryOf(r, results) {
			clear(out)
		}
		return nil
	}), nil
}

// lowerRecvDone waits for what is received, and gives zeros if nobody sends to this device. Row 89.
func lowerRecvDone(l *exec.Lowering) (exec.Thunk, error) {
	results, in := l.Results(), l.In
	want := in.Shape.Elems[0]
	return goThunk("go recv", exec.Writes(results...), func(r *exec.Run) error {
		return r.Wait(func() error {
			v, err := r.Place().Recv(r.Context(), hostOptions(r), in, want)
			if err != nil {
				return err
			}
			out := memoryOf(r, results)
			if v != nil {
				scatterLiteral(out, v)
				return nil
			}
			for _, b := range out {
				clear(b)
			}
			return nil
		})
	}), nil
}

// lowerSendDone waits for nothing: send has copied its operand.
func lowerSendDone(*exec.Lowering) (exec.Thunk, error) {
	return goThunk("go send", nil, func(*exec.Run) error { return nil }), nil
}
