//go:build cgo

package openblas

// #include "lapack.h"
import "C"

import (
	"sync"
	"unsafe"
)

// routines are the addresses of LAPACK's routines by their names.
var routines map[string]unsafe.Pointer

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
	routines = found
	return nil
})

// call calls a routine with args, of which texts are texts of one letter.
func call(name string, texts int, args []unsafe.Pointer) {
	var a [16]unsafe.Pointer
	copy(a[:], args)
	defer enter()()
	C.halo_lapack(routines[name], C.int(len(args)), C.int(texts), a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8],
		a[9], a[10], a[11], a[12], a[13], a[14], a[15])
}
