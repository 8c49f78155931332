package hlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// ReduceAttrs are the attributes of reduce, row 101.
type ReduceAttrs struct {
	Dimensions []int64
	ToApply    *Computation
}

// Fields lists the attributes.
func (a *ReduceAttrs) Fields() []Field {
	return []Field{{"dimensions", "dimensions", &a.Dimensions, Always}, {"to_apply", "", &a.ToApply, Always}}
}

// Reduce combines the elements of each operand along dimensions with computation, beginning with the init values.
//
//	operands T0[D...] ... TN-1[D...]   initValues T0[] ... TN-1[]   computation (A0..., A0...) -> A0 or (A0, ...)
//
// The result has the dimensions that are left: one array, or a tuple for N > 1. Elements are taken in row-major order
// and the init value stands left of them once. It fails if a dimension is out of range or named twice, the operands'
// sizes differ, an init value is no scalar of its operand's type or the computation has other parameters or results;
// the computation's types may be wider than the operands'. Law: row 101, StableHLO reduce C1 to C8.
func (b *Builder) Reduce(operands, initValues []*Instruction, computation *Computation,
	dimensions ...int64) *Instruction {
	return b.add(Reduce, &ReduceAttrs{dimensions, computation}, shape.Shape{}, slices.Concat(operands, initValues)...)
}

// ReduceAll is Reduce of one operand along all its dimensions.
//
//	operand T[D...]   initValue T[]   computation (A, A) -> A   result A[]
//
// It fails as Reduce does. Law: row 101.
func (b *Builder) ReduceAll(operand, initValue *Instruction, computation *Computation) *Instruction {
	b.present(Reduce, &operand)
	dims := make([]int64, operand.Shape.Rank())
	for d := range dims {
		dims[d] = int64(d)
	}
	return b.Reduce([]*Instruction{operand}, []*Instruction{initValue}, computation, dims...)
}

func inferReduce(in *Instruction) (shape.Shape, error) {
	a := in.Attrs.(*ReduceAttrs)
	s, types, err := checkReduction(in, a.ToApply)
	if err != nil {
		return poison, err
	}
	if err := checkDims("dimensions", a.Dimensions, s.Rank(), true, false); err != nil { // C4, C5
		return poison, err
	}
	return resultOf(dropDims(s, a.Dimensions), types), nil // C7, C8
}

// checkReduction checks the operands of in, N inputs and N init values, and the reducer c. It returns the dimensions
// that the inputs share and the types of the results.
func checkReduction(in *Instruction, c *Computation) (shape.Shape, []shape.ElementType, error) {
	n := len(in.Operands) / 2
	if n == 0 || len(in.Operands)%2 != 0 { // C3
		return poison, nil, fmt.Errorf("got %d operands, want as many init values as inputs, at least one", len(in.Operands))
	}
	if err := checkArrays(in); err != nil {
		return poison, nil, err
	}
	s := in.Operands[0].Shape.WithoutLayout()
	for i, o := range in.Operands[:n] { // C1
		var ok bool
		if s, ok = joinDims(s, o.Shape); !ok {
			return poison, nil, fmt.Errorf("sizes differ: input 0 is %v, input %d is %v", in.Operands[0].Shape, i, o.Shape)
		}
	}
	for i, o := range in.Operands[n:] { // C2
		if t := in.Operands[i].Shape.Type; !o.Shape.IsScalar() || o.Shape.Type != t {
			return poison, nil, fmt.Errorf("init value %d is %v, want %v", i, o.Shape, shape.Array(t))
		}
	}
	types, err := checkReducer(c, in.Operands[:n])
	return s, types, err
}

// checkReducer checks that c takes accumulators and values of inputs, of the inputs' types or wider ones, and returns
// accumulators. It returns the accumulators' types. StableHLO reduce C6.
func checkReducer(c *Computation, inputs []*Instruction) ([]shape.ElementType, error) {
	if c == nil {
		return nil, fmt.Errorf("computation is missing")
	}
	n := len(inputs)
	if len(c.Parameters) != 2*n {
		return nil, fmt.Errorf("computation %s takes %d parameters, want %d", c.Name, len(c.Parameters), 2*n)
	}
	types := make([]shape.ElementType, n)
	params, results := make([]shape.Shape, 2*n), make([]shape.Shape, n)
	for i, in := range inputs {
		t := c.Parameters[i].Shape.Type
		if !promotable(in.Shape.Type, t) {
			return nil, fmt.Errorf("computation %s: parameter %d is %v, want a scalar of type %v or wider",
				c.Name, i, c.Parameters[i].Shape, in.Shape.Type)
		}
		types[i], results[i] = t, shape.Array(t)
		params[i], params[n+i] = results[i], results[i]
	}
	return types, checkScalarComputation(c, params, results...)
}

// promotable reports whether an operand of type from may be reduced in type to: the same kind of number and not
// narrower. StableHLO is_promotable.
func promotable(from, to shape.ElementType) bool {
	same := from.IsInteger() && to.IsInteger() || from.Class() == to.Class()
	return from.IsArray() && same && from.Bits() <= to.Bits()
}

// dropDims returns s without the dimensions dims.
func dropDims(s shape.Shape, dims []int64) shape.Shape {
	out := shape.Shape{Type: s.Type}
	for d := range s.Dims {
		if !slices.Contains(dims, int64(d)) {
			out = appendDim(out, s, d)
		}
	}
	return out
}

// appendDim returns out with dimension d of s appended.
func appendDim(out, s shape.Shape, d int) shape.Shape {
	out.Dims = append(out.Dims, s.Dims[d])
	if dynamic := s.IsDynamicDim(d); dynamic || out.Dynamic != nil {
		for len(out.Dynamic) < len(out.Dims)-1 {
			out.Dynamic = append(out.Dynamic, out.Dims[len(out.Dynamic)] == shape.Unbounded)
		}
		out.Dynamic = append(out.Dynamic, dynamic)
	}
	return out
}

// resultOf returns the array of s's dimensions of the one type, or the tuple of such arrays of several types.
func resultOf(s shape.Shape, types []shape.ElementType) shape.Shape {
	if len(types) == 1 {
		return s.WithType(types[0])
	}
	elems := make([]shape.Shape, len(types))
	for i, t := range types {
		elems[i] = s.WithType(t)
	}
	return shape.TupleOf(elems...)
}
