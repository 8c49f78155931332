package reduce

import (
	"github.com/halo-xla/halo/cgo/loops/run"
)

// Op is an op that reduces.
type Op int32

// The ops.
const (
	Add Op = iota
	Multiply
	Minimum
	Maximum
	And
	Or
	Xor
	NumOps
)

// Type is a type of elements.
type Type int32

// The types. S8 and U8 hold the narrower integers too. Ops that do not look at signs, but for Add and Multiply of U8,
// have the signed types alone.
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
	NumTypes
)

// Loops are the native loops of an op on a type.
type Loops struct{ address uintptr }

// Address is where C has them, as a halo_plain_ops.
func (l Loops) Address() uintptr { return l.address }

// MostStrip is how many results a strip of a Plain may have, so that each row of it is a long piece of memory.
const MostStrip = 4096

// Plain is a reduction by one op: the loops of Ops take elements of X, and the one at Init, into Out. A task is Grain
// kept places, or one of Strips of the Width of one, Strip results each, and one of Chunks of the rows, or of the run's
// elements where that is the one row; Chunk of them each. Chunks leave accumulators of 8 bytes in Scratch. In the end
// Each accumulators side by side become one result; strips have whole results.
type Plain struct {
	Ops                  Loops
	X, Init, Out         run.Ref
	Scratch              run.Ref
	Kept, Reduced        []Axis
	Run                  int64
	RunReduced           bool
	Bits                 int // of the elements
	Grain, Strips, Strip int64
	Chunks, Chunk        int64
	Each                 int64
}

type plainArgs struct {
	ops                            uintptr
	x, init, out, scratch          run.Ref
	kept, reduced, run, runReduced int64
	bits                           int64
	grain, strips, strip           int64
	chunks, chunk, each            int64
}

// Record makes the record of p.
func (p Plain) Record() run.Record {
	a := plainArgs{ops: p.Ops.address, x: p.X, init: p.Init, out: p.Out, scratch: p.Scratch, kept: int64(len(p.Kept)),
		reduced: int64(len(p.Reduced)), run: p.Run, bits: int64(p.Bits), grain: p.Grain, strips: p.Strips,
		strip: p.Strip, chunks: p.Chunks, chunk: p.Chunk, each: max(p.Each, 1),
		runReduced: run.Bit(p.RunReduced)}
	r := run.Pack(plainFunction(), &a)
	r.Args = append(r.Args, run.Bytes(append(append([]Axis(nil), p.Kept...), p.Reduced...))...)
	return r
}

// LoopsOf returns the loops of an op on a type for an instruction set, and whether there are any.
func LoopsOf(isa run.ISA, op Op, t Type) (Loops, bool) {
	address := plainLoops(isa, op, t)
	return Loops{address}, address != 0
}
