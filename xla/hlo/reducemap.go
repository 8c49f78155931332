package hlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// MapAttrs are the attributes of map, row 82.
type MapAttrs struct {
	Dimensions []int64
	ToApply    *Computation
}

// Fields lists the attributes.
func (a *MapAttrs) Fields() []Field {
	return []Field{{"dimensions", "dimensions", &a.Dimensions, Always}, {"to_apply", "", &a.ToApply, Always}}
}

// Map applies computation to the operands' elements at each place.
//
//	operands T0[D...] ... TN-1[D...]   computation (T0[], ..., TN-1[]) -> U[]   result U[D...]
//
// dimensions must be all dimensions in ascending order; scalars among the operands spread to the others' sizes.
// staticOperands, of 2017, follow the operands as the computation's last parameters, whole and the same at each place;
// if one is no scalar, the map becomes a loop over the places. It fails if sizes differ or the computation has another
// signature. Law: row 82, StableHLO map C1 to C4.
func (b *Builder) Map(operands []*Instruction, computation *Computation, dimensions []int64,
	staticOperands ...*Instruction) *Instruction {
	operands, staticOperands = b.allPresent(Map, operands), b.allPresent(Map, staticOperands)
	var s shape.Shape // of the map
	for _, o := range operands {
		if o.Shape.IsArray() && (s.Type == shape.Invalid || s.IsScalar()) {
			s = o.Shape
		}
	}
	all := b.spreadScalars(operands, s)
	for i, o := range staticOperands {
		if len(operands) == 0 {
			return b.fail(Map, "static operand %d is alone, want other operands beside it", i)
		}
		if !o.Shape.IsScalar() {
			return b.mapStatic(all, computation, dimensions, staticOperands)
		}
	}
	all = append(all, b.spreadScalars(staticOperands, s)...)
	return b.add(Map, &MapAttrs{dimensions, computation}, shape.Shape{}, all...)
}

// spreadScalars broadcasts the scalars among operands to the sizes of s.
func (b *Builder) spreadScalars(operands []*Instruction, s shape.Shape) []*Instruction {
	all := slices.Clone(operands)
	for i, o := range all {
		if o.Shape.IsScalar() && s.Rank() > 0 {
			all[i] = b.add(Broadcast, &BroadcastAttrs{}, s.WithType(o.Shape.Type), o)
		}
	}
	return all
}

// mapStatic is a map with static operands: a loop that calls the computation on one element of each operand and all of
// the static ones. Its state is the number of the place, the operands as vectors, the static ones and the result.
func (b *Builder) mapStatic(operands []*Instruction, c *Computation, dimensions []int64,
	static []*Instruction) *Instruction {
	if b.err != nil || c == nil || !c.Root.Shape.IsScalar() {
		return b.fail(Map, "the computation is missing or its result is no scalar")
	}
	s := operands[0].Shape
	n, ok := s.CheckedSize()
	if !ok || s.IsDynamic() || !slices.Equal(dimensions, identityDims(s.Rank())) {
		return b.fail(Map, "got operand 0 %v and dimensions %s, want a static array and all its dimensions in order",
			s, list(dimensions))
	}
	state := []*Instruction{b.scalarOf(shape.S64, 0)}
	var args []*Instruction // of one call
	for _, o := range operands {
		args = append(args, &Instruction{Shape: shape.Array(o.Shape.Type)})
		if !o.Shape.SameDims(s) {
			return b.fail(Map, "operands have the shapes %v and %v, want the same sizes", s, o.Shape)
		}
		state = append(state, b.Reshape(o, []int64{n}))
	}
	call := &Instruction{Op: Call, Attrs: &CallAttrs{ToApply: c}, Operands: append(args, static...)}
	if _, err := Infer(call); err != nil {
		return b.fail(Map, "%w", err)
	}
	state = append(state, static...)
	result := b.ConstantLiteral(literal.Zero(c.Root.Shape.Type))
	init := b.Tuple(append(state, b.Broadcast(result, []int64{n}))...)
	if b.err != nil {
		return init
	}
	if n == 0 {
		return b.Broadcast(result, s.Dims)
	}
	condition, body, err := mapLoop(init.Shape, c, len(operands))
	if err != nil {
		return b.fail(Map, "%w", err)
	}
	last := int64(len(init.Shape.Elems) - 1)
	return b.Reshape(b.GetTupleElement(b.While(condition, body, init), last), s.Dims)
}

// mapLoop makes the computations of mapStatic's loop over a state of shape s, which has n operands.
func mapLoop(s shape.Shape, c *Computation, n int) (condition, body *Computation, err error) {
	last := len(s.Elems) - 1
	b := NewBuilder("map.condition")
	state := b.Parameter(0, s, "state")
	count := b.scalarOf(shape.S64, s.Elems[last].Dims[0])
	if condition, err = b.Build(b.Lt(b.GetTupleElement(state, 0), count)); err != nil {
		return nil, nil, err
	}
	b = NewBuilder("map.body")
	v := b.elements(b.Parameter(0, s, "state"))
	at := []*Instruction{v[0]}
	args := slices.Clone(v[1:last])
	for i := range n {
		args[i] = b.Reshape(b.DynamicSlice(args[i], at, []int64{1}), nil)
	}
	one := b.Reshape(b.Call(c, args...), []int64{1})
	v[last] = b.DynamicUpdateSlice(v[last], one, at)
	v[0] = b.Add(v[0], b.scalarOf(shape.S64, 1))
	body, err = b.Build(b.Tuple(v...))
	return condition, body, err
}

func inferMap(in *Instruction) (shape.Shape, error) {
	a := in.Attrs.(*MapAttrs)
	if len(in.Operands) == 0 {
		return poison, fmt.Errorf("got no operands, want at least one")
	}
	s, err := sameDims(in) // C1
	if err != nil {
		return poison, err
	}
	for d := range max(s.Rank(), len(a.Dimensions)) { // C3
		if len(a.Dimensions) != s.Rank() || a.Dimensions[d] != int64(d) {
			return poison, fmt.Errorf("dimensions: got %s, want all %d in ascending order", list(a.Dimensions), s.Rank())
		}
	}
	if a.ToApply == nil {
		return poison, fmt.Errorf("computation is missing")
	}
	result := a.ToApply.Root.Shape
	if !result.IsScalar() {
		return poison, fmt.Errorf("computation %s returns %v, want a scalar", a.ToApply.Name, result)
	}
	if err := checkScalarComputation(a.ToApply, scalars(in.OperandShapes()), result); err != nil { // C4
		return poison, err
	}
	return s.WithType(result.Type), nil
}

func evalMap(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	ap, err := e.applier(in.Attrs.(*MapAttrs).ToApply)
	if err != nil {
		return nil, err
	}
	x := make([]literal.Wide, len(args))
	for i, a := range args {
		x[i] = a.Wide()
	}
	s := shape.Array(in.Shape.Type, args[0].Shape().Dims...)
	out := literal.MakeWide(s.Type.Class(), x[0].Len())
	cells, result := make([]Cell, len(args)), make([]Cell, 1)
	for i := range x[0].Len() {
		if err := e.poll(i); err != nil {
			return nil, err
		}
		for k := range x {
			cells[k] = cellAt(x[k], i)
		}
		if err := ap.apply(cells, result); err != nil {
			return nil, err
		}
		setCell(out, i, result[0])
	}
	return literal.FromWide(s, out), nil
}
