//go:build cgo

package cuda

import (
	"errors"
	"log/slog"
	"sync"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cublas"
	"github.com/halo-xla/halo/cgo/cuda"
)

// gemmRefusals are the products of narrow types that were tried on a device, and whether cuBLAS refused them: its rules
// for sizes and distances depend on its version and the device, and only the call says them.
type gemmRefusals struct {
	mu    sync.Mutex
	known map[cublas.Gemm]bool
}

// refuses reports whether the library does not do a product, or may not and there is no room to try one of bytes. It
// takes all of wide types.
func (b *blas) refuses(d *device, g *emit.Gemm) (bool, error) {
	if g.A.Type.Bits() >= 32 {
		return false, nil
	}
	r := &b.refusals
	r.mu.Lock()
	defer r.mu.Unlock()
	key := columnMajor(g)
	if refused, ok := r.known[key]; ok {
		return refused, nil
	}
	err := b.tried(d, g)
	refused := errors.Is(err, errors.ErrUnsupported)
	switch {
	case refused:
		slog.Debug("cuda: a product is a kernel's", "error", err)
	case errors.Is(err, cuda.ErrOutOfMemory) || errors.Is(err, errTooLarge):
		return g.A.Type.Bits() == 8, nil // of which cuBLAS refuses many, of halves none that was tried
	case err != nil:
		return false, err
	}
	if r.known == nil {
		r.known = map[cublas.Gemm]bool{}
	}
	r.known[key] = refused
	return refused, nil
}

// tried runs a product once.
func (b *blas) tried(d *device, g *emit.Gemm) error {
	t, err := b.emptyTrial(d, g)
	if err != nil {
		return err
	}
	defer t.close()
	return errors.Join(t.enqueue(way{}), d.Synchronize(t.stream))
}
