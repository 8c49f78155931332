package hlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// ScanAttrs: ToApply takes M elements and K carries and gives N outputs and K carries; it runs along Dimension.
type ScanAttrs struct {
	Dimension     int64
	NumCarries    int64
	IsReverse     bool
	IsAssociative bool
	ToApply       *Computation
}

// Fields lists the attributes.
func (a *ScanAttrs) Fields() []Field {
	return []Field{
		{"dimensions", "dimension", (*OneDim)(&a.Dimension), Always},
		{"num_carries", "", &a.NumCarries, Set},
		{"is_reverse", "is_reverse", &a.IsReverse, Set},
		{"is_associative", "is_associative", &a.IsAssociative, Set},
		{"to_apply", "", &a.ToApply, Always},
	}
}

// Scan runs computation along a dimension of the inputs, from its last index to its first if reverse.
//
//	inputs Ti[..., S, ...]   inits Cj[...]   computation (Ti[...]..., Cj...) -> (Uk[...]..., Cj...)
//
// The result has the outputs of all steps along the same dimension, Uk[..., S, ...], and the last carries. associative
// says that steps may be combined in any grouping. It fails if the inputs' sizes along the dimension differ or the
// computation has another signature. Law: section 5.1, line 13.
func (b *Builder) Scan(inputs, inits []*Instruction, computation *Computation, dimension int64,
	reverse, associative bool) *Instruction {
	a := &ScanAttrs{dimension, int64(len(inits)), reverse, associative, computation}
	return b.add(Scan, a, shape.Shape{}, slices.Concat(inputs, inits)...)
}

func inferScan(in *Instruction) (shape.Shape, error) {
	a := in.Attrs.(*ScanAttrs)
	m := len(in.Operands) - int(a.NumCarries)
	if a.NumCarries < 0 || m < 1 {
		return poison, fmt.Errorf("got %d operands with %d carries, want at least one input", len(in.Operands), a.NumCarries)
	}
	if a.ToApply == nil {
		return poison, fmt.Errorf("computation is missing")
	}
	params, result := a.ToApply.ProgramShape()
	if len(params) != len(in.Operands) {
		return poison, fmt.Errorf("computation %s takes %d parameters, want %d", a.ToApply.Name, len(params),
			len(in.Operands))
	}
	size, err := scanSize(in, a, m)
	if err != nil {
		return poison, err
	}
	for i, o := range in.Operands {
		want := o.Shape
		if i < m {
			want = dropDims(o.Shape, []int64{a.Dimension})
		}
		if !compatible(params[i], want) {
			return poison, fmt.Errorf("computation %s: parameter %d is %v, want %v", a.ToApply.Name, i, params[i], want)
		}
	}
	return scanResult(in, a, m, size, result)
}

// scanSize returns the shape of rank 1 that has the size the first m operands of in share along the scan's dimension.
func scanSize(in *Instruction, a *ScanAttrs, m int) (shape.Shape, error) {
	var size shape.Shape
	for i, o := range in.Operands[:m] {
		if !o.Shape.IsArray() {
			return poison, fmt.Errorf("input %d: got %v, want an array", i, o.Shape)
		}
		if err := checkDim("dimension", a.Dimension, o.Shape); err != nil {
			return poison, err
		}
		n := appendDim(shape.Shape{}, o.Shape, int(a.Dimension))
		if i == 0 {
			size = n
		}
		var ok bool
		if size, ok = joinDims(size, n); !ok {
			return poison, fmt.Errorf("sizes along dimension %d differ: input 0 is %v, input %d is %v",
				a.Dimension, in.Operands[0].Shape, i, o.Shape)
		}
	}
	return size, nil
}

func scanResult(in *Instruction, a *ScanAttrs, m int, size, result shape.Shape) (shape.Shape, error) {
	elems := result.Elems
	if !result.IsTuple() {
		elems = []shape.Shape{result}
	}
	n := len(elems) - int(a.NumCarries)
	if n < 0 {
		return poison, fmt.Errorf("computation %s returns %v, want %d carries at the end", a.ToApply.Name, result,
			a.NumCarries)
	}
	out := make([]shape.Shape, len(elems))
	for i, s := range elems {
		if i >= n {
			want := in.Operands[m+i-n].Shape
			if !compatible(s, want) {
				return poison, fmt.Errorf("computation %s: carry %d is %v, want %v", a.ToApply.Name, i-n, s, want)
			}
			out[i] = s.WithoutLayout()
			continue
		}
		if !s.IsArray() || int(a.Dimension) > s.Rank() {
			return poison, fmt.Errorf("computation %s: output %d is %v, want an array of rank %d or more",
				a.ToApply.Name, i, s, a.Dimension)
		}
		out[i] = insertDim(s, size, int(a.Dimension))
	}
	if !result.IsTuple() {
		return out[0], nil
	}
	return shape.TupleOf(out...), nil
}

// insertDim returns s with the dimension of size, of rank 1, inserted before dimension d.
func insertDim(s, size shape.Shape, d int) shape.Shape {
	out := shape.Shape{Type: s.Type}
	for i := range s.Rank() + 1 {
		switch {
		case i < d:
			out = appendDim(out, s, i)
		case i == d:
			out = appendDim(out, size, 0)
		default:
			out = appendDim(out, s, i-1)
		}
	}
	return out
}

func evalScan(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := in.Attrs.(*ScanAttrs)
	m, d := len(args)-int(a.NumCarries), int(a.Dimension)
	size := args[0].Shape().Dims[d]
	params := slices.Clone(args)
	var outs []*literal.Literal
	for step := range size {
		at := step
		if a.IsReverse {
			at = size - 1 - step
		}
		for i, x := range args[:m] {
			params[i] = takeIndex(x, d, at)
		}
		r, err := e.Call(a.ToApply, params)
		if err != nil {
			return nil, err
		}
		elems := tupleElems(r)
		n := len(elems) - int(a.NumCarries)
		if step == 0 {
			if outs, err = e.scanRoom(elems[:n], d, size); err != nil {
				return nil, err
			}
		}
		for i, x := range elems[:n] {
			putIndex(outs[i], x, d, at)
		}
		copy(params[m:], elems[n:])
	}
	if size == 0 {
		outs = scanEmpty(in.Shape, int(a.NumCarries))
	}
	elems := append(outs, params[m:]...)
	if !in.Shape.IsTuple() {
		return elems[0], nil
	}
	return literal.NewTuple(elems...), nil
}

func tupleElems(l *literal.Literal) []*literal.Literal {
	if l.Shape().IsTuple() {
		return l.Elems()
	}
	return []*literal.Literal{l}
}

// scanRoom returns room for size outputs like those of the first step.
func (e *Evaluator) scanRoom(first []*literal.Literal, d int, size int64) ([]*literal.Literal, error) {
	outs := make([]*literal.Literal, len(first))
	for i, x := range first {
		var err error
		if outs[i], err = e.array(insertDim(x.Shape(), shape.Array(shape.S64, size), d)); err != nil {
			return nil, err
		}
	}
	return outs, nil
}

// scanEmpty returns the outputs of a scan of no steps.
func scanEmpty(s shape.Shape, carries int) []*literal.Literal {
	elems := s.Elems
	if !s.IsTuple() {
		elems = []shape.Shape{s}
	}
	var outs []*literal.Literal
	for _, x := range elems[:len(elems)-carries] {
		outs = append(outs, literal.Zeros(x.WithoutLayout().Static()))
	}
	return outs
}

// takeIndex returns the slice of x at index i of dimension d, without that dimension.
func takeIndex(x *literal.Literal, d int, i int64) *literal.Literal {
	out := literal.Zeros(dropDims(x.Shape(), []int64{int64(d)}))
	moveIndex(out.Bytes(), x.Bytes(), x.Shape(), d, i, func(part, whole []byte) { copy(part, whole) })
	return out
}

// putIndex makes part the slice of x at index i of dimension d.
func putIndex(x, part *literal.Literal, d int, i int64) {
	moveIndex(part.Bytes(), x.Bytes(), x.Shape(), d, i, func(part, whole []byte) { copy(whole, part) })
}

func moveIndex(part, whole []byte, s shape.Shape, d int, i int64, move func(part, whole []byte)) {
	row := s.Type.Bytes()
	for _, n := range s.Dims[d+1:] {
		row *= int(n)
	}
	if row == 0 {
		return
	}
	stride, first := row*int(s.Dims[d]), row*int(i)
	for k := range len(part) / row {
		move(part[k*row:(k+1)*row], whole[k*stride+first:][:row])
	}
}
