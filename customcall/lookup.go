package customcall

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// Lookup returns the function behind target as evaluators call it. Backends ask for Instantiate and save the copies.
func (r *Registry) Lookup(target string) (hlo.Handler, bool) {
	if _, ok := r.Handler(target); !ok {
		return nil, false
	}
	return func(ctx context.Context, in *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
		b, err := r.sites.of(ctx, r, in)
		if err != nil {
			return nil, err
		}
		return b.call(ctx, in, args)
	}, true
}

// Bound is a custom call with the instance that serves it.
type Bound struct {
	Instance
	Site *ffi.Site
}

// Instantiate makes the instance that serves in; the caller closes it. It fails if nobody serves the target, the call
// cannot be described, or the handler refuses it.
func (r *Registry) Instantiate(ctx context.Context, in *hlo.Instruction) (*Bound, error) {
	target := in.Attrs.(*hlo.CustomCallAttrs).Target
	h, ok := r.Handler(target)
	if !ok {
		return nil, fmt.Errorf("nobody serves the target %q: %w", target, errors.ErrUnsupported)
	}
	s, err := SiteOf(in)
	if err != nil {
		return nil, err
	}
	i, err := h.Instantiate(ctx, s)
	if err != nil {
		return nil, err
	}
	return &Bound{i, s}, nil
}

// sites are the instances of calls that are evaluated: they live as long as the instruction.
type sites struct {
	mu   sync.Mutex
	made map[weak.Pointer[hlo.Instruction]]*Bound
}

func (s *sites) of(ctx context.Context, r *Registry, in *hlo.Instruction) (*Bound, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := weak.Make(in)
	if b := s.made[key]; b != nil {
		return b, nil
	}
	b, err := r.Instantiate(ctx, in)
	if err != nil {
		return nil, err
	}
	if s.made == nil {
		s.made = map[weak.Pointer[hlo.Instruction]]*Bound{}
	}
	s.made[key] = b
	runtime.AddCleanup(in, func(k weak.Pointer[hlo.Instruction]) { s.forget(k) }, key)
	return b, nil
}

func (s *sites) forget(k weak.Pointer[hlo.Instruction]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.made[k]; b != nil {
		delete(s.made, k)
		b.Close()
	}
}

// runs counts executions, which have an identity each.
var runs atomic.Int64

// NextRunID returns a number for an execution of a program that no other has.
func NextRunID() int64 { return runs.Add(1) }

// call executes the site on literals, which are in the layouts of the operands.
func (b *Bound) call(ctx context.Context, in *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
	out, err := literal.New(in.Shape)
	if err != nil {
		return nil, err
	}
	c := &ffi.Call{Site: b.Site, RunID: NextRunID()}
	for _, a := range args {
		for _, l := range a.Leaves() {
			c.Operands = append(c.Operands, ffi.Buffer{Value: b.Site.Operands[len(c.Operands)], Data: l.Bytes()})
		}
	}
	for _, l := range out.Leaves() {
		c.Results = append(c.Results, ffi.Buffer{Value: b.Site.Results[len(c.Results)], Data: l.Bytes()})
	}
	for _, a := range b.Site.Aliases {
		copy(c.Results[a.Result].Data, c.Operands[a.Operand].Data)
		c.Operands[a.Operand].Data = c.Results[a.Result].Data
	}
	if err := b.Call(ctx, c); err != nil {
		return nil, err
	}
	return out, nil
}
