//go:build cgo

package onednn

// #include <stdlib.h>
// #include "face.h"
//
// static const char *open_library(void *lib, int major, void *set_threads) {
//   return halo_dnnl_open(lib, major, (void (*)(int))set_threads);
// }
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/cgo/loops/run"
)

// sonames are the names of the library, newest version first.
var sonames = []string{"libdnnl.so.3", "libdnnl.so.2"}

// isas are the instruction sets that oneDNN is told at each level that $HALO_ISA holds it to; else it knows best.
var isas = map[run.ISA]string{run.Base: "SSE41", run.AVX2: "AVX2"}

var path string

// Load opens oneDNN once. It fails with errors.ErrUnsupported and what was tried if the library is not there, or if
// $HALO_LIBS refuses onednn.
var Load = sync.OnceValue(func() error {
	settings := map[string]string{}
	if level, held := run.Held(); held {
		settings["DNNL_MAX_CPU_ISA"], settings["ONEDNN_MAX_CPU_ISA"] = isas[level], isas[level]
	}
	return dl.With(settings, open)
})

func open() error {
	lib, err := dl.Open("onednn", sonames...)
	if err != nil {
		return err
	}
	major := 2
	if _, err := lib.Symbol("dnnl_memory_desc_create_with_strides"); err == nil {
		major = 3
	}
	omp, err := dl.Loaded("libgomp.so.1")
	if err != nil {
		return fmt.Errorf("onednn: %s does not use GNU OpenMP, so that its threads cannot be counted: %w", lib.Path(), err)
	}
	setThreads, err := omp.Symbol("omp_set_num_threads")
	if err != nil {
		return fmt.Errorf("onednn: %w", err)
	}
	if missing := C.open_library(lib.Handle(), C.int(major), setThreads); missing != nil {
		return fmt.Errorf("onednn: %s lacks %s", lib.Path(), C.GoString(missing))
	}
	path = lib.Path()
	return nil
}

// Info says which library is open: its file and version. It fails as Load does.
func Info() (file, version string, err error) {
	if err := Load(); err != nil {
		return "", "", err
	}
	return path, C.GoString(C.halo_dnnl_version_text()), nil
}

// ExactIntegers says whether products of 8-bit integers are summed without saturation: the CPU has instructions for it.
// The library must be open.
func ExactIntegers() bool {
	const vnni, avxVNNI = 0x40, 0x08
	return C.halo_dnnl_isa()&(vnni|avxVNNI) != 0
}

// Tiles says whether the CPU has instructions that multiply tiles of matrices, and the library uses them. It must be
// open.
func Tiles() bool {
	const amx = 0x200
	return C.halo_dnnl_isa()&amx != 0
}

// Primitive computes what a spec says. It is safe for concurrent use and lives as long as something refers to it: what
// holds records made of it must hold the primitive too.
type Primitive struct {
	p    *C.halo_dnnl
	like *Primitive // whose descriptions it uses
}

// New makes a primitive. If like is not nil, the weights have the layout of like's. It fails with errors.ErrUnsupported
// if the library has no implementation that is worth while, or is not there.
func New(s Spec, like *Primitive) (*Primitive, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if err := Load(); err != nil {
		return nil, err
	}
	var as *C.halo_dnnl
	if like != nil {
		as = like.p
	}
	spec := s.native()
	var p *C.halo_dnnl
	failed := C.halo_dnnl_create(spec, as, &p)
	C.free(unsafe.Pointer(spec))
	runtime.KeepAlive(like)
	return made(p, failed, like)
}

// made wraps a primitive that C made.
func made(p *C.halo_dnnl, failed *C.char, like *Primitive) (*Primitive, error) {
	if failed != nil {
		return nil, fmt.Errorf("onednn: %w: %s", errors.ErrUnsupported, C.GoString(failed))
	}
	out := &Primitive{p, like}
	runtime.AddCleanup(out, func(p *C.halo_dnnl) { C.halo_dnnl_destroy(p) }, p)
	return out, nil
}

// Info names the implementation: "brg_matmul:avx512_core".
func (p *Primitive) Info() string {
	defer runtime.KeepAlive(p)
	return C.GoString(C.halo_dnnl_info(p.p))
}

// WeightsBytes is the size of the weights in the primitive's layout.
func (p *Primitive) WeightsBytes() int64 {
	defer runtime.KeepAlive(p)
	return int64(C.halo_dnnl_weights_bytes(p.p))
}

// Packer makes the primitive that brings plain weights, its Src, into the layout of p's, its Dst.
func (p *Primitive) Packer(plain Array) (*Primitive, error) { return p.reorder(plain, false) }

// Unpacker makes the primitive that brings weights in the layout of p's, its Src, into a plain array, its Dst.
func (p *Primitive) Unpacker(plain Array) (*Primitive, error) { return p.reorder(plain, true) }

func (p *Primitive) reorder(plain Array, back bool) (*Primitive, error) {
	defer runtime.KeepAlive(p)
	array := (*C.halo_dnnl_array)(C.calloc(1, C.sizeof_halo_dnnl_array))
	plain.native(array)
	var q *C.halo_dnnl
	var failed *C.char
	if back {
		failed = C.halo_dnnl_unpacker(p.p, array, &q)
	} else {
		failed = C.halo_dnnl_packer(p.p, array, &q)
	}
	C.free(unsafe.Pointer(array))
	return made(q, failed, p)
}

// Execute computes on the calling thread; what the spec has not is nil. A WeightGradient writes weights and reads dst.
func (p *Primitive) Execute(src, weights, bias, dst []byte) error {
	var pinner runtime.Pinner
	defer pinner.Unpin()
	at := func(b []byte) unsafe.Pointer {
		if len(b) > 0 {
			pinner.Pin(unsafe.SliceData(b))
		}
		return unsafe.Pointer(unsafe.SliceData(b))
	}
	failed := C.halo_dnnl_execute(p.p, at(src), at(weights), at(bias), at(dst), nil)
	runtime.KeepAlive(p)
	if failed != nil {
		return errors.New(strings.TrimSpace(C.GoString(failed)))
	}
	return nil
}

// native lays the spec out for C, in C memory.
func (s *Spec) native() *C.halo_dnnl_spec {
	c := (*C.halo_dnnl_spec)(C.calloc(1, C.sizeof_halo_dnnl_spec))
	c.kind, c.posts = C.int32_t(s.Kind), C.int32_t(len(s.Posts))
	s.Src.native(&c.src)
	s.Weights.native(&c.weights)
	s.Bias.native(&c.bias)
	s.Dst.native(&c.dst)
	copy64(&c.strides, s.Strides)
	copy64(&c.dilates, s.Dilates)
	copy64(&c.low, s.Low)
	copy64(&c.high, s.High)
	for i, p := range s.Posts {
		to := &c.post[i]
		to.kind, to.alpha, to.beta = C.int32_t(p.Kind), C.float(p.Alpha), C.float(p.Beta)
		p.Operand.native(&to.operand)
	}
	return c
}

func (a *Array) native(c *C.halo_dnnl_array) {
	c.ndims, c._type = C.int32_t(len(a.Dims)), C.uint32_t(a.Type)
	if a.Any {
		c.any = 1
	}
	copy64(&c.dims, a.Dims)
	copy64(&c.strides, a.Strides)
}

func copy64(to *[maxDims]C.int64_t, from []int64) {
	for i, v := range from {
		to[i] = C.int64_t(v)
	}
}

type recordArgs struct {
	src, weights, bias, dst run.Ref
	posts                   [maxPosts]run.Ref
	pieces                  int64
}

type pieceArgs struct {
	primitive               uintptr
	src, weights, bias, dst int64
	posts                   [maxPosts]int64
}

// Record makes a record that runs all pieces, each a task. They write disjoint parts of dst.
func Record(o Operands, pieces []Piece) run.Record {
	a := recordArgs{src: o.Src, weights: o.Weights, bias: o.Bias, dst: o.Dst, pieces: int64(len(pieces))}
	copy(a.posts[:], o.Posts)
	r := run.Pack(unsafe.Pointer(C.halo_dnnl_run), &a)
	for _, p := range pieces {
		b := pieceArgs{primitive: uintptr(unsafe.Pointer(p.Primitive.p)), src: p.Src, weights: p.Weights, bias: p.Bias,
			dst: p.Dst}
		copy(b.posts[:], p.Posts)
		r.Args = run.Append(r.Args, &b)
	}
	return r
}

// Sgemm returns the C function that runs records of products of f32 matrices; package gemm has them. It must not be
// called before Load succeeds.
func Sgemm() unsafe.Pointer { return C.halo_dnnl_sgemm }
