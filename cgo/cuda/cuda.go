// Package cuda calls the driver of NVIDIA's GPUs, which is opened at run time: devices, memory, streams, modules,
// launches and graphs.
//
// A Driver is one opened library, of which a process may have several: the real one and the emulator's. All methods
// make the device's context current themselves, so any goroutine may call them; those of one stream run in the order of
// the calls. Builds without cgo have Open alone, which fails.
package cuda

import (
	"fmt"
	"slices"
	"unsafe"
)

// Ptr is an address in the memory of a device.
type Ptr uint64

// Stream, Event, Module, Function, Graph, Node and Exec are handles of the driver; the zero Stream is its default
// stream, the zero Node none.
type (
	Stream   struct{ p unsafe.Pointer }
	Event    struct{ p unsafe.Pointer }
	Module   struct{ p unsafe.Pointer }
	Function struct{ p unsafe.Pointer }
	Graph    struct{ p unsafe.Pointer }
	Node     struct{ p unsafe.Pointer }
	Exec     struct{ p unsafe.Pointer }
)

// Error is a call of the driver that has failed.
type Error struct {
	// Call is the driver's function, Name what the driver calls the status, Text what it says of it.
	Call, Name, Text string
	Status           int
}

// Error returns the call, the name of the status and its text.
func (e *Error) Error() string { return fmt.Sprintf("cuda: %s: %s: %s", e.Call, e.Name, e.Text) }

// Statuses that callers tell apart.
const (
	OutOfMemory = 2
	NotReady    = 600
	NoDevice    = 100
)

// lost are the statuses after which a context is of no more use.
var lost = map[int]bool{
	214: true, // uncorrectable error of the memory
	700: true, // illegal address
	702: true, // a launch took too long
	708: true, // the context is gone
	710: true, // an assertion of a kernel
	714: true, // hardware stack
	715: true, // illegal instruction
	716: true, // misaligned address
	717: true, // invalid address space
	718: true, // invalid program counter
	719: true, // a launch failed
	999: true, // unknown
}

// Lost reports whether nothing can be run on the device any more in this process.
func (e *Error) Lost() bool { return lost[e.Status] }

// Refused reports whether the driver does not take what it was given, or not where it was: a graph that it does not
// know how to run. All is as it was before.
func (e *Error) Refused() bool {
	const invalidValue, notPermitted, notSupported, captures, noMoreCaptures = 1, 800, 801, 900, 910
	return e.Status == invalidValue || e.Status == notPermitted || e.Status == notSupported ||
		e.Status >= captures && e.Status < noMoreCaptures
}

// Is makes errors.Is find an Error of the same status.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Status == e.Status
}

// ErrOutOfMemory is for errors.Is.
var ErrOutOfMemory = &Error{Name: "CUDA_ERROR_OUT_OF_MEMORY", Status: OutOfMemory}

// Attribute is a property of a device, by the driver's number.
type Attribute uint32

// The attributes that are asked for.
const (
	MaxThreadsPerBlock     Attribute = 1
	MaxSharedPerBlock      Attribute = 8
	WarpSize               Attribute = 10
	ClockRate              Attribute = 13
	Multiprocessors        Attribute = 16
	MemoryClockRate        Attribute = 36
	MemoryBusWidth         Attribute = 37
	L2CacheSize            Attribute = 38
	MaxThreadsPerMP        Attribute = 39
	ComputeMajor           Attribute = 75
	ComputeMinor           Attribute = 76
	MaxSharedPerMP         Attribute = 81
	MaxRegistersPerMP      Attribute = 82
	MaxSharedPerBlockOptin Attribute = 97
	MemoryPools            Attribute = 115
)

// FunctionAttribute is a property of a kernel, by the driver's number.
type FunctionAttribute uint32

// The attributes of kernels that are asked for or set.
const (
	FunctionMaxThreads  FunctionAttribute = 0
	FunctionShared      FunctionAttribute = 1 // static, bytes
	FunctionLocal       FunctionAttribute = 3 // of a thread, bytes: spills
	FunctionRegisters   FunctionAttribute = 4
	FunctionMaxDynamic  FunctionAttribute = 8 // dynamic shared memory, bytes: may be set
	FunctionSharedSplit FunctionAttribute = 9 // percent of the cache that is shared memory: may be set
)

// Value is a parameter of a command, 64 bits: Offset itself if Slot is negative, else the address of the base with that
// number plus Offset.
type Value struct{ Slot, Offset int64 }

// Word is a value that is known.
func Word(v int64) Value { return Value{Slot: -1, Offset: v} }

// Condition is the handle of a value that kernels set and a node of a graph looks at.
type Condition uint64

// Launch is one launch of a kernel, whose parameters all take 64 bits.
type Launch struct {
	Function    Function
	Grid, Block [3]uint32
	Shared      uint32 // dynamic, bytes
	Params      []Value
}

// MaxParams is the most parameters that a launch may have: CUDA passes 4 KiB of them. It is HALO_CUDA_PARAMS of cuda.h.
const MaxParams = 500

// Call is a function of a library that enqueues on a stream: the address of its halo_cuda_call, and what makes an error
// of the status it returns.
type Call interface {
	Pointer() unsafe.Pointer
	Failed(status int) error
}

// Array is commands that one call enqueues. It is made once and then submitted by as many as like.
type Array struct {
	commands []command
	values   []Value
	calls    map[int]Call // by the number of the command
}

// command has the layout of halo_cuda_command.
type command struct {
	kind           int64
	handle         unsafe.Pointer
	grid, block    [3]uint32
	shared, params uint32
	first          int64
}

// The kinds of commands, in the order of cuda.h.
const (
	kindLaunch = iota
	kindCopy
	kindFill
	kindRecord
	kindWait
	kindGraph
	kindCall
	kindCopyRows
)

// Len returns how many commands there are.
func (a *Array) Len() int { return len(a.commands) }

// Range returns the commands from number from up to number to.
func (a *Array) Range(from, to int) *Array {
	out := &Array{commands: a.commands[from:to], values: a.values}
	for i := from; i < to; i++ {
		if c := a.calls[i]; c != nil && out.calls == nil {
			out.calls = map[int]Call{i - from: c}
		} else if c != nil {
			out.calls[i-from] = c
		}
	}
	return out
}

// Calls reports whether some are calls of libraries.
func (a *Array) Calls() bool { return len(a.calls) > 0 }

// Launch appends a launch. It panics if there are more than MaxParams parameters.
func (a *Array) Launch(l Launch) {
	if len(l.Params) > MaxParams {
		panic(fmt.Sprintf("cuda: bug: a kernel with %d parameters", len(l.Params)))
	}
	a.append(command{kind: kindLaunch, handle: l.Function.p, grid: l.Grid, block: l.Block, shared: l.Shared}, l.Params...)
}

// Copy appends a copy of some bytes on the device; none if both have one address.
func (a *Array) Copy(dst, src Value, bytes int64) {
	a.append(command{kind: kindCopy}, dst, src, Word(bytes))
}

// maxPitch is how far the rows of one copy may be apart, in bytes.
const maxPitch = 1<<31 - 1

// CopyRows appends a copy of count rows of width bytes each, which begin so many bytes apart.
func (a *Array) CopyRows(dst Value, dstPitch int64, src Value, srcPitch, width, count int64) {
	switch {
	case width == 0 || count == 0:
	case count == 1 || dstPitch == width && srcPitch == width:
		a.Copy(dst, src, width*count)
	case max(dstPitch, srcPitch) > maxPitch:
		for range count {
			a.Copy(dst, src, width)
			dst.Offset, src.Offset = dst.Offset+dstPitch, src.Offset+srcPitch
		}
	default:
		a.append(command{kind: kindCopyRows}, dst, Word(dstPitch), src, Word(srcPitch), Word(width), Word(count))
	}
}

// Fill appends writing one byte to some bytes on the device.
func (a *Array) Fill(dst Value, bytes int64, value byte) {
	a.append(command{kind: kindFill}, dst, Word(bytes), Word(int64(value)))
}

// Record appends recording of an event, Wait waiting for one, Graph the launch of a graph.
func (a *Array) Record(e Event) { a.append(command{kind: kindRecord, handle: e.p}) }

// Wait appends waiting for an event.
func (a *Array) Wait(e Event) { a.append(command{kind: kindWait, handle: e.p}) }

// Graph appends the launch of a graph.
func (a *Array) Graph(g Exec) { a.append(command{kind: kindGraph, handle: g.p}) }

// Call appends a call of a library with some values.
func (a *Array) Call(c Call, values ...Value) {
	if a.calls == nil {
		a.calls = map[int]Call{}
	}
	a.calls[len(a.commands)] = c
	a.append(command{kind: kindCall, handle: c.Pointer()}, values...)
}

func (a *Array) append(c command, values ...Value) {
	c.first, c.params = int64(len(a.values)), uint32(len(values))
	a.commands, a.values = append(a.commands, c), append(a.values, values...)
}

// Slots returns the slots that the commands count from, each once, in order.
func (a *Array) Slots() []int64 {
	var list []int64
	for _, v := range a.values {
		if v.Slot >= 0 {
			list = append(list, v.Slot)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// slots returns how many bases the commands want.
func (a *Array) slots() int64 {
	var n int64
	for _, v := range a.values {
		n = max(n, v.Slot+1)
	}
	return n
}
