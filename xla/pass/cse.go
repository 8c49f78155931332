package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// CSE makes one of instructions that give the same value: the same op without effect on the same operands, with equal
// attributes, shape and sharding. It makes one of equal computations first, so that reductions by equal reducers are
// equal. What draws random numbers, calls handlers or stops motion is left alone.
func CSE() Pass {
	return Pass{Name: "cse", Run: func(m *hlo.Module) (*hlo.Module, error) {
		u := &unifier{seen: map[uint64][]*hlo.Computation{}, left: len(m.Computations)}
		return editInto(m, func(e *editor) { newCSE(e).run() }, u.first), nil
	}}
}

// unifier finds equal computations.
type unifier struct {
	hasher
	seen map[uint64][]*hlo.Computation
	left int // computations to come, of which the last is the entry
}

// first returns the first computation that is equal to c; of the entry, which is much and calls all others, c itself.
func (u *unifier) first(c *hlo.Computation) *hlo.Computation {
	if u.left--; u.left == 0 {
		return c
	}
	key := u.hash(c)
	for _, f := range u.seen[key] {
		if f == c || sameComputation(f, c) {
			return f
		}
	}
	u.seen[key] = append(u.seen[key], c)
	return c
}

func (u *unifier) hash(c *hlo.Computation) uint64 {
	u.h.Reset()
	for _, in := range c.Instructions {
		u.int(int64(in.Op))
		u.shape(in.Shape)
		for _, o := range in.Operands {
			u.int(int64(o.Index()))
		}
		if in.Attrs != nil {
			u.attrs(in.Attrs)
		}
	}
	return u.h.Sum64()
}

// sameComputation reports whether a and b have the same instructions in the same order, names and metadata aside.
// Computations with effects are never the same.
func sameComputation(a, b *hlo.Computation) bool {
	if len(a.Instructions) != len(b.Instructions) || a.Root.Index() != b.Root.Index() || !slices.Equal(a.Extra, b.Extra) {
		return false
	}
	same := func(o, p *hlo.Instruction) bool { return o.Index() == p.Index() }
	for i, x := range a.Instructions {
		y := b.Instructions[i]
		if !slices.EqualFunc(x.Operands, y.Operands, same) || !alike(x, y) || !canShare(x) && x.Op != hlo.Parameter ||
			x.Common != nil && len(x.Common.Predecessors) > 0 {
			return false
		}
	}
	return true
}

// alike reports whether two instructions mean the same on the same operands.
func alike(a, b *hlo.Instruction) bool {
	return a.Op == b.Op && a.Shape.Equal(b.Shape) && sameAttrs(a.Attrs, b.Attrs) && sameCommon(a.Common, b.Common)
}

// sameCommon compares those of the common attributes that can have a meaning.
func sameCommon(a, b *hlo.Common) bool {
	if a == nil {
		a = &hlo.Common{}
	}
	if b == nil {
		b = &hlo.Common{}
	}
	return a == b || a.Sharding == b.Sharding && slices.Equal(a.Frontend, b.Frontend) &&
		a.BackendConfig == b.BackendConfig && a.ResultAccuracy == b.ResultAccuracy && slices.Equal(a.Extra, b.Extra)
}

// canShare reports whether a second instruction like in may be left out.
func canShare(in *hlo.Instruction) bool {
	switch in.Op {
	case hlo.Parameter, hlo.CustomCall, hlo.OptimizationBarrier:
		return false
	}
	return !in.HasSideEffect()
}

// cse goes through one computation.
type cse struct {
	*editor
	hasher
	// seen are the new instructions by their numbers; next those whose number was taken.
	seen map[uint64]*hlo.Instruction
	next map[*hlo.Instruction]*hlo.Instruction
}

func newCSE(e *editor) *cse {
	return &cse{editor: e, seen: make(map[uint64]*hlo.Instruction, len(e.old.Instructions)),
		next: map[*hlo.Instruction]*hlo.Instruction{}}
}

func (c *cse) run() {
	for _, in := range c.old.Instructions {
		n := c.clone(in)
		if c.isPinned(in) || !canShare(in) {
			c.now[in.Index()] = c.add(n)
		} else if same := c.find(n); same != nil {
			c.replace(in, same)
		} else {
			c.now[in.Index()] = c.add(n)
		}
	}
}

// find returns the instruction before n that is like it; if there is none, n will be found from now on. Copies of old
// instructions still have their indices.
func (c *cse) find(n *hlo.Instruction) *hlo.Instruction {
	key := c.number(n)
	first := c.seen[key]
	for f := first; f != nil; f = c.next[f] {
		if sameOperands(f, n) && alike(f, n) {
			return f
		}
	}
	c.seen[key] = n
	if first != nil {
		c.next[n] = first
	}
	return nil
}

// commutes reports whether in has the same bits with its two operands swapped. A product of c64 has one product of its
// imaginary part rounded, and not the other.
func commutes(in *hlo.Instruction) bool {
	return in.Op.Info().Traits&hlo.Commutative != 0 && len(in.Operands) == 2 &&
		!(in.Op == hlo.Multiply && in.Shape.Type == shape.C64)
}

func sameOperands(a, b *hlo.Instruction) bool {
	if slices.Equal(a.Operands, b.Operands) {
		return true
	}
	return a.Op == b.Op && commutes(a) && a.Operands[0] == b.Operands[1] && a.Operands[1] == b.Operands[0]
}

func (c *cse) number(n *hlo.Instruction) uint64 {
	c.h.Reset()
	c.int(int64(n.Op))
	c.shape(n.Shape)
	if commutes(n) {
		i, j := n.Operands[0].Index(), n.Operands[1].Index()
		c.int(int64(min(i, j)))
		c.int(int64(max(i, j)))
	} else {
		for _, o := range n.Operands {
			c.int(int64(o.Index()))
		}
	}
	if n.Attrs != nil {
		c.attrs(n.Attrs)
	}
	return c.h.Sum64()
}
