package hlo

import (
	"math/bits"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// moved returns an array of shape s into which the elements of src were copied along axes from element srcAt on.
func (e *Evaluator) moved(s shape.Shape, src *literal.Literal, srcAt int64, axes []axis) (*literal.Literal, error) {
	out, err := e.array(s)
	if err != nil {
		return nil, err
	}
	newCopier(s.Type.Bytes(), axes).copy(out.Bytes(), src.Bytes(), 0, srcAt)
	return out, nil
}

func evalBroadcast(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return e.broadcast(args[0], in.Shape, in.Attrs.(*BroadcastAttrs).Dimensions)
}

// broadcast spreads l over the shape s: dimension i of l is dimension dims[i] of s; sizes of 1 stretch.
func (e *Evaluator) broadcast(l *literal.Literal, s shape.Shape, dims []int64) (*literal.Literal, error) {
	axes, to, from := make([]axis, len(s.Dims)), shape.Strides(s.Dims), shape.Strides(l.Shape().Dims)
	for d, n := range s.Dims {
		axes[d] = axis{n: n, dst: to[d]}
	}
	for i, d := range dims {
		if l.Shape().Dims[i] != 1 {
			axes[d].src = from[i]
		}
	}
	return e.moved(s, l, 0, axes)
}

func evalReshape(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return args[0].WithShape(shape.Array(in.Shape.Type, in.Shape.Dims...))
}

func evalTranspose(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return e.transpose(args[0], in.Attrs.(*TransposeAttrs).Dimensions)
}

// transpose returns the array whose dimension i is dimension perm[i] of l.
func (e *Evaluator) transpose(l *literal.Literal, perm []int64) (*literal.Literal, error) {
	dims := make([]int64, len(perm))
	for i, d := range perm {
		dims[i] = l.Shape().Dims[d]
	}
	axes, to, from := make([]axis, len(perm)), shape.Strides(dims), shape.Strides(l.Shape().Dims)
	for i, d := range perm {
		axes[i] = axis{dims[i], to[i], from[d]}
	}
	return e.moved(shape.Array(l.Shape().Type, dims...), l, 0, axes)
}

func evalReverse(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	dims := args[0].Shape().Dims
	axes, start := make([]axis, len(dims)), int64(0)
	for d, s := range shape.Strides(dims) {
		axes[d] = axis{dims[d], s, s}
	}
	for _, d := range in.Attrs.(*ReverseAttrs).Dimensions {
		start += (dims[d] - 1) * axes[d].src
		axes[d].src = -axes[d].src
	}
	return e.moved(args[0].Shape(), args[0], start, axes)
}

func evalConcatenate(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	out, err := e.array(in.Shape)
	if err != nil {
		return nil, err
	}
	dim, at := int(in.Attrs.(*ConcatenateAttrs).Dimension), int64(0)
	to := shape.Strides(in.Shape.Dims)
	for _, a := range args {
		place(out, a, at, to)
		at += a.Shape().Dims[dim] * to[dim]
	}
	return out, nil
}

// place copies all of l into out from element at on, whose neighbours are the distances to apart.
func place(out, l *literal.Literal, at int64, to []int64) {
	dims := l.Shape().Dims
	axes := make([]axis, len(dims))
	for d, s := range shape.Strides(dims) {
		axes[d] = axis{dims[d], to[d], s}
	}
	newCopier(l.Shape().Type.Bytes(), axes).copy(out.Bytes(), l.Bytes(), at, 0)
}

func evalPad(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return e.pad(args[0], args[1], in.Shape, in.Attrs.(*PadAttrs).Padding)
}

// pad returns an array of shape s with the elements of l where padding puts them and the scalar value elsewhere.
func (e *Evaluator) pad(l, value *literal.Literal, s shape.Shape, padding Padding) (*literal.Literal, error) {
	out, err := e.broadcast(value, s, nil)
	if err != nil {
		return nil, err
	}
	dims, to, from := l.Shape().Dims, shape.Strides(s.Dims), shape.Strides(l.Shape().Dims)
	axes := make([]axis, len(dims))
	dst, src := int64(0), int64(0)
	for d, p := range padding {
		step := p.Interior + 1
		first := ceilDiv(max(-p.Low, 0), step) // elements before the result
		last := int64(-1)                      // the last element in it
		if room := s.Dims[d] - 1 - p.Low; room >= 0 {
			last = min(room/step, dims[d]-1)
		}
		axes[d] = axis{max(last-first+1, 0), step * to[d], from[d]}
		dst, src = dst+(p.Low+first*step)*to[d], src+first*from[d]
	}
	newCopier(s.Type.Bytes(), axes).copy(out.Bytes(), l.Bytes(), dst, src)
	return out, nil
}

// ceilDiv returns a/b rounded up, for a >= 0 and b > 0.
func ceilDiv(a, b int64) int64 { return a/b + min(a%b, 1) }

func evalIota(e *Evaluator, in *Instruction, _ []*literal.Literal) (*literal.Literal, error) {
	return e.iota(in.Shape, in.Attrs.(*IotaAttrs).Dimension)
}

// iota returns the array of shape s whose elements are their indices along dim.
func (e *Evaluator) iota(s shape.Shape, dim int64) (*literal.Literal, error) {
	n := s.Dims[dim]
	line := shape.Array(s.Type, n)
	if _, err := e.array(line); err != nil {
		return nil, err
	}
	w := literal.MakeWide(s.Type.Class(), int(n))
	for i := range int(n) {
		switch w.Class {
		case shape.SignedClass:
			w.I[i] = int64(i)
		case shape.UnsignedClass:
			w.U[i] = uint64(i)
		case shape.FloatClass:
			w.F[i] = float64(i)
		default:
			w.C[i] = complex(float64(i), 0)
		}
	}
	return e.broadcast(literal.FromWide(line, w), s, []int64{dim})
}

// indices returns the elements of an array of integers or predicates; unsigned ones beyond an int64 become the largest.
func indices(l *literal.Literal) []int64 {
	w := l.Wide()
	switch w.Class {
	case shape.SignedClass:
		return w.I
	case shape.PredClass:
		out := make([]int64, len(w.B))
		for i := range w.B {
			out[i] = cellAt(w, i).I
		}
		return out
	}
	out := make([]int64, len(w.U))
	for i, v := range w.U {
		if out[i] = int64(v); bits.LeadingZeros64(v) == 0 {
			out[i] = 1<<63 - 1
		}
	}
	return out
}
