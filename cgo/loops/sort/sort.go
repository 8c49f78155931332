// Package sort has native kernels that sort: rows of arrays that go together, by radix passes over keys or by merging
// with a program that compares.
package sort

import "github.com/halo-xla/halo/cgo/loops/run"

// Array is one of the arrays that are sorted together. Width is that of its elements, in bytes.
type Array struct {
	Dst, Src run.Ref
	Width    int64
	_        int64
}

// Flags say how the elements of a key order.
type Flags int64

// The flags. Without Total, NaN have no order: rows that have some are sorted by the comparator. Zeros and NaNs make
// those of both signs equal in the total order.
const (
	Float Flags = 1 << iota // else unsigned
	Signed
	Total
	Zeros
	NaNs
	Descending
)

// Key is what arrays are sorted by: the elements of array Operand, or what Program, a packed program of package
// cgo/loops/scalar, makes of a comparator's parameters; Data is then memory for one of each element.
type Key struct {
	Data     run.Ref
	Operand  int
	Program  []byte // nil: the operand's elements
	LogWidth int    // logarithm of the bytes of a key
	Flags    Flags
	Infinity uint64 // its bits, of a float
}

// Rows are the lines that are sorted: Count of them, of N elements that are Stride apart.
type Rows struct{ N, Stride, Count int64 }

const (
	longRow    = 1 << 15
	chunkSize  = 1 << 16
	pairBytes  = 40
	countBytes = 8 * 256
)

// ScratchBytes is how much memory the record of such rows needs.
func (r Rows) ScratchBytes() int64 {
	if r.N < longRow {
		return 0
	}
	return pairBytes*r.N + (r.N+chunkSize-1)/chunkSize*countBytes
}

type recordArgs struct {
	rows               Rows
	arrays, keys, less int64
	scratch            run.Ref
	isa, _             int64
}

type keyArgs struct {
	data                               run.Ref
	operand, logWidth, flags, infinity int64
}

// pack lays out the arguments.
func (r Rows) pack(isa run.ISA, arrays []Array, keys []Key, less []byte, scratch run.Ref) []byte {
	b := run.Append(nil, &recordArgs{rows: r, arrays: int64(len(arrays)), keys: int64(len(keys)),
		less: run.Bit(less != nil), scratch: scratch, isa: int64(isa)})
	b = append(b, run.Bytes(arrays)...)
	for _, k := range keys {
		x := keyArgs{k.Data, int64(k.Operand), int64(k.LogWidth), int64(k.Flags), int64(k.Infinity)}
		if k.Program != nil {
			x.operand = -1
		}
		b = run.Append(b, &x)
	}
	for _, k := range keys {
		b = append(b, k.Program...)
		b = append(b, make([]byte, -len(b)&15)...)
	}
	return append(b, less...)
}
