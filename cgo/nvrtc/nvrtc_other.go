//go:build !cgo || !linux

package nvrtc

import (
	"errors"
	"fmt"

	"github.com/halo-xla/halo/cgo/dl"
)

var errNone = fmt.Errorf("nvrtc: this build calls no C: %w", errors.ErrUnsupported)

// Compiler is not there: this build calls no C.
type Compiler struct{}

// Open fails: this build calls no C.
func Open(*dl.Library) (*Compiler, error) { return nil, errNone }

// Path returns "": no library is open.
func (c *Compiler) Path() string { return "" }

// Version fails: this build calls no C.
func (c *Compiler) Version() (major, minor int, err error) { return 0, 0, errNone }

// Archs fails: this build calls no C.
func (c *Compiler) Archs() ([]int, error) { return nil, errNone }

// Compile fails: this build calls no C.
func (c *Compiler) Compile(source, name string, o Options) (*Program, error) { return nil, errNone }
