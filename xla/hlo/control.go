package hlo

import (
	"fmt"
	"strconv"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// CallAttrs are the attributes of call, rows 75 and 76. A composite has its name, attributes and version in the
// frontend attributes.
type CallAttrs struct {
	ToApply     *Computation
	IsComposite bool
}

// Fields lists the attributes.
func (a *CallAttrs) Fields() []Field {
	return []Field{{"to_apply", "", &a.ToApply, Always}, {"is_composite", "", &a.IsComposite, Set}}
}

// WhileAttrs are the attributes of while, row 79.
type WhileAttrs struct{ Condition, Body *Computation }

// Fields lists the attributes.
func (a *WhileAttrs) Fields() []Field {
	return []Field{{"condition", "", &a.Condition, Always}, {"body", "", &a.Body, Always}}
}

// ConditionalAttrs are the attributes of conditional, rows 80 and 81. With a predicate operand there are two
// branches, the first for true.
type ConditionalAttrs struct{ Branches []*Computation }

// Fields lists the attributes.
func (a *ConditionalAttrs) Fields() []Field {
	return []Field{{"branch_computations", "", &a.Branches, Always}}
}

// FusionAttrs: a fusion means a call of the computation.
type FusionAttrs struct {
	Kind    Raw
	Calls   *Computation
	Aliases Raw
}

// Fields lists the attributes.
func (a *FusionAttrs) Fields() []Field {
	return []Field{
		{"kind", "", &a.Kind, Always},
		{"output_to_operand_aliasing", "", &a.Aliases, Set},
		{"calls", "", &a.Calls, Always},
	}
}

// inferCallOf is the rule of all ops that call c once with their operands: same count, same shapes. Law: row 75.
func inferCallOf(in *Instruction, c *Computation) (shape.Shape, error) {
	if c == nil {
		return poison, fmt.Errorf("the called computation is missing")
	}
	if len(in.Operands) != len(c.Parameters) {
		return poison, fmt.Errorf("got %d operands, want %d as computation %s takes",
			len(in.Operands), len(c.Parameters), c.Name)
	}
	for i, o := range in.Operands {
		if want := c.Parameters[i].Shape; !agrees(o.Shape, want) {
			return poison, fmt.Errorf("operand %d: got %v, want %v as computation %s takes", i, o.Shape, want, c.Name)
		}
	}
	return c.Root.Shape.WithoutLayout(), nil
}

func inferCall(in *Instruction) (shape.Shape, error) {
	return inferCallOf(in, in.Attrs.(*CallAttrs).ToApply)
}

func evalCall(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return e.Call(in.Attrs.(*CallAttrs).ToApply, args)
}

func inferFusion(in *Instruction) (shape.Shape, error) {
	return inferCallOf(in, in.Attrs.(*FusionAttrs).Calls)
}

func evalFusion(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return e.Call(in.Attrs.(*FusionAttrs).Calls, args)
}

// oneParameter returns the shape of c's only parameter. what is how messages call c.
func oneParameter(what string, c *Computation) (shape.Shape, error) {
	if c == nil {
		return poison, fmt.Errorf("%s is missing", what)
	}
	if len(c.Parameters) != 1 {
		return poison, fmt.Errorf("%s %s takes %d parameters, want 1", what, c.Name, len(c.Parameters))
	}
	return c.Parameters[0].Shape, nil
}

func inferWhile(in *Instruction) (shape.Shape, error) {
	a, init := in.Attrs.(*WhileAttrs), in.Operands[0].Shape
	for i, c := range []*Computation{a.Condition, a.Body} {
		what := [...]string{"condition", "body"}[i]
		p, err := oneParameter(what, c) // row 79
		if err != nil {
			return poison, err
		}
		if !agrees(p, init) { // while C1, C2; row 79
			return poison, fmt.Errorf("the parameter of %s %s is %v, want %v as init", what, c.Name, p, init)
		}
	}
	if r := a.Condition.Root.Shape; r.Type != shape.Pred || r.Rank() != 0 { // while C1, row 79
		return poison, fmt.Errorf("condition %s returns %v, want pred[]", a.Condition.Name, r)
	}
	if r := a.Body.Root.Shape; !agrees(r, init) { // while C2, row 79
		return poison, fmt.Errorf("body %s returns %v, want %v as init", a.Body.Name, r, init)
	}
	return init.WithoutLayout(), nil // while C3
}

func inferConditional(in *Instruction) (shape.Shape, error) {
	branches, index, operands := in.Attrs.(*ConditionalAttrs).Branches, in.Operands[0].Shape, in.Operands[1:]
	switch { // row 81
	case index.Rank() != 0 || index.Type != shape.Pred && index.Type != shape.S32:
		return poison, fmt.Errorf("branch index: got %v, want pred[] or s32[]", index)
	case index.Type == shape.Pred && len(branches) != 2: // row 80
		return poison, fmt.Errorf("got %d branches, want 2 with a predicate", len(branches))
	case len(branches) == 0: // case C1
		return poison, fmt.Errorf("there are no branches, want at least 1")
	case len(operands) != len(branches):
		return poison, fmt.Errorf("got %d branch operands, want %d, one a branch", len(operands), len(branches))
	}
	for i, c := range branches {
		p, err := oneParameter(fmt.Sprintf("branch %d", i), c) // case C2, row 80
		if err != nil {
			return poison, err
		}
		if !agrees(operands[i].Shape, p) {
			return poison, fmt.Errorf("the operand of branch %d is %v, want %v as %s takes",
				i, operands[i].Shape, p, c.Name)
		}
		if r := c.Root.Shape; !agrees(r, branches[0].Root.Shape) { // case C3, row 80
			return poison, fmt.Errorf("branch %d returns %v, want %v as branch 0", i, r, branches[0].Root.Shape)
		}
	}
	return leastSpecific(branches), nil // case C4
}

// leastSpecific is the shape of the branches' results: a dimension that is not the same in all is unknown.
func leastSpecific(branches []*Computation) shape.Shape {
	s := branches[0].Root.Shape.WithoutLayout()
	for _, c := range branches[1:] {
		s = either(s, c.Root.Shape)
	}
	return s
}

// either is the shape that has both a's and b's values, where a and b agree.
func either(a, b shape.Shape) shape.Shape {
	if a.Compatible(b) {
		return a
	}
	if a.IsTuple() {
		elems := make([]shape.Shape, len(a.Elems))
		for i := range elems {
			elems[i] = either(a.Elems[i], b.Elems[i])
		}
		return shape.TupleOf(elems...)
	}
	s := shape.Shape{Type: a.Type, Dims: make([]int64, len(a.Dims)), Dynamic: make([]bool, len(a.Dims))}
	for d := range a.Dims {
		s.Dims[d], s.Dynamic[d] = max(a.Dims[d], b.Dims[d]), a.IsDynamicDim(d) || b.IsDynamicDim(d)
		if a.Dims[d] == shape.Unbounded || b.Dims[d] == shape.Unbounded {
			s.Dims[d] = shape.Unbounded
		}
	}
	return s
}

func evalConditional(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	branches := in.Attrs.(*ConditionalAttrs).Branches
	i := branchIndex(args[0], len(branches))
	return e.Call(branches[i], args[1+i:2+i])
}

// branchIndex is the branch of n that index chooses: true is the first, an index out of range the last. Law: row 81.
func branchIndex(index *literal.Literal, n int) int {
	w := index.Wide()
	if w.Class == shape.PredClass {
		if w.B[0] {
			return 0
		}
		return 1
	}
	if w.I[0] < 0 || w.I[0] >= int64(n) {
		return n - 1
	}
	return int(w.I[0])
}

// Call calls a computation with operands, of which there may be none.
//
//	operands T_i   computation (T_0, T_1, ...) -> S   result S
//
// It fails if the number or the shapes of the operands differ from those of the computation's parameters. Law: row
// 75.
func (b *Builder) Call(computation *Computation, operands ...*Instruction) *Instruction {
	return b.add(Call, &CallAttrs{ToApply: computation}, shape.Shape{}, operands...)
}

// CompositeCall calls a computation that decomposes the composite name. attributes is a dictionary as text, "" is
// "{}". A backend may know name and version and use a kernel of its own; all others call the computation.
//
//	operands T_i   computation (T_0, T_1, ...) -> S   result S
//
// It fails if name is empty, or as Call does. Law: row 76.
func (b *Builder) CompositeCall(computation *Computation, operands []*Instruction, name, attributes string,
	version int64) *Instruction {
	if name == "" {
		return b.fail(Call, "the composite has no name")
	}
	if attributes == "" {
		attributes = "{}"
	}
	in := b.add(Call, &CallAttrs{ToApply: computation, IsComposite: true}, shape.Shape{}, operands...)
	c := Common{}
	if in.Common != nil {
		c = *in.Common
	}
	c.Frontend = append(FrontendAttributes{
		{"composite.attributes", attributes},
		{"composite.name", name},
		{"composite.version", strconv.FormatInt(version, 10)},
	}, c.Frontend...)
	in.Common = &c
	return in
}

// While calls body on its own result, at first on init, as long as condition says true of it.
//
//	init T   condition T -> pred[]   body T -> T   result T
//
// It fails if the shapes differ. T is often a tuple; condition may be false at once. Law: row 79.
func (b *Builder) While(condition, body *Computation, init *Instruction) *Instruction {
	return b.add(While, &WhileAttrs{Condition: condition, Body: body}, shape.Shape{}, init)
}

// Conditional calls trueComputation on trueOperand if pred is true, else falseComputation on falseOperand.
//
//	pred pred[]   operands T, F   computations T -> S, F -> S   result S
//
// It fails unless pred is pred[], each computation takes its operand alone, and both return one shape. Law: row 80.
func (b *Builder) Conditional(pred, trueOperand *Instruction, trueComputation *Computation, falseOperand *Instruction,
	falseComputation *Computation) *Instruction {
	b.present(Conditional, &pred)
	if pred.Shape.Type != shape.Pred {
		return b.fail(Conditional, "predicate: got %v, want pred[]", pred.Shape)
	}
	a := &ConditionalAttrs{Branches: []*Computation{trueComputation, falseComputation}}
	return b.add(Conditional, a, shape.Shape{}, pred, trueOperand, falseOperand)
}

// ConditionalIndexed calls branch branchIndex on its operand; an index out of range means the last branch. A
// predicate is a branch index too: true is branch 0 of 2.
//
//	branchIndex s32[]   operands T_i   branches T_i -> S   result S
//
// It fails unless there are as many operands as branches, at least one, each branch takes its operand alone, and all
// return the same shape. Law: row 81.
func (b *Builder) ConditionalIndexed(branchIndex *Instruction, branches []*Computation,
	operands []*Instruction) *Instruction {
	all := append([]*Instruction{branchIndex}, operands...)
	return b.add(Conditional, &ConditionalAttrs{Branches: branches}, shape.Shape{}, all...)
}
