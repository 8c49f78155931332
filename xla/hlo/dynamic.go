package hlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// ownSizes are the ops that take the sizes of their results from their operands' values or from the computations they
// call, and those to which sizes mean nothing. They see the shape that the program declares.
var ownSizes = [NumOps]bool{
	AddDependency: true, AfterAll: true, AsyncDone: true, AsyncStart: true, AsyncUpdate: true, Call: true,
	Conditional: true, Constant: true, Copy: true, CopyDone: true, CopyStart: true, CustomCall: true, Domain: true,
	DynamicBroadcastInDim: true, DynamicConvolution: true, DynamicGather: true, DynamicIota: true, DynamicPad: true,
	DynamicReshape: true, Fusion: true, GetDimensionSize: true, GetTupleElement: true, Infeed: true,
	OptimizationBarrier: true, Outfeed: true, Parameter: true, RealDynamicSlice: true, Recv: true, RecvDone: true,
	Send: true, SendDone: true, SetDimensionSize: true, Tuple: true, While: true,
}

// concrete returns a copy of in, an instruction with dynamic dimensions, for operands of the sizes that args have: its
// shapes are static, those of the ops in ownSizes excepted. The arguments come back cropped where a dynamic dimension
// meets a static one: what lies beyond the size at run time counts for nothing.
func concrete(in *Instruction, args []*literal.Literal) (*Instruction, []*literal.Literal, error) {
	args = cropShared(in, args)
	c := *in
	c.Operands = make([]*Instruction, len(args))
	for i, o := range in.Operands {
		real := *o
		real.Shape = args[i].Shape().WithoutLayout()
		c.Operands[i] = &real
	}
	if ownSizes[in.Op] {
		return &c, args, nil
	}
	return &c, args, c.settle(in)
}

// settle gives c, a copy of in on operands of static shapes, a static shape.
func (c *Instruction) settle(in *Instruction) (err error) {
	c.Attrs = concreteAttrs(in, c.Operands)
	if c.Shape, err = guess(in, c.Operands); err != nil {
		return errorf(in, "%w", err)
	}
	if c.Shape, err = Infer(c); err != nil {
		return err
	}
	if c.Shape.IsDynamic() {
		return errorf(in, "sizes of the result %v stay unknown at run time", c.Shape)
	}
	return nil
}

// guess returns what in is told its shape is, with real sizes. Most ops infer theirs and take the element type from it.
func guess(in *Instruction, operands []*Instruction) (shape.Shape, error) {
	switch in.Op {
	case Reshape:
		return realReshape(in, operands[0].Shape)
	case Broadcast:
		return realBroadcast(in, operands[0].Shape), nil
	}
	var like shape.Shape
	if len(operands) > 0 {
		like = operands[0].Shape
	}
	return realLike(in.Shape, like), nil
}

// realLike returns s with the dynamic sizes of the same dimensions of like, or their bounds where like has no such
// ones.
func realLike(s, like shape.Shape) shape.Shape {
	out := shape.Shape{Type: s.Type, Dims: slices.Clone(s.Dims)}
	for d := range s.Dims {
		if s.IsDynamicDim(d) && d < len(like.Dims) {
			out.Dims[d] = like.Dims[d]
		}
	}
	for _, e := range s.Elems {
		out.Elems = append(out.Elems, realLike(e, like))
	}
	return out
}

func realBroadcast(in *Instruction, operand shape.Shape) shape.Shape {
	out := realLike(in.Shape, shape.Shape{})
	declared := in.Operands[0].Shape
	for i, d := range in.Attrs.(*BroadcastAttrs).Dimensions {
		if declared.IsDynamicDim(i) && in.Shape.IsDynamicDim(int(d)) {
			out.Dims[d] = operand.Dims[i]
		}
	}
	return out
}

// realReshape returns the sizes of a reshape's result. Each dynamic dimension of it gets what its share of the
// operand's dimensions leaves, shares being the shortest runs of dimensions with the same numbers of elements on both
// sides.
func realReshape(in *Instruction, operand shape.Shape) (shape.Shape, error) {
	declared, out := in.Operands[0].Shape, realLike(in.Shape, shape.Shape{})
	dynamic := func(d int) bool { return in.Shape.IsDynamicDim(d) }
	if f := in.Attrs.(*ReshapeAttrs).InferredDimension; f.Set {
		dynamic = func(d int) bool { return int64(d) == f.Value }
	}
	all := share{0, len(operand.Dims), 0, len(out.Dims)}
	if all.solve(operand, out, dynamic) {
		return out, nil
	}
	for _, g := range shares(declared, in.Shape) {
		if !g.solve(operand, out, dynamic) {
			return out, fmt.Errorf("reshape of %v to %v at run time: cannot tell the sizes of the result %v", declared,
				in.Shape, operand)
		}
	}
	return out, nil
}

// share is a run of operand dimensions and the run of result dimensions that has their elements.
type share struct{ from, to, outFrom, outTo int }

// solve fills in the size of the one dynamic dimension among the result's and reports whether there is at most one.
func (g share) solve(operand, out shape.Shape, dynamic func(int) bool) bool {
	count, known, at := int64(1), int64(1), -1
	for _, n := range operand.Dims[g.from:g.to] {
		count *= n
	}
	for d := g.outFrom; d < g.outTo; d++ {
		switch {
		case !dynamic(d):
			known *= out.Dims[d]
		case at >= 0:
			return false
		default:
			at = d
		}
	}
	if at >= 0 {
		if known == 0 || count%known != 0 {
			return false
		}
		out.Dims[at] = count / known
	}
	return true
}

// shares splits the dimensions of two shapes with the same number of elements into the shortest runs that match.
func shares(a, b shape.Shape) []share {
	var out []share
	for i, j := 0, 0; i < len(a.Dims) || j < len(b.Dims); {
		g := share{from: i, outFrom: j}
		m, n := int64(1), int64(1)
		for first := true; first || m != n; first = false {
			switch {
			case i < len(a.Dims) && (first || m < n || j == len(b.Dims)):
				m *= a.Dims[i]
				i++
				if first && j < len(b.Dims) {
					n *= b.Dims[j]
					j++
				}
			case j < len(b.Dims):
				n *= b.Dims[j]
				j++
			default:
				return []share{{0, len(a.Dims), 0, len(b.Dims)}}
			}
		}
		g.to, g.outTo = i, j
		out = append(out, g)
	}
	return out
}

// concreteAttrs returns in's attributes with sizes that name a whole dynamic dimension cut to its real size.
func concreteAttrs(in *Instruction, operands []*Instruction) Attrs {
	if len(operands) == 0 || !in.Operands[0].Shape.IsArray() {
		return in.Attrs
	}
	real := operands[0].Shape.Dims
	cut := func(sizes []int64) []int64 {
		out := slices.Clone(sizes)
		for d := range out {
			out[d] = min(out[d], real[d])
		}
		return out
	}
	switch a := in.Attrs.(type) {
	case *DynamicSliceAttrs:
		return &DynamicSliceAttrs{Sizes: cut(a.Sizes)}
	case *GatherAttrs:
		b := *a
		b.SliceSizes = cut(a.SliceSizes)
		return &b
	case *SliceAttrs:
		s := slices.Clone(a.Slice)
		for d := range s {
			s[d].Limit = min(s[d].Limit, real[d])
			s[d].Start = min(s[d].Start, s[d].Limit)
		}
		return &SliceAttrs{Slice: s}
	}
	return in.Attrs
}

// operandDim is dimension Dim of operand Operand.
type operandDim struct{ operand, dim int }

// cropShared cuts the operands of an op whose dimensions must be alike to their smallest real size, where at least one
// of them is bounded and none has an unknown size.
func cropShared(in *Instruction, args []*literal.Literal) []*literal.Literal {
	cropped := false
	for _, group := range sharedDims(in) {
		smallest, bounded, unknown := int64(-1), false, false
		for _, g := range group {
			s := in.Operands[g.operand].Shape
			bounded = bounded || s.IsDynamicDim(g.dim)
			unknown = unknown || isUnknown(s, g.dim)
			if n := args[g.operand].Shape().Dims[g.dim]; smallest < 0 || n < smallest {
				smallest = n
			}
		}
		if !bounded || unknown {
			continue
		}
		for _, g := range group {
			if args[g.operand].Shape().Dims[g.dim] == smallest {
				continue
			}
			if !cropped {
				args, cropped = slices.Clone(args), true
			}
			args[g.operand] = resized(args[g.operand], g.dim, smallest)
		}
	}
	return args
}

// sharedDims returns the groups of operand dimensions that the op wants to be alike.
func sharedDims(in *Instruction) [][]operandDim {
	switch a := in.Attrs.(type) {
	case *DotAttrs:
		var out [][]operandDim
		for _, p := range [][2][]int64{{a.LHSContracting, a.RHSContracting}, {a.LHSBatch, a.RHSBatch}} {
			for i := range min(len(p[0]), len(p[1])) {
				out = append(out, []operandDim{{0, int(p[0][i])}, {1, int(p[1][i])}})
			}
		}
		return out
	case *ScatterAttrs:
		return scatterDims(in, a.dims())
	case *ConcatenateAttrs:
		return alike(in.Operands, int(a.Dimension))
	case *ReduceAttrs, *ReduceWindowAttrs, *ScanAttrs:
		return alike(in.Operands[:len(in.Operands)/2], -1)
	case *SortAttrs, *MapAttrs:
		return alike(in.Operands, -1)
	}
	if in.Op.Info().Traits&Elementwise != 0 {
		return alike(in.Operands, -1)
	}
	return nil
}

// scatterDims groups the dimensions of a scatter's indices with those of its updates that follow them.
func scatterDims(in *Instruction, g indexDims) [][]operandDim {
	n := len(in.Operands) / 2
	starts := g.startDims(in.Operands[n].Shape.Rank())
	var out [][]operandDim
	for i, d := range g.batchDims(in.Operands[n+1].Shape.Rank()) {
		group := []operandDim{{n, int(starts[i])}}
		for k := n + 1; k < len(in.Operands); k++ {
			group = append(group, operandDim{k, int(d)})
		}
		out = append(out, group)
	}
	return out
}

// alike groups all dimensions but except of the operands that have the highest rank.
func alike(operands []*Instruction, except int) [][]operandDim {
	rank := 0
	for _, o := range operands {
		rank = max(rank, o.Shape.Rank())
	}
	out := make([][]operandDim, 0, rank)
	for d := range rank {
		var group []operandDim
		for i, o := range operands {
			if o.Shape.Rank() == rank && d != except {
				group = append(group, operandDim{i, d})
			}
		}
		out = append(out, group)
	}
	return out
}

// resized returns l with n elements in dimension dim: the first ones, or all and zeros after them.
func resized(l *literal.Literal, dim int, n int64) *literal.Literal {
	dims := slices.Clone(l.Shape().Dims)
	if dims[dim] == n {
		return l
	}
	dims[dim] = n
	out := literal.Zeros(shape.Array(l.Shape().Type, dims...))
	axes, to, from := make([]axis, len(dims)), shape.Strides(dims), shape.Strides(l.Shape().Dims)
	for d := range dims {
		axes[d] = axis{min(dims[d], l.Shape().Dims[d]), to[d], from[d]}
	}
	newCopier(l.Shape().Type.Bytes(), axes).copy(out.Bytes(), l.Bytes(), 0, 0)
	return out
}
