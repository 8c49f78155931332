package pass

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Argument is what is known of an argument before a program runs.
type Argument struct {
	Shape shape.Shape // static
	// Value is what the argument holds; nil: that is not known. Sizes may depend on it.
	Value *literal.Literal
}

// NeedsValues is the error of Refine when sizes depend on the values of these parameters.
type NeedsValues struct{ Parameters []int }

// Error says of which parameters the values are needed.
func (e *NeedsValues) Error() string {
	return fmt.Sprintf("refine: sizes depend on the values of the parameters %v", e.Parameters)
}

// maxKnown bounds the elements of values that are followed: sizes, and what they are computed from.
const maxKnown = 1024

// Refine returns the program that m is for arguments of static shapes: its dynamic dimensions become the sizes that
// they have then. Sizes are followed through arithmetic, calls, loops that leave them as they are and branches; calls
// are put in place. It fails with *NeedsValues if sizes depend on values of parameters, and with errors.ErrUnsupported
// if they depend on what the program computes from data, are bounded, or change from one round of a loop to the next.
// The error of a shape assertion that does not hold has its message.
func Refine(m *hlo.Module, args []Argument) (n *hlo.Module, err error) {
	if len(args) != len(m.Entry.Parameters) {
		return nil, fmt.Errorf("refine: got %d arguments, want %d", len(args), len(m.Entry.Parameters))
	}
	if err := refinable(m); err != nil {
		return nil, err
	}
	r := &refiner{left: maxInlined}
	f := &frame{refiner: r}
	values := make([]*value, len(args))
	for i, p := range m.Entry.Parameters {
		if values[i], err = f.entryParameter(p, args[i]); err != nil {
			return nil, err
		}
	}
	root, err := f.run(m.Entry, values)
	if err != nil {
		return nil, err
	}
	c, err := f.finish(m.Entry, root)
	if err != nil {
		return nil, err
	}
	n = hlo.NewModule(m.Name, c)
	n.Config, n.ParameterNames, n.ResultNames = m.Config, m.ParameterNames, m.ResultNames
	n.Config.EntryParams, n.Config.EntryResult = nil, nil
	return n, nil
}

// refinable fails if m has what Refine does not follow: bounded dimensions, which keep what lies beyond their sizes,
// and control dependencies in computations that are put in place.
func refinable(m *hlo.Module) error {
	for _, c := range m.Computations {
		if pinned(c) != nil {
			return fmt.Errorf("refine: computation %s has control dependencies: %w", c.Name, errors.ErrUnsupported)
		}
		for _, in := range c.Instructions {
			if in.Op == hlo.SetDimensionSize || bounded(in.Shape) {
				return &hlo.Error{In: in, Err: fmt.Errorf("refine: dimensions of %v are bounded: %w", in.Shape,
					errors.ErrUnsupported)}
			}
		}
	}
	return nil
}

func bounded(s shape.Shape) bool {
	for d, n := range s.Dims {
		if n != shape.Unbounded && s.IsDynamicDim(d) {
			return true
		}
	}
	return slices.ContainsFunc(s.Elems, bounded)
}

// refiner is the work on one module.
type refiner struct{ left int }

// frame makes one computation of the new module.
type frame struct {
	*refiner
	// outer is the frame that calls this one, whose parameter has the value init there; nil: this is the entry.
	outer *frame
	init  *value
	out   []*hlo.Instruction
	// constants are the instructions of known values.
	constants map[*literal.Literal]*hlo.Instruction
}

// value is what stands for an old instruction.
type value struct {
	// in is the instruction that has it, nil if none has been made yet: it is known, or a tuple of elems.
	in    *hlo.Instruction
	known *literal.Literal
	// elems are those of a tuple, nil if it is not taken apart.
	elems []*value
}

func (v *value) shape() shape.Shape {
	switch {
	case v.known != nil:
		return v.known.Shape().WithoutLayout()
	case v.in != nil:
		return v.in.Shape
	}
	s := shape.Shape{Type: shape.Tuple}
	for _, e := range v.elems {
		s.Elems = append(s.Elems, e.shape())
	}
	return s
}

func (f *frame) entryParameter(p *hlo.Instruction, a Argument) (*value, error) {
	if !hlo.Fits(a.Shape, p.Shape) || a.Shape.IsDynamic() {
		return nil, &hlo.Error{In: p, Err: fmt.Errorf("refine: got %v, want %v with static sizes", a.Shape, p.Shape)}
	}
	c := *p
	if p.Shape.IsDynamic() {
		c.Shape = a.Shape.WithoutLayout()
	}
	return &value{in: f.add(&c), known: a.Value}, nil
}

func (f *frame) add(in *hlo.Instruction) *hlo.Instruction {
	f.out = append(f.out, in)
	return in
}

// run appends what stands for c's instructions on args, and returns the value of its root.
func (f *frame) run(c *hlo.Computation, args []*value) (*value, error) {
	if f.left -= len(c.Instructions); f.left < 0 {
		return nil, fmt.Errorf("refine: more than %d instructions: %w", maxInlined, errors.ErrUnsupported)
	}
	now := make([]*value, len(c.Instructions))
	for i, in := range c.Instructions {
		if p, ok := in.Attrs.(*hlo.ParameterAttrs); ok {
			now[i] = args[p.Number]
			continue
		}
		operands := make([]*value, len(in.Operands))
		for k, o := range in.Operands {
			operands[k] = now[o.Index()]
		}
		rule := refineRules[in.Op]
		if rule == nil {
			rule = (*frame).plain
		}
		v, err := rule(f, in, operands)
		if err != nil {
			return nil, err
		}
		now[i] = v
	}
	return now[c.Root.Index()], nil
}

// instruction returns one that has v.
func (f *frame) instruction(v *value) *hlo.Instruction {
	switch {
	case v.known != nil:
		return f.constant(v.known)
	case v.in != nil:
		return v.in
	}
	operands := f.instructions(v.elems)
	v.in = f.add(&hlo.Instruction{Name: "tuple", Op: hlo.Tuple, Shape: v.shape(), Operands: operands})
	return v.in
}

func (f *frame) instructions(vs []*value) []*hlo.Instruction {
	out := make([]*hlo.Instruction, len(vs))
	for i, v := range vs {
		out[i] = f.instruction(v)
	}
	return out
}

func (f *frame) constant(l *literal.Literal) *hlo.Instruction {
	in := f.constants[l]
	if in == nil {
		in = f.add(&hlo.Instruction{Name: "constant", Op: hlo.Constant, Shape: l.Shape().WithoutLayout(),
			Attrs: &hlo.ConstantAttrs{Literal: l}})
		if f.constants == nil {
			f.constants = map[*literal.Literal]*hlo.Instruction{}
		}
		f.constants[l] = in
	}
	return in
}

// elem returns element i of the tuple v.
func (f *frame) elem(v *value, i int) *value {
	if v.elems == nil {
		v.elems = make([]*value, len(v.in.Shape.Elems))
	}
	if v.elems[i] == nil {
		v.elems[i] = &value{in: f.add(&hlo.Instruction{Name: "get-tuple-element", Op: hlo.GetTupleElement,
			Shape: v.in.Shape.Elems[i], Operands: []*hlo.Instruction{v.in},
			Attrs: &hlo.GetTupleElementAttrs{Index: int64(i)}})}
	}
	return v.elems[i]
}

// finish returns the computation with the root v, in place of the old one.
func (f *frame) finish(old *hlo.Computation, v *value) (*hlo.Computation, error) {
	root := f.instruction(v)
	rename(f.out, nil)
	c, err := hlo.NewComputation(old.Name, f.out, root)
	if err != nil {
		return nil, fmt.Errorf("refine: %w", err)
	}
	c.Extra = old.Extra
	return c, nil
}
