package kernel

import (
	"encoding/binary"
	"math"
)

// IndexType is how an integer that is an index lies in memory.
type IndexType struct {
	LogBytes int // logarithm of the bytes
	Signed   bool
}

// At returns integer i of b; an unsigned one beyond an int64 is the largest.
func (t IndexType) At(b []byte, i int64) int64 {
	switch t.LogBytes {
	case 0:
		return t.extend(uint64(b[i]), 56)
	case 1:
		return t.extend(uint64(binary.LittleEndian.Uint16(b[2*i:])), 48)
	case 2:
		return t.extend(uint64(binary.LittleEndian.Uint32(b[4*i:])), 32)
	}
	v := int64(binary.LittleEndian.Uint64(b[8*i:]))
	if !t.Signed && v < 0 {
		return math.MaxInt64
	}
	return v
}

// extend returns v, whose upper unused bits are 0, with its sign.
func (t IndexType) extend(v uint64, unused int) int64 {
	if t.Signed {
		return int64(v<<unused) >> unused
	}
	return int64(v)
}
