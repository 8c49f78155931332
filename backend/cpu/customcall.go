package cpu

import (
	"errors"
	"fmt"

	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// lowerCustomCall calls a handler on literals around the operands' memory. What calls of known targets mean, exec has
// compiled before. Row 90.
func lowerCustomCall(l *exec.Lowering) (exec.Thunk, error) {
	target := l.In.Attrs.(*hlo.CustomCallAttrs).Target
	h := lapack.Handlers{User: l.Options().Handlers}
	if all, ok := h.User.(lapack.Handlers); ok {
		h = all
	}
	if handler, ok := h.Users(target); ok {
		return handlerThunk(l, handler), nil
	}
	if lapack.Known(target) {
		return lowerRoutine(l)
	}
	if target == "shape_assertion" {
		return assertionThunk(l), nil
	}
	return nil, fmt.Errorf("custom call %q: no function is registered for this target, and its meaning depends on values "+
		"that are not constants: %w", target, errors.ErrUnsupported)
}

// arguments returns, for each operand, the memory of its leaves.
func arguments(l *exec.Lowering) (operands [][]exec.Slice, uses []exec.Use) {
	for i := range l.In.Operands {
		operands = append(operands, l.Operands(i))
		uses = append(uses, exec.Reads(operands[i]...)...)
	}
	return operands, uses
}

// literals are the operands of in as literals around their memory.
func literals(r *exec.Run, in *hlo.Instruction, operands [][]exec.Slice) []*literal.Literal {
	args := make([]*literal.Literal, len(operands))
	for i, o := range operands {
		args[i] = literalOf(in.Operands[i].Shape, memoryOf(r, o))
	}
	return args
}

func handlerThunk(l *exec.Lowering, h hlo.Handler) exec.Thunk {
	operands, uses := arguments(l)
	results, in := l.Results(), l.In
	return goThunk("handler", append(uses, exec.Writes(results...)...), func(r *exec.Run) error {
		return r.Wait(func() error { // a function may wait, or run another program
			out, err := hlo.CallHandler(r.Context(), h, in, literals(r, in, operands))
			if err == nil {
				scatterLiteral(memoryOf(r, results), out)
			}
			return err
		})
	})
}

func assertionThunk(l *exec.Lowering) exec.Thunk {
	operands, uses := arguments(l)
	in := l.In
	return goThunk("go assertion", uses, func(r *exec.Run) error {
		return hlo.AssertShapes(in, literals(r, in, operands))
	})
}
