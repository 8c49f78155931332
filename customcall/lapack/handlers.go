package lapack

import (
	"context"
	"errors"
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Handlers serve the targets of this package, for evaluators and backends that know nothing of it. Those of User come
// first; it may be nil.
type Handlers struct{ User hlo.Handlers }

// Lookup returns the function behind target.
func (h Handlers) Lookup(target string) (hlo.Handler, bool) {
	if f, ok := h.Users(target); ok {
		return f, true
	}
	if Known(target) {
		return handle, true
	}
	return nil, false
}

// Users returns the function that the user gave for target, if there is one.
func (h Handlers) Users(target string) (hlo.Handler, bool) {
	if h.User == nil {
		return nil, false
	}
	return h.User.Lookup(target)
}

// Hold holds those of User.
func (h Handlers) Hold() error {
	if u, ok := h.User.(hlo.Holder); ok {
		return u.Hold()
	}
	return nil
}

// Release ends what Hold began.
func (h Handlers) Release() {
	if u, ok := h.User.(hlo.Holder); ok {
		u.Release()
	}
}

// Refuse tells of a call, before it runs, why nobody can serve it; nil if somebody does.
func (h Handlers) Refuse(call *hlo.Instruction) error {
	target := call.Attrs.(*hlo.CustomCallAttrs).Target
	if _, ok := h.Users(target); ok {
		if r, ok := h.User.(hlo.Refuser); ok {
			return r.Refuse(call)
		}
		return nil
	}
	if why, ok := refused(target); ok && hlo.ExpandCustomCall(call) == nil {
		return fmt.Errorf("custom call %q: %w", target, why)
	}
	if !Known(target) || sizeless(call) {
		return nil
	}
	_, err := Compile(call, func(i int) *literal.Literal { return constantOf(call.Operands[i]) })
	if late := (unknown{}); errors.As(err, &late) {
		return nil
	}
	return err
}

// sizeless says whether a call has sizes that are known only when it runs.
func sizeless(call *hlo.Instruction) bool {
	for _, o := range call.Operands {
		if o.Shape.IsDynamic() {
			return true
		}
	}
	return call.Shape.IsDynamic()
}

// constantOf returns the value of a constant, else nil.
func constantOf(in *hlo.Instruction) *literal.Literal {
	if c, ok := in.Attrs.(*hlo.ConstantAttrs); ok {
		return c.Literal
	}
	return nil
}

// handle runs a call on literals.
func handle(ctx context.Context, call *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
	r, err := Compile(call, func(i int) *literal.Literal { return args[i] })
	if err != nil {
		return nil, err
	}
	operands := make([][]byte, len(r.Operands))
	for i, p := range r.Operands {
		l, err := args[p.Index].Relayout(p.layout())
		if err != nil {
			return nil, err
		}
		operands[i] = l.Bytes()
	}
	results := make([]*literal.Literal, len(r.Results))
	bytes := make([][]byte, len(r.Results))
	for i, p := range r.Results {
		s := p.Shape
		s.Layout = p.layout()
		if results[i], err = literal.New(s); err != nil {
			return nil, err
		}
		bytes[i] = results[i].Bytes()
	}
	r.Run(func(n int64, f func(i int64)) {
		for i := range n {
			f(i)
		}
	}, operands, bytes)
	if !call.Shape.IsTuple() {
		return results[0], nil
	}
	tuple := make([]*literal.Literal, len(results))
	for i, p := range r.Results {
		tuple[p.Index] = results[i]
	}
	return literal.NewTuple(tuple...), nil
}

// layout is how the part lies in memory for Run.
func (p Part) layout() *shape.Layout {
	rank := p.Shape.Rank()
	order := make([]int64, rank)
	for i := range order {
		order[i] = int64(rank - 1 - i)
	}
	if p.Columns {
		order[0], order[1] = order[1], order[0]
	}
	return &shape.Layout{MinorToMajor: order}
}
