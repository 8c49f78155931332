//go:build !cgo || !linux

package scalar

import "unsafe"

const none = "scalar: bug: this build has no native kernels, ask run.Available"

func interpreter() uintptr { panic(none) }

// Stepper is what machine code calls: this build has none.
func Stepper() uintptr { panic(none) }

// Function is what machine code calls: this build has none.
func Function(int) uintptr { panic(none) }

// OnVectors is what machine code calls: this build has none.
func OnVectors(int) uintptr { panic(none) }

// Copier is what machine code calls: this build has none.
func Copier() uintptr { panic(none) }

// Fold is what machine code calls: this build has none.
func Fold(int) uintptr { panic(none) }

func recordFunction() unsafe.Pointer { panic(none) }

func sweepFunction() unsafe.Pointer { panic(none) }

// Names returns nothing: this build has no instructions.
func Names() (ops, calls []string) { return nil, nil }

// Joined returns nothing, as Names does.
func Joined() []string { return nil }

// Vectors reports that there are none.
func Vectors(int, bool) bool { return false }
