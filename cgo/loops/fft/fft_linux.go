//go:build cgo

package fft

// #include "swift.h"
import "C"

import "unsafe"

func function() unsafe.Pointer { return unsafe.Pointer(C.halo_fft) }

// LargestPrime is the largest that passes of plans for Swift may be of.
const LargestPrime = C.SWIFT_PRIME

func swiftFunction() unsafe.Pointer { return unsafe.Pointer(C.halo_swift) }
