package tile

import (
	"math"
	"unsafe"

	"github.com/halo-xla/halo/xla/shape"
)

// widen fills n elements of a register, from k on, with the elements of an array at offset, offset+stride, ...
var widen = [shape.NumElementTypes]func(r Vector, b []byte, k int, offset, stride int64, n int){
	shape.Pred: widenInts[uint8], shape.U8: widenInts[uint8], shape.U16: widenInts[uint16],
	shape.U32: widenInts[uint32], shape.U64: widenInts[uint64], shape.S8: widenInts[int8],
	shape.S16: widenInts[int16], shape.S32: widenInts[int32], shape.S64: widenInts[int64],
	shape.S1: widenLow(1, true), shape.S2: widenLow(2, true), shape.S4: widenLow(4, true),
	shape.U1: widenLow(1, false), shape.U2: widenLow(2, false), shape.U4: widenLow(4, false),
	shape.F32: widenFloats[float32], shape.F64: widenFloats[float64], shape.F16: widenF16, shape.BF16: widenBF16,
	shape.C64: widenComplex[complex64], shape.C128: widenComplex[complex128],
	shape.F8E5M2: widenTable(shape.F8E5M2), shape.F8E4M3FN: widenTable(shape.F8E4M3FN),
	shape.F8E4M3B11FNUZ: widenTable(shape.F8E4M3B11FNUZ), shape.F8E5M2FNUZ: widenTable(shape.F8E5M2FNUZ),
	shape.F8E4M3FNUZ: widenTable(shape.F8E4M3FNUZ), shape.F8E4M3: widenTable(shape.F8E4M3),
	shape.F8E3M4: widenTable(shape.F8E3M4), shape.F8E8M0FNU: widenTable(shape.F8E8M0FNU),
	shape.F4E2M1FN: widenTable(shape.F4E2M1FN), shape.F6E3M2FN: widenTable(shape.F6E3M2FN),
	shape.F6E2M3FN: widenTable(shape.F6E2M3FN),
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

func widenInts[T integer](r Vector, b []byte, k int, offset, stride int64, n int) {
	src, dst := cast[T](b), r.I[k:k+n]
	if stride == 1 {
		for i, v := range src[offset : offset+int64(n)] {
			dst[i] = int64(v)
		}
		return
	}
	for i := range dst {
		dst[i] = int64(src[offset])
		offset += stride
	}
}

// widenLow reads integers of fewer bits than a byte; what the other bits are does not matter.
func widenLow(bits int, signed bool) func(Vector, []byte, int, int64, int64, int) {
	up := 64 - bits
	return func(r Vector, b []byte, k int, offset, stride int64, n int) {
		dst := r.I[k : k+n]
		for i := range dst {
			v := uint64(b[offset]) << up
			if dst[i] = int64(v >> up); signed {
				dst[i] = int64(v) >> up
			}
			offset += stride
		}
	}
}

func widenFloats[T float32 | float64](r Vector, b []byte, k int, offset, stride int64, n int) {
	src, dst := cast[T](b), r.F[k:k+n]
	if stride == 1 {
		for i, v := range src[offset : offset+int64(n)] {
			dst[i] = float64(v)
		}
		return
	}
	for i := range dst {
		dst[i] = float64(src[offset])
		offset += stride
	}
}

func widenComplex[T complex64 | complex128](r Vector, b []byte, k int, offset, stride int64, n int) {
	src, dst := cast[T](b), r.C[k:k+n]
	for i := range dst {
		dst[i] = complex128(src[offset])
		offset += stride
	}
}

func widenF16(r Vector, b []byte, k int, offset, stride int64, n int) {
	src, dst := cast[uint16](b), r.F[k:k+n]
	for i := range dst {
		dst[i] = float64(shape.F16ToFloat32(src[offset]))
		offset += stride
	}
}

func widenBF16(r Vector, b []byte, k int, offset, stride int64, n int) {
	src, dst := cast[uint16](b), r.F[k:k+n]
	for i := range dst {
		dst[i] = float64(math.Float32frombits(uint32(src[offset]) << 16))
		offset += stride
	}
}

func widenTable(t shape.ElementType) func(Vector, []byte, int, int64, int64, int) {
	var table [256]float64
	for i := range table {
		table[i] = t.ToFloat64(uint64(i))
	}
	return func(r Vector, b []byte, k int, offset, stride int64, n int) {
		dst := r.F[k : k+n]
		for i := range dst {
			dst[i] = table[b[offset]]
			offset += stride
		}
	}
}

// narrow writes the first n elements of a register to the elements of an array from at on. What the register has, the
// type has: steps round.
var narrow = [shape.NumElementTypes]func(b []byte, r Vector, at int64, n int){
	shape.Pred: narrowInts[uint8], shape.U8: narrowInts[uint8], shape.U16: narrowInts[uint16],
	shape.U32: narrowInts[uint32], shape.U64: narrowInts[uint64], shape.S8: narrowInts[int8],
	shape.S16: narrowInts[int16], shape.S32: narrowInts[int32], shape.S64: narrowInts[int64],
	shape.S1: narrowInts[int8], shape.S2: narrowInts[int8], shape.S4: narrowInts[int8],
	shape.U1: narrowInts[uint8], shape.U2: narrowInts[uint8], shape.U4: narrowInts[uint8],
	shape.F32: narrowFloats[float32], shape.F64: narrowFloats[float64],
	shape.F16: narrowBits[uint16](shape.F16), shape.BF16: narrowBits[uint16](shape.BF16),
	shape.C64: narrowComplex[complex64], shape.C128: narrowComplex[complex128],
	shape.F8E5M2: narrowBits[uint8](shape.F8E5M2), shape.F8E4M3FN: narrowBits[uint8](shape.F8E4M3FN),
	shape.F8E4M3B11FNUZ: narrowBits[uint8](shape.F8E4M3B11FNUZ), shape.F8E5M2FNUZ: narrowBits[uint8](shape.F8E5M2FNUZ),
	shape.F8E4M3FNUZ: narrowBits[uint8](shape.F8E4M3FNUZ), shape.F8E4M3: narrowBits[uint8](shape.F8E4M3),
	shape.F8E3M4: narrowBits[uint8](shape.F8E3M4), shape.F8E8M0FNU: narrowBits[uint8](shape.F8E8M0FNU),
	shape.F4E2M1FN: narrowBits[uint8](shape.F4E2M1FN), shape.F6E3M2FN: narrowBits[uint8](shape.F6E3M2FN),
	shape.F6E2M3FN: narrowBits[uint8](shape.F6E2M3FN),
}

func narrowInts[T integer](b []byte, r Vector, at int64, n int) {
	dst := cast[T](b)[at : at+int64(n)]
	for i, v := range r.I[:n] {
		dst[i] = T(v)
	}
}

func narrowFloats[T float32 | float64](b []byte, r Vector, at int64, n int) {
	dst := cast[T](b)[at : at+int64(n)]
	for i, v := range r.F[:n] {
		dst[i] = T(v)
	}
}

func narrowComplex[T complex64 | complex128](b []byte, r Vector, at int64, n int) {
	dst := cast[T](b)[at : at+int64(n)]
	for i, v := range r.C[:n] {
		dst[i] = T(v)
	}
}

func narrowBits[T uint8 | uint16](t shape.ElementType) func([]byte, Vector, int64, int) {
	return func(b []byte, r Vector, at int64, n int) {
		dst := cast[T](b)[at : at+int64(n)]
		for i, v := range r.F[:n] {
			dst[i] = T(t.FromFloat64(v))
		}
	}
}

// cast is b as a slice of T.
func cast[T any](b []byte) []T {
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
}
