package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func state(t *testing.T, v ...uint64) *literal.Literal {
	t.Helper()
	l, err := literal.FromSlice(v)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestRngBitGenerator(t *testing.T) {
	const max = ^uint64(0)
	for _, dims := range []string{"", "0", "1", "5", "2,3", "3,4", "3,5,7", "7,1,1", "5,2,0", "70001", "301,77", "64,1000"} {
		for _, e := range []string{"u8", "s8", "u16", "f16", "bf16", "u32", "s32", "f32", "u64", "s64", "f64", "f8e5m2"} {
			for _, a := range []struct {
				name  string
				state []uint64
			}{
				{"rng_three_fry", []uint64{7, max - 3}}, {"rng_philox", []uint64{9, max - 1, 5}}, {"rng_philox", []uint64{9, 4}},
				{"rng_default", []uint64{1, 2}},
			} {
				n := len(a.state)
				agree(t, program{args: []*literal.Literal{state(t, a.state...)}, text: fmt.Sprintf(`
ENTRY e {
  s = u64[%d] parameter(0)
  ROOT r = (u64[%d], %s[%s]) rng-bit-generator(s), algorithm=%s
}`, n, n, e, dims, a.name)})
			}
		}
	}
}

func TestRng(t *testing.T) {
	const text = `
ENTRY e {
  a = %[1]s[] constant(%[2]s)
  b = %[1]s[] constant(%[3]s)
  x = %[1]s[%[5]s] rng(a, b), distribution=%[4]s
  y = %[1]s[3] rng(a, b), distribution=%[4]s
  h = u64[2] rng-get-and-update-state(), delta=5
  i = u64[2] rng-get-and-update-state(), delta=-1
  j = u64[2] rng-get-and-update-state(), delta=1
  ROOT r = (%[1]s[%[5]s], %[1]s[3], u64[2], u64[2], u64[2]) tuple(x, y, h, i, j)
}`
	for _, tc := range [][]string{
		{"f32", "-1", "2"}, {"f64", "0", "1"}, {"bf16", "1", "1.5"}, {"f16", "-3", "-2"}, {"f32", "3", "3"}, {"f8e5m2", "0", "1"},
		{"f32", "nan", "1"}, {"f32", "0", "inf"}, {"s32", "-5", "7"}, {"u32", "0", "4294967295"}, {"s8", "-128", "127"},
		{"u64", "0", "18446744073709551615"}, {"s64", "-9223372036854775808", "4611686018427387904"}, {"pred", "false", "true"},
		{"s16", "7", "7"}, {"u8", "9", "3"}, {"s4", "-8", "7"}, {"pred", "true", "false"},
	} {
		for seed := range uint64(3) {
			p := program{run: exec.RunOptions{Seed: seed, Replicas: 2}}
			for _, dims := range []string{"", "0", "10001", "3,5"} {
				p.text = fmt.Sprintf(text, tc[0], tc[1], tc[2], "rng_uniform", dims)
				agree(t, p)
				if tc[0][0] == 'f' || tc[0][0] == 'b' {
					p.text = fmt.Sprintf(text, tc[0], tc[1], tc[2], "rng_normal", dims)
					agree(t, p)
				}
			}
		}
	}
	for _, mean := range []string{"0.3", "0", "1", "nan"} {
		agree(t, program{text: `
ENTRY e {
  a = f32[] constant(` + mean + `)
  ROOT x = u32[1000] rng(a), distribution=rng_bernoulli
}`})
	}
}

func TestLinalg(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, e := range []shape.ElementType{shape.F32, shape.F64, shape.BF16, shape.F16, shape.C64, shape.C128} {
		for _, d := range [][]int64{{1, 1}, {3, 3}, {2, 5, 5}, {2, 0, 3, 3}, {2, 0, 0}, {70, 70}, {3, 140, 140}, {300, 300}} {
			a, near := shape.Array(e, d...), 0.0
			if n := d[len(d)-1]; n >= 64 { // OpenBLAS may do these; the matrices are well-conditioned
				near = 4 * float64(n) * math.Ldexp(1, -1-e.Component().MantissaBits())
			}
			for _, lower := range []string{"true", "false"} {
				agree(t, program{near: near, args: []*literal.Literal{positive(r, a)}, text: fmt.Sprintf(`
ENTRY e {
  a = %v parameter(0)
  ROOT r = %v cholesky(a), lower=%s
}`, a, a, lower)})
			}
			for flags := range 24 {
				n := len(d)
				b := append(append([]int64{}, d[:n-2]...), d[n-1], 3)
				if flags&1 == 0 {
					b[n-2], b[n-1] = 3, d[n-1]
				}
				s := shape.Array(e, b...)
				agree(t, program{near: near, args: []*literal.Literal{positive(r, a), random(r, s)}, text: fmt.Sprintf(`
ENTRY e {
  a = %v parameter(0)
  b = %v parameter(1)
  ROOT r = %v triangular-solve(a, b), left_side=%v, lower=%v, unit_diagonal=%v, transpose_a=%s
}`, a, s, s, flags&1 != 0, flags&2 != 0, flags&4 != 0, []string{"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}[flags/8])})
			}
		}
	}
}

// positive returns matrices that are nearly the identity: positive definite, and good to solve with.
func positive(r *rand.Rand, s shape.Shape) *literal.Literal {
	w := random(r, s).Wide()
	n := int(s.Dims[len(s.Dims)-1])
	for i := range w.Len() {
		diagonal := n > 0 && i/n%n == i%n
		if w.Class == shape.ComplexClass {
			w.C[i] /= complex(float64(4*n), 0)
			if diagonal {
				w.C[i] += 2
			}
			continue
		}
		w.F[i] /= float64(4 * n)
		if diagonal {
			w.F[i] += 2
		}
	}
	return literal.FromWide(s, w)
}

func TestFft(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, tc := range []struct {
		dims, length []int64
	}{
		{[]int64{1}, []int64{1}}, {[]int64{2, 5}, []int64{5}}, {[]int64{3, 16}, []int64{16}}, {[]int64{0, 4}, []int64{4}},
		{[]int64{2, 17}, []int64{17}}, {[]int64{4, 6}, []int64{4, 6}}, {[]int64{2, 3, 4, 5}, []int64{3, 4, 5}},
		{[]int64{2, 3, 4, 1}, []int64{3, 4, 1}}, {[]int64{1009}, []int64{1009}}, {[]int64{20, 30}, []int64{20, 30}},
		{[]int64{12000}, []int64{12000}}, {[]int64{33, 64}, []int64{33, 64}}, {[]int64{9, 9, 100}, []int64{100}},
		{[]int64{2, 0}, []int64{0}}, {[]int64{7, 128, 3}, []int64{7, 128, 3}},
	} {
		half := append([]int64{}, tc.dims...)
		if n := len(half) - 1; half[n] > 0 {
			half[n] = half[n]/2 + 1
		}
		for _, e := range [][2]shape.ElementType{{shape.C64, shape.F32}, {shape.C128, shape.F64}} {
			full, real, spectrum := shape.Array(e[0], tc.dims...), shape.Array(e[1], tc.dims...), shape.Array(e[0], half...)
			for _, k := range []struct {
				kind     string
				from, to shape.Shape
			}{{"FFT", full, full}, {"IFFT", full, full}, {"RFFT", real, spectrum}, {"IRFFT", spectrum, real}} {
				length := ""
				for i, n := range tc.length {
					if i > 0 {
						length += ","
					}
					length += fmt.Sprint(n)
				}
				x := random(r, k.from)
				near := 0.0
				if slices.Max(tc.length) >= 64 { // whose arithmetic is free
					near = fftError(x, e[1])
				}
				agree(t, program{near: near, args: []*literal.Literal{x}, text: fmt.Sprintf(`
ENTRY e {
  x = %v parameter(0)
  ROOT r = %v fft(x), fft_type=%s, fft_length={%s}
}`, k.from, k.to, k.kind, length)})
			}
		}
	}
}

// fftError bounds the error of a transform of x in type t: some units of the root of the sum of squares for each of its
// passes.
func fftError(x *literal.Literal, t shape.ElementType) float64 {
	sum := 0.0
	for _, v := range x.Wide().F {
		sum += v * v
	}
	for _, v := range x.Wide().C {
		sum += real(v)*real(v) + imag(v)*imag(v)
	}
	unit := math.Ldexp(1, -1-t.MantissaBits())
	return 4 * math.Log2(float64(x.Shape().Size())+1) * unit * math.Sqrt(sum)
}
