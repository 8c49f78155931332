package hlo

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// toldArray returns the result shape that the program says, which must be an array of the element type t and of known
// size.
func toldArray(in *Instruction, t shape.ElementType) (shape.Shape, error) {
	s := in.Shape.WithoutLayout()
	switch {
	case !s.IsArray():
		return poison, fmt.Errorf("result shape: got %v, want an array", s)
	case s.Type != t: // C1
		return poison, fmt.Errorf("element types differ: operand is %v, result is %v", t, s.Type)
	}
	return s, checkCount(s)
}

// checkCount fails if a dimension of s is negative or the number of its elements overflows; unknown sizes count as 1.
func checkCount(s shape.Shape) error {
	dims := make([]int64, len(s.Dims))
	for d, n := range s.Dims {
		if dims[d] = n; n == shape.Unbounded {
			dims[d] = 1
		} else if n < 0 {
			return fmt.Errorf("size of dimension %d: got %d, want 0 or more", d, n)
		}
	}
	if n, ok := shape.Array(s.Type, dims...).CheckedSize(); !ok || n > math.MaxInt64/16 {
		return fmt.Errorf("result shape %v has too many elements", s)
	}
	return nil
}

// dimList is the dimensions of a shape in the making. Dynamic stays nil until a dimension is bounded.
type dimList struct{ s shape.Shape }

func newDimList(t shape.ElementType, rank int) dimList {
	return dimList{shape.Shape{Type: t, Dims: make([]int64, 0, rank)}}
}

func (l *dimList) add(n int64, dynamic bool) {
	if dynamic = dynamic && n != shape.Unbounded; dynamic && l.s.Dynamic == nil {
		l.s.Dynamic = make([]bool, len(l.s.Dims), cap(l.s.Dims))
	}
	if l.s.Dims = append(l.s.Dims, n); l.s.Dynamic != nil {
		l.s.Dynamic = append(l.s.Dynamic, dynamic)
	}
}

func (l *dimList) addOf(s shape.Shape, d int64) { l.add(s.Dims[d], s.IsDynamicDim(int(d))) }

// shape returns the shape; Dynamic is nil if no dimension is bounded.
func (l *dimList) shape() shape.Shape { return l.s }

// isUnknown reports whether dimension d of s has a size that only the run tells.
func isUnknown(s shape.Shape, d int) bool { return s.Dims[d] == shape.Unbounded }

func inferBroadcast(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil { // row 55
		return poison, err
	}
	operand, dims := in.Operands[0].Shape, in.Attrs.(*BroadcastAttrs).Dimensions
	out, err := toldArray(in, operand.Type)
	if err != nil {
		return poison, err
	}
	if err := checkBroadcastDims(operand, out, dims); err != nil {
		return poison, err
	}
	for d := range out.Dims { // a size nobody knows must come from somewhere
		if isUnknown(out, d) && !isSource(operand, dims, d) {
			return poison, fmt.Errorf("size of dimension %d of the result %v is unknown, want it known", d, out)
		}
	}
	return out, nil
}

// isSource reports whether an operand dimension of unknown size is mapped to result dimension d.
func isSource(operand shape.Shape, dims []int64, d int) bool {
	for i, to := range dims {
		if int(to) == d && isUnknown(operand, i) {
			return true
		}
	}
	return false
}

// checkBroadcastDims checks that dims maps each dimension of operand to one of out that has its size, or any if it is
// 1.
func checkBroadcastDims(operand, out shape.Shape, dims []int64) error {
	if len(dims) != len(operand.Dims) { // C2
		return fmt.Errorf("got %d broadcast dimensions %s, want %d, the rank of %v", len(dims), list(dims),
			len(operand.Dims), operand)
	}
	if err := checkDims("broadcast dimensions", dims, len(out.Dims), true, false); err != nil { // C3, C4
		return err
	}
	for i, d := range dims {
		one := operand.Dims[i] == 1 && !operand.IsDynamicDim(i)
		if !one && !compatibleDim(operand, i, out, int(d)) { // C5
			return fmt.Errorf("dimension %d of %v becomes dimension %d of %v: got size %d, want 1 or %d",
				i, operand, d, out, operand.Dims[i], out.Dims[d])
		}
	}
	return nil
}

func inferReshape(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand := in.Operands[0].Shape
	out, err := toldArray(in, operand.Type)
	if err != nil {
		return poison, err
	}
	if d := in.Attrs.(*ReshapeAttrs).InferredDimension; d.Set {
		if err := checkDim("inferred dimension", d.Value, out); err != nil { // row 57
			return poison, err
		}
	}
	if out.HasUnbounded() && !operand.HasUnbounded() {
		return poison, fmt.Errorf("sizes of the result %v are unknown, want them known", out)
	}
	if err := checkSameCount(operand, out); err != nil { // C2
		return poison, err
	}
	return out, nil
}

// checkSameCount fails if operand and out have different numbers of elements, bounded dimensions counted at their
// bounds.
func checkSameCount(operand, out shape.Shape) error {
	if operand.HasUnbounded() || out.HasUnbounded() {
		return nil
	}
	m, _ := operand.CheckedSize()
	if n, _ := out.CheckedSize(); m != n {
		return fmt.Errorf("numbers of elements differ: %v has %d, %v has %d", operand, m, out, n)
	}
	return nil
}

func inferTranspose(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand, perm := in.Operands[0].Shape, in.Attrs.(*TransposeAttrs).Dimensions
	if err := checkPermutation("permutation", perm, len(operand.Dims)); err != nil { // C2
		return poison, err
	}
	if told := in.Shape.Dims; operand.Dynamic == nil && isPermuted(told, operand.Dims, perm) { // most of the time
		return shape.Shape{Type: operand.Type, Dims: slices.Clip(told)}, nil
	}
	out := newDimList(operand.Type, len(perm))
	for _, d := range perm { // C3
		out.addOf(operand, d)
	}
	return out.shape(), nil
}

// isPermuted reports whether dims are those of from in the order perm, one of from's dimensions.
func isPermuted(dims, from, perm []int64) bool {
	for i := range dims {
		if len(dims) != len(perm) || dims[i] != from[perm[i]] {
			return false
		}
	}
	return len(dims) > 0
}

func inferReverse(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand := in.Operands[0].Shape.WithoutLayout()
	dims := in.Attrs.(*ReverseAttrs).Dimensions
	return operand, checkDims("reversed dimensions", dims, len(operand.Dims), true, false) // C2, C3
}

func inferConcatenate(in *Instruction) (shape.Shape, error) {
	if len(in.Operands) == 0 { // C3
		return poison, errors.New("got no operands, want at least one")
	}
	if err := sameTypes(in); err != nil { // C5
		return poison, err
	}
	first, dim := in.Operands[0].Shape.WithoutLayout(), int64(in.Attrs.(*ConcatenateAttrs).Dimension)
	if err := checkDim("concatenated dimension", dim, first); err != nil { // C4
		return poison, err
	}
	out := first
	for i, o := range in.Operands[1:] {
		var err error
		if out, err = joinPieces(out, o.Shape, int(dim)); err != nil {
			return poison, fmt.Errorf("operands 0 and %d: %w", i+1, err)
		}
	}
	return out, checkCount(out)
}

// joinPieces returns the shape of a followed by b along dim.
func joinPieces(a, b shape.Shape, dim int) (shape.Shape, error) {
	if len(a.Dims) != len(b.Dims) { // C2
		return poison, fmt.Errorf("ranks differ: %v and %v", a, b)
	}
	out := newDimList(a.Type, len(a.Dims))
	for d := range a.Dims {
		m, n, dynamic := a.Dims[d], b.Dims[d], a.IsDynamicDim(d) || b.IsDynamicDim(d)
		switch {
		case d == dim && (m == shape.Unbounded || n == shape.Unbounded):
			out.add(shape.Unbounded, true)
		case d == dim && n > math.MaxInt64-m:
			return poison, fmt.Errorf("size of dimension %d overflows", d)
		case d == dim: // C6
			out.add(m+n, dynamic)
		default:
			size, dynamic, ok := joinDim(m, n, a.IsDynamicDim(d), b.IsDynamicDim(d))
			if !ok { // C2
				return poison, fmt.Errorf("sizes of dimension %d differ: %d and %d", d, m, n)
			}
			out.add(size, dynamic)
		}
	}
	return out.shape(), nil
}

func inferIota(in *Instruction) (shape.Shape, error) {
	s, err := toldArray(in, in.Shape.Type)
	if err != nil {
		return poison, err
	}
	if s.HasUnbounded() {
		return poison, fmt.Errorf("sizes of the result %v are unknown, want them known", s)
	}
	return s, checkIota(s, in.Attrs.(*IotaAttrs).Dimension)
}

func checkIota(s shape.Shape, dim int64) error {
	if s.Type == shape.Pred { // row 70
		return fmt.Errorf("element type: got %v, want integers, floats or complex numbers", s.Type)
	}
	return checkDim("iota dimension", dim, s) // C1
}

func inferPad(in *Instruction) (shape.Shape, error) {
	if err := sameTypes(in); err != nil { // C1
		return poison, err
	}
	operand, padding := in.Operands[0].Shape, in.Attrs.(*PadAttrs).Padding
	if v := in.Operands[1].Shape; !v.IsScalar() {
		return poison, fmt.Errorf("padding value: got %v, want a scalar", v)
	}
	if len(padding) != len(operand.Dims) { // C2
		return poison, fmt.Errorf("got padding for %d dimensions, want %d, the rank of %v", len(padding), len(operand.Dims),
			operand)
	}
	out := newDimList(operand.Type, len(padding))
	for d, p := range padding {
		n, err := paddedSize(operand.Dims[d], p)
		if err != nil {
			return poison, fmt.Errorf("dimension %d of %v: %w", d, operand, err)
		}
		out.add(n, operand.IsDynamicDim(d))
	}
	return out.shape(), checkCount(out.s)
}

// paddedSize returns the size of a dimension of n elements after padding.
func paddedSize(n int64, p PadDim) (int64, error) {
	if p.Interior < 0 { // C3
		return 0, fmt.Errorf("interior padding: got %d, want 0 or more", p.Interior)
	}
	if n == shape.Unbounded {
		return n, nil
	}
	holes := max(n-1, 0)
	if holes > 0 && p.Interior > (math.MaxInt64-n)/holes {
		return 0, errors.New("padded size overflows")
	}
	n += holes * p.Interior
	for _, edge := range []int64{p.Low, p.High} {
		if edge > 0 && n > math.MaxInt64-edge {
			return 0, errors.New("padded size overflows")
		}
		n += edge
	}
	if n < 0 { // row 65
		return 0, fmt.Errorf("padded size: got %d, want 0 or more", n)
	}
	return n, nil
}
