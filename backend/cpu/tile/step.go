package tile

import (
	"github.com/halo-xla/halo/xla/shape"
)

// Number is what vectors hold.
type Number interface {
	int64 | float64 | complex128
}

// elements returns the elements of register i as T.
func elements[T Number](r []Vector, i int) []T {
	var t T
	switch any(t).(type) {
	case int64:
		return any(r[i].I).([]T)
	case float64:
		return any(r[i].F).([]T)
	}
	return any(r[i].C).([]T)
}

// Loop makes a step of a function on whole slices: register d from x and y.
func Loop[T Number](f func(d, x, y []T), d, x, y int) Step {
	return func(r []Vector, n int) {
		f(elements[T](r, d)[:n], elements[T](r, x)[:n], elements[T](r, y)[:n])
	}
}

// Each makes a step of a function on one element.
func Each[T, U Number](f func(U) T, d, x int) Step {
	return func(r []Vector, n int) {
		dst := elements[T](r, d)[:n]
		for i, v := range elements[U](r, x)[:n] {
			dst[i] = f(v)
		}
	}
}

// Each2 makes a step of a function on two elements of one class.
func Each2[T, U Number](f func(a, b U) T, d, x, y int) Step {
	return func(r []Vector, n int) {
		dst, b := elements[T](r, d)[:n], elements[U](r, y)[:n]
		for i, a := range elements[U](r, x)[:n] {
			dst[i] = f(a, b[i])
		}
	}
}

// Choose makes the step of select: where p is not 0 the element of x, else that of y.
func Choose[T Number](d, p, x, y int) Step {
	return func(r []Vector, n int) {
		dst, b := elements[T](r, d)[:n], elements[T](r, y)[:n]
		pred := r[p].I[:n]
		for i, a := range elements[T](r, x)[:n] {
			if pred[i] == 0 {
				a = b[i]
			}
			dst[i] = a
		}
	}
}

// Parts makes the step that makes complex numbers of two registers of floats.
func Parts(d, x, y int) Step {
	return func(r []Vector, n int) {
		for i := range n {
			r[d].C[i] = complex(r[x].F[i], r[y].F[i])
		}
	}
}

// Add, Subtract, Multiply, Divide and the others are loops for Loop.
func Add[T Number](d, x, y []T) {
	for i := range d {
		d[i] = x[i] + y[i]
	}
}

// Subtract is x - y.
func Subtract[T Number](d, x, y []T) {
	for i := range d {
		d[i] = x[i] - y[i]
	}
}

// Multiply is x * y.
func Multiply[T Number](d, x, y []T) {
	for i := range d {
		d[i] = x[i] * y[i]
	}
}

// Divide is x / y of floats.
func Divide(d, x, y []float64) {
	for i := range d {
		d[i] = x[i] / y[i]
	}
}

// Maximum is the greater one, NaN if one is NaN.
func Maximum[T int64 | float64](d, x, y []T) {
	for i := range d {
		d[i] = max(x[i], y[i])
	}
}

// Minimum is the lesser one, NaN if one is NaN.
func Minimum[T int64 | float64](d, x, y []T) {
	for i := range d {
		d[i] = min(x[i], y[i])
	}
}

// Round makes the step that rounds register d to type t, nil if its class has no more values than t.
func Round(t shape.ElementType, d int) Step {
	switch t {
	case shape.Pred, shape.S64, shape.U64, shape.F64, shape.C128:
		return nil
	case shape.F32:
		return Each(func(v float64) float64 { return float64(float32(v)) }, d, d)
	case shape.C64:
		return Each(func(v complex128) complex128 { return complex128(complex64(v)) }, d, d)
	}
	up := uint(64 - t.Bits())
	switch t.Class() {
	case shape.SignedClass:
		return Each(func(v int64) int64 { return v << up >> up }, d, d)
	case shape.UnsignedClass:
		return Each(func(v int64) int64 { return int64(uint64(v) << up >> up) }, d, d)
	}
	return Each(func(v float64) float64 { return t.ToFloat64(t.FromFloat64(v)) }, d, d)
}

// TotalOrder returns the number by whose order the values of the floating-point type t are in total order, which is
// that of their bits: -NaN < -Inf < ... < -0 < +0 < ... < +Inf < +NaN. Law: row 49.
func TotalOrder(t shape.ElementType) func(v float64) int64 {
	up := uint(64 - t.Bits())
	return func(v float64) int64 {
		bits := t.FromFloat64(v)
		if t == shape.F8E8M0FNU { // has no sign
			return int64(bits)
		}
		s := int64(bits<<up) >> up
		return s ^ int64(uint64(s>>63)>>1)
	}
}

// ReducePrecision rounds v of type t to the given widths of exponent and mantissa: to nearest even, beyond the range to
// infinity, below the normal numbers to zero. Law: row 103.
func ReducePrecision(t shape.ElementType, exponent, mantissa int) func(v float64) float64 {
	man, exp := t.MantissaBits(), t.ExponentBits()
	sign, inf := uint64(1)<<(man+exp), (uint64(1)<<exp-1)<<man
	bias := uint64(1)<<(exp-1) - 1
	return func(v float64) float64 {
		bits := t.FromFloat64(v)
		abs := bits &^ sign
		if abs > inf {
			return v
		}
		if drop := man - mantissa; drop > 0 {
			abs += abs>>drop&1 + uint64(1)<<(drop-1) - 1
			abs = abs >> drop << drop
		}
		if exponent < exp {
			bias2 := uint64(1)<<(exponent-1) - 1
			if e := abs >> man; e > bias+bias2 {
				abs = inf
			} else if e <= bias-bias2 {
				abs = 0
			}
		}
		return t.ToFloat64(bits&sign | abs)
	}
}

// Apply makes a step of a function on the elements of registers x, which from widens and to takes back.
func Apply[T Number, U any](f func([]U) U, from func(T) U, to func(U) T, d int, x ...int) Step {
	return func(r []Vector, n int) {
		args, cols := make([]U, len(x)), make([][]T, len(x))
		for k, c := range x {
			cols[k] = elements[T](r, c)[:n]
		}
		dst := elements[T](r, d)[:n]
		for i := range dst {
			for k, c := range cols {
				args[k] = from(c[i])
			}
			dst[i] = to(f(args))
		}
	}
}
