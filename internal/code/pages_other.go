//go:build !linux || !amd64

package code

import "unsafe"

// Place returns nil: there are no instructions for this machine.
func Place([]byte) unsafe.Pointer { return nil }
