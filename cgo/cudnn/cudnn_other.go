//go:build !cgo || !linux

package cudnn

import (
	"errors"
	"fmt"

	"github.com/halo-xla/halo/cgo/dl"
)

// Library is not there: this build calls no C.
type Library struct{}

// Open fails: this build calls no C.
func Open(*dl.Library, int) (*Library, error) {
	return nil, fmt.Errorf("cudnn: this build calls no C: %w", errors.ErrUnsupported)
}
