//go:build !cgo || !linux

package onednn

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Load fails with errors.ErrUnsupported: the library cannot be called from this build.
func Load() error {
	return fmt.Errorf("onednn: %w: this build was made without cgo, or not for Linux", errors.ErrUnsupported)
}

// Info fails as Load does.
func Info() (file, version string, err error) { return "", "", Load() }

// Tiles is false.
func Tiles() bool { return false }

// ExactIntegers is false.
func ExactIntegers() bool { return false }

// Primitive computes what a spec says; this build has none.
type Primitive struct{}

// New fails as Load does.
func New(s Spec, _ *Primitive) (*Primitive, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return nil, Load()
}

// Info is "".
func (p *Primitive) Info() string { return "" }

// WeightsBytes is 0.
func (p *Primitive) WeightsBytes() int64 { return 0 }

// Packer fails as Load does.
func (p *Primitive) Packer(Array) (*Primitive, error) { return nil, Load() }

// Unpacker fails as Load does.
func (p *Primitive) Unpacker(Array) (*Primitive, error) { return nil, Load() }

// Execute fails as Load does.
func (p *Primitive) Execute(_, _, _, _ []byte) error { return Load() }

// Record panics: there is no primitive to make one of.
func Record(Operands, []Piece) run.Record { panic("onednn: bug: no library") }

// Sgemm panics: Load fails first.
func Sgemm() unsafe.Pointer { panic("onednn: bug: no library") }
