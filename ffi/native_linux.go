//go:build cgo && linux

package ffi

// #include <stdlib.h>
// #include "runtime.h"
import "C"

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/halo-xla/halo/xla/shape"
)

// Native is a site that functions in C serve. It is safe for concurrent use.
type Native struct {
	site   *Site
	c      *C.halo_site
	memory arena
	staged bool // there are functions for prepare or initialize

	spare atomic.Pointer[Frame] // the frame that was given back last, if nobody has it
	mu    sync.Mutex
	free  []*Frame // others that nobody has
	// left are the calls that are unfinished; last is what Close is to call when there are none.
	left int
	last func(threads []int32, more bool)
}

// inspect asks a function of the typed convention for its version. It fails if the function does.
func inspect(function, library unsafe.Pointer) (metadata, error) {
	var version [2]C.int32_t
	var traits C.uint32_t
	var message *C.char
	code := C.halo_metadata((*C.XLA_FFI_Handler)(function), library, &version[0], &traits, &message)
	if code != 0 {
		return metadata{}, failure(code, message)
	}
	return metadata{int(version[0]), int(version[1]), uint32(traits)}, nil
}

// RegisterType gives the type name an identity and writes it to id, an XLA_FFI_TypeId*; info is an XLA_FFI_TypeInfo* or
// nil. It fails if id holds that of another type.
func RegisterType(name string, id, info unsafe.Pointer) (int64, error) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	to := (*C.XLA_FFI_TypeId)(id)
	if e := C.halo_type_register(text, C.size_t(len(name)), to, (*C.XLA_FFI_TypeInfo)(info)); e != nil {
		defer C.free(unsafe.Pointer(e))
		return 0, &Error{Code(e.code), C.GoString((*C.char)(unsafe.Add(unsafe.Pointer(e), C.sizeof_XLA_FFI_Error)))}
	}
	return int64(to.type_id), nil
}

// Pointer calls a function without arguments that returns a pointer. It returns nil if the function throws.
func Pointer(function, library unsafe.Pointer) unsafe.Pointer {
	return C.halo_pointer(function, library)
}

// Registration is a target that functions have asked to serve.
type Registration struct {
	Target string
	Functions
}

// Registrations returns how many targets functions have asked to serve until now.
func Registrations() int64 { return int64(C.halo_registrations()) }

// Registered takes those behind so many that nobody has taken, and whose libraries are open.
func Registered(behind int64) []Registration {
	var list []Registration
	for r := C.halo_registered(C.int64_t(behind)); r != nil; {
		name := C.GoStringN((*C.char)(unsafe.Add(unsafe.Pointer(r), C.sizeof_halo_registration)), C.int(r.bytes))
		b := r.bundle
		list = append(list, Registration{name, Functions{unsafe.Pointer(b.instantiate), unsafe.Pointer(b.prepare),
			unsafe.Pointer(b.initialize), unsafe.Pointer(b.execute), nil, false}})
		next := r.next
		C.free(unsafe.Pointer(r))
		r = next
	}
	return list
}

// Lives reports whether a thread of this process, by the number that the system gives it, is not gone.
func Lives(thread int32) bool { return syscall.Tgkill(syscall.Getpid(), int(thread), 0) == nil }

// Pending returns how many tasks of functions wait or run on the process's threads: no library may be closed then.
func Pending() int { return int(C.halo_pool_pending()) }

// NewNative makes a site that functions serve, and calls the one for the stage instantiate. It fails if a function of
// the typed convention has a version that is not taken, or does not want such a site.
func NewNative(s *Site, f Functions, users []User) (*Native, error) {
	if err := checkSite(s); err != nil {
		return nil, err
	}
	n := &Native{site: s, staged: f.Prepare != nil || f.Initialize != nil}
	n.build(f, users)
	err := n.versions(f)
	if err == nil && s.Version == TypedFFI {
		fr := n.Frame()
		err = fr.failure(fr.enter(C.XLA_FFI_ExecutionStage_INSTANTIATE, 0, 0))
		n.Release(fr)
	}
	if err != nil {
		n.Close(func([]int32, bool) {})
		return nil, err
	}
	return n, nil
}

func (n *Native) versions(f Functions) error {
	for i, p := range f.stages() {
		if p == nil || n.site.Version != TypedFFI {
			continue
		}
		m, err := inspect(p, f.Library)
		if err == nil {
			err = m.check()
		}
		if err != nil {
			return err
		}
		n.c.minor[i] = C.int32_t(m.Minor)
	}
	return nil
}

// Close deletes the site's state, frees its memory and calls last with the threads that ended calls and are neither the
// caller's nor the process's own: until they are gone, see Lives, they may run code of the library. more says that
// there are others. No call may be under way; while calls are unfinished, all this waits for their functions, and Close
// does not.
func (n *Native) Close(last func(threads []int32, more bool)) {
	n.mu.Lock()
	n.last = last
	wait := n.left > 0
	n.mu.Unlock()
	if !wait {
		n.end()
	}
}

func (n *Native) end() {
	if f := n.spare.Swap(nil); f != nil {
		n.free = append(n.free, f)
	}
	for _, f := range n.free {
		C.halo_frame_free(f.c)
	}
	n.free = nil
	C.halo_state_delete(&n.c.instance)
	var threads []int32
	count := int(n.c.ender_count)
	for _, t := range n.c.enders[:min(count, C.HALO_ENDERS)] {
		threads = append(threads, int32(t))
	}
	n.memory.free()
	n.c = nil
	n.last(threads, count > C.HALO_ENDERS)
}

// Frame is the memory of one call at a time.
type Frame struct {
	native *Native
	c      *C.halo_frame
	// Addresses are set before a call: where the operands and then the results lie, row-major, as Buffer.Data without a
	// layout. The memory must be pinned or not Go's.
	Addresses []uintptr
	left      bool // its call is unfinished
	pins      runtime.Pinner
	results   [][]byte // of a Native.Call
}

// Frame returns a frame that nobody uses; give it back with Release.
func (n *Native) Frame() *Frame {
	if f := n.spare.Swap(nil); f != nil {
		return f
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if i := len(n.free) - 1; i >= 0 {
		f := n.free[i]
		n.free = n.free[:i]
		return f
	}
	c := C.halo_frame_new(n.c)
	if c == nil {
		panic("ffi: bug: no memory for a call frame")
	}
	addresses := unsafe.Slice((*uintptr)(unsafe.Pointer(c.address)), len(n.site.Operands)+len(n.site.Results))
	return &Frame{native: n, c: c, Addresses: addresses}
}

// Release gives a frame back. States of stages that a run has end here. A frame whose call is unfinished gives itself
// back.
func (n *Native) Release(f *Frame) {
	if f.left {
		return
	}
	if n.staged {
		C.halo_frame_reset(f.c)
	}
	if n.spare.CompareAndSwap(nil, f) {
		return
	}
	n.mu.Lock()
	n.free = append(n.free, f)
	n.mu.Unlock()
}

// Staged reports whether there are functions for the stages before execute: then a run of the program must use one
// frame for all its calls.
func (n *Native) Staged() bool { return n.staged }

// ScratchBytes returns how much memory a call needs for arrays that are packed or in a layout; 0 if there are none.
func (n *Native) ScratchBytes() int64 {
	for _, v := range slices.Concat(n.site.Operands, n.site.Results) {
		if v.MinorToMajor != nil || v.Type != shape.Token && v.Type.Bits() < 8 {
			return int64(n.c.bounce_bytes)
		}
	}
	return 0
}

// Scratch lends the calls to come memory of ScratchBytes, whose address is a multiple of 64; 0: frames have their own.
func (f *Frame) Scratch(address uintptr) { *(*uintptr)(unsafe.Pointer(&f.c.lent)) = address }

// On has the calls to come enqueue their work on a stream of a GPU, as its driver names it.
func (f *Frame) On(stream uintptr) { *(*uintptr)(unsafe.Pointer(&f.c.context.stream)) = stream }

// Begin executes the site with the arrays at Addresses. An error is an *Error with the function's own message. If the
// call is pending, its function has returned but not ended it, and Finish waits for that.
func (f *Frame) Begin(run int64, device int32) (pending bool, err error) {
	code := f.enter(C.XLA_FFI_ExecutionStage_EXECUTE, run, device)
	return code == C.HALO_PENDING, f.failure(code)
}

// Finish waits for the end of a call that is pending. It fails as Begin does, and with an *Unfinished if ctx ends
// before the call; then the frame has to be released as ever, and the arrays stay in use.
func (f *Frame) Finish(ctx context.Context) error {
	future := f.c.call.future
	stop := context.AfterFunc(ctx, func() { C.halo_future_interrupt(future) })
	code := C.halo_frame_wait(f.number(), 1)
	stop()
	if code == C.HALO_PENDING {
		return f.leave(context.Cause(ctx))
	}
	return f.failure(code)
}

// Call is Begin, and Finish if that is needed.
func (f *Frame) Call(ctx context.Context, run int64, device int32) error {
	pending, err := f.Begin(run, device)
	if pending {
		return f.Finish(ctx)
	}
	return err
}

// The times between two looks at a call that is unfinished: the first, and the longest.
const (
	firstLook = time.Millisecond
	lastLook  = time.Second
)

// leave has a goroutine look after a call that nobody waits for.
func (f *Frame) leave(cause error) error {
	n, u := f.native, &Unfinished{cause: cause, over: make(chan struct{})}
	n.mu.Lock()
	n.left++
	f.left = true
	n.mu.Unlock()
	go func() {
		for wait := firstLook; C.halo_frame_wait(f.number(), 0) == C.HALO_PENDING; wait = min(2*wait, lastLook) {
			time.Sleep(wait)
		}
		C.free(unsafe.Pointer(f.c.message))
		close(u.over)
		C.halo_frame_free(f.c)
		n.mu.Lock()
		n.left--
		last := n.left == 0 && n.last != nil
		n.mu.Unlock()
		if last {
			n.end()
		}
	}()
	return u
}

// number is the frame for C: Go looks at pointers.
func (f *Frame) number() C.uintptr_t { return C.uintptr_t(uintptr(unsafe.Pointer(f.c))) }

func (f *Frame) enter(stage C.int32_t, run int64, device int32) C.int32_t {
	return C.halo_frame_call(f.number(), stage, C.int64_t(run), C.int32_t(device))
}

// failure is the error of a code.
func (f *Frame) failure(code C.int32_t) error {
	if code == 0 || code == C.HALO_PENDING {
		return nil
	}
	return failure(code, f.c.message)
}

func failure(code C.int32_t, message *C.char) error {
	defer C.free(unsafe.Pointer(message))
	return &Error{Code(code), C.GoString(message)}
}

// build fills in the C side of the site.
func (n *Native) build(f Functions, users []User) {
	s, m := n.site, &n.memory
	n.c = (*C.halo_site)(m.bytes(C.sizeof_halo_site))
	n.c.version, n.c.library = C.int32_t(s.Version), f.Library
	if s.Tuple {
		n.c.tuple = 1
	}
	if f.OnStream {
		n.c.on_stream = 1
	}
	for i, p := range f.stages() {
		n.c.stage[i] = (*C.XLA_FFI_Handler)(p)
	}
	n.c.attrs = m.attrs(s.Attrs)
	n.c.opaque, n.c.opaque_bytes = (*C.char)(m.copy([]byte(s.Config))), C.size_t(len(s.Config))
	all := slices.Concat(s.Operands, s.Results)
	n.c.operands, n.c.results = C.int64_t(len(s.Operands)), C.int64_t(len(s.Results))
	arrays := unsafe.Slice((*C.halo_array)(m.bytes(C.sizeof_halo_array*(len(all)+1))), len(all)+1)
	n.c.arrays = &arrays[0]
	types := unsafe.Slice((*C.int32_t)(m.bytes(4*(len(all)+1))), len(all)+1)
	n.c.types = &types[0]
	for i, v := range all {
		types[i] = 1
		arrays[i] = m.array(v)
		arrays[i].bounce = n.c.bounce_bytes
		n.c.bounce_bytes += (arrays[i].bytes + C.HALO_ALIGNMENT - 1) / C.HALO_ALIGNMENT * C.HALO_ALIGNMENT
	}
	for _, a := range s.Aliases {
		arrays[a.Operand].alias = C.int64_t(len(s.Operands) + a.Result)
	}
	list := unsafe.Slice((*C.halo_user)(m.bytes(C.sizeof_halo_user*(len(users)+1))), len(users)+1)
	for i, u := range users {
		list[i]._type, list[i].data = C.int64_t(u.Type), u.Data
	}
	n.c.users, n.c.user_count = &list[0], C.int64_t(len(users))
}

// arena is C memory that is freed at once.
type arena []unsafe.Pointer

func (a *arena) bytes(n int) unsafe.Pointer {
	p := C.calloc(1, C.size_t(max(n, 1)))
	*a = append(*a, p)
	return p
}

func (a *arena) free() {
	for _, p := range *a {
		C.free(p)
	}
	*a = nil
}

func (a *arena) copy(b []byte) unsafe.Pointer {
	p := a.bytes(len(b))
	copy(unsafe.Slice((*byte)(p), len(b)), b)
	return p
}

func (a *arena) int64s(list []int64) *C.int64_t {
	p := a.bytes(8 * len(list))
	copy(unsafe.Slice((*int64)(p), len(list)), list)
	return (*C.int64_t)(p)
}

func (a *arena) array(v Value) C.halo_array {
	bits := v.Type.Bits()
	out := C.halo_array{dtype: C.XLA_FFI_DataType(v.Type), bits: C.int32_t(bits), rank: C.int64_t(len(v.Dims)),
		dims: a.int64s(v.Dims), alias: -1, elements: C.int64_t(v.Elements())}
	if v.Type == shape.Token {
		out.bits, out.elements = 8, 0
		return out
	}
	out.width = C.int32_t((bits + 7) / 8)
	out.bytes = (out.elements*C.int64_t(bits) + 7) / 8
	if v.Type.Class() == shape.SignedClass {
		out.is_signed = 1
	}
	if v.MinorToMajor != nil {
		sizes, strides := walk(v)
		out.sizes, out.strides = a.int64s(sizes), a.int64s(strides)
	}
	return out
}

// attrs makes the lists of attributes that functions see.
func (a *arena) attrs(list Attrs) C.XLA_FFI_Attrs {
	n := len(list)
	types := unsafe.Slice((*C.XLA_FFI_AttrType)(a.bytes(4*(n+1))), n+1)
	names := unsafe.Slice((**C.XLA_FFI_ByteSpan)(a.bytes(8*(n+1))), n+1)
	values := unsafe.Slice((*unsafe.Pointer)(a.bytes(8*(n+1))), n+1)
	for i, x := range list {
		names[i] = a.span(x.Name)
		types[i], values[i] = a.value(x.Value)
	}
	return C.XLA_FFI_Attrs{struct_size: C.XLA_FFI_Attrs_STRUCT_SIZE, size: C.int64_t(n), types: &types[0],
		names: &names[0], attrs: &values[0]}
}

func (a *arena) span(s string) *C.XLA_FFI_ByteSpan {
	p := (*C.XLA_FFI_ByteSpan)(a.bytes(C.sizeof_XLA_FFI_ByteSpan))
	p.ptr, p.len = (*C.char)(a.copy([]byte(s))), C.size_t(len(s))
	return p
}

func (a *arena) value(v any) (C.XLA_FFI_AttrType, unsafe.Pointer) {
	switch v := v.(type) {
	case Scalar:
		p := (*C.XLA_FFI_Scalar)(a.bytes(C.sizeof_XLA_FFI_Scalar))
		p.dtype, p.value = C.XLA_FFI_DataType(v.Type), a.copy(v.Data)
		return C.XLA_FFI_AttrType_SCALAR, unsafe.Pointer(p)
	case Array:
		p := (*C.XLA_FFI_Array)(a.bytes(C.sizeof_XLA_FFI_Array))
		p.dtype, p.size, p.data = C.XLA_FFI_DataType(v.Type), C.size_t(v.Len()), a.copy(v.Data)
		return C.XLA_FFI_AttrType_ARRAY, unsafe.Pointer(p)
	case string:
		return C.XLA_FFI_AttrType_STRING, unsafe.Pointer(a.span(v))
	case Attrs:
		p := (*C.XLA_FFI_Attrs)(a.bytes(C.sizeof_XLA_FFI_Attrs))
		*p = a.attrs(v)
		return C.XLA_FFI_AttrType_DICTIONARY, unsafe.Pointer(p)
	}
	panic("ffi: bug: an attribute that is neither scalar, array, string nor dictionary")
}
