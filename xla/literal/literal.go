// Package literal has host tensors: a shape and bytes in any layout, typed views, conversion, comparison, text and
// npy.
package literal

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/halo-xla/halo/internal/memory"
	"github.com/halo-xla/halo/xla/shape"
)

// MaxBytes is the largest size of one array in bytes that New accepts.
const MaxBytes = 1 << 40

// maxDepth is how deep tuples may nest.
const maxDepth = 1000

// Literal is a value on the host: an array, a tuple, or a token. Literals are shared; nobody writes to the bytes of
// one that he did not make.
type Literal struct {
	shape shape.Shape
	data  []byte     // elements in the layout's order, little-endian
	elems []*Literal // of a tuple
	sizes []int64    // of the dimensions at run time; nil if all are those of the shape
}

// New returns a literal of zeros of shape s; bounded dynamic dimensions have their bounds as sizes. Padding of the
// layout has the layout's padding value. It fails, before allocating, if the size in memory overflows, is beyond
// MaxBytes or unknown, or the layout does not fit the shape.
func New(s shape.Shape) (*Literal, error) { return newDepth(s, 0) }

func newDepth(s shape.Shape, depth int) (*Literal, error) {
	l := &Literal{shape: s}
	switch {
	case s.Type == shape.Token:
		return l, nil
	case s.Type == shape.Tuple:
		if depth > maxDepth {
			return nil, fmt.Errorf("tuples nest deeper than %d", maxDepth)
		}
		for _, e := range s.Elems {
			el, err := newDepth(e, depth+1)
			if err != nil {
				return nil, err
			}
			l.elems = append(l.elems, el)
		}
		return l, nil
	}
	n, err := storageBytes(s)
	if err != nil {
		return nil, err
	}
	if n > MaxBytes {
		return nil, fmt.Errorf("shape %s takes %d bytes, want at most %d", s.Text(), n, int64(MaxBytes))
	}
	if err := memory.Check(n); err != nil {
		return nil, fmt.Errorf("shape %s: %w", s.Text(), err)
	}
	if s.Layout != nil && s.Layout.PaddedDims != nil {
		l.fillPadding()
	} else {
		l.data = memory.Zeros(n)
	}
	return l, nil
}

// Zeros is New for shapes that are known to be good.
func Zeros(s shape.Shape) *Literal {
	l, err := New(s)
	if err != nil {
		panic("literal: bug: " + err.Error())
	}
	return l
}

// FromBytes returns a literal of the array shape s whose elements are data, which it borrows: little-endian, in the
// order of s's layout, one byte for an element narrower than that unless the layout packs them. It fails if data has
// another length than s takes.
func FromBytes(s shape.Shape, data []byte) (*Literal, error) {
	n, err := storageBytes(s)
	if err != nil {
		return nil, err
	}
	if n != int64(len(data)) {
		return nil, fmt.Errorf("shape %s takes %d bytes, got %d", s.Text(), n, len(data))
	}
	return &Literal{shape: s, data: data}, nil
}

// storageBytes returns the bytes that an array of shape s takes in a literal.
func storageBytes(s shape.Shape) (int64, error) {
	if s.HasUnbounded() || !s.IsArray() {
		return 0, fmt.Errorf("a literal of shape %s has no known size", s)
	}
	return s.ByteSize()
}

// NewTuple returns the tuple of elems.
func NewTuple(elems ...*Literal) *Literal {
	shapes := make([]shape.Shape, len(elems))
	for i, e := range elems {
		shapes[i] = e.shape
	}
	return &Literal{shape: shape.TupleOf(shapes...), elems: elems}
}

// NewToken returns a token.
func NewToken() *Literal { return &Literal{shape: shape.TokenShape()} }

// Shape returns the literal's shape with its layout.
func (l *Literal) Shape() shape.Shape { return l.shape }

// Bytes returns the elements as they lie in memory, padding included. The caller may write to them only if he made l.
func (l *Literal) Bytes() []byte { return l.data }

// Elems returns a tuple's elements.
func (l *Literal) Elems() []*Literal { return l.elems }

// Leaves returns the arrays and tokens of l in order, those of nested tuples too; l itself if it is no tuple.
func (l *Literal) Leaves() []*Literal {
	if !l.shape.IsTuple() {
		return []*Literal{l}
	}
	var list []*Literal
	for _, e := range l.elems {
		list = append(list, e.Leaves()...)
	}
	return list
}

// DynamicSizes returns the sizes of the dimensions at run time, nil if they are those of the shape.
func (l *Literal) DynamicSizes() []int64 { return l.sizes }

// SetDynamicSize sets the size at run time of dimension dim to n, at most the shape's. The dimension need not be a
// dynamic one.
func (l *Literal) SetDynamicSize(dim int, n int64) {
	if n < 0 || n > l.shape.Dims[dim] {
		panic(fmt.Sprintf("literal: bug: size %d of dimension %d of %s", n, dim, l.shape))
	}
	sizes := slices.Clone(l.shape.Dims)
	copy(sizes, l.sizes)
	sizes[dim] = n
	if slices.Equal(sizes, l.shape.Dims) {
		sizes = nil
	}
	l.sizes = sizes
}

// WithShape returns a literal that has l's bytes under the shape s, which must take as many; the bytes are shared.
// Sizes at run time are dropped.
func (l *Literal) WithShape(s shape.Shape) (*Literal, error) { return FromBytes(s, l.data) }

// Clone returns a copy of l that shares no bytes with it.
func (l *Literal) Clone() *Literal {
	c := &Literal{shape: l.shape, data: slices.Clone(l.data), sizes: slices.Clone(l.sizes)}
	for _, e := range l.elems {
		c.elems = append(c.elems, e.Clone())
	}
	return c
}

// Fits reports whether l may be passed where a value of shape want is declared, as shape.Fits.
func (l *Literal) Fits(want *shape.Shape) bool { return shape.Fits(&l.shape, want) }

// IsOf reports whether l is of shape s, quickly if it was made of that.
func (l *Literal) IsOf(s *shape.Shape) bool { return l.shape.Is(s) || l.shape.Equal(*s) }

// IsPlain reports whether l is an array whose bytes are its elements in row-major order, of the sizes of its shape.
func (l *Literal) IsPlain() bool { return l.sizes == nil && l.shape.Type.IsArray() && l.isDense() }

// isDense reports whether the bytes are the elements in row-major order, each in its own bytes.
func (l *Literal) isDense() bool {
	y := l.shape.Layout
	if y == nil {
		return true
	}
	if len(y.Tiles) > 0 || y.PaddedDims != nil || l.packedBits() != 0 || y.Tail > 1 {
		return false
	}
	// dimensions of size 1 may stand anywhere in the order
	last := int64(-1)
	for i := len(y.MinorToMajor) - 1; i >= 0; i-- {
		d := y.MinorToMajor[i]
		if l.shape.Dims[d] == 1 {
			continue
		}
		if d < last {
			return len(l.data) == 0
		}
		last = d
	}
	return true
}

// packedBits returns the width of an element if the layout packs several into a byte, else 0.
func (l *Literal) packedBits() int {
	if y := l.shape.Layout; y != nil && y.ElementBits > 0 && y.ElementBits < 8 && l.shape.Type.Bytes() == 1 {
		return int(y.ElementBits)
	}
	return 0
}

// Element is what a Go slice may hold for an array: each type stands for one element type.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128
}

// TypeOf returns the element type that T stands for.
func TypeOf[T Element]() shape.ElementType {
	var v T
	switch any(v).(type) {
	case bool:
		return shape.Pred
	case int8:
		return shape.S8
	case int16:
		return shape.S16
	case int32:
		return shape.S32
	case int64:
		return shape.S64
	case uint8:
		return shape.U8
	case uint16:
		return shape.U16
	case uint32:
		return shape.U32
	case uint64:
		return shape.U64
	case float32:
		return shape.F32
	case float64:
		return shape.F64
	case complex64:
		return shape.C64
	default:
		return shape.C128
	}
}

// Scalar returns v as a scalar.
func Scalar[T Element](v T) *Literal {
	l := Zeros(shape.Array(TypeOf[T]()))
	*(*T)(unsafe.Pointer(&l.data[0])) = v
	return l
}

// FromSlice returns an array of the sizes dims with a copy of v as its elements in row-major order; without dims it
// is a vector. It fails if v does not have as many elements as dims say.
func FromSlice[T Element](v []T, dims ...int64) (*Literal, error) {
	if dims == nil {
		dims = []int64{int64(len(v))}
	}
	s := shape.Array(TypeOf[T](), dims...)
	for d, n := range dims {
		if n < 0 {
			return nil, fmt.Errorf("shape of a slice of %d elements: dimension %d is %d, want 0 or more", len(v), d, n)
		}
	}
	switch n, ok := s.CheckedSize(); {
	case !ok:
		return nil, fmt.Errorf("%s has more elements than can be counted, a slice of %d was given", s, len(v))
	case n != int64(len(v)):
		return nil, fmt.Errorf("%s: got a slice of %d elements, want %d", s, len(v), n)
	}
	l := Zeros(s)
	copy(l.data, asBytes(v))
	return l, nil
}

// View returns the elements of l in row-major order without copying them. T must stand for l's element type, or, for
// types that Go has not, be the integer of the same size: uint16 for BF16 and F16, uint8 for the narrower floats and
// U4, int8 for S4. It fails if T is another type or the elements are not in row-major order in memory.
func View[T Element](l *Literal) ([]T, error) {
	t := l.shape.Type
	if !Holds[T](t) {
		return nil, fmt.Errorf("view of %s as %s: element types differ", l.shape, TypeOf[T]())
	}
	if !l.isDense() {
		return nil, fmt.Errorf("view of %s: the elements are not in row-major order", l.shape.Text())
	}
	if t == shape.Pred && slices.ContainsFunc(l.data, func(b byte) bool { return b > 1 }) {
		return nil, fmt.Errorf("view of %s: a byte is neither 0 nor 1", l.shape)
	}
	if !aligned[T](l.data) {
		return nil, fmt.Errorf("view of %s: the bytes are not aligned to %d", l.shape, unsafe.Alignof(*new(T)))
	}
	return cast[T](l.data), nil
}

// Holds reports whether the elements of arrays of type t lie in memory as those of a []T: View says which do.
func Holds[T Element](t shape.ElementType) bool {
	return t.Class() != shape.NoClass && (TypeOf[T]() == t || TypeOf[T]() == rawType(t))
}

// rawType returns the integer type in whose Go type the elements of t lie, if Go has none of its own for t.
func rawType(t shape.ElementType) shape.ElementType {
	switch {
	case t == shape.F16 || t == shape.BF16:
		return shape.U16
	case t.Bytes() != 1 || t == shape.Pred:
		return t
	case t.IsSigned():
		return shape.S8
	}
	return shape.U8
}

func asBytes[T Element](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}

func aligned[T Element](b []byte) bool {
	return len(b) == 0 || uintptr(unsafe.Pointer(&b[0]))%unsafe.Alignof(*new(T)) == 0
}

// cast returns b as a slice of T, copied only if b is not aligned.
func cast[T Element](b []byte) []T {
	n := len(b) / int(unsafe.Sizeof(*new(T)))
	if n == 0 {
		return nil
	}
	if !aligned[T](b) {
		c := make([]T, n)
		copy(asBytes(c), b)
		return c
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
}
