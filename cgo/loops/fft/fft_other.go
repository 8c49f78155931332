//go:build !cgo || !linux

package fft

import "unsafe"

func function() unsafe.Pointer {
	panic("fft: bug: this build has no native kernels, ask run.Available")
}

// LargestPrime is that of no kernels.
const LargestPrime = 2

func swiftFunction() unsafe.Pointer { return function() }
