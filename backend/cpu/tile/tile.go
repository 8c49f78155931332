// Package tile runs computations on elements in Go, a tile at a time: the half of the fused pipeline that needs no C,
// and the path of rare types. Elements are computed in the wide class of their type and rounded to it after each step.
// It knows shapes and numbers, not the language.
package tile

import (
	"sync"

	"github.com/halo-xla/halo/xla/shape"
)

// size is how many elements an instruction of a program computes at once: all registers together should stay
// in a core's nearest cache.
const size = 512

// taskSize is how many elements are one task of a program. A task ends before it looks whether the execution is
// cancelled, and the slowest elements take microseconds.
const taskSize = 4 * size

// Vector is a register of a program: elements of one class, widened. Predicates (0 or 1) and integers are in I,
// the unsigned ones as their bits; floats are in F, complex numbers in C.
type Vector struct {
	I []int64
	F []float64
	C []complex128
}

// makeVector returns a vector of n elements of class c.
func makeVector(c shape.Class, n int) Vector {
	switch c {
	case shape.FloatClass:
		return Vector{F: make([]float64, n)}
	case shape.ComplexClass:
		return Vector{C: make([]complex128, n)}
	}
	return Vector{I: make([]int64, n)}
}

// Step computes the first n elements of a register from others.
type Step func(r []Vector, n int)

// Access is how a stream of a program finds its elements: the element of the place (i, j, ...) of the space is the
// one at Offset + i*Strides[0] + j*Strides[1] + ...
type Access struct {
	Offset  int64
	Strides []int64
}

// Load fills a register before the steps.
type Load struct {
	Access
	Register int
	// Input is the number of the array, -1 for the numbers of the elements themselves: iota.
	Input int
	Type  shape.ElementType
}

// Store writes a register behind the steps, to an array in the order of the space.
type Store struct {
	Register, Output int
	Type             shape.ElementType
}

// Program computes arrays element by element over a space of places, a tile at a time.
type Program struct {
	Dims      []int64       // of the space
	Registers []shape.Class // of each register
	Loads     []Load
	Steps     []Step
	Stores    []Store

	idle sync.Pool // of *[]Vector, the registers
}

// Elements returns the number of places.
func (p *Program) Elements() int64 { return shape.Product(p.Dims) }

// Tasks returns into how many tasks the program is split.
func (p *Program) Tasks() int64 { return (p.Elements() + taskSize - 1) / taskSize }

// Run does task i. An output may be an input's memory if the input is read in the order of the space.
func (p *Program) Run(task int64, inputs, outputs [][]byte) {
	n := p.Elements()
	at, end := task*taskSize, min((task+1)*taskSize, n)
	room := p.registers()
	defer p.idle.Put(room)
	regs := *room
	for ; at < end; at += size {
		m := int(min(size, end-at))
		for i := range p.Loads {
			p.Loads[i].load(p.Dims, regs, inputs, at, m)
		}
		for _, s := range p.Steps {
			s(regs, m)
		}
		for _, s := range p.Stores {
			narrow[s.Type](outputs[s.Output], regs[s.Register], at, m)
		}
	}
}

// registers returns registers that nobody uses.
func (p *Program) registers() *[]Vector {
	if regs, ok := p.idle.Get().(*[]Vector); ok {
		return regs
	}
	regs := make([]Vector, len(p.Registers))
	for i, c := range p.Registers {
		regs[i] = makeVector(c, int(min(size, p.Elements())))
	}
	return &regs
}

// load fills a register with the elements at the places at to at+n of the space.
func (l *Load) load(dims []int64, regs []Vector, inputs [][]byte, at int64, n int) {
	last := len(dims) - 1
	if last < 0 {
		l.run(regs[l.Register], inputs, 0, l.Offset, 0, n)
		return
	}
	for k := 0; k < n; {
		offset, rest := l.Offset, at+int64(k)
		inner := rest % dims[last]
		for d := last; d >= 0; d-- {
			offset += rest % dims[d] * l.Strides[d]
			rest /= dims[d]
		}
		m := int(min(int64(n-k), dims[last]-inner))
		l.run(regs[l.Register], inputs, k, offset, l.Strides[last], m)
		k += m
	}
}

// run fills n elements of r from k on with those at offset, offset+stride, ...
func (l *Load) run(r Vector, inputs [][]byte, k int, offset, stride int64, n int) {
	if l.Input < 0 {
		count(r, k, offset, stride, n)
		return
	}
	widen[l.Type](r, inputs[l.Input], k, offset, stride, n)
}

func count(r Vector, k int, from, step int64, n int) {
	for i := k; i < k+n; i++ {
		switch {
		case r.I != nil:
			r.I[i] = from
		case r.F != nil:
			r.F[i] = float64(from)
		default:
			r.C[i] = complex(float64(from), 0)
		}
		from += step
	}
}
