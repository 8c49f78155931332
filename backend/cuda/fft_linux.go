//go:build cgo

package cuda

import (
	"errors"
	"log/slog"
	"sync"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cufft"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// transforms is the library of Fourier transforms, which is opened when a program first wants it, and its plans.
type transforms struct {
	lib   library[cufft.Library]
	mu    sync.Mutex // of the plans
	plans map[cufft.Shape]*sharedPlan
}

// sharedPlan is a plan and how many uses of programs it has.
type sharedPlan struct {
	*cufft.Plan
	uses int
}

// take returns the plan for transforms of a shape, to be given back by release.
func (f *transforms) take(d *device, s cufft.Shape) (*cufft.Plan, error) {
	l, err := f.lib.of(d.kit)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.plans[s]
	if p == nil {
		p = &sharedPlan{}
		err := d.Within(func() (err error) {
			p.Plan, err = l.NewPlan(s)
			return err
		})
		if err != nil {
			return nil, err
		}
		if f.plans == nil {
			f.plans = map[cufft.Shape]*sharedPlan{}
		}
		f.plans[s] = p
	}
	p.uses++
	return p.Plan, nil
}

// release gives a plan back, which ends with its last use.
func (f *transforms) release(d *device, s cufft.Shape) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.plans[s]
	if p.uses--; p.uses > 0 {
		return
	}
	delete(f.plans, s)
	if err := d.Within(p.Close); err != nil {
		slog.Warn("cuda: a plan of Fourier transforms", "error", err)
	}
}

// lowerFft returns the thunk of an fft that the library does; nil if it does not, or is not there.
func (d *device) lowerFft(l *exec.Lowering) (exec.Thunk, error) {
	calls := map[*emit.Fft]*cufft.Call{}
	e, err := emit.LowerFft(l.In, func(x *emit.Fft) (int64, error) {
		s := fftShape(x)
		p, err := d.fft.take(d, s)
		if err != nil {
			return 0, err
		}
		c := p.Transform(x.Inverse, x.Count, x.Bytes, x.Bytes)
		l.OnClose(func() {
			c.Close()
			d.fft.release(d, s)
		})
		calls[x] = c
		return p.Work + workAlign, nil
	})
	if errors.Is(err, errors.ErrUnsupported) || e == nil && err == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t := newThunk(l, e)
	t.kernel, t.ffts = "cufft", calls
	return t, nil
}

// fftKinds are the library's kinds of f32; those of f64 follow them.
var fftKinds = map[emit.FftType]cufft.Kind{emit.Complex: cufft.C2C, emit.RealToComplex: cufft.R2C,
	emit.ComplexToReal: cufft.C2R}

func fftShape(x *emit.Fft) cufft.Shape {
	s := cufft.Shape{Kind: fftKinds[x.Type], Rank: len(x.Dims), Stride: x.Stride, Batch: x.Batch, InStep: x.InStep,
		OutStep: x.OutStep}
	if x.Real == shape.F64 {
		s.Kind += cufft.Z2Z - cufft.C2C
	}
	copy(s.N[:], x.Dims)
	return s
}
