//go:build cgo

package rng

// #include "rng.h"
import "C"

import "unsafe"

func threeFry() unsafe.Pointer { return unsafe.Pointer(C.halo_threefry) }

func philox() unsafe.Pointer { return unsafe.Pointer(C.halo_philox) }
