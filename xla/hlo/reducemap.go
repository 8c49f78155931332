package hlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// MapAttrs: row 82.
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
// dimensions must be all dimensions in ascending order. staticOperands, of 2017, follow the operands as the computation's
// last parameters and are the same at each place; only scalars are supported. It fails if sizes differ or the computation
// has another signature. Law: row 82, StableHLO map C1 to C4.
func (b *Builder) Map(operands []*Instruction, computation *Computation, dimensions []int64,
	staticOperands ...*Instruction) *Instruction {
	all := slices.Clone(operands)
	for i, s := range staticOperands {
		if !s.Shape.IsScalar() || len(operands) == 0 {
			return b.fail(Map, "static operand %d is %v, want a scalar beside other operands", i, s.Shape)
		}
		all = append(all, b.add(Broadcast, &BroadcastAttrs{}, operands[0].Shape.WithType(s.Shape.Type), s))
	}
	return b.add(Map, &MapAttrs{dimensions, computation}, shape.Shape{}, all...)
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
