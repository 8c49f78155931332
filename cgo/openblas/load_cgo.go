//go:build cgo

package openblas

// #include "openblas.h"
// #include "record.h"
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"gonum.org/v1/gonum/blas"

	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/cgo/loops/run"
)

// sonames are the names of the library with 32-bit integers, newest first.
var sonames = []string{"libopenblas.so.0", "libopenblas.so"}

// cores are the kernels that OpenBLAS is told to use at each level that $HALO_ISA holds it to.
var cores = map[run.ISA]string{run.Base: "Nehalem", run.AVX2: "Haswell"}

// core is what kernels OpenBLAS is told to use, "" if it knows best. A processor that is newer than the library is
// none that it knows, and gets those of 2004: 4 to 8 times slower.
func core() string {
	if level, held := run.Held(); held {
		return cores[level]
	}
	return C.GoString(C.openblas_core())
}

// Load opens OpenBLAS once. It fails with errors.ErrUnsupported and what was tried if the library is not there, or if
// $HALO_LIBS refuses openblas.
var Load = sync.OnceValue(func() error {
	// One thread from the start: later would leave the others that it makes when it is opened.
	settings := map[string]string{"OPENBLAS_NUM_THREADS": "1"}
	if core := core(); core != "" {
		settings["OPENBLAS_CORETYPE"] = core
	}
	var lib *dl.Library
	err := dl.With(settings, func() (err error) {
		lib, err = dl.Open("openblas", sonames...)
		return err
	})
	if err != nil {
		return err
	}
	if missing := C.openblas_load(lib.Handle()); missing != nil {
		return fmt.Errorf("openblas: %s lacks %s", lib.Path(), C.GoString(missing))
	}
	C.shim_openblas_set_num_threads(1)
	path, library = lib.Path(), lib
	callers = make(chan struct{}, runtime.GOMAXPROCS(0))
	return nil
})

var (
	path    string
	library *dl.Library
	callers chan struct{}
)

// Info says which library is open and for which kind of CPU it computes: its file, its own words on its version and
// build, and the name of its kernels. It fails as Load does.
func Info() (file, config, core string, err error) {
	if err := Load(); err != nil {
		return "", "", "", err
	}
	return path, C.GoString(C.shim_openblas_get_config()), C.GoString(C.shim_openblas_get_corename()), nil
}

// Gemm returns the C function that runs records of matrix products (package gemm has them) for elements of type T.
// Sizes and strides must fit 32 bits. It must not be called before Load succeeds.
func Gemm[T complex64 | complex128]() unsafe.Pointer {
	return byType[T](C.halo_openblas_cgemm, C.halo_openblas_zgemm)
}

// enter waits for a place among the callers and returns what gives it back.
func enter() func() {
	callers <- struct{}{}
	return leave
}

func leave() { <-callers }

const rowMajor = 101

var (
	transposes = [256]C.uint{blas.NoTrans: 111, blas.Trans: 112, blas.ConjTrans: 113}
	uplos      = [256]C.uint{blas.Upper: 121, blas.Lower: 122}
	diags      = [256]C.uint{blas.NonUnit: 131, blas.Unit: 132}
	sides      = [256]C.uint{blas.Left: 141, blas.Right: 142}
)

// ptr passes complex numbers, which C's BLAS takes as void.
func ptr[T complex64 | complex128](x []T) unsafe.Pointer { return unsafe.Pointer(&x[0]) }
