// Package move has native kernels that move data: strided copies of boxes, which are transposes, slices, pads,
// broadcasts, concatenations and reversals.
package move

import "github.com/halo-xla/halo/cgo/loops/run"

// Axis is one dimension of a box: N steps, in bytes apart in destination and source, of which Part are in one task.
type Axis struct{ N, Dst, Src, Part int64 }

// Index is an entry of an index vector in memory, which a box moves with: clamped to 0 to Limit, times Stride bytes.
type Index struct {
	Ref           run.Ref
	LogBytes      int  // logarithm of the bytes of the index
	Signed        bool // else it is unsigned
	Limit, Stride int64
	Source        bool // it moves the place in the source, else in the destination
}

// Box is a strided copy. Kind is which loop moves the last two axes: 0 contiguous stretches of bytes, 1 one element
// many times, 2 a transpose of the two, 3 single elements. There are at least two axes; without tasks it is empty.
type Box struct {
	Dst, Src run.Ref
	Kind     int
	LogWidth int // logarithm of the bytes that move at once
	Stream   bool
	InPlace  bool // it does nothing if destination and source are the same
	Tasks    int64
	Axes     []Axis
	Indices  []Index
}
