//go:build !cgo || !linux

package reduce

import "unsafe"

const none = "reduce: bug: this build has no native kernels, ask run.Available"

func foldFunction() unsafe.Pointer { panic(none) }

func windowFunction() unsafe.Pointer { panic(none) }

func chooseFunction() unsafe.Pointer { panic(none) }
