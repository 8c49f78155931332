// Package run holds what the families of native kernels share: records, segments of records that run in one call, the
// pool of threads, and the choice of the instruction set.
//
// # How a family of kernels adds a record
//
// A family is a package cgo/loops/NAME. Its header has, for each kernel, a C struct that begins with halo_record, and a
// function of the type of halo_record.fn:
//
//	#include "../run/record.h"
//	typedef struct { halo_record head; halo_ref dst, src; int64_t n; } halo_neg_record;
//	void halo_neg(const halo_record *r, halo_run *run);
//
// The function casts the record, finds memory with HALO_AT(run, r->dst), splits large work into tasks for
// run->parallel (by shape, type and instruction set, by run->threads only where no sum is made otherwise) and reports
// failure with halo_fail. It keeps nothing. Equal addresses of a result and an operand mean "in place".
//
// The Go file packs the same arguments, less the head; Pack copies the bytes, so that the struct must have C's layout
// and no Go pointers:
//
//	type negArgs struct { dst, src run.Ref; n int64 }
//
//	// Neg makes a record: dst T[n] = -src T[n].
//	func Neg(dst, src run.Ref, n int64) run.Record {
//		return run.Pack(unsafe.Pointer(C.halo_neg), &negArgs{dst, src, n})
//	}
//
// A second Go file with "//go:build !cgo || !linux" has the same functions; they panic, since Available says no before.
// C files begin with "//go:build linux". A family with instruction sets has one small C file for each, and a table of
// functions by ISA.
package run

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
)

// Ref is a place in the memory of a run: Offset bytes behind the address of a slot.
type Ref struct {
	Slot   int32
	_      int32
	Offset int64
}

// Counter is how a loop counts its rounds: an integer of Bytes bytes at At is First in the first round and Step more in
// each. If it is Wanted, it has what it would be in one more round when the loop has ended.
type Counter struct {
	At                        Ref
	Times, Bytes, First, Step int64
	Wanted                    bool
}

// Mode is how a segment runs, a sum of what follows.
type Mode int32

// Modes of a run.
const (
	Flush Mode = 1 << iota // sub-normal numbers count as zero
	Brief                  // the pool counts the caller among those at work only while it has help
)

// ErrCancelled is what Segment.Run returns when the cancel word was set.
var ErrCancelled = errors.New("cancelled")

// ISA is an instruction set that kernels are built for.
type ISA int32

// Instruction sets.
const (
	Base   ISA = iota // what every CPU of the architecture has
	AVX2              // and FMA, F16C
	AVX512            // F, CD, DQ, BW, VL
	NEON
)

// NumISA is how many instruction sets there are, for tables of functions by ISA.
const NumISA = 4

var isaNames = [NumISA]string{"base", "avx2", "avx512", "neon"}

// String returns the name that $HALO_ISA has for the instruction set.
func (l ISA) String() string { return isaNames[l] }

var level = sync.OnceValue(func() ISA { return choose(machineLevel(), os.Getenv("HALO_ISA")) })

// Level returns the instruction set that kernels use: the best of the machine, or what $HALO_ISA names if it is there.
func Level() ISA { return level() }

// Held returns the level that $HALO_ISA holds kernels and libraries to, and whether the machine has a better one.
func Held() (ISA, bool) { return Level(), Level() != machineLevel() }

// choose returns the level of a name, if a machine whose best level is best has it.
func choose(best ISA, name string) ISA {
	for _, l := range below(best) {
		if strings.EqualFold(name, l.String()) {
			return l
		}
	}
	return best
}

// Levels lists the levels that this machine can run, $HALO_ISA aside, from base on.
func Levels() []ISA { return below(machineLevel()) }

func below(best ISA) []ISA {
	if best == NEON {
		return []ISA{Base, NEON}
	}
	return []ISA{Base, AVX2, AVX512}[:best+1]
}

// check panics if records cannot be laid out: that is a bug of who made them.
func check(list []Record) {
	for i, r := range list {
		if r.Fn == nil {
			panic(fmt.Sprintf("run: bug: record %d has no function", i))
		}
	}
}
