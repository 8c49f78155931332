package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
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
		return goFft[float32](l), nil
	}
	return goFft[float64](l), nil
}

// goFft makes the thunk of the kernel in Go, in the arithmetic of T.
func goFft[T fourier.Number](l *exec.Lowering) exec.Thunk {
	a, src, out := l.In.Attrs.(*hlo.FftAttrs), l.Operand(0), l.Result()
	dims := l.In.Shape.Dims
	if a.Type == hlo.IRFFT {
		dims = l.In.Operands[0].Shape.Dims
	}
	f := kernel.NewFft[T](fftKinds[a.Type], a.Type == hlo.FFT || a.Type == hlo.RFFT, dims, a.Length)
	scratch := exec.Slice{Slot: exec.NoSlot}
	if f.NeedsScratch() {
		scratch = l.Scratch(src.Size)
	}
	uses := append(exec.Reads(src), exec.Writes(out, scratch)...)
	t := goThunk("go fft", uses, func(r *exec.Run) error {
		f.Run(r.Parallel, r.Bytes(out), r.Bytes(src), r.Bytes(scratch))
		return nil
	})
	if src.Size == out.Size && fftKinds[a.Type] == fourier.Complex {
		t.overwriting(exec.Pair{Result: out.Slot, Operand: src.Slot})
	}
	return t
}
