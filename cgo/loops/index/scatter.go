package index

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Reducer is how an update is folded into an element.
type Reducer int

// The reducers that have loops. Program is none of them.
const (
	Program Reducer = iota
	Assign
	Add
	Multiply
	Minimum
	Maximum
	And
	Or
	Xor
)

// Type is the type of elements that are folded. Assign takes the unsigned type of their width, or Wide for 16 bytes.
type Type int

// The types that have loops; floats have no And, Or and Xor, complex numbers Add alone.
const (
	S8 Type = iota
	S16
	S32
	S64
	U8
	U16
	U32
	U64
	F32
	F64
	BF16
	F16
	C64
	C128
	Wide
)

// Array is an array that is scattered into: a copy of Src, or that itself if Dst is it.
type Array struct {
	Dst, Src, Updates run.Ref
	Width, Bytes      int64 // of an element and of Dst
}

// WindowAxis is one dimension of a window, in bytes.
type WindowAxis struct {
	N, Windowed, Operand int64
	_                    int64
}

// Body is a scatter: of one array by a reducer, or of several by a program that folds them together.
type Body struct {
	Plan    Plan
	Reducer Reducer
	Type    Type
	Program []byte // packed, as package cgo/loops/scalar has it
	Arrays  []Array
	Window  []WindowAxis // at least one
	Slab    int64        // no window crosses a multiple of it in Dst of the first array, in bytes
	Free    int          // an axis of the windows that no index moves, by which to split the work, or -1
}

type bodyArgs struct{ bytes, reducer, kind, slab, free, elements, axes, arrays int64 }

func (x *Body) pack() []byte {
	a := bodyArgs{reducer: int64(x.Reducer), kind: int64(x.Type), slab: max(1, x.Slab), free: int64(x.Free), elements: 1,
		axes: int64(len(x.Window)), arrays: int64(len(x.Arrays))}
	for _, w := range x.Window {
		a.elements *= w.N
	}
	rest := append(append(x.Plan.pack(nil), run.Bytes(x.Window)...), run.Bytes(x.Arrays)...)
	rest = append(rest, x.Program...)
	rest = append(rest, make([]byte, -len(rest)&15)...)
	a.bytes = int64(len(rest)) + int64(unsafe.Sizeof(a))
	return append(run.Append(nil, &a), rest...)
}
