//go:build cgo

package fft

// #include "plan.h"
import "C"

import "unsafe"

func function() unsafe.Pointer { return unsafe.Pointer(C.halo_fft) }
