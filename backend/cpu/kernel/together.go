package kernel

import (
	"math"
	"unsafe"

	"github.com/halo-xla/halo/xla/shape"
)

// Into sets each element of dst to what a reducer makes of it and of the element of src in its place. Both hold whole
// elements, as many, and do not overlap unless they are the same.
type Into func(dst, src []byte)

// IntoOf returns what folds elements of type t by r, or nil if there is no loop for them.
func IntoOf(t shape.ElementType, r Reducer) Into {
	if f := intos[t][r]; f != nil {
		return f
	}
	f := CombineOf(t, r)
	if f == nil || r == Assign {
		return nil
	}
	width := int64(t.Bytes())
	return func(dst, src []byte) {
		if n := int64(len(dst)) / width; n > 0 {
			f(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), n, width, width)
		}
	}
}

// intos are the loops of reducers that need no call for an element.
var intos = [shape.NumElementTypes][NumReducers]Into{
	shape.S8: intoNumbers[int8](), shape.S16: intoNumbers[int16](), shape.S32: intoNumbers[int32](),
	shape.S64: intoNumbers[int64](), shape.U8: intoNumbers[uint8](), shape.U16: intoNumbers[uint16](),
	shape.U32: intoNumbers[uint32](), shape.U64: intoNumbers[uint64](), shape.F32: intoNumbers[float32](),
	shape.F64:  intoNumbers[float64](),
	shape.BF16: {AddOf: intoHalves(plus[float32]), MultiplyOf: intoHalves(times[float32])},
}

func intoNumbers[T plain]() [NumReducers]Into {
	return [NumReducers]Into{AddOf: addInto[T], MultiplyOf: timesInto[T], MinimumOf: leastInto[T], MaximumOf: mostInto[T]}
}

// two views dst and src as elements.
func two[T any](dst, src []byte) ([]T, []T) {
	d := Cast[T](dst)
	return d, Cast[T](src)[:len(d)]
}

func addInto[T plain](dst, src []byte) {
	d, s := two[T](dst, src)
	for i, v := range s {
		d[i] += v
	}
}

func timesInto[T plain](dst, src []byte) {
	d, s := two[T](dst, src)
	for i, v := range s {
		d[i] *= v
	}
}

func leastInto[T plain](dst, src []byte) {
	d, s := two[T](dst, src)
	for i, v := range s {
		d[i] = min(d[i], v)
	}
}

func mostInto[T plain](dst, src []byte) {
	d, s := two[T](dst, src)
	for i, v := range s {
		d[i] = max(d[i], v)
	}
}

// intoHalves is for BF16: F32 has more than twice its digits, so that rounding twice is rounding once.
func intoHalves(f func(a, b float32) float32) Into {
	return func(dst, src []byte) {
		d, s := two[uint16](dst, src)
		for i, v := range s {
			x := f(math.Float32frombits(uint32(d[i])<<16), math.Float32frombits(uint32(v)<<16))
			bits := math.Float32bits(x)
			if x != x {
				d[i] = uint16(shape.BF16.FromFloat64(float64(x)))
				continue
			}
			d[i] = uint16((bits + 0x7fff + bits>>16&1) >> 16)
		}
	}
}
