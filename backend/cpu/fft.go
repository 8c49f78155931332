package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/fftw"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/fourier"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// fftKinds are the kinds of transforms of the language.
var fftKinds = [...]fourier.Kind{
	hlo.FFT: fourier.Complex, hlo.IFFT: fourier.Complex, hlo.RFFT: fourier.RealForward, hlo.IRFFT: fourier.RealInverse,
}

// lowerFft transforms the last dimensions. Row 95.
func lowerFft(l *exec.Lowering) (exec.Thunk, error) {
	switch s := l.In.Shape; {
	case s.Size() == 0:
		return goThunk("go nothing", nil, func(*exec.Run) error { return nil }), nil
	case s.Type == shape.F32 || s.Type == shape.C64:
		return newFft[float32](l), nil
	}
	return newFft[float64](l), nil
}

// newFft makes the thunk of a transform in the arithmetic of T.
func newFft[T fourier.Number](l *exec.Lowering) exec.Thunk {
	a, src, out := l.In.Attrs.(*hlo.FftAttrs), l.Operand(0), l.Result()
	dims, kind, forward := l.In.Shape.Dims, fftKinds[a.Type], a.Type == hlo.FFT || a.Type == hlo.RFFT
	if a.Type == hlo.IRFFT {
		dims = l.In.Operands[0].Shape.Dims
	}
	var t *thunk
	if run.Available() {
		o := newFftOptions(l.Options())
		f := newNativeFft[T](l, o, kind, forward, dims, a.Length, out, src)
		called := f.calls.Count > 0
		o.learned(called)
		name := "loops fft"
		if called {
			name = "fftw"
		}
		t = recordThunk(name, f.uses, f.record()).calling(f.calls)
	} else {
		t = goFft(l, kernel.NewFft[T](kind, forward, dims, a.Length), out, src)
	}
	if kind == fourier.Complex && t.kernel != "fftw" {
		t.overwriting(exec.Pair{Result: out.Slot, Operand: src.Slot})
	}
	return t
}

// newFftOptions chooses what runs a transform.
func newFftOptions(o exec.Options) fftOptions {
	f := fftOptions{isa: run.Level(), vendor: fftw.Load() == nil, budget: o.Tune, folder: o.TuneFolder}
	if f.vendor && f.folder != "" {
		_ = fftw.LoadWisdom(f.folder) // without it FFTW estimates or measures
	}
	return f
}

// learned keeps what FFTW has measured. A folder that cannot be written costs only the time to measure again.
func (o fftOptions) learned(called bool) {
	if called && o.budget > 0 && o.folder != "" {
		_ = fftw.SaveWisdom(o.folder)
	}
}

// goFft makes the thunk of the kernel in Go.
func goFft[T fourier.Number](l *exec.Lowering, f *kernel.Fft[T], out, src exec.Slice) *thunk {
	scratch := exec.Slice{Slot: exec.NoSlot}
	if f.NeedsScratch() {
		scratch = l.Scratch(src.Size)
	}
	uses := append(exec.Reads(src), exec.Writes(out, scratch)...)
	return goThunk("go fft", uses, func(r *exec.Run) error {
		f.Run(r.Parallel, r.Bytes(out), r.Bytes(src), r.Bytes(scratch))
		return nil
	})
}
