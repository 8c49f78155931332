//go:build !cgo

package openblas

import (
	"errors"
	"fmt"
	"unsafe"
)

// Load fails with errors.ErrUnsupported: the library cannot be called from a build without cgo.
func Load() error {
	return fmt.Errorf("openblas: %w: this build was made without cgo", errors.ErrUnsupported)
}

// Gemm panics: Load fails first.
func Gemm[T complex64 | complex128]() unsafe.Pointer {
	panic("openblas: bug: no library")
}

// Info fails as Load does.
func Info() (file, config, core string, err error) { return "", "", "", Load() }

func potrf[T complex64 | complex128]() unsafe.Pointer { return Gemm[T]() }

func trsm[T complex64 | complex128]() unsafe.Pointer { return Gemm[T]() }
