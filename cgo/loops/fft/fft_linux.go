//go:build cgo

package fft

// #include "swift.h"
import "C"

import "unsafe"

func function() unsafe.Pointer { return unsafe.Pointer(C.halo_fft) }

func swiftFunction() unsafe.Pointer { return unsafe.Pointer(C.halo_swift) }
