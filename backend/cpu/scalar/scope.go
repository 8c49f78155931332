package scalar

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
)

// scope is a computation whose instructions are being compiled.
type scope struct {
	values map[*hlo.Instruction]value
	// left is how often what is still to be compiled will use an instruction's value, results of the scope included.
	left map[*hlo.Instruction]int
}

// inline compiles a call of comp and returns its result.
func (c *compiler) inline(comp *hlo.Computation, args []value) (value, error) {
	if len(c.scopes) >= maxDepth {
		return nil, unsupported("calls are too deep")
	}
	s := &scope{values: make(map[*hlo.Instruction]value, len(comp.Instructions)), left: usesIn(comp)}
	c.scopes = append(c.scopes, s)
	defer func() { c.scopes = c.scopes[:len(c.scopes)-1] }()
	for _, named := range []bool{true, false} { // elements of parameters first: they look at the whole tuple
		for _, in := range comp.Instructions {
			if s.left[in] == 0 || isNamed(in) != named {
				continue
			}
			if err := c.step(s, in, args); err != nil {
				return nil, fmt.Errorf("%s: %w", in.Name, err)
			}
		}
	}
	return s.values[comp.Root], nil
}

// isNamed reports whether in is a parameter or an element of one.
func isNamed(in *hlo.Instruction) bool {
	for in.Op == hlo.GetTupleElement {
		in = in.Operands[0]
	}
	return in.Op == hlo.Parameter
}

// step compiles the next instruction of s, whose parameters are args.
func (c *compiler) step(s *scope, in *hlo.Instruction, args []value) error {
	if in.Op == hlo.Parameter {
		s.values[in] = args[in.Attrs.(*hlo.ParameterAttrs).Number]
		return nil
	}
	operands := make([]value, len(in.Operands))
	for i, o := range in.Operands {
		operands[i] = s.values[o]
		s.left[o]--
	}
	v, err := c.instruction(in, operands)
	s.values[in] = v
	return err
}

// usesIn counts the uses of comp's instructions by those that its root needs and those with effects.
func usesIn(comp *hlo.Computation) map[*hlo.Instruction]int {
	uses := map[*hlo.Instruction]int{comp.Root: 1}
	for i := len(comp.Instructions) - 1; i >= 0; i-- {
		in := comp.Instructions[i]
		if in.Op.Info().Traits&hlo.SideEffect != 0 {
			uses[in]++
		}
		if uses[in] == 0 {
			continue
		}
		for _, o := range in.Operands {
			uses[o]++
		}
	}
	return uses
}

// hold keeps what lies in the registers of v as it is while f compiles.
func (c *compiler) hold(v value, f func() (value, error)) (value, error) {
	held := new(hlo.Instruction)
	c.scopes = append(c.scopes, &scope{values: map[*hlo.Instruction]value{held: v},
		left: map[*hlo.Instruction]int{held: 1}})
	defer func() { c.scopes = c.scopes[:len(c.scopes)-1] }()
	return f()
}

// needed reports whether what is still to be compiled uses a register of the n from first on.
func (c *compiler) needed(first uint16, n int) bool {
	for _, s := range c.scopes {
		for in, v := range s.values {
			if s.left[in] > 0 && v.overlaps(first, n) {
				return true
			}
		}
	}
	return false
}
