package hlo

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// definition is the discrete Fourier transform by its formula, with the angle reduced exactly.
func definition(x []complex128, sign float64) []complex128 {
	n := len(x)
	out := make([]complex128, n)
	for k := range out {
		for j, v := range x {
			s, c := math.Sincos(2 * math.Pi * float64(j*k%n) / float64(n))
			out[k] += v * complex(c, sign*s)
		}
	}
	return out
}

func randomComplex(r *rand.Rand, n int) []complex128 {
	out := make([]complex128, n)
	for i := range out {
		out[i] = complex(r.NormFloat64(), r.NormFloat64())
	}
	return out
}

// wantNear fails unless got is want up to a rounding error of n numbers of size 1.
func wantNear(t *testing.T, what string, got, want []complex128) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if d := cmplx.Abs(got[i] - want[i]); !(d <= 1e-14*float64(len(want)+10)) {
			t.Fatalf("%s: number %d is off by %g: got %v, want %v", what, i, d, got[i], want[i])
		}
	}
}

func fftOf[T literal.Element](t *testing.T, v []T, kind FftType, length []int64, dims ...int64) *literal.Literal {
	t.Helper()
	l, err := literal.FromSlice(v, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return run(t, build(t, "main", func(b *Builder) *Instruction { return b.Fft(b.ConstantLiteral(l), kind, length) }))
}

func TestFFTIsItsDefinition(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	lengths := []int{47, 64, 97, 100, 121, 127, 210, 251, 37 * 4, 29 * 31, 509}
	for n := 1; n <= 40; n++ {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		x := randomComplex(r, n)
		got := elems[complex128](t, fftOf(t, x, FFT, dims(int64(n)), int64(n)))
		wantNear(t, "FFT", got, definition(x, -1))
		want := definition(x, 1)
		for i := range want {
			want[i] /= complex(float64(n), 0)
		}
		wantNear(t, "IFFT", elems[complex128](t, fftOf(t, x, IFFT, dims(int64(n)), int64(n))), want)
	}
}

func TestRealFFT(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for n := 1; n <= 40; n++ {
		x, c := make([]float64, 2*n), make([]complex128, 2*n)
		for i := range x {
			x[i] = r.NormFloat64()
			c[i] = complex(x[i], 0)
		}
		half := n/2 + 1
		want := append(definition(c[:n], -1)[:half:half], definition(c[n:], -1)[:half]...)
		got := elems[complex128](t, fftOf(t, x, RFFT, dims(int64(n)), 2, int64(n)))
		wantNear(t, "RFFT", got, want)
		noisy := slices.Clone(got)
		noisy[0] += 5i // no real input has it
		if n%2 == 0 {
			noisy[half-1] -= 3i
		}
		back := elems[float64](t, fftOf(t, noisy, IRFFT, dims(int64(n)), 2, int64(half)))
		for i := range back {
			if math.Abs(back[i]-x[i]) > 1e-13 {
				t.Fatalf("seed %d: IRFFT of length %d: got %v, want %v", seed, n, back, x)
			}
		}
	}
}

// definition3 transforms all three dimensions by the formula.
func definition3(x []complex128, d [3]int) []complex128 {
	out := slices.Clone(x)
	steps := [3]int{d[1] * d[2], d[2], 1}
	for k, n := range d {
		for i := range out {
			if i/steps[k]%n != 0 {
				continue
			}
			line := make([]complex128, n)
			for j := range line {
				line[j] = out[i+j*steps[k]]
			}
			for j, v := range definition(line, -1) {
				out[i+j*steps[k]] = v
			}
		}
	}
	return out
}

func TestFFTOfSeveralDimensions(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	x := randomComplex(r, 3*4*5)
	want := definition3(x, [3]int{3, 4, 5})
	wantNear(t, "3D", elems[complex128](t, fftOf(t, x, FFT, dims(3, 4, 5), 3, 4, 5)), want)
	wantNear(t, "3D and back", elems[complex128](t, fftOf(t, want, IFFT, dims(3, 4, 5), 3, 4, 5)), x)
	flat := definition3(x[:20], [3]int{1, 4, 5})
	wantNear(t, "2D", elems[complex128](t, fftOf(t, x[:20], FFT, dims(4, 5), 1, 4, 5)), flat)

	re, c := make([]float64, 60), make([]complex128, 60)
	for i := range re {
		re[i] = real(x[i])
		c[i] = complex(re[i], 0)
	}
	var half []complex128
	for i, v := range definition3(c, [3]int{3, 4, 5}) {
		if i%5 < 3 {
			half = append(half, v)
		}
	}
	wantNear(t, "real 3D", elems[complex128](t, fftOf(t, re, RFFT, dims(3, 4, 5), 3, 4, 5)), half)
	back := elems[float64](t, fftOf(t, half, IRFFT, dims(3, 4, 5), 3, 4, 3))
	for i := range back {
		if math.Abs(back[i]-re[i]) > 1e-13 {
			t.Fatalf("seed %d: real 3D and back: got %v, want %v", seed, back, re)
		}
	}
}

func TestFFTOfNothing(t *testing.T) {
	if got := fftOf(t, []float32{}, RFFT, dims(0), 2, 0).Shape(); got.String() != "c64[2,0]" {
		t.Errorf("got %v, want c64[2,0]", got)
	}
	if got := fftOf(t, []complex64{}, FFT, dims(4), 0, 4).Shape(); got.String() != "c64[0,4]" {
		t.Errorf("got %v, want c64[0,4]", got)
	}
}

func TestFFTErrors(t *testing.T) {
	for _, c := range []struct {
		name    string
		operand shape.Shape
		kind    FftType
		length  []int64
		want    string
	}{
		{"rank C1", shape.Array(shape.C64, 4), FFT, dims(4, 4), "got 2 lengths for c64[4]"},
		{"type C2", shape.Array(shape.F32, 4), FFT, dims(4), "got f32, want complex numbers"},
		{"real type C2", shape.Array(shape.F16, 3, 9), RFFT, dims(9), "got f16, want f32 or f64"},
		{"complex operand of a real transform C2", shape.Array(shape.C64, 9), RFFT, dims(9), "got c64, want f32 or f64"},
		{"inverse real type C2", shape.Array(shape.F32, 9), IRFFT, dims(16), "got f32, want complex"},
		{"lengths C3", shape.Array(shape.C64, 2, 2, 2, 2), FFT, dims(2, 2, 2, 2), "got 4 lengths, want 1 to 3"},
		{"no lengths C3", shape.Array(shape.C64, 2), FFT, nil, "got 0 lengths"},
		{"real sizes C4", shape.Array(shape.F32, 3, 10), RFFT, dims(9), "got size 10, want 9"},
		{"inverse real sizes C5", shape.Array(shape.C64, 3, 9), IRFFT, dims(9, 9), "got size 3, want 9"},
		{"inverse real last size C5", shape.Array(shape.C64, 3, 8), IRFFT, dims(16), "got size 8, want 9"},
		{"sizes", shape.Array(shape.C64, 5), FFT, dims(4), "got size 5, want 4"},
		{"negative", shape.Array(shape.C64, 5), FFT, dims(-1), "want lengths of 0 or more"},
	} {
		got := buildError(t, func(b *Builder) { b.Fft(b.Parameter(0, c.operand, "p"), c.kind, c.length) })
		wantError(t, c.name, got, c.want)
	}
}
