// Package cufft calls NVIDIA's library of Fourier transforms, which is opened at run time. Plans are made once and run
// as commands of cgo/cuda's arrays.
package cufft

import (
	"errors"
	"fmt"
)

// Kind is what a transform takes and gives.
type Kind int64

// The kinds of transforms: of complex numbers, of real ones, which give the half of the result that says all, and back.
// The first three are of f32 and c64, the others of f64 and c128.
const (
	C2C Kind = iota
	R2C
	C2R
	Z2Z
	D2Z
	Z2D
)

// Shape is Batch transforms at once, which are not scaled.
type Shape struct {
	Kind Kind
	// N are the sizes of 1 to 3 dimensions, the outermost first: of real numbers, where there are such.
	N [3]int64
	// Rank is how many of N there are.
	Rank int
	// Stride is the distance of neighbours in the last dimension, in elements; others are as far apart as those within
	// them take.
	Stride int64
	// Batch is how many there are, InStep and OutStep how far they begin apart, in elements.
	Batch, InStep, OutStep int64
}

// embed are the sizes of the dimensions in memory, of what is taken or given.
func (s *Shape) embed(halved bool) [3]int64 {
	n := s.N
	if halved {
		n[s.Rank-1] = n[s.Rank-1]/2 + 1
	}
	return n
}

// Error is a call of the library that has failed.
type Error struct {
	// Call is the library's function, Name what its header calls the status.
	Call, Name string
	Status     int
}

// Error returns the call and the name of the status.
func (e *Error) Error() string { return fmt.Sprintf("cufft: %s: %s", e.Call, e.Name) }

// Statuses that say that the library does not do such transforms.
const (
	invalidSize  = 8
	notSupported = 16
)

// Is makes errors.Is find errors.ErrUnsupported where the library does not do what it is asked.
func (e *Error) Is(target error) bool {
	return target == errors.ErrUnsupported && (e.Status == invalidSize || e.Status == notSupported)
}

// checkVersion fails with errors.ErrUnsupported for versions whose functions may not be those of cufft.h.
func checkVersion(path string, version int) error {
	if major := version / 1000; major != 11 && major != 12 {
		return fmt.Errorf("cufft: %s has version %s, want 11 or 12: %w", path, versionText(version),
			errors.ErrUnsupported)
	}
	return nil
}

func versionText(v int) string { return fmt.Sprintf("%d.%d.%d", v/1000, v/100%10, v%100) }
