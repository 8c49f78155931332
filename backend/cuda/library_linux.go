//go:build cgo

package cuda

import (
	"errors"
	"sync"

	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/dl"
)

// library is one of NVIDIA's, which is opened when a program first wants it.
type library[L any] struct {
	name    string                        // the toolkit's
	open    func(*dl.Library) (*L, error) // its package's
	mu      sync.Mutex
	opened  *L
	missing error // why there is none
}

// of returns the library of the toolkit. It fails with errors.ErrUnsupported where there is none, and as it did before:
// what is not there is looked for once.
func (l *library[L]) of(kit *find.Toolkit) (*L, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened != nil || l.missing != nil {
		return l.opened, l.missing
	}
	opened, err := openLibrary(kit, l.name, l.open)
	if err == nil {
		l.opened = opened
	} else if errors.Is(err, errors.ErrUnsupported) {
		l.missing = err
	}
	return l.opened, err
}

// openLibrary opens a library by the toolkit's name and its package's Open. It fails with errors.ErrUnsupported where
// there is none that can be used.
func openLibrary[L any](kit *find.Toolkit, name string, open func(*dl.Library) (*L, error)) (*L, error) {
	l, err := kit.Open(name)
	if err != nil {
		return nil, err
	}
	return open(l)
}

// said is a library's file, or why there is none.
func said(l interface{ Path() string }, err error) string {
	if err != nil {
		return err.Error()
	}
	return l.Path()
}
