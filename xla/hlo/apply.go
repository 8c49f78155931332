package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Cell is one element in its wide class: predicates (0 or 1) and integers are in I, the unsigned ones as their bits;
// floats are in F; complex numbers are F + Im i.
type Cell struct {
	I     int64
	F, Im float64
}

// cellAt returns element i of w.
func cellAt(w literal.Wide, i int) Cell {
	switch w.Class {
	case shape.PredClass:
		return boolCell(w.B[i])
	case shape.SignedClass:
		return Cell{I: w.I[i]}
	case shape.UnsignedClass:
		return Cell{I: int64(w.U[i])}
	case shape.FloatClass:
		return Cell{F: w.F[i]}
	}
	return Cell{F: real(w.C[i]), Im: imag(w.C[i])}
}

// setCell makes c element i of w.
func setCell(w literal.Wide, i int, c Cell) {
	switch w.Class {
	case shape.PredClass:
		w.B[i] = c.I != 0
	case shape.SignedClass:
		w.I[i] = c.I
	case shape.UnsignedClass:
		w.U[i] = uint64(c.I)
	case shape.FloatClass:
		w.F[i] = c.F
	default:
		w.C[i] = complex(c.F, c.Im)
	}
}

func boolCell(b bool) Cell {
	if b {
		return Cell{I: 1}
	}
	return Cell{}
}

// pollEvery is how many rounds of a loop pass between two looks at the context.
const pollEvery = 4096

// poll is for long loops: called in every round with the round's number, it looks now and then whether the evaluation
// has been cancelled or has taken too many steps.
func (e *Evaluator) poll(round int) error {
	if round%pollEvery != pollEvery-1 {
		return nil
	}
	return e.tick()
}

// spend counts elements that a plain loop goes through, and ticks once in pollRun of them.
func (e *Evaluator) spend(n int) error {
	if e.spent += n; e.spent < pollRun {
		return nil
	}
	e.spent = 0
	return e.tick()
}

// applier runs a computation on scalars many times: reducers, comparators, map's function. It is a list of steps over
// registers; a computation with an op that has no step runs through Evaluator.Call. An applier is for one goroutine.
type applier struct {
	regs  []Cell
	steps []step
	out   []int32 // the registers of the results
	in    int     // parameters are the first registers
	plain *plainApplier
}

// step is one op: it reads registers and writes one, rounded to its type.
type step func(r []Cell)

// applier compiles c, whose parameters and results are scalars or tuples of them.
func (e *Evaluator) applier(c *Computation) (*applier, error) {
	params, result := c.ProgramShape()
	p := &plainApplier{e: e, c: c}
	for i, s := range params {
		if p.in += leaves(s); leaves(s) < 0 {
			return nil, fmt.Errorf("computation %s: parameter %d is %v, want a scalar", c.Name, i, s)
		}
	}
	if p.out = leaves(result); p.out < 0 {
		return nil, fmt.Errorf("computation %s returns %v, want scalars", c.Name, result)
	}
	cc := &compiler{}
	args := make([][]int32, len(params))
	for i, s := range params {
		args[i] = cc.reserve(leaves(s))
	}
	out, ok := cc.inline(c, args, 0)
	if !ok {
		return &applier{plain: p}, nil
	}
	return &applier{regs: cc.regs, steps: cc.steps, out: out, in: p.in}, nil
}

// apply runs the computation: in has the parameters, tuples flattened, and out gets the results.
func (a *applier) apply(in, out []Cell) error {
	if a.plain != nil {
		return a.plain.apply(in, out)
	}
	copy(a.regs[:a.in], in)
	for _, s := range a.steps {
		s(a.regs)
	}
	for i, r := range a.out {
		out[i] = a.regs[r]
	}
	return nil
}

// leaves returns how many scalars a value of shape s has, or -1 if it has other things than scalars.
func leaves(s shape.Shape) int {
	if s.IsTuple() {
		n := 0
		for _, e := range s.Elems {
			l := leaves(e)
			if l < 0 {
				return -1
			}
			n += l
		}
		return n
	}
	if size, ok := s.CheckedSize(); !s.IsArray() || s.IsDynamic() || !ok || size != 1 {
		return -1
	}
	return 1
}

// plainApplier runs a computation through Evaluator.Call, on literals.
type plainApplier struct {
	e       *Evaluator
	c       *Computation
	in, out int
}

func (p *plainApplier) apply(in, out []Cell) error {
	args := make([]*literal.Literal, len(p.c.Parameters))
	for i, param := range p.c.Parameters {
		args[i], in = literalOf(param.Shape, in)
	}
	result, err := p.e.Call(p.c, args)
	if err != nil {
		return err
	}
	cellsOf(result, out)
	return nil
}

// literalOf makes a value of shape s of the first cells and returns the rest.
func literalOf(s shape.Shape, cells []Cell) (*literal.Literal, []Cell) {
	if s.IsTuple() {
		elems := make([]*literal.Literal, len(s.Elems))
		for i, e := range s.Elems {
			elems[i], cells = literalOf(e, cells)
		}
		return literal.NewTuple(elems...), cells
	}
	w := literal.MakeWide(s.Type.Class(), 1)
	setCell(w, 0, cells[0])
	return literal.FromWide(s.WithoutLayout(), w), cells[1:]
}

// cellsOf writes the elements of l to cells and returns the rest.
func cellsOf(l *literal.Literal, cells []Cell) []Cell {
	if l.Shape().IsTuple() {
		for _, e := range l.Elems() {
			cells = cellsOf(e, cells)
		}
		return cells
	}
	cells[0] = cellAt(l.Wide(), 0)
	return cells[1:]
}

// simpleReducer reports whether c is nothing but op(p0, p1) or op(p1, p0) for a commutative op on two scalars of one
// type: Add, Multiply, Maximum, Minimum, And, Or or Xor.
func simpleReducer(c *Computation) (Opcode, bool) {
	r := c.Root
	switch r.Op {
	case Add, Multiply, Maximum, Minimum, And, Or, Xor:
	default:
		return 0, false
	}
	if len(c.Parameters) != 2 {
		return 0, false
	}
	p, q, x, y := c.Parameters[0], c.Parameters[1], r.Operands[0], r.Operands[1]
	straight := x == p && y == q || x == q && y == p
	return r.Op, straight && p.Shape.IsScalar() && q.Shape.IsScalar() && r.Shape.Type == p.Shape.Type
}
