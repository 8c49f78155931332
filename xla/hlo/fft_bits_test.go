package hlo

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

// fftBits are the hashes (64-bit FNV-1a) of the bits of FFT, IFFT, RFFT and IRFFT of two batches of 32-bit numbers, as
// scipy gives them: scripts/oracle_fft.py prints this table.
var fftBits = []struct {
	length []int64
	want   [4]uint64
}{
	{dims(2), [4]uint64{0xd5281197afd591ff, 0x6b1fcfe8fd1c1a78, 0x46c5511a3268ffc6, 0x3fa56a899a323dd8}},
	{dims(3), [4]uint64{0xaa92954c514ee432, 0x205d2acedb47fe86, 0xf3009c6fb4195e74, 0xfd52b1a38c86e85d}},
	{dims(4), [4]uint64{0x2ffa3a95b7c39612, 0x3131af87906937fd, 0xac72a6c3934e9243, 0xc56cf4c53f38ccf4}},
	{dims(5), [4]uint64{0x54453d8e2ff19013, 0x005cd3db35571570, 0x54c27bc78177257d, 0xf9595bbd51bc019b}},
	{dims(7), [4]uint64{0x1bdc4d6457f62a46, 0x32bd0f83f5483f40, 0x62c340b3ebc555e4, 0xaeae9de9b512a709}},
	{dims(8), [4]uint64{0x6adf97d06b1113dc, 0xc10e9295799178cd, 0x0f831de2d3b85990, 0xc6b74c55b76b7991}},
	{dims(9), [4]uint64{0x298c3539677c0d2d, 0x73aeef5968e336bc, 0xc329db53b2fac5c6, 0x9631950f8e28f176}},
	{dims(11), [4]uint64{0x91fdbd77edd11c34, 0x3a0eeec90edd382f, 0xde99815ec7dcf1cc, 0xbbc77cedfdec64b4}},
	{dims(13), [4]uint64{0x03443297f4ee3642, 0x5064421879f2e076, 0xf6076aa92d562831, 0xf6b480a917a75a6b}},
	{dims(15), [4]uint64{0xe2a81aef68cfad7e, 0xa7b2ed56eb269bc6, 0x0316abec51a1773e, 0xb200554e10f85013}},
	{dims(16), [4]uint64{0xec0e4d61c78e6e08, 0xc999a1cc4aeb6e44, 0x375f8cf1368c65f2, 0x16d7583b4c1546bc}},
	{dims(17), [4]uint64{0x9bbf1accef011538, 0x49011894bfd86d84, 0x9de3176b50a896c3, 0x3f0f51722d89d7bb}},
	{dims(22), [4]uint64{0xae03aec6f0d0e58c, 0x15d50debfc4ca32d, 0x4e4bc085de1f7bbd, 0x75a68c90e447d478}},
	{dims(23), [4]uint64{0xdb2ea50c1640fc2b, 0xb6e487512f49c2ba, 0xb700604e02e57a5f, 0x40a4947654067801}},
	{dims(32), [4]uint64{0xc4bce983f3c5be54, 0x750b2a6b73873599, 0x7cd5997aa7bfaba5, 0x1686b3846d362026}},
	{dims(33), [4]uint64{0x1d077a1efbfeea8d, 0xb954d462c10166d8, 0xf56352f2163793c6, 0x4097efef63bdfcff}},
	{dims(48), [4]uint64{0xe5b7b28c3bbbcac5, 0x6040034b1f087c13, 0xca626cf5e1631e73, 0x83a4442902fabc08}},
	{dims(63), [4]uint64{0x80ba775a7c245a0e, 0xf5ca33f94a0fdd1e, 0x83260a086b1c50a7, 0x77f0fd49601afb31}},
	{dims(97), [4]uint64{0x27304b2d8d0696e8, 0x28aaf1425c8facb7, 0x6fbfa0402110304f, 0xdcbcdb013c396630}},
	{dims(100), [4]uint64{0x13f009a12eb090ec, 0x3c285a7f0e5ee7f7, 0x40ceb53096eb8f1d, 0x4cfc8057f21d5673}},
	{dims(113), [4]uint64{0x318cb9efdde88858, 0xb758112a5406a0f4, 0xe47df158697d8476, 0x240f55ffbdbef8a4}},
	{dims(128), [4]uint64{0x47f5fdcc4abee201, 0x5b63004b01b7380e, 0x760bed823e8cab7a, 0xa20c5deee32bf802}},
	{dims(143), [4]uint64{0xe0cfc244d0850e3e, 0x9c7df5e569c5e6b4, 0xedc35f7e6d08fdd2, 0x5f3a64bbc90079b2}},
	{dims(180), [4]uint64{0x7806a39842ed2b5c, 0x3ca30797e0ba227f, 0x3db4d4dc2cf25514, 0xdb623e86aeb4758c}},
	{dims(256), [4]uint64{0x52a6c5ba940b2e26, 0x7e0e8ff5fcb44420, 0x4487d56e254bceb8, 0x6444801568cb6745}},
	{dims(300), [4]uint64{0x452f90c1c047f236, 0xa2621d94c7b45c8e, 0xf879fcbbfa93f8b8, 0x728b05110cbe1d9e}},
	{dims(2, 3), [4]uint64{0x1eb1d694d80c758f, 0xfab3a35d0e3dc392, 0x5a398f1b34703bd0, 0x45bd8ddc610bd5de}},
	{dims(9, 10), [4]uint64{0x0301e16487b0a76d, 0x334fc469d2d3415c, 0xf3bad529b9852feb, 0x023f4b01be31b87d}},
	{dims(4, 9, 10), [4]uint64{0x050684da49fda072, 0x8dc4aa2e95cf35d5, 0xe8be358c5c9da633, 0xaf2d385ac0b40f82}},
	{dims(15, 16, 17), [4]uint64{0xacacb2eae6075633, 0xf95735333794824b, 0x7eab69aa272ae105, 0x6f32008138d4dd54}},
	{dims(3, 5, 32), [4]uint64{0xb62d11b83a951402, 0x96a3edec2ba17d40, 0x930f4a5a25abe5d8, 0x655a0727a4b2604d}},
}

// oracleNumbers returns the numbers that the script transforms.
func oracleNumbers(count int64) []float32 {
	out := make([]float32, count)
	for k := range out {
		out[k] = float32((uint32(k)*2654435761+12345)>>8)/(1<<23) - 1
	}
	return out
}

func pairUp(v []float32) []complex64 {
	out := make([]complex64, len(v)/2)
	for k := range out {
		out[k] = complex(v[2*k], v[2*k+1])
	}
	return out
}

func TestFFTBits(t *testing.T) {
	for _, c := range fftBits {
		full := append(dims(2), c.length...)
		half := append(dims(), full...)
		half[len(half)-1] = full[len(full)-1]/2 + 1
		size := func(d []int64) int64 {
			n := int64(1)
			for _, k := range d {
				n *= k
			}
			return n
		}
		x := pairUp(oracleNumbers(2 * size(full)))
		got := [4]any{
			elems[complex64](t, fftOf(t, x, FFT, c.length, full...)),
			elems[complex64](t, fftOf(t, x, IFFT, c.length, full...)),
			elems[complex64](t, fftOf(t, oracleNumbers(size(full)), RFFT, c.length, full...)),
			elems[float32](t, fftOf(t, pairUp(oracleNumbers(2*size(half))), IRFFT, c.length, half...)),
		}
		for k, v := range got {
			h := fnv.New64a()
			if err := binary.Write(h, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
			if h.Sum64() != c.want[k] {
				t.Errorf("%s of %v: got bits %#016x, want %#016x", fftTypeNames[k], c.length, h.Sum64(), c.want[k])
			}
		}
	}
}

// wantClose fails unless got is want up to the error of a transform of n numbers in 32 bits, in norm.
func wantClose(t *testing.T, what string, n int, got []complex64, want []complex128) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s of length %d: got %d numbers, want %d", what, n, len(got), len(want))
	}
	var off, norm float64
	for i, v := range want {
		off += math.Pow(cmplx.Abs(complex128(got[i])-v), 2)
		norm += math.Pow(cmplx.Abs(v), 2)
	}
	if bound := 4 * math.Log2(float64(n)+1) * 0x1p-24 * math.Sqrt(norm); !(math.Sqrt(off) <= bound) {
		t.Errorf("%s of length %d: off by %g, want at most %g", what, n, math.Sqrt(off), bound)
	}
}

func TestSingleFFTIsItsDefinition(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	lengths := []int{64, 101, 109, 113, 133, 137, 149, 210, 226, 298, 512, 1000, 1002, 1024, 1026}
	for n := 1; n <= 50; n++ {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		x, wide := make([]complex64, n), make([]complex128, n)
		re, wideRe := make([]float32, n), make([]complex128, n)
		for i := range x {
			x[i] = complex(float32(r.NormFloat64()), float32(r.NormFloat64()))
			re[i] = real(x[i])
			wide[i], wideRe[i] = complex128(x[i]), complex(float64(re[i]), 0)
		}
		length, half := dims(int64(n)), int64(n/2+1)
		wantClose(t, "FFT", n, elems[complex64](t, fftOf(t, x, FFT, length, length...)), definition(wide, -1))
		back := definition(wide, 1)
		for i := range back {
			back[i] /= complex(float64(n), 0)
		}
		wantClose(t, "IFFT", n, elems[complex64](t, fftOf(t, x, IFFT, length, length...)), back)
		spectrum := elems[complex64](t, fftOf(t, re, RFFT, length, length...))
		wantClose(t, "RFFT", n, spectrum, definition(wideRe, -1)[:half])
		reals := elems[float32](t, fftOf(t, spectrum, IRFFT, length, half))
		round := make([]complex64, len(reals))
		for i, v := range reals {
			round[i] = complex(v, 0)
		}
		wantClose(t, "IRFFT of RFFT", n, round, wideRe)
	}
}
