package kernel

import (
	"unsafe"

	"github.com/halo-xla/halo/xla/shape"
)

// Rows are the lines of an array along one dimension: Count lines of N elements, which are Stride elements apart.
type Rows struct{ N, Stride, Count int64 }

// RowsOf returns the rows along a dimension of an array of the given sizes.
func RowsOf(dims []int64, dim int) Rows {
	r := Rows{N: 1, Stride: shape.Product(dims[min(dim+1, len(dims)):]), Count: 1}
	if len(dims) > 0 {
		r.N, r.Count = dims[dim], shape.Product(dims[:dim])
	}
	r.Count *= r.Stride
	return r
}

// Start returns the place of the first element of row i.
func (r Rows) Start(i int64) int64 { return i/r.Stride*r.Stride*r.N + i%r.Stride }

// SortKey says how the elements of one array order.
type SortKey struct {
	Type shape.ElementType
	// Total is the total order of floats: -NaN, -inf, ..., -0, 0, ..., inf, NaN. Without it zeros are equal, and NaN have
	// no order.
	Total bool
	// Zeros and NaNs make all zeros, and all NaN, equal to the positive one in a total order.
	Zeros, NaNs bool
	Descending  bool
}

// bits returns the width of the keys.
func (k SortKey) bits() int {
	if k.Type.IsFloat() && k.Type.Bytes() == 1 {
		return smallBits
	}
	return 8 * k.Type.Bytes()
}

// smallBits is the width of the keys of floats of a byte: the upper bits of an F64 that tell them apart.
const smallBits = 16

// Ranked is an element that is sorted: its key, an unsigned number, and its place in the row.
type Ranked struct {
	Key   uint64
	Index int32
}

// Keys sets the key of each of v to that of the element of b at its Index, of a row that begins at start. It reports
// whether all have an order.
func (k SortKey) Keys(v []Ranked, b []byte, start, stride int64) bool {
	if len(v) == 0 {
		return true
	}
	p, flip := unsafe.Pointer(&b[0]), uint64(0)
	if k.Descending {
		flip = 1<<(k.bits()-1)<<1 - 1
	}
	if k.Type.IsFloat() {
		return k.floatKeys(v, p, start, stride, flip)
	}
	if k.Type.IsSigned() {
		flip ^= 1 << (k.bits() - 1)
	}
	loads[log2(int64(k.Type.Bytes()))](v, p, start, stride)
	for i := range v {
		v[i].Key ^= flip
	}
	return true
}

// loads set keys to the bits of elements, by the logarithm of their width.
var loads = [...]func(v []Ranked, p unsafe.Pointer, start, stride int64){
	loadKeys[uint8], loadKeys[uint16], loadKeys[uint32], loadKeys[uint64],
}

func loadKeys[T uint8 | uint16 | uint32 | uint64](v []Ranked, p unsafe.Pointer, start, stride int64) {
	width := int64(unsafe.Sizeof(T(0)))
	for i := range v {
		v[i].Key = uint64(*at[T](p, (start+int64(v[i].Index)*stride)*width))
	}
}

func (k SortKey) floatKeys(v []Ranked, p unsafe.Pointer, start, stride int64, flip uint64) bool {
	loads[log2(int64(k.Type.Bytes()))](v, p, start, stride)
	if k.Type.Bytes() == 1 {
		return k.smallKeys(v, flip)
	}
	sign := uint64(1) << (k.bits() - 1)
	infinity := (uint64(1)<<k.Type.ExponentBits() - 1) << k.Type.MantissaBits()
	ordered := true
	for i := range v {
		b := v[i].Key
		switch size := b &^ sign; {
		case size == 0 && (k.Zeros || !k.Total):
			b = 0
		case size > infinity && k.NaNs:
			b = infinity | 1<<(k.Type.MantissaBits()-1)
		case size > infinity && !k.Total:
			ordered = false
		}
		if b&sign != 0 {
			b = ^b & (sign<<1 - 1)
		} else {
			b |= sign
		}
		v[i].Key = b ^ flip
	}
	return ordered
}

// smallKeys are the keys of floats of a byte: their values are ranked as F64.
func (k SortKey) smallKeys(v []Ranked, flip uint64) bool {
	wide, ordered := k, true
	wide.Type, wide.Descending = shape.F64, false
	var one [1]Ranked
	for i := range v {
		x := k.Type.ToFloat64(v[i].Key)
		if !wide.floatKeys(one[:], unsafe.Pointer(&x), 0, 1, 0) {
			ordered = false
		}
		v[i].Key = one[0].Key>>(64-smallBits) ^ flip
	}
	return ordered
}
