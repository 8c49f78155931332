//go:build cgo

package openblas

// #include "lapack.h"
import "C"

import (
	"sync"
	"unsafe"
)

// addresses are those of LAPACK's routines by their names.
var addresses map[string]unsafe.Pointer

// LoadLAPACK opens OpenBLAS as Load does and looks up LAPACK, which a build of OpenBLAS may lack. It fails if a routine
// is not there.
var LoadLAPACK = sync.OnceValue(func() error {
	if err := Load(); err != nil {
		return err
	}
	found := map[string]unsafe.Pointer{}
	for _, name := range routineNames() {
		p, err := library.Symbol(name + "_")
		if err != nil {
			return err
		}
		found[name] = p
	}
	addresses = found
	return nil
})

// call calls a routine with args count times, of which texts are texts of one letter. Each time args are steps bytes
// further.
func call(name string, texts int, args []unsafe.Pointer, steps *[mostArguments]int64, count int) {
	var a [mostArguments]unsafe.Pointer
	copy(a[:], args)
	defer enter()()
	C.halo_lapack(addresses[name], C.int(len(args)), C.int(texts), (*C.int64_t)(&steps[0]), C.int64_t(count), a[0], a[1],
		a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15])
}
