//go:build !cgo || !linux

package fftw

import (
	"errors"
	"fmt"
	"time"
	"unsafe"
)

var errNone = fmt.Errorf("fftw: this build calls no C: %w", errors.ErrUnsupported)

// Load fails: this build calls no C.
func Load() error { return errNone }

// Path returns "": no library is open.
func Path() string { return "" }

// NewPlan fails: this build calls no C.
func NewPlan(Problem, int64, time.Duration) (*Plan, error) { return nil, errNone }

// SaveWisdom fails: this build calls no C.
func SaveWisdom(string) error { return errNone }

// LoadWisdom fails: this build calls no C.
func LoadWisdom(string) error { return errNone }

func function() unsafe.Pointer { panic("fftw: bug: this build has no native kernels, ask Load") }
