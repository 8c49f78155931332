package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/shape"
)

// fftComplex is the result type of a real transform by operand type, fftReal that of its inverse.
var (
	fftComplex = map[shape.ElementType]shape.ElementType{shape.F32: shape.C64, shape.F64: shape.C128}
	fftReal    = map[shape.ElementType]shape.ElementType{shape.C64: shape.F32, shape.C128: shape.F64}
)

func inferFft(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand, a := in.Operands[0].Shape, in.Attrs.(*FftAttrs)
	if len(a.Length) < 1 || len(a.Length) > 3 { // C3
		return poison, fmt.Errorf("fft_length: got %d lengths, want 1 to 3", len(a.Length))
	}
	if len(a.Length) > len(operand.Dims) { // C1
		return poison, fmt.Errorf("fft_length: got %d lengths for %v, want at most %d", len(a.Length), operand,
			len(operand.Dims))
	}
	out, err := fftResultType(operand.Type, a.Type) // C2
	if err != nil {
		return poison, err
	}
	for _, n := range a.Length {
		if n < 0 {
			return poison, fmt.Errorf("fft_length: got %s, want lengths of 0 or more", list(a.Length))
		}
	}
	sizes, last := a.sizes(), len(a.Length)-1
	if a.Type == IRFFT {
		sizes[last] = halfLength(a.Length[last]) // C5
	}
	first := len(operand.Dims) - len(sizes)
	l := newDimList(out, len(operand.Dims))
	for d := range operand.Dims {
		if d < first {
			l.addOf(operand, int64(d))
			continue
		}
		want := sizes[d-first]
		if n := operand.Dims[d]; n != want && n != shape.Unbounded { // C4, C5; row 95 checks FFT and IFFT too
			return poison, fmt.Errorf("dimension %d of %v: got size %d, want %d for fft_length %s", d, operand, n, want,
				list(a.Length))
		}
		if d-first == last {
			want = a.resultLast()
		}
		l.add(want, false)
	}
	return l.shape(), nil
}

// sizes returns a copy of the lengths.
func (a *FftAttrs) sizes() []int64 { return append([]int64(nil), a.Length...) }

// resultLast returns the size of the result's last dimension. C4, C5
func (a *FftAttrs) resultLast() int64 {
	n := a.Length[len(a.Length)-1]
	if a.Type == RFFT {
		return halfLength(n)
	}
	return n
}

// halfLength returns how many numbers of the spectrum of n reals say all of it.
func halfLength(n int64) int64 {
	if n == 0 {
		return 0
	}
	return n/2 + 1
}

func fftResultType(t shape.ElementType, kind FftType) (shape.ElementType, error) {
	out, ok := t, t.IsComplex()
	want := "complex numbers"
	switch kind {
	case FFT, IFFT:
	case RFFT:
		out, ok = fftComplex[t]
		want = "f32 or f64"
	case IRFFT:
		out, ok = fftReal[t]
	default:
		return 0, fmt.Errorf("fft_type is %d, want 0 to %d", kind, len(fftTypeNames)-1)
	}
	if !ok {
		return 0, fmt.Errorf("element type of %s: got %v, want %s", fftTypeNames[kind], t, want)
	}
	return out, nil
}

// Fft transforms the innermost len(fftLength) dimensions, 1 to 3, and takes the others as a batch. FFT and IFFT keep
// the shape; IFFT divides by the product of the lengths. RFFT takes reals and gives the first half of each spectrum,
// n/2+1 numbers; IRFFT does the reverse, divides likewise, and ignores imaginary parts that real input cannot have.
//
//	FFT, IFFT complex[D..., L...]   RFFT real[D..., L...] to complex[D..., L..., last/2+1]   IRFFT the reverse
//
// It fails if sizes do not match the lengths or the element type does not fit. Law: row 95, StableHLO fft C1 to C5.
func (b *Builder) Fft(operand *Instruction, fftType FftType, fftLength []int64) *Instruction {
	return b.add(Fft, &FftAttrs{Type: fftType, Length: fftLength}, shape.Shape{}, operand)
}
