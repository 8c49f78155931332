//go:build !cgo || !linux

package cuda

import (
	"errors"
	"fmt"

	"github.com/halo-xla/halo/xla/exec"
)

// New fails: this build calls no C.
func New(Options) (exec.Backend, error) { return nil, errNone }

// Describe fails: this build calls no C.
func Describe(Options) (*Info, error) { return nil, errNone }

var errNone = fmt.Errorf("cuda: %w: this build calls no C, or is not for Linux", errors.ErrUnsupported)
