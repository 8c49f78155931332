// Package scalar runs the programs of backend/cpu/scalar in C: flat code on registers, for loops over scalars and for
// the computations that reduce, sort, scatter and map apply.
package scalar

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Code is a program as package backend/cpu/scalar has it.
type Code struct {
	Registers    []uint64 // their first contents
	Instructions []byte   // 16 bytes each
	Streams      int
	Cost         int // of all instructions once, in such on registers; 0: they all are
	// Machine is what runs the program, a function of the type of halo_program.run; nil is the interpreter.
	Machine unsafe.Pointer
}

// Stream is where a record's rounds read a parameter or write a result.
type Stream struct {
	At     run.Ref
	Stride int64 // bytes
}

// head is halo_program.
type head struct {
	run                            uintptr
	registers, code, streams, poll int32
	bytes                          int64
}

// PollAt is where machine code finds how many rounds pass between two looks at the cancel word, in bytes of a program.
const PollAt = int32(unsafe.Offsetof(head{}.poll))

const (
	instrBytes = 16
	// pollCode is about how many instructions run between two looks at the cancel word.
	pollCode = 1 << 17
)

// Pack returns the bytes of program.h's halo_program, which stand in records at a multiple of 16.
func (c Code) Pack() []byte {
	regs, n := len(c.Registers), len(c.Instructions)/instrBytes
	h := head{run: interpreter(), registers: int32(regs), code: int32(n), streams: int32(c.Streams),
		poll: int32(pollCode/max(n, c.Cost, 1) + 1)}
	size := int(unsafe.Sizeof(h)) + (regs+1)&^1*8 + n*instrBytes
	h.bytes = int64(size)
	if c.Machine != nil {
		h.run = uintptr(c.Machine)
	}
	out := append(run.Append(make([]byte, 0, size), &h), run.Bytes(c.Registers)...)
	if regs%2 == 1 {
		out = append(out, make([]byte, 8)...)
	}
	return append(out, c.Instructions...)
}

// Apply makes a record that runs a packed program n times, in pieces of grain rounds that may run at once. There is a
// stream for each parameter and each result. If a stream is an accumulator, grain must be n.
func Apply(program []byte, n, grain int64, streams []Stream) run.Record {
	counts := [2]int64{n, max(grain, 1)}
	args := append(run.Append(nil, &counts), program...)
	return run.Record{Fn: recordFunction(), Args: append(args, run.Bytes(streams)...)}
}
