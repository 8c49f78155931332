package cpu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// instantiator is handlers that serve the site of a call and not only the call, as customcall.Registry does.
type instantiator interface {
	Handler(target string) (customcall.Handler, bool)
	Instantiate(ctx context.Context, in *hlo.Instruction) (*customcall.Bound, error)
}

// lowerCustomCall calls the function of a target. What calls of known targets mean, exec has compiled before. Row 90.
func lowerCustomCall(l *exec.Lowering) (exec.Thunk, error) {
	target := l.In.Attrs.(*hlo.CustomCallAttrs).Target
	h := l.Options().Handlers.(lapack.Handlers) // as Serving makes them
	if handler, ok := h.Users(target); ok {
		if i, ok := h.User.(instantiator); ok {
			if _, ok := i.Handler(target); ok {
				return siteThunk(l, i, target)
			}
		}
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

// siteThunk calls an instance that is made now and lives as long as the program.
func siteThunk(l *exec.Lowering, i instantiator, target string) (exec.Thunk, error) {
	b, err := i.Instantiate(l.Context(), l.In)
	if err != nil {
		return nil, fmt.Errorf("custom call %q: %w", target, err)
	}
	l.OnClose(b.Close)
	lists, uses := arguments(l)
	operands, results := slices.Concat(lists...), l.Results()
	uses = append(uses, exec.Writes(results...)...)
	pairs := make([]exec.Pair, len(b.Site.Aliases))
	for i, a := range b.Site.Aliases {
		pairs[i] = exec.Pair{Result: results[a.Result].Slot, Operand: operands[a.Operand].Slot}
	}
	call := boundCall(b, operands, results)
	if n, ok := customcall.NativeOf(b.Instance); ok {
		call = nativeCall(l, n, operands, results)
	}
	return goThunk("custom call", uses, func(r *exec.Run) error {
		if err := call(r); err != nil {
			return fmt.Errorf("custom call %q: %w", target, err)
		}
		return nil
	}).overwriting(pairs...).calling(oneCall), nil
}

// boundCall calls Go code, which may wait, or run another program.
func boundCall(b *customcall.Bound, operands, results []exec.Slice) func(r *exec.Run) error {
	return func(r *exec.Run) error {
		c := &ffi.Call{RunID: r.ID(), Device: int32(r.Device())}
		return r.Wait(func() error { return b.Execute(r.Context(), c, memoryOf(r, operands), memoryOf(r, results)) })
	}
}

// frame is a call frame of one execution, for sites whose functions have stages before execute.
type frame struct {
	*ffi.Frame
	native *ffi.Native
}

func (f frame) Close() { f.native.Release(f.Frame) }

// nativeCall calls functions in C, with the addresses of the arrays.
func nativeCall(l *exec.Lowering, n *ffi.Native, operands, results []exec.Slice) func(r *exec.Run) error {
	all := slices.Concat(operands, results)
	var scratch exec.Slice
	if bytes := n.ScratchBytes(); bytes > 0 {
		scratch = l.Scratch(bytes)
	}
	call := func(r *exec.Run, f *ffi.Frame) error {
		if scratch.Size > 0 {
			f.Scratch(uintptr(r.Address(scratch)))
			defer f.Scratch(0)
		}
		for i, s := range all {
			if s.Slot != exec.NoSlot {
				f.Addresses[i] = uintptr(r.Address(s))
			}
		}
		pending, err := f.Begin(r.ID(), int32(r.Device()))
		if pending { // others may use the processor meanwhile
			return r.Wait(func() error { return f.Finish(r.Context()) })
		}
		return err
	}
	if n.Staged() {
		return func(r *exec.Run) error {
			return call(r, r.Local(n, func() exec.Local { return frame{n.Frame(), n} }).(frame).Frame)
		}
	}
	return func(r *exec.Run) error {
		f := n.Frame()
		err := call(r, f)
		n.Release(f)
		return err
	}
}

// oneCall is that of a function of the user, of which nobody knows how long it takes.
var oneCall = exec.Calls{Count: 1}

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
	}).calling(oneCall)
}

func assertionThunk(l *exec.Lowering) exec.Thunk {
	operands, uses := arguments(l)
	in := l.In
	return goThunk("go assertion", uses, func(r *exec.Run) error {
		return hlo.AssertShapes(in, literals(r, in, operands))
	})
}
