//go:build !cgo || !linux

package nccl

import (
	"errors"
	"fmt"

	"github.com/halo-xla/halo/cgo/dl"
)

// Library is not there: this build calls no C.
type Library struct{}

// Comm is a rank of a communicator: none, in this build.
type Comm struct{}

// Open fails: this build calls no C.
func Open(*dl.Library) (*Library, error) {
	return nil, fmt.Errorf("nccl: this build calls no C: %w", errors.ErrUnsupported)
}
