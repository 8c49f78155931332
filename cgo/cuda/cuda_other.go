//go:build !cgo || !linux

package cuda

import (
	"errors"
	"fmt"

	"github.com/halo-xla/halo/cgo/dl"
)

// Driver is not there: this build calls no C.
type Driver struct{}

// Open fails: this build calls no C.
func Open(*dl.Library) (*Driver, error) {
	return nil, fmt.Errorf("cuda: this build calls no C: %w", errors.ErrUnsupported)
}
