package kernel

import (
	"unsafe"

	"github.com/halo-xla/halo/xla/shape"
)

// Reducer is a computation on two elements that scatter and others apply without a program.
type Reducer uint8

// The reducers. Assign takes the second element.
const (
	NoReducer Reducer = iota
	Assign
	AddOf
	MultiplyOf
	MinimumOf
	MaximumOf
	AndOf
	OrOf
	XorOf
	NumReducers
)

// combines are the reducers on types that Go computes in as they are.
var combines = [shape.NumElementTypes][NumReducers]Combine{
	shape.Pred: {AddOf: fold(either[uint8]), MultiplyOf: fold(both[uint8]), MinimumOf: fold(both[uint8]),
		MaximumOf: fold(either[uint8]), AndOf: fold(both[uint8]), OrOf: fold(either[uint8]), XorOf: fold(differ[uint8])},
	shape.S8: integers[int8](), shape.S16: integers[int16](), shape.S32: integers[int32](), shape.S64: integers[int64](),
	shape.U8: integers[uint8](), shape.U16: integers[uint16](), shape.U32: integers[uint32](),
	shape.U64: integers[uint64](), shape.F32: floats[float32](), shape.F64: floats[float64](),
	shape.C64: {AddOf: fold(plus[complex64])}, shape.C128: {AddOf: fold(plus[complex128])},
}

type ordinary interface{ float32 | float64 }

type summed interface{ plain | complex64 | complex128 }

func plus[T summed](a, b T) T    { return a + b }
func times[T plain](a, b T) T    { return a * b }
func least[T plain](a, b T) T    { return min(a, b) }
func most[T plain](a, b T) T     { return max(a, b) }
func both[T integer](a, b T) T   { return a & b }
func either[T integer](a, b T) T { return a | b }
func differ[T integer](a, b T) T { return a ^ b }

func integers[T integer]() [NumReducers]Combine {
	return [NumReducers]Combine{AddOf: fold(plus[T]), MultiplyOf: fold(times[T]), MinimumOf: fold(least[T]),
		MaximumOf: fold(most[T]), AndOf: fold(both[T]), OrOf: fold(either[T]), XorOf: fold(differ[T])}
}

func floats[T ordinary]() [NumReducers]Combine {
	return [NumReducers]Combine{AddOf: fold(plus[T]), MultiplyOf: fold(times[T]), MinimumOf: fold(least[T]),
		MaximumOf: fold(most[T])}
}

func fold[T any](f func(a, b T) T) Combine {
	return func(dst, src unsafe.Pointer, n, dstStep, srcStep int64) {
		for range n {
			*(*T)(dst) = f(*(*T)(dst), *(*T)(src))
			dst, src = unsafe.Add(dst, dstStep), unsafe.Add(src, srcStep)
		}
	}
}

// narrows are the reducers on floats narrower than F32, in F64 and rounded once.
var narrows = [NumReducers]func(a, b float64) float64{
	AddOf: plus[float64], MultiplyOf: times[float64], MinimumOf: least[float64], MaximumOf: most[float64],
}

// CombineOf returns what folds elements of type t by r, or nil if there is no loop for them.
func CombineOf(t shape.ElementType, r Reducer) Combine {
	switch {
	case r == Assign:
		return assigns[log2(int64(t.Bytes()))]
	case combines[t][r] != nil:
		return combines[t][r]
	case !t.IsFloat() || narrows[r] == nil:
		return nil
	}
	wide := narrows[r]
	if t.Bytes() == 2 {
		return fold(func(a, b uint16) uint16 {
			return uint16(t.FromFloat64(wide(t.ToFloat64(uint64(a)), t.ToFloat64(uint64(b)))))
		})
	}
	return fold(func(a, b uint8) uint8 {
		return uint8(t.FromFloat64(wide(t.ToFloat64(uint64(a)), t.ToFloat64(uint64(b)))))
	})
}

var assigns = [...]Combine{assign[uint8], assign[uint16], assign[uint32], assign[uint64], assign[[2]uint64]}

func assign[T word](dst, src unsafe.Pointer, n, dstStep, srcStep int64) {
	moveLine[T](dst, src, Axis{n, dstStep, srcStep})
}
