//go:build cgo && linux

package ffi

// #include <stddef.h>
// void halo_status_set(void *status, const char *text, size_t bytes);
// const void *halo_table(void);
import "C"

import "unsafe"

// The functions below are those that libraries expect of the process that loads them; the linker exports them because
// of the comments.

// XlaCustomCallStatusSetSuccess is what functions of the old conventions call when all went well. It is for C.
//
//export XlaCustomCallStatusSetSuccess
func XlaCustomCallStatusSetSuccess(status unsafe.Pointer) { C.halo_status_set(status, nil, 0) }

// XlaCustomCallStatusSetFailure is what functions of the old conventions call to fail: the text is copied. It is for C.
//
//export XlaCustomCallStatusSetFailure
func XlaCustomCallStatusSetFailure(status unsafe.Pointer, text *C.char, bytes C.size_t) {
	C.halo_status_set(status, text, bytes)
}

// XLA_FFI_GetApi returns the table of the typed convention. It is for C.
//
//export XLA_FFI_GetApi
func XLA_FFI_GetApi() unsafe.Pointer { return unsafe.Pointer(C.halo_table()) }
