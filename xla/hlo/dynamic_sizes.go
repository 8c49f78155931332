package hlo

import (
	"slices"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// A value with bounded dimensions is an array of its real sizes, or a whole array up to the bounds with the sizes
// beside it. The whole one is what set-dimension-size makes and elementwise ops keep: a program that sets the size back
// to the bound finds what lay beyond, as it does on XLA's backends. All other ops get arrays of the real sizes.

// carriers are the ops that hand on whole arrays with their sizes as they are.
var carriers = [NumOps]bool{
	AddDependency: true, Call: true, Conditional: true, Copy: true, Domain: true, Fusion: true, GetDimensionSize: true,
	GetTupleElement: true, OptimizationBarrier: true, Parameter: true, SetDimensionSize: true, Tuple: true, While: true,
}

// evalDynamic evaluates an instruction with dynamic dimensions.
func (e *Evaluator) evalDynamic(in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	if carriers[in.Op] {
		return e.evalConcrete(in, args)
	}
	sizes := wholeSizes(in, args)
	args = slices.Clone(args)
	for i, a := range args {
		if sizes == nil {
			args[i] = cropped(a)
		} else {
			args[i] = unsized(a)
		}
	}
	v, err := e.evalConcrete(in, args)
	if err != nil {
		return nil, err
	}
	for d, n := range sizes {
		v.SetDynamicSize(d, n)
	}
	return v, nil
}

func (e *Evaluator) evalConcrete(in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	in, args, err := concrete(in, args)
	if err != nil {
		return nil, err
	}
	return in.Op.Info().Eval(e, in, args)
}

// wholeSizes returns the sizes at run time of an elementwise op on whole arrays; nil for other ops and arrays.
func wholeSizes(in *Instruction, args []*literal.Literal) []int64 {
	if in.Op.Info().Traits&Elementwise == 0 {
		return nil
	}
	var sizes []int64
	for _, a := range args {
		if !slices.Equal(a.Shape().Dims, args[0].Shape().Dims) {
			return nil
		}
		if sizes == nil {
			sizes = a.DynamicSizes()
		}
	}
	return sizes
}

// cropped returns l with whole arrays cut to their sizes at run time, those of tuples too.
func cropped(l *literal.Literal) *literal.Literal {
	if !l.Shape().IsTuple() {
		return l.Cropped()
	}
	elems := make([]*literal.Literal, len(l.Elems()))
	for i, e := range l.Elems() {
		elems[i] = cropped(e)
	}
	return literal.NewTuple(elems...)
}

// unsized returns the whole array l without its sizes; l itself if it has none.
func unsized(l *literal.Literal) *literal.Literal {
	if l.DynamicSizes() == nil {
		return l
	}
	whole, err := l.WithShape(shape.Array(l.Shape().Type, l.Shape().Dims...))
	if err != nil {
		panic("hlo: bug: " + err.Error())
	}
	return whole
}

func evalGetDimensionSize(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	dim, dims := in.Attrs.(*DimensionAttrs).Dimension, args[0].Shape().Dims
	if s := args[0].DynamicSizes(); s != nil {
		dims = s
	}
	return literal.Scalar(int32(dims[dim])), nil
}

// evalSetDimensionSize keeps the whole array and the sizes of its other dimensions.
func evalSetDimensionSize(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	dim := int(in.Attrs.(*DimensionAttrs).Dimension)
	n, bound := indices(args[1])[0], in.Shape.Dims[dim]
	if bound == shape.Unbounded {
		bound = args[0].Shape().Dims[dim]
	}
	switch {
	case n < 0 || n > bound: // row 108
		return nil, errorf(in, "size of dimension %d at run time: got %d, want 0 to %d", dim, n, bound)
	case !in.Shape.IsDynamicDim(dim):
		n = bound
	}
	whole := resized(unsized(args[0]), dim, bound)
	out, err := whole.WithShape(whole.Shape())
	if err != nil {
		return nil, err
	}
	for d, size := range args[0].DynamicSizes() {
		if d != dim {
			out.SetDynamicSize(d, size)
		}
	}
	out.SetDynamicSize(dim, n)
	return out, nil
}
