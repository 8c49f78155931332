package customcall

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/internal/unsupported"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// Lookup returns the function behind target as evaluators call it. Backends ask for Instantiate and save the copies.
func (r *Registry) Lookup(target string) (hlo.Handler, bool) {
	if _, ok := r.Handler(target); !ok {
		return nil, false
	}
	return func(ctx context.Context, in *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
		s, err := r.sites.begin(ctx, r, in)
		if err != nil {
			return nil, err
		}
		defer r.sites.end(s)
		return s.call(ctx, in, args)
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
		return nil, unsupported.Error(fmt.Errorf("nobody serves the target %q", target))
	}
	s, err := siteOf(in)
	if err != nil {
		return nil, err
	}
	i, err := h.Instantiate(ctx, s)
	if err != nil {
		return nil, err
	}
	return &Bound{i, s}, nil
}

// InstantiateOnStream makes the instance that serves in where functions of a GPU do: NativeOf has them, and they get a
// stream, see ffi.Frame.On, and arrays in the device's memory. It returns nil if the target is the host's. It fails as
// Instantiate does.
func (r *Registry) InstantiateOnStream(in *hlo.Instruction) (*Bound, error) {
	h, _ := r.Handler(in.Attrs.(*hlo.CustomCallAttrs).Target)
	n, ok := h.(native)
	if !ok || !n.functions.OnStream {
		return nil, nil
	}
	s, err := siteOf(in)
	if err != nil {
		return nil, err
	}
	i, err := n.instantiate(s)
	if err != nil {
		return nil, err
	}
	return &Bound{i, s}, nil
}

// sites are the instances of calls that are evaluated: they live as long as the instruction or the registry.
type sites struct {
	mu   sync.Mutex
	made map[weak.Pointer[hlo.Instruction]]*evaluated
}

// evaluated is an instance with the calls of it that are under way.
type evaluated struct {
	*Bound
	running int
	dropped bool
}

func (s *sites) begin(ctx context.Context, r *Registry, in *hlo.Instruction) (*evaluated, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := weak.Make(in)
	e := s.made[key]
	if e == nil {
		b, err := r.Instantiate(ctx, in)
		if err != nil {
			return nil, err
		}
		if s.made == nil {
			s.made = map[weak.Pointer[hlo.Instruction]]*evaluated{}
		}
		e = &evaluated{Bound: b}
		s.made[key] = e
		runtime.AddCleanup(in, s.forget, key)
	}
	e.running++
	return e, nil
}

func (s *sites) end(e *evaluated) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.running--; e.running == 0 && e.dropped {
		e.Close()
	}
}

func (s *sites) forget(key weak.Pointer[hlo.Instruction]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.made[key]; e != nil {
		delete(s.made, key)
		if e.dropped = true; e.running == 0 {
			e.Close()
		}
	}
}

func (s *sites) close() {
	s.mu.Lock()
	keys := slices.Collect(maps.Keys(s.made))
	s.mu.Unlock()
	for _, k := range keys {
		s.forget(k)
	}
}

// runs counts executions by evaluators, which have an identity each: below 0, as those of backends are above.
var runs atomic.Int64

// call executes the site on literals.
func (b *Bound) call(ctx context.Context, in *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
	out, err := literal.New(in.Shape.WithoutLayout())
	if err != nil {
		return nil, err
	}
	var operands [][]byte
	for _, a := range args {
		operands = append(operands, bytesOf(a)...)
	}
	c := &ffi.Call{RunID: runs.Add(-1)}
	if err := b.Execute(ctx, c, operands, bytesOf(out)); err != nil {
		return nil, err
	}
	return out, nil
}

// bytesOf returns the elements of the leaves of l, row-major.
func bytesOf(l *literal.Literal) [][]byte {
	var list [][]byte
	for _, x := range l.Leaves() {
		list = append(list, x.RowMajor().Bytes())
	}
	return list
}

// Execute calls the instance with operands in row-major order and fills results. It fills in the rest of c: arrays get
// the layouts of the site, and those that share memory do.
func (b *Bound) Execute(ctx context.Context, c *ffi.Call, operands, results [][]byte) error {
	c.Site = b.Site
	c.Results = make([]ffi.Buffer, len(results))
	for i, data := range results {
		v := b.Site.Results[i]
		if v.MinorToMajor != nil {
			data = make([]byte, len(data))
		}
		c.Results[i] = ffi.Buffer{Value: v, Data: data}
	}
	c.Operands = make([]ffi.Buffer, len(operands))
	for i, data := range operands {
		v := b.Site.Operands[i]
		if v.MinorToMajor != nil {
			data = v.Laid(data)
		}
		c.Operands[i] = ffi.Buffer{Value: v, Data: data}
	}
	for _, a := range b.Site.Aliases {
		copy(c.Results[a.Result].Data, c.Operands[a.Operand].Data)
		c.Operands[a.Operand].Data = c.Results[a.Result].Data
	}
	if err := b.Call(ctx, c); err != nil {
		return err
	}
	for i, data := range results {
		if v := b.Site.Results[i]; v.MinorToMajor != nil {
			copy(data, v.RowMajor(c.Results[i].Data))
		}
	}
	return nil
}
