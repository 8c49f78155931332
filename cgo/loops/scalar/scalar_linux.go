//go:build cgo

package scalar

// #cgo LDFLAGS: -lm
// #include "call.h"
// #include "sweep.h"
// #include "step.h"
// #include "vector.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

func interpreter() uintptr {
	choose()
	return uintptr(unsafe.Pointer(C.halo_program_run))
}

// choose takes the instructions on vectors of the level.
func choose() { C.halo_vectors_choose(C.int(run.Level())) }

// Vectors reports whether there is instruction op, or one of the functions behind those, on vectors: on each lane or,
// if fold, on all lanes together.
func Vectors(op int, fold bool) bool {
	n := C.int(0)
	if fold {
		n = 1
	}
	return C.halo_vectors_have(C.int(op), n) != 0
}

// Stepper is what machine code calls for one instruction: of a halo_instr, the registers and the streams.
func Stepper() uintptr { return uintptr(C.halo_program_stepper()) }

// Function is one of the functions of floats by its number, of the type of halo_call.f.
func Function(i int) uintptr { return uintptr(C.halo_program_function(C.int(i))) }

// OnVectors is an instruction on vectors by its number, a halo_vector of the level.
func OnVectors(op int) uintptr {
	choose()
	return uintptr(C.halo_vectors_function(C.int(op)))
}

// Copier is the address of memmove.
func Copier() uintptr { return uintptr(C.halo_program_copier()) }

// Fold is one that makes one number of all lanes, a halo_vector_fold of the level.
func Fold(op int) uintptr {
	choose()
	return uintptr(C.halo_vectors_folder(C.int(op)))
}

func recordFunction() unsafe.Pointer { return unsafe.Pointer(C.halo_program_record) }

func sweepFunction() unsafe.Pointer { return unsafe.Pointer(C.halo_sweep_record) }

// Joined returns the names of the instructions that only C has; their numbers are those behind Names'.
func Joined() (names []string) {
	for i := C.halo_ops_count; i < C.halo_joined_count; i++ {
		names = append(names, C.GoString(C.halo_op_name(i)))
	}
	return names
}

// Names returns the names of the instructions and of the functions that programs call, in their order.
func Names() (ops, calls []string) {
	for i := range C.halo_ops_count {
		ops = append(ops, C.GoString(C.halo_op_name(i)))
	}
	for i := range C.halo_calls_count {
		calls = append(calls, C.GoString(C.halo_call_name(i)))
	}
	return ops, calls
}
