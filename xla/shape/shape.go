// Package shape has the types of values: element types, shapes, layouts, their text, and index arithmetic.
package shape

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// Unbounded is the size of a dimension that is not known until run time, "?" in text.
const Unbounded int64 = math.MinInt64

// Shape is the type of a value: an array of elements, a tuple of shapes, a token, an opaque value or a buffer.
// Shapes are values; their slices are never written to once a Shape is shared.
type Shape struct {
	Type ElementType
	// Dims are the sizes of an array's dimensions. A bounded dynamic dimension has its bound here.
	Dims []int64
	// Dynamic says which dimensions may be smaller at run time than Dims says; nil means none.
	Dynamic []bool
	// Layout says how the elements lie in memory; nil means that the shape does not say.
	Layout *Layout
	// Elems are a tuple's element shapes, or the one array shape of a buffer.
	Elems []Shape
}

// Array returns the shape of an array with static dimensions and no layout.
func Array(t ElementType, dims ...int64) Shape { return Shape{Type: t, Dims: dims} }

// TupleOf returns the shape of a tuple.
func TupleOf(elems ...Shape) Shape { return Shape{Type: Tuple, Elems: elems} }

// TokenShape is the shape of a token.
func TokenShape() Shape { return Shape{Type: Token} }

// IsTuple reports whether s is a tuple.
func (s Shape) IsTuple() bool { return s.Type == Tuple }

// IsArray reports whether s is an array.
func (s Shape) IsArray() bool { return s.Type.IsArray() }

// IsToken reports whether s is a token.
func (s Shape) IsToken() bool { return s.Type == Token }

// IsScalar reports whether s is an array of rank 0.
func (s Shape) IsScalar() bool { return s.IsArray() && len(s.Dims) == 0 }

// Rank returns the number of dimensions.
func (s Shape) Rank() int { return len(s.Dims) }

// IsDynamicDim reports whether dimension d is dynamic, bounded or not.
func (s Shape) IsDynamicDim(d int) bool {
	return s.Dims[d] == Unbounded || d < len(s.Dynamic) && s.Dynamic[d]
}

// IsDynamic reports whether any dimension of s or of its elements is dynamic.
func (s Shape) IsDynamic() bool {
	for d := range s.Dims {
		if s.IsDynamicDim(d) {
			return true
		}
	}
	return slices.ContainsFunc(s.Elems, Shape.IsDynamic)
}

// HasUnbounded reports whether any dimension of s or of its elements is unbounded.
func (s Shape) HasUnbounded() bool {
	return slices.Contains(s.Dims, Unbounded) || slices.ContainsFunc(s.Elems, Shape.HasUnbounded)
}

// CheckedSize returns the number of elements of an array and whether it fits in an int64, unbounded dimensions not.
func (s Shape) CheckedSize() (int64, bool) {
	n := int64(1)
	zero := false
	for _, d := range s.Dims {
		switch {
		case d < 0:
			return 0, false
		case d == 0:
			zero = true
		case n > math.MaxInt64/d:
			n = 0 // overflow unless another dimension is 0
		case n > 0:
			n *= d
		}
	}
	if zero {
		return 0, true
	}
	return n, n > 0
}

// Size returns the number of elements of an array whose CheckedSize is known to fit.
func (s Shape) Size() int64 {
	n, ok := s.CheckedSize()
	if !ok {
		panic("shape: bug: Size of " + s.String())
	}
	return n
}

// WithType returns s with another element type, without a layout.
func (s Shape) WithType(t ElementType) Shape { return Shape{Type: t, Dims: s.Dims, Dynamic: s.Dynamic} }

// WithDims returns an array shape of s's element type with static dimensions and without a layout.
func (s Shape) WithDims(dims ...int64) Shape { return Shape{Type: s.Type, Dims: dims} }

// WithLayout returns s with the layout l.
func (s Shape) WithLayout(l *Layout) Shape { s.Layout = l; return s }

// WithoutLayout returns s with all layouts dropped, those of tuple elements too.
func (s Shape) WithoutLayout() Shape {
	s.Layout = nil
	if len(s.Elems) > 0 {
		elems := make([]Shape, len(s.Elems))
		for i, e := range s.Elems {
			elems[i] = e.WithoutLayout()
		}
		s.Elems = elems
	}
	return s
}

// Static returns s with every bounded dynamic dimension made static at its bound.
func (s Shape) Static() Shape {
	s.Dynamic = nil
	if len(s.Elems) > 0 {
		elems := make([]Shape, len(s.Elems))
		for i, e := range s.Elems {
			elems[i] = e.Static()
		}
		s.Elems = elems
	}
	return s
}

// Equal reports whether s and o are the same in type, sizes, dynamic dimensions and layouts; a missing layout is the
// default one.
func (s Shape) Equal(o Shape) bool {
	return s.Compatible(o) && s.layoutsEqual(o)
}

// Compatible reports whether s and o are the same but for layouts.
func (s Shape) Compatible(o Shape) bool {
	return s.Type == o.Type && s.sameDims(o) && slices.EqualFunc(s.Elems, o.Elems, Shape.Compatible)
}

// Is reports whether s and o are one array shape, whose parts they share. Then they are equal.
func (s *Shape) Is(o *Shape) bool {
	return s.Type == o.Type && s.Layout == o.Layout && len(s.Dims) == len(o.Dims) &&
		unsafe.SliceData(s.Dims) == unsafe.SliceData(o.Dims) && s.Dynamic == nil && o.Dynamic == nil &&
		s.Elems == nil && o.Elems == nil
}

// Fits reports whether a value of shape s may be passed where want is declared: dynamic dimensions take any size up to
// the bound. It takes no copies of the shapes, which cost an execution of microseconds more than the comparison.
func Fits(s, want *Shape) bool {
	if s.Type != want.Type || len(s.Dims) != len(want.Dims) || len(s.Elems) != len(want.Elems) {
		return false
	}
	for d, n := range s.Dims {
		w := want.Dims[d]
		if n != w && (!want.IsDynamicDim(d) || w != Unbounded && n > w) {
			return false
		}
	}
	for i := range s.Elems {
		if !Fits(&s.Elems[i], &want.Elems[i]) {
			return false
		}
	}
	return true
}

// CompatibleIgnoringType reports whether s and o have the same dimensions, or are tuples of elements that do.
func (s Shape) CompatibleIgnoringType(o Shape) bool {
	return s.IsArray() == o.IsArray() && (s.IsArray() || s.Type == o.Type) && s.sameDims(o) &&
		slices.EqualFunc(s.Elems, o.Elems, Shape.CompatibleIgnoringType)
}

// sameDims reports whether s and o have the same sizes and dynamic dimensions.
func (s Shape) sameDims(o Shape) bool {
	if !slices.Equal(s.Dims, o.Dims) {
		return false
	}
	for d := range s.Dims {
		if s.IsDynamicDim(d) != o.IsDynamicDim(d) {
			return false
		}
	}
	return true
}

// SameDims reports whether s and o are arrays with the same sizes, dynamic dimensions counted at their bounds.
func (s Shape) SameDims(o Shape) bool { return slices.Equal(s.Dims, o.Dims) }

func (s Shape) layoutsEqual(o Shape) bool {
	if s.IsTuple() || s.Type == Buffer {
		return slices.EqualFunc(s.Elems, o.Elems, Shape.layoutsEqual)
	}
	if s.Layout == nil && o.Layout == nil {
		return true
	}
	return s.layoutOrDefault().Equal(*o.layoutOrDefault())
}

func (s Shape) layoutOrDefault() *Layout {
	if s.Layout != nil {
		return s.Layout
	}
	return DefaultLayout(s.Rank())
}

// String returns the shape in HLO text without layouts: "f32[2,3]", "(s32[], f32[<=10,?])", "token[]".
func (s Shape) String() string { return string(s.Append(nil, false)) }

// Text returns the shape in HLO text with the layouts that it has: "f32[2,3]{1,0}".
func (s Shape) Text() string { return string(s.Append(nil, true)) }

// Append appends the shape's HLO text to b, with layouts if asked.
func (s Shape) Append(b []byte, layouts bool) []byte {
	switch {
	case s.Type == Tuple:
		return s.appendTuple(b, layouts)
	case s.Type == Buffer:
		return append(s.Elems[0].Append(append(b, "b("...), layouts), ')')
	}
	b = append(append(b, s.Type.String()...), '[')
	for d, n := range s.Dims {
		if d > 0 {
			b = append(b, ',')
		}
		b = s.appendDim(b, d, n)
	}
	b = append(b, ']')
	if layouts && s.Layout != nil {
		n := len(b)
		if b = s.Layout.Append(b); len(s.Dims) == 0 && len(b) == n+2 {
			b = b[:n] // the layout of a scalar, {}, is not written
		}
	}
	return b
}

func (s Shape) appendDim(b []byte, d int, n int64) []byte {
	if n == Unbounded {
		return append(b, '?')
	}
	if s.IsDynamicDim(d) {
		b = append(b, "<="...)
	}
	return strconv.AppendInt(b, n, 10)
}

func (s Shape) appendTuple(b []byte, layouts bool) []byte {
	b = append(b, '(')
	for i, e := range s.Elems {
		if i > 0 {
			b = append(b, ", "...)
		}
		if i > 0 && i%5 == 0 {
			b = fmt.Appendf(b, "/*index=%d*/", i)
		}
		b = e.Append(b, layouts)
	}
	return append(b, ')')
}

// MLIR returns the shape as MLIR writes it: "tensor<2x?xf32>", "tuple<...>", "!stablehlo.token".
func (s Shape) MLIR() string {
	switch s.Type {
	case Tuple:
		parts := make([]string, len(s.Elems))
		for i, e := range s.Elems {
			parts[i] = e.MLIR()
		}
		return "tuple<" + strings.Join(parts, ", ") + ">"
	case Token:
		return s.Type.MLIR()
	}
	var b strings.Builder
	b.WriteString("tensor<")
	bounds := false
	for d, n := range s.Dims {
		if s.IsDynamicDim(d) {
			bounds = bounds || n != Unbounded
			b.WriteString("?x")
		} else {
			fmt.Fprintf(&b, "%dx", n)
		}
	}
	b.WriteString(s.Type.MLIR())
	if bounds {
		b.WriteString(", " + s.mlirBounds())
	}
	return b.String() + ">"
}

func (s Shape) mlirBounds() string {
	parts := make([]string, len(s.Dims))
	for d, n := range s.Dims {
		parts[d] = "?"
		if s.IsDynamicDim(d) && n != Unbounded {
			parts[d] = strconv.FormatInt(n, 10)
		}
	}
	return "#stablehlo.bounds<" + strings.Join(parts, ", ") + ">"
}
