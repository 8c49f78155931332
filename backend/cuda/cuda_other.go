//go:build !cgo || !linux

package cuda

import (
	"errors"
	"fmt"

	"github.com/halo-xla/halo/xla/exec"
)

// New fails: this build calls no C.
func New(Options) (exec.Backend, *Info, error) {
	return nil, nil, fmt.Errorf("cuda: %w: this build calls no C, or is not for Linux", errors.ErrUnsupported)
}
