package hlo

import (
	"context"
	"errors"
	"slices"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// variable are the ops, besides those with side effects, whose result does not follow from their operands: it depends
// on the device, on other devices or on a function of the host.
var variable = map[Opcode]bool{
	Parameter: true, CustomCall: true, ReplicaId: true, PartitionId: true, AllGather: true, AllReduce: true,
	AllToAll: true, CollectiveBroadcast: true, CollectivePermute: true, CollectiveReduce: true, RaggedAllToAll: true,
	ReduceScatter: true,
}

// Trace returns operand. In 2017 it was to print operand with a tag when the program runs, and no backend did.
//
//	operand T   result T
//
// It fails if operand is nil. Law: the builder of 2017.
func (b *Builder) Trace(_ string, operand *Instruction) *Instruction {
	b.present(Copy, &operand)
	return operand
}

// IsConstant reports whether operand's value is known while the computation is being built: whether it depends on no
// parameter but the first numParameters, no random number, no transfer, no custom call and no device. Computations
// that are called on the way may use their own parameters.
//
//	operand T
//
// It never fails: after a fault and for an instruction of another builder it is false. Law: the builders of 2017 and
// since; theirs say no to every call and loop.
func (b *Builder) IsConstant(operand *Instruction, numParameters int64) bool {
	return b.constantGraph(operand, numParameters) != nil
}

// constantGraph returns operand and all it depends on, in order; nil if one of them is not constant.
func (b *Builder) constantGraph(operand *Instruction, numParameters int64) []*Instruction {
	if b.err != nil {
		return nil
	}
	needed, found := map[*Instruction]bool{operand: true}, false
	var graph []*Instruction
	for _, in := range slices.Backward(b.instructions) {
		if !needed[in] {
			continue
		}
		found = found || in == operand
		if p, ok := in.Attrs.(*ParameterAttrs); ok && in.Op == Parameter && p.Number < numParameters {
			graph = append(graph, in)
			continue
		}
		if variable[in.Op] || !pure(in) {
			return nil
		}
		for _, o := range in.Operands {
			needed[o] = true
		}
		graph = append(graph, in)
	}
	if !found {
		return nil
	}
	slices.Reverse(graph)
	return graph
}

// pure reports whether neither in nor the computations it calls have side effects or depend on the device.
func pure(in *Instruction) bool {
	if in.Op.Info().Traits&SideEffect != 0 {
		return false
	}
	for _, c := range in.Called() {
		for _, i := range c.Instructions {
			if i.Op != Parameter && variable[i.Op] || !pure(i) {
				return false
			}
		}
	}
	return true
}

// ComputeConstant returns operand's value in the given layout, nil for row-major. parameters are the values of the
// first parameters; they and the instructions built so far are left as they are.
//
//	operand T
//
// It fails if the builder has failed, IsConstant(operand, len(parameters)) is false, a parameter has another shape than
// declared, the layout does not fit, or ctx ends. Law: the builder of 2017; today's BuildConstantSubGraph.
func (b *Builder) ComputeConstant(ctx context.Context, operand *Instruction, layout *shape.Layout,
	parameters ...*literal.Literal) (*literal.Literal, error) {
	if b.err != nil {
		return nil, b.err
	}
	if operand == nil || slices.Contains(parameters, nil) {
		return nil, errors.New("hlo: constant: the operand or a parameter is nil")
	}
	graph := b.constantGraph(operand, int64(len(parameters)))
	if graph == nil {
		return nil, errorf(operand, "the value of %s is not constant", operand.Name)
	}
	c, err := constantComputation(graph, parameters)
	if err != nil {
		return nil, err
	}
	out, err := Evaluate(ctx, NewModule(b.name, c), nil, EvalOptions{})
	if err != nil || layout == nil {
		return out, err
	}
	return out.Relayout(layout)
}

// constantComputation makes a computation of copies of graph, whose last instruction is the root, with constants in the
// place of parameters.
func constantComputation(graph []*Instruction, parameters []*literal.Literal) (*Computation, error) {
	copies := make(map[*Instruction]*Instruction, len(graph))
	list := make([]*Instruction, len(graph))
	for i, in := range graph {
		c := *in
		c.Operands = make([]*Instruction, len(in.Operands))
		for k, o := range in.Operands {
			c.Operands[k] = copies[o]
		}
		if p, ok := in.Attrs.(*ParameterAttrs); ok {
			l := parameters[p.Number]
			if !Fits(l.Shape(), in.Shape) {
				return nil, errorf(in, "the value of parameter %d is %v, want %v", p.Number, l.Shape(), in.Shape)
			}
			c.Op, c.Attrs = Constant, &ConstantAttrs{Literal: l}
		}
		list[i], copies[in] = &c, &c
	}
	return NewComputation("constant", list, list[len(list)-1])
}
