package ffi

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// Attrs are attributes, sorted by the bytes of their names.
type Attrs []Attr

// Attr is an attribute: its value is a Scalar, a string, an Array or Attrs.
type Attr struct {
	Name  string
	Value any
}

// Scalar is a number: its bytes, little-endian, as many as the type has.
type Scalar struct {
	Type shape.ElementType
	Data []byte
}

// Array is a list of numbers of one type, one behind the other.
type Array struct {
	Type shape.ElementType
	Data []byte
}

// Len returns how many numbers the array has.
func (a Array) Len() int { return len(a.Data) / bytesOf(a.Type) }

// At returns number i.
func (a Array) At(i int) Scalar {
	n := bytesOf(a.Type)
	return Scalar{a.Type, a.Data[i*n : (i+1)*n]}
}

func bytesOf(t shape.ElementType) int { return max((t.Bits()+7)/8, 1) }

// bits returns the first eight bytes as a number.
func (s Scalar) bits() uint64 {
	var b [8]byte
	copy(b[:], s.Data)
	return binary.LittleEndian.Uint64(b[:])
}

// Int returns the value of an integer or a bool; ok is false for other types.
func (s Scalar) Int() (v int64, ok bool) {
	switch s.Type.Class() {
	case shape.SignedClass:
		shift := 64 - 8*len(s.Data)
		return int64(s.bits()<<shift) >> shift, true
	case shape.UnsignedClass, shape.PredClass:
		return int64(s.bits()), true
	}
	return 0, false
}

// Float returns the value of an f32 or f64, or of an integer; ok is false for other types.
func (s Scalar) Float() (v float64, ok bool) {
	switch s.Type {
	case shape.F32:
		return float64(math.Float32frombits(uint32(s.bits()))), true
	case shape.F64:
		return math.Float64frombits(s.bits()), true
	}
	i, ok := s.Int()
	return float64(i), ok
}

// Lookup returns the value of name and whether there is one.
func (a Attrs) Lookup(name string) (any, bool) {
	i, ok := sort.Find(len(a), func(i int) int { return strings.Compare(name, a[i].Name) })
	if !ok {
		return nil, false
	}
	return a[i].Value, true
}

func attr[T any](a Attrs, name, want string) (v T, err error) {
	x, ok := a.Lookup(name)
	if !ok {
		return v, Errorf(InvalidArgument, "attribute %s is missing", name)
	}
	if v, ok = x.(T); !ok {
		return v, Errorf(InvalidArgument, "attribute %s is %s, want %s", name, kindOf(x), want)
	}
	return v, nil
}

func kindOf(v any) string {
	switch v := v.(type) {
	case Scalar:
		return "a scalar of " + v.Type.String()
	case Array:
		return "an array of " + v.Type.String()
	case string:
		return "a string"
	}
	return "a dictionary"
}

// Int returns an attribute that is an integer or a bool. It fails with InvalidArgument if it is missing or something
// else.
func (a Attrs) Int(name string) (int64, error) { return number(a, name, "an integer", Scalar.Int) }

// Float returns an attribute that is a number. It fails with InvalidArgument if it is missing or something else.
func (a Attrs) Float(name string) (float64, error) { return number(a, name, "a number", Scalar.Float) }

func number[T int64 | float64](a Attrs, name, want string, of func(Scalar) (T, bool)) (T, error) {
	s, err := attr[Scalar](a, name, want)
	if err != nil {
		return 0, err
	}
	v, ok := of(s)
	if !ok {
		return 0, Errorf(InvalidArgument, "attribute %s is %s, want %s", name, kindOf(s), want)
	}
	return v, nil
}

// Text returns an attribute that is a string. It fails with InvalidArgument if it is missing or something else.
func (a Attrs) Text(name string) (string, error) { return attr[string](a, name, "a string") }

// Dict returns an attribute that is a dictionary. It fails with InvalidArgument if it is missing or something else.
func (a Attrs) Dict(name string) (Attrs, error) { return attr[Attrs](a, name, "a dictionary") }

// Ints returns an attribute that is an array of integers. It fails with InvalidArgument if it is missing or something
// else.
func (a Attrs) Ints(name string) ([]int64, error) {
	return numbers(a, name, "an array of integers", Scalar.Int)
}

// Floats returns an attribute that is an array of numbers. It fails with InvalidArgument if it is missing or something
// else.
func (a Attrs) Floats(name string) ([]float64, error) {
	return numbers(a, name, "an array of numbers", Scalar.Float)
}

func numbers[T any](a Attrs, name, want string, value func(Scalar) (T, bool)) ([]T, error) {
	list, err := attr[Array](a, name, want)
	if err != nil {
		return nil, err
	}
	out := make([]T, list.Len())
	for i := range out {
		v, ok := value(list.At(i))
		if !ok {
			return nil, Errorf(InvalidArgument, "attribute %s is %s, want %s", name, kindOf(list), want)
		}
		out[i] = v
	}
	return out, nil
}

// sortAttrs brings attributes in the order of their names, at every level.
func sortAttrs(a Attrs) {
	slices.SortStableFunc(a, func(x, y Attr) int { return strings.Compare(x.Name, y.Name) })
	for _, x := range a {
		if d, ok := x.Value.(Attrs); ok {
			sortAttrs(d)
		}
	}
}
