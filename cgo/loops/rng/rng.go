// Package rng has native kernels that make random bits, with the bits of XLA's generators.
package rng

import "github.com/halo-xla/halo/cgo/loops/run"

// Bits is a bit generator's step: from the state, u64 words, to the state After and the bits. Outer, Size, Inner and
// Width say how the words of its blocks lie in the array of bits, as backend/cpu/kernel's RandomPlan does.
type Bits struct {
	State, After, Bits        run.Ref
	Words                     int64 // of the state
	Outer, Size, Inner, Width int64
	ISA                       run.ISA
}

type bitsArgs struct {
	state, after, bits               run.Ref
	words, outer, size, inner, width int64
	isa, _                           int64
}

func (b Bits) args() *bitsArgs {
	return &bitsArgs{state: b.State, after: b.After, bits: b.Bits, words: b.Words, outer: b.Outer, size: b.Size,
		inner: b.Inner, width: b.Width, isa: int64(b.ISA)}
}

// ThreeFry makes the record of ThreeFry2x32 with 20 rounds. The state is u64[2].
func (b Bits) ThreeFry() run.Record { return run.Pack(threeFry(), b.args()) }

// Philox makes the record of Philox4x32 with 10 rounds. The state is u64[2] or u64[3].
func (b Bits) Philox() run.Record { return run.Pack(philox(), b.args()) }
