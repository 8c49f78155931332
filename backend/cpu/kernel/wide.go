package kernel

import "github.com/halo-xla/halo/xla/shape"

// wide are the numbers that the rarer kernels compute in.
type wide interface{ float64 | complex128 }

// load widens the elements of type t in src to dst, and store rounds them back. There are as many elements as dst or
// src has.
func load[T wide](dst []T, src []byte, t shape.ElementType) {
	switch d := any(dst).(type) {
	case []float64:
		loadReals(d, src, t)
	case []complex128:
		if t == shape.C128 {
			copy(d, Cast[complex128](src))
			return
		}
		for i, v := range Cast[complex64](src) {
			d[i] = complex128(v)
		}
	}
}

func loadReals(dst []float64, src []byte, t shape.ElementType) {
	switch {
	case t == shape.F64:
		copy(dst, Cast[float64](src))
	case t == shape.F32:
		for i, v := range Cast[float32](src) {
			dst[i] = float64(v)
		}
	case t.Bytes() == 2:
		for i, v := range Cast[uint16](src) {
			dst[i] = t.ToFloat64(uint64(v))
		}
	default:
		for i, v := range src {
			dst[i] = t.ToFloat64(uint64(v))
		}
	}
}

func store[T wide](dst []byte, src []T, t shape.ElementType) {
	switch s := any(src).(type) {
	case []float64:
		storeReals(dst, s, t)
	case []complex128:
		if t == shape.C128 {
			copy(Cast[complex128](dst), s)
			return
		}
		d := Cast[complex64](dst)
		for i, v := range s {
			d[i] = complex64(v)
		}
	}
}

func storeReals(dst []byte, src []float64, t shape.ElementType) {
	switch {
	case t == shape.F64:
		copy(Cast[float64](dst), src)
	case t == shape.F32:
		d := Cast[float32](dst)
		for i, v := range src {
			d[i] = float32(v)
		}
	case t.Bytes() == 2:
		d := Cast[uint16](dst)
		for i, v := range src {
			d[i] = uint16(t.FromFloat64(v))
		}
	default:
		for i, v := range src {
			dst[i] = byte(t.FromFloat64(v))
		}
	}
}

// timesComplex is x*y with each product rounded.
func timesComplex(x, y complex128) complex128 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	return complex(float64(a*c)-float64(b*d), float64(a*d)+float64(b*c))
}
