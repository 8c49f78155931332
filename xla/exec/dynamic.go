package exec

import (
	"context"
	"sync"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
)

// dynamicThunk runs an instruction whose sizes are known at run time alone: it makes the static instruction for the
// sizes that its operands have, compiles that as a program of its own, and keeps the program for the next time.
type dynamicThunk struct {
	referenceThunk
	program *program // that it is a part of

	mu    sync.Mutex
	cache map[string]*special
	order []string // of the cache, the oldest first
}

// special is the program for some sizes.
type special struct {
	program *program
	users   int
	dropped bool // from the cache
}

// maxSpecials is how many programs a dynamic instruction keeps.
const maxSpecials = 32

func (t *dynamicThunk) Kernel() string { return "exec dynamic" }

func (t *dynamicThunk) Run(r *Run) error {
	args := make([]*literal.Literal, len(t.operands))
	for i, o := range t.operands {
		args[i], _ = r.assemble(t.in.Operands[i].Shape, o)
	}
	s, err := hlo.Specialize(t.in, args)
	if err != nil {
		return err
	}
	if s == nil { // sizes are this op's own matter
		return t.evaluate(r, args)
	}
	sp, err := t.take(r.ctx, s)
	if err != nil {
		return err
	}
	defer t.give(sp)
	out, err := sp.program.within(r, s.Args)
	if err != nil {
		return err
	}
	for d, n := range s.Sizes {
		out.SetDynamicSize(d, n)
	}
	return t.store(r, out)
}

// within runs p as a part of the run r, whose place, token and random numbers it has.
func (p *program) within(r *Run, args []*literal.Literal) (_ *literal.Literal, err error) {
	c := Call{Args: args, Options: r.Options()}
	c.Options.Donated = nil
	m, err := p.takeArena(r.shelf())
	if err != nil {
		return nil, err
	}
	n := m.begin(r.ctx, r.Place(), &c.Options)
	defer func() { n.endWith(err) }()
	n.outer, n.random, n.evaluator = r, r.random, r.evaluator
	err = n.execute(&c)
	r.random = n.random
	if err != nil {
		return nil, err
	}
	return p.tuple(c.Results), nil
}

// take returns the program for s until give.
func (t *dynamicThunk) take(ctx context.Context, s *hlo.Special) (*special, error) {
	key := s.Key()
	t.mu.Lock()
	defer t.mu.Unlock()
	sp := t.cache[key]
	if sp == nil {
		p, err := t.program.special(ctx, s)
		if err != nil {
			return nil, err
		}
		sp = &special{program: p}
		t.keep(key, sp)
	}
	sp.users++
	return sp, nil
}

// keep puts sp into the cache, in the place of the oldest if it is full.
func (t *dynamicThunk) keep(key string, sp *special) {
	if t.cache == nil {
		t.cache = map[string]*special{}
	}
	if len(t.order) == maxSpecials {
		old := t.cache[t.order[0]]
		delete(t.cache, t.order[0])
		t.order = t.order[1:]
		if old.dropped = true; old.users == 0 {
			old.program.Close()
		}
	}
	t.cache[key], t.order = sp, append(t.order, key)
}

func (t *dynamicThunk) give(sp *special) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if sp.users--; sp.users == 0 && sp.dropped {
		sp.program.Close()
	}
}

// close closes the programs; nobody uses them any more.
func (t *dynamicThunk) close() {
	for _, sp := range t.cache {
		sp.program.Close()
	}
	t.cache, t.order = nil, nil
}

// special compiles s as a part of p.
func (p *program) special(ctx context.Context, s *hlo.Special) (*program, error) {
	m, err := s.Module()
	if err != nil {
		return nil, err
	}
	if m, err = pass.Run(ctx, m, p.machine.Passes(), pass.Options{Verify: p.options.Verify}); err != nil {
		return nil, err
	}
	sub := newProgram(p.machine, p.options, m, p.home)
	sub.options.DumpTo = ""
	c := &compiler{ctx: ctx, machine: p.machine, options: sub.options, program: sub}
	if err := c.module(sub); err != nil {
		sub.Close()
		return nil, err
	}
	return sub, nil
}
