package gemm

import "github.com/halo-xla/halo/cgo/loops/run"

// Type is an element type of a contraction. Unsigned integers of 32 and 64 bits are S32 and S64: sums wrap.
type Type int64

// The element types.
const (
	F32 Type = iota
	F64
	BF16
	F16
	S8
	U8
	S16
	U16
	S32
	S64
)

// Sum is a type that sums are made in.
type Sum int64

// The types of sums: F32 takes F32, BF16 and F16, F64 takes F64 and F32, I32 integers of up to 32 bits and I64 all.
const (
	SumF32 Sum = iota
	SumF64
	SumI32
	SumI64
)

// Limits of a contraction: steps of a walk, rows and columns of a tile, and rows and terms of lanes.
const (
	MaxSteps  = 8
	MaxTileM  = 192
	MaxTileN  = 256
	MaxLanesK = 1024
)

// Step is one dimension of a walk: N places that are Stride elements apart.
type Step struct{ N, Stride int64 }

// Operand is an array: its first element, and how its indices move.
type Operand struct {
	Ref                  run.Ref
	Type                 Type
	First                int64
	Batch, Rows, Columns []Step
}

// Contraction is out[b, i, j] = sum over k of lhs[b, i, k] rhs[b, j, k]. Tiles of TileM rows and TileN columns are
// computed by themselves, PerTask of them in a task. With Lanes, batch indices are neighbours in all three arrays,
// which are of the type of the sums, N is 1, and a task is TileM rows of all batch indices.
type Contraction struct {
	LHS, RHS, Out         Operand
	B, M, N, K            int64
	TileM, TileN, PerTask int64
	Sum                   Sum
	Lanes                 bool
}
