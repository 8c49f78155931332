//go:build cgo

package nvrtc

// #include <stdlib.h>
// #include "nvrtc.h"
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/halo-xla/halo/cgo/dl"
)

// Compiler is an opened library. Its methods may run at the same time.
type Compiler struct {
	t    *C.nvrtc_table
	path string
}

// Open makes a compiler of lib. It fails if lib lacks a function.
func Open(lib *dl.Library) (*Compiler, error) {
	var missing *C.char
	c := &Compiler{C.halo_nvrtc_load(lib.Handle(), &missing), lib.Path()}
	if c.t == nil {
		return nil, fmt.Errorf("nvrtc: %s lacks %s: %w", lib.Path(), C.GoString(missing), errors.ErrUnsupported)
	}
	return c, nil
}

// Path returns the library's file.
func (c *Compiler) Path() string { return c.path }

func (c *Compiler) check(call string, status C.uint) error {
	if status == 0 {
		return nil
	}
	return &Error{Call: call, Status: C.GoString(C.halo_nvrtcGetErrorString(c.t, status))}
}

// Version returns the compiler's: 12, 9.
func (c *Compiler) Version() (major, minor int, err error) {
	var a, b C.int
	err = c.check("nvrtcVersion", C.halo_nvrtcVersion(c.t, &a, &b))
	return int(a), int(b), err
}

// Archs returns the architectures that there is code for: 90 is sm_90.
func (c *Compiler) Archs() ([]int, error) {
	var n C.int
	if err := c.check("nvrtcGetNumSupportedArchs", C.halo_nvrtcGetNumSupportedArchs(c.t, &n)); err != nil || n == 0 {
		return nil, err
	}
	list := make([]C.int, n)
	err := c.check("nvrtcGetSupportedArchs", C.halo_nvrtcGetSupportedArchs(c.t, &list[0]))
	out := make([]int, n)
	for i, v := range list {
		out[i] = int(v)
	}
	return out, err
}

// Compile compiles source, which messages call name. It fails with an *Error that has the compiler's log.
func (c *Compiler) Compile(source, name string, o Options) (*Program, error) {
	text, file := C.CString(source), C.CString(name)
	defer C.free(unsafe.Pointer(text))
	defer C.free(unsafe.Pointer(file))
	var p C.halo_program
	err := c.check("nvrtcCreateProgram", C.halo_nvrtcCreateProgram(c.t, &p, text, file, 0, nil, nil))
	if err != nil {
		return nil, err
	}
	defer C.halo_nvrtcDestroyProgram(c.t, &p)
	failed := c.run(p, o.list())
	log, err := c.log(p)
	var e *Error
	if errors.As(failed, &e) {
		e.Name, e.Log = name, log
	}
	if err = errors.Join(failed, err); err != nil {
		return nil, err
	}
	out := &Program{Log: log}
	if strings.HasPrefix(o.Arch, "sm_") {
		out.CUBIN, err = c.cubin(p)
	}
	ptx, failed := c.ptx(p)
	out.PTX = ptx
	return out, errors.Join(err, failed)
}

// run compiles p with options.
func (c *Compiler) run(p C.halo_program, options []string) error {
	list := (*[1 << 16]*C.char)(C.calloc(C.size_t(len(options)+1), C.size_t(unsafe.Sizeof(uintptr(0)))))
	defer C.free(unsafe.Pointer(list))
	for i, o := range options {
		list[i] = C.CString(o)
		defer C.free(unsafe.Pointer(list[i]))
	}
	return c.check("nvrtcCompileProgram", C.halo_nvrtcCompileProgram(c.t, p, C.int(len(options)), &list[0]))
}

func (c *Compiler) log(p C.halo_program) (string, error) {
	var n C.size_t
	if err := c.check("nvrtcGetProgramLogSize", C.halo_nvrtcGetProgramLogSize(c.t, p, &n)); err != nil || n == 0 {
		return "", err
	}
	out := make([]byte, n)
	err := c.check("nvrtcGetProgramLog", C.halo_nvrtcGetProgramLog(c.t, p, (*C.char)(unsafe.Pointer(&out[0]))))
	return strings.TrimRight(string(out), "\x00"), err
}

func (c *Compiler) cubin(p C.halo_program) ([]byte, error) {
	var n C.size_t
	if err := c.check("nvrtcGetCUBINSize", C.halo_nvrtcGetCUBINSize(c.t, p, &n)); err != nil || n == 0 {
		return nil, err
	}
	out := make([]byte, n)
	return out, c.check("nvrtcGetCUBIN", C.halo_nvrtcGetCUBIN(c.t, p, (*C.char)(unsafe.Pointer(&out[0]))))
}

func (c *Compiler) ptx(p C.halo_program) ([]byte, error) {
	var n C.size_t
	if err := c.check("nvrtcGetPTXSize", C.halo_nvrtcGetPTXSize(c.t, p, &n)); err != nil || n == 0 {
		return nil, err
	}
	out := make([]byte, n)
	return out, c.check("nvrtcGetPTX", C.halo_nvrtcGetPTX(c.t, p, (*C.char)(unsafe.Pointer(&out[0]))))
}
