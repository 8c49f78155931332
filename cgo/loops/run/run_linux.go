//go:build cgo

package run

// #cgo noescape halo_segment_run
// #cgo nocallback halo_segment_run
// #include <stdlib.h>
// #include "segment.h"
import "C"

import (
	"errors"
	"runtime"
	"sync/atomic"
	"unsafe"
)

const alignBytes = 64 // of a segment

// This does not compile unless a record's head is as large as Go takes it for.
var _ = [1]int{}[unsafe.Sizeof(C.halo_record{})-HeadBytes]

// Segment is a list of records in C memory, which run one after the other in one call. It is immutable and safe for
// concurrent use until Close. One that nobody closes is freed when nobody holds it.
type Segment struct {
	memory  unsafe.Pointer
	parts   []*Segment
	closed  atomic.Bool
	cleanup runtime.Cleanup
}

var segments atomic.Int64

// Segments returns how many segments there are in C memory.
func Segments() int { return int(segments.Load()) }

// Available says whether this build has native kernels.
func Available() bool { return true }

func machineLevel() ISA { return ISA(C.halo_level()) }

// NewSegment lays out records. Segments that they run belong to the new segment from now on.
func NewSegment(list []Record) *Segment {
	check(list)
	records := Lay(nil, list)
	const head = int(unsafe.Sizeof(C.halo_segment{}))
	memory := C.aligned_alloc(alignBytes, C.size_t((head+len(records)+alignBytes-1)/alignBytes*alignBytes))
	if memory == nil {
		panic("run: out of memory for records")
	}
	s := &Segment{memory: memory}
	segments.Add(1)
	s.cleanup = runtime.AddCleanup(s, free, memory)
	(*C.halo_segment)(memory).bytes = C.int64_t(len(records))
	copy(unsafe.Slice((*byte)(unsafe.Add(memory, head)), len(records)), records)
	for _, r := range list {
		s.parts = append(s.parts, r.parts...)
	}
	return s
}

func free(memory unsafe.Pointer) {
	C.free(memory)
	segments.Add(-1)
}

// Run runs the records. base is the table of addresses by slot and cancel the word that stops the run when it is not 0;
// both are memory that Go's collector does not move or free meanwhile, and what the table points at is C memory or
// pinned. threads is the budget, 1 for the caller alone. It fails with ErrCancelled or with what a kernel says.
func (s *Segment) Run(base unsafe.Pointer, cancel *uint32, threads int, mode Mode) error {
	message := C.halo_segment_run(C.uintptr_t(uintptr(s.memory)), C.uintptr_t(uintptr(base)),
		C.uintptr_t(uintptr(unsafe.Pointer(cancel))), C.int32_t(threads), C.int32_t(mode))
	runtime.KeepAlive(s)
	if message == nil {
		return nil
	}
	return failure(message)
}

var errWordless = errors.New("out of memory: not even what failed can be said")

func failure(message *C.char) error {
	switch message {
	case C.halo_cancelled:
		return ErrCancelled
	case C.halo_wordless:
		return errWordless
	}
	defer C.free(unsafe.Pointer(message))
	return errors.New(C.GoString(message))
}

// Close frees the records, and the segments that they run. No Run may be under way.
func (s *Segment) Close() {
	if s.closed.Swap(true) {
		return
	}
	s.cleanup.Stop()
	free(s.memory)
	for _, p := range s.parts {
		p.Close()
	}
	runtime.KeepAlive(s)
}

// Workers returns how many threads the pool has made.
func Workers() int { return int(C.halo_workers()) }

type copyArgs struct {
	dst, src Ref
	bytes    int64
}

// Copy makes a record: bytes from src to dst, which overlap wholly or not at all.
func Copy(dst, src Ref, bytes int64) Record {
	return Pack(unsafe.Pointer(C.halo_copy), &copyArgs{dst, src, bytes})
}

type whileArgs struct {
	condition, body uintptr
	pred            Ref
}

// While makes a record: condition runs, and while the byte that it leaves at pred is not 0, body and condition again.
// What the body hands to its next round it copies itself.
func While(condition *Segment, pred Ref, body *Segment) Record {
	r := Pack(unsafe.Pointer(C.halo_while), &whileArgs{uintptr(condition.memory), uintptr(body.memory), pred})
	r.parts = []*Segment{condition, body}
	return r
}

type repeatArgs struct {
	body  uintptr
	times int64
}

// Repeat makes a record: body runs times times.
func Repeat(times int64, body *Segment) Record {
	r := Pack(unsafe.Pointer(C.halo_repeat), &repeatArgs{uintptr(body.memory), times})
	r.parts = []*Segment{body}
	return r
}

type countArgs struct {
	body                      uintptr
	at                        Ref
	times, bytes, first, step int64
	wanted                    int64
}

// Count makes a record: body runs as often as c says.
func Count(c Counter, body *Segment) Record {
	r := Pack(unsafe.Pointer(C.halo_count), &countArgs{uintptr(body.memory), c.At, c.Times, c.Bytes, c.First, c.Step,
		Bit(c.Wanted)})
	r.parts = []*Segment{body}
	return r
}

type conditionalArgs struct {
	selector         Ref
	branches, isPred int64
}

// Conditional makes a record that runs one of the branches: by an s32 index, the last branch if that is out of range,
// or by a pred, of which true means branch 0 and false branch 1.
func Conditional(selector Ref, isPred bool, branches []*Segment) Record {
	r := Pack(unsafe.Pointer(C.halo_conditional), &conditionalArgs{selector, int64(len(branches)), Bit(isPred)})
	for _, b := range branches {
		address := uintptr(b.memory)
		r.Args = Append(r.Args, &address)
	}
	r.parts = branches
	return r
}
