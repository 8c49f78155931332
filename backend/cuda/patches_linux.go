//go:build cgo

package cuda

import (
	"errors"
	"log/slog"
	"time"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/xla/exec"
)

// What a kernel beside a product is reckoned to take: a while to begin, and for so many bytes between them.
const (
	kernelTakes   = 3 * time.Microsecond
	bytesPerNanos = 1000 // written and read again
)

// mostBetween is how many bytes may lie between a product and the kernel beside it.
const mostBetween = 1 << 30

// lowerPatches returns the thunk of a convolution as products and a kernel; nil if it is none, or how it is done
// otherwise, nil for not at all, is as fast.
func (d *device) lowerPatches(l *exec.Lowering, otherwise *ownConvolution) (exec.Thunk, error) {
	b, calls, name := d.blas, map[*emit.Gemm]call{}, ""
	e, err := emit.LowerPatches(l.In, func(i int) bool { return known(l, i) },
		func(g *emit.Gemm, between int64) (int64, error) {
			if between > mostBetween {
				return 0, errors.ErrUnsupported
			}
			g.TF32 = d.rounds(l.In)
			c, product, err := b.chooseTimed(d, g)
			all := product + kernelTakes + time.Duration(between/bytesPerNanos)
			slow := otherwise != nil && (product == 0 || all >= otherwise.took)
			slog.Debug("cuda: a convolution as a product", "instruction", l.In.Name, "takes", all, "slow", slow)
			switch {
			case err == nil && slow:
				c.Close()
				return 0, errors.ErrUnsupported
			case err == nil:
				calls[g], name = c, "cublasLt"
				l.OnClose(c.Close)
				return c.work + workAlign, nil
			case !errors.Is(err, errors.ErrUnsupported) || slow || g.Bias != nil:
				return 0, err
			}
			calls[g], name = b.call(l, g), "cublas"
			return b.workspace, nil
		})
	if e == nil || err != nil {
		return nil, err
	}
	t := newThunk(l, e)
	t.kernel, t.calls = name+" gemm of patches", calls
	for g := range calls {
		if g.Bias != nil {
			t.kernel += " with bias"
		}
		t.kernel += rounded(g.TF32)
	}
	return t, nil
}
