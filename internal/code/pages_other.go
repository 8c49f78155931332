//go:build !linux || !amd64

package code

import (
	"errors"
	"unsafe"
)

// Place returns nil: there are no instructions for this machine.
func Place([]byte) unsafe.Pointer { return nil }

// Memory returns that there is none.
func Memory() error { return errors.ErrUnsupported }
