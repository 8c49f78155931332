package kernel

import (
	"encoding/binary"
	"math"

	"github.com/halo-xla/halo/xla/shape"
)

// iotaPart is the number of elements that a task of an iota makes.
const iotaPart = 1 << 16

// Iota returns the function that fills an array of element type t and sizes dims with each element's index along dim.
func Iota(t shape.ElementType, dims []int64, dim int64) func(dst []byte, p Parallel) {
	n, inner := dims[dim], shape.Product(dims[dim+1:])
	put, width := numberOf(t), int64(t.Bytes())
	return func(dst []byte, p Parallel) {
		total := shape.Product(dims)
		p(ceilDiv(total, iotaPart), func(task int64) {
			for i := task * iotaPart; i < min(total, (task+1)*iotaPart); i++ {
				put(dst[i*width:], i/inner%n)
			}
		})
	}
}

// numberOf returns the function that writes an integer as an element of type t.
func numberOf(t shape.ElementType) func(b []byte, v int64) {
	put := bitsOf(t.Bytes())
	switch {
	case t == shape.F32:
		return func(b []byte, v int64) { put(b, uint64(math.Float32bits(float32(v)))) }
	case t == shape.F64:
		return func(b []byte, v int64) { put(b, math.Float64bits(float64(v))) }
	case t.IsFloat():
		return func(b []byte, v int64) { put(b, t.FromFloat64(float64(v))) }
	case t.IsComplex():
		part := numberOf(t.Component())
		return func(b []byte, v int64) {
			part(b, v)
			part(b[t.Bytes()/2:], 0)
		}
	case t.IsSigned():
		unused := 64 - t.Bits()
		return func(b []byte, v int64) { put(b, uint64(v<<unused>>unused)) }
	}
	mask := uint64(1)<<(t.Bits()-1)<<1 - 1
	return func(b []byte, v int64) { put(b, uint64(v)&mask) }
}

// bitsOf returns the function that writes the low bytes of a number.
func bitsOf(bytes int) func(b []byte, v uint64) {
	switch bytes {
	case 1:
		return func(b []byte, v uint64) { b[0] = byte(v) }
	case 2:
		return func(b []byte, v uint64) { binary.LittleEndian.PutUint16(b, uint16(v)) }
	case 4:
		return func(b []byte, v uint64) { binary.LittleEndian.PutUint32(b, uint32(v)) }
	}
	return func(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) }
}
