package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/xla/hlo"
)

// reducers are the ops that fold two elements by a loop.
var reducers = map[hlo.Opcode]kernel.Reducer{
	hlo.Add: kernel.AddOf, hlo.Multiply: kernel.MultiplyOf, hlo.Minimum: kernel.MinimumOf,
	hlo.Maximum: kernel.MaximumOf, hlo.And: kernel.AndOf, hlo.Or: kernel.OrOf, hlo.Xor: kernel.XorOf,
}

// reducerOf returns the reducer that c is on n accumulators and n elements: assignment on any number, the others on
// one.
func reducerOf(c *hlo.Computation, n int) kernel.Reducer {
	root := c.Roots()
	if len(root) != n || len(c.Parameters) != 2*n {
		return kernel.NoReducer
	}
	if assigns(root, c.Parameters[n:]) {
		return kernel.Assign
	}
	if n != 1 || len(root[0].Operands) != 2 {
		return kernel.NoReducer
	}
	x, y := root[0].Operands[0], root[0].Operands[1]
	if x == c.Parameters[1] {
		x, y = y, x
	}
	if x != c.Parameters[0] || y != c.Parameters[1] || x.Shape.Type != root[0].Shape.Type {
		return kernel.NoReducer
	}
	return reducers[root[0].Op]
}

// assigns reports whether the roots are the parameters.
func assigns(root, parameters []*hlo.Instruction) bool {
	for i, in := range root {
		if in != parameters[i] {
			return false
		}
	}
	return true
}
