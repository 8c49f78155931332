package kernel

import (
	"math/bits"
	"unsafe"
)

// word is what moves at once.
type word interface {
	uint8 | uint16 | uint32 | uint64 | [2]uint64
}

// moveLoop moves the two innermost axes of a box.
type moveLoop func(dst, src unsafe.Pointer, rows, cols Axis)

// moveLoops are the loops by kind and by the logarithm of the width.
var moveLoops = [...][5]moveLoop{
	Run:   {moveRuns, moveRuns, moveRuns, moveRuns, moveRuns},
	Fill:  {moveFill[uint8], moveFill[uint16], moveFill[uint32], moveFill[uint64], moveFill[[2]uint64]},
	Plane: {movePlane[uint8], movePlane[uint16], movePlane[uint32], movePlane[uint64], movePlane[[2]uint64]},
	Line:  {moveLines[uint8], moveLines[uint16], moveLines[uint32], moveLines[uint64], moveLines[[2]uint64]},
}

func log2(width int64) int { return bits.TrailingZeros64(uint64(width)) }

func at[T any](p unsafe.Pointer, offset int64) *T { return (*T)(unsafe.Add(p, offset)) }

func moveRuns(dst, src unsafe.Pointer, rows, cols Axis) {
	for i := range rows.N {
		copy(unsafe.Slice(at[byte](dst, i*rows.Dst), cols.N), unsafe.Slice(at[byte](src, i*rows.Src), cols.N))
	}
}

func moveFill[T word](dst, src unsafe.Pointer, rows, cols Axis) {
	for i := range rows.N {
		v := *at[T](src, i*rows.Src)
		line := unsafe.Slice(at[T](dst, i*rows.Dst), cols.N)
		for j := range line {
			line[j] = v
		}
	}
}

func moveLines[T word](dst, src unsafe.Pointer, rows, cols Axis) {
	for i := range rows.N {
		moveLine[T](unsafe.Add(dst, i*rows.Dst), unsafe.Add(src, i*rows.Src), cols)
	}
}

func moveLine[T word](dst, src unsafe.Pointer, a Axis) {
	d, s := int64(0), int64(0)
	for range a.N {
		*at[T](dst, d) = *at[T](src, s)
		d, s = d+a.Dst, s+a.Src
	}
}

// square is the side of the squares in which a plane moves, so that the lines of both sides stay in the cache.
const square = 32

// movePlane transposes: rows are contiguous in the source, cols in the destination.
func movePlane[T word](dst, src unsafe.Pointer, rows, cols Axis) {
	for j := int64(0); j < cols.N; j += square {
		part := Axis{min(square, cols.N-j), cols.Dst, cols.Src}
		for i := int64(0); i < rows.N; i += square {
			for r := i; r < min(i+square, rows.N); r++ {
				moveLine[T](unsafe.Add(dst, r*rows.Dst+j*cols.Dst), unsafe.Add(src, r*rows.Src+j*cols.Src), part)
			}
		}
	}
}
