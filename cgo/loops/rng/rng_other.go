//go:build !cgo || !linux

package rng

import "unsafe"

const none = "rng: bug: this build has no native kernels, ask run.Available"

func threeFry() unsafe.Pointer { panic(none) }

func philox() unsafe.Pointer { panic(none) }
