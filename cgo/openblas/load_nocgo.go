//go:build !cgo

package openblas

import (
	"errors"
	"fmt"
)

// Load fails with errors.ErrUnsupported: the library cannot be called from a build without cgo.
func Load() error {
	return fmt.Errorf("openblas: %w: this build was made without cgo", errors.ErrUnsupported)
}

// Info fails as Load does.
func Info() (file, config, core string, err error) { return "", "", "", Load() }
