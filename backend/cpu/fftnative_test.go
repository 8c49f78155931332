package cpu

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"
	"unsafe"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/fftw"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/fourier"
	"github.com/halo-xla/halo/xla/shape"
)

// testMemory is memory of a test, by slots.
type testMemory struct{ slots [][]byte }

func (m *testMemory) Scratch(n int64) exec.Slice { return m.Pack(make([]byte, n)) }

func (m *testMemory) Pack(data []byte) exec.Slice {
	m.slots = append(m.slots, append(make([]byte, 0, len(data)+64), data...))
	return exec.Slice{Slot: int32(len(m.slots) - 1), Size: int64(len(data))}
}

// Every instruction set gives the bits of the plans in Go, if a line is short, for any number of threads.
func TestNativeFft(t *testing.T) {
	needNative(t)
	cases := [][2][]int64{
		{{40, 22}, {22}}, {{17, 13, 20}, {13, 20}}, {{5, 39, 18}, {39, 18}}, {{3, 12, 2, 34}, {12, 2, 34}},
		{{35, 7, 1}, {35, 7, 1}}, {{2, 35}, {35}}, {{2, 48}, {48}}, {{100, 5}, {5}}, {{9, 48, 48}, {48, 48}},
		{{70, 3}, {3}}, {{3, 1009, 2}, {2}}, {{33, 61}, {61}},
	}
	for n := int64(2); n < leastSwift; n++ {
		cases = append(cases, [2][]int64{{37, n}, {n}})
	}
	eachFft(t, cases, true)
}

// Longer lines are within the error of their type: contiguous ones, few long ones, columns, groups of columns that are
// not full, lengths for each butterfly, of primes that are summed and of those that take a convolution.
func TestSwiftFft(t *testing.T) {
	needNative(t)
	eachFft(t, [][2][]int64{
		{{1024}, {1024}}, {{40, 96}, {96}}, {{1 << 16}, {1 << 16}}, {{2, 1 << 17}, {1 << 17}}, {{5, 1 << 15}, {1 << 15}}, {{2, 7, 2560}, {2560}},
		{{64, 64}, {64, 64}}, {{128, 70, 4}, {128, 70, 4}}, {{2, 105, 33}, {105, 33}}, {{343, 20}, {343, 20}},
		{{512}, {512}}, {{33, 256, 5}, {256, 5}}, {{9, 1000}, {1000}}, {{1536}, {1536}}, {{64, 1, 98}, {64, 1, 98}},
		{{4410}, {4410}}, {{35, 400}, {400}}, {{19, 128}, {128}}, {{2187, 1, 17}, {2187, 1, 17}}, {{72, 3, 31}, {72, 3, 31}}, {{18432}, {18432}},
		{{33, 113}, {113}}, {{139, 18}, {139, 18}}, {{10010}, {10010}}, {{20, 1210}, {1210}}, {{20014}, {20014}},
		{{7, 999}, {999}}, {{3, 1009}, {1009}}, {{2, 2018}, {2018}}, {{65}, {65}}, {{67}, {67}}, {{20, 67}, {67}}, {{254}, {254}},
		{{65537}, {65537}}, {{2, 44100}, {44100}}, {{1 << 16, 1}, {1 << 16, 1}}, {{33333}, {33333}}, {{67, 73}, {67, 73}},
		{{5, 521, 19}, {521, 19}}, {{521, 3}, {521, 3}}, {{18, 401}, {401}}, {{100003}, {100003}}, {{40001}, {40001}},
	}, false)
}

// Lines of large arrays are staged, as well those that begin anywhere in a line of the cache, and give the same bits as
// lines of small ones.
func TestStagedFft(t *testing.T) {
	needNative(t)
	eachFft(t, [][2][]int64{{{520, 1024}, {1024}}, {{457, 1155}, {1155}}, {{129, 8192}, {8192}}}, false)
	for _, isa := range run.Levels() {
		sameStaged[float32](t, isa, 1155)
		sameStaged[float64](t, isa, 1155)
	}
}

// sameStaged compares the line of an array that is small with the first of one that is large.
func sameStaged[T fourier.Number](t *testing.T, isa run.ISA, n int64) {
	t.Helper()
	lines := leastStaged/(8*n) + 1
	r, src := rand.New(rand.NewPCG(11, 12)), make([]T, 2*n*lines)
	for i := range src {
		src[i] = T(r.NormFloat64())
	}
	var got [2][]byte
	for i, dims := range [][]int64{{2, n}, {lines, n}} {
		m, bytes := &testMemory{}, shape.Product(dims)*2*int64(unsafe.Sizeof(T(0)))
		from, to := m.Pack(run.Bytes(src)[:bytes]), m.Scratch(bytes)
		f := newNativeFft[T](m, fftOptions{isa: isa}, fourier.Complex, true, dims, []int64{n}, to, from)
		runNative(t, 2, m.slots, f.records...)
		got[i] = m.slots[to.Slot]
	}
	if !bytes.Equal(got[0], got[1][:len(got[0])]) {
		t.Errorf("%v, %T: lines of a large array have other bits than those of a small one", isa, T(0))
	}
}

// eachFft compares the transforms of shapes and lengths at every level, in both types.
func eachFft(t *testing.T, cases [][2][]int64, exact bool) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, isa := range run.Levels() {
		for _, c := range cases {
			compareFft[float32](t, r, isa, c[0], c[1], exact)
			compareFft[float64](t, r, isa, c[0], c[1], exact)
		}
	}
}

func compareFft[T fourier.Number](t *testing.T, r *rand.Rand, isa run.ISA, full, lengths []int64, exact bool) {
	t.Helper()
	half := append([]int64{}, full...)
	half[len(half)-1] = half[len(half)-1]/2 + 1
	for _, k := range []struct {
		kind    fourier.Kind
		forward bool
		dims    []int64
		from    int64 // numbers of T
		to      int64
	}{
		{fourier.Complex, true, full, 2 * shape.Product(full), 2 * shape.Product(full)},
		{fourier.Complex, false, full, 2 * shape.Product(full), 2 * shape.Product(full)},
		{fourier.RealForward, true, half, shape.Product(full), 2 * shape.Product(half)},
		{fourier.RealInverse, false, half, 2 * shape.Product(half), shape.Product(full)},
	} {
		src, sum := make([]T, k.from), 0.0
		for i := range src {
			src[i] = T(r.NormFloat64())
			sum += float64(src[i]) * float64(src[i])
		}
		size := int64(unsafe.Sizeof(T(0)))
		data := run.Bytes(src)
		want := make([]byte, k.to*size)
		kernel.NewFft[T](k.kind, k.forward, k.dims, lengths).Run(kernel.Serial, want, data, make([]byte, len(data)))
		m := &testMemory{}
		from, to := m.Pack(data), m.Scratch(k.to*size)
		if k.kind == fourier.Complex && r.IntN(2) == 0 { // in place
			to = from
		}
		f := newNativeFft[T](m, fftOptions{isa: isa}, k.kind, k.forward, k.dims, lengths, to, from)
		for _, threads := range []int{1, 2, 3, 7} {
			clear(m.slots[to.Slot]) // before data: they may be one
			copy(m.slots[from.Slot], data)
			runNative(t, threads, m.slots, f.records...)
			if !exact && threads == 1 {
				scale := math.Sqrt(sum)
				if !k.forward {
					scale /= float64(shape.Product(lengths))
				}
				if convolved(lengths) {
					scale *= 2
				}
				nearFft(t, kernel.Cast[T](m.slots[to.Slot]), kernel.Cast[T](want), scale)
				copy(want, m.slots[to.Slot])
			}
			if !bytes.Equal(m.slots[to.Slot], want) {
				t.Errorf("%v, %T, kind %d of %v, %v, %d threads: other bits", isa, T(0), k.kind, full, lengths, threads)
			}
		}
	}
}

// convolved reports whether a length has a prime factor that both sides may convolve: by two transforms more.
func convolved(lengths []int64) bool {
	for _, n := range lengths {
		for p := int64(2); p < 100; p++ {
			for n%p == 0 {
				n /= p
			}
		}
		if n > 1 {
			return true
		}
	}
	return false
}

// nearFft fails unless got is want within the error of two transforms whose results are of a scale.
func nearFft[T fourier.Number](t *testing.T, got, want []T, scale float64) {
	t.Helper()
	unit := 0x1p-24
	if unsafe.Sizeof(T(0)) == 8 {
		unit = 0x1p-53
	}
	bound := 4 * math.Log2(float64(len(want))) * unit * scale // as fftError
	for i, w := range want {
		if d := math.Abs(float64(got[i] - w)); !(d <= bound) {
			t.Fatalf("number %d of %d: got %v, want %v, within %g", i, len(want), got[i], w, bound)
		}
	}
}

// What is free to be fast is no less exact than the plans in Go, to a twentieth, without fused multiply-adds to a tenth,
// with f64 for the truth.
func TestSwiftFftError(t *testing.T) {
	needNative(t)
	r := rand.New(rand.NewPCG(13, 14))
	for _, isa := range run.Levels() {
		limit := 1.05
		if isa == run.Base {
			limit = 1.1
		}
		for _, n := range []int64{64, 128, 999, 1000, 1009, 1024, 1331, 2520, 1 << 12, 10007, 1 << 16} {
			dims := []int64{1 + 65536/n, n}
			src, wide := make([]float32, 2*shape.Product(dims)), make([]float64, 2*shape.Product(dims))
			for i := range src {
				src[i] = float32(r.NormFloat64())
				wide[i] = float64(src[i])
			}
			truth, plain := make([]byte, 8*len(src)), make([]byte, 4*len(src))
			data := run.Bytes(src)
			kernel.NewFft[float64](fourier.Complex, true, dims, dims[1:]).Run(kernel.Serial, truth, run.Bytes(wide), nil)
			kernel.NewFft[float32](fourier.Complex, true, dims, dims[1:]).Run(kernel.Serial, plain, data, nil)
			m := &testMemory{}
			from, to := m.Pack(data), m.Scratch(int64(len(data)))
			f := newNativeFft[float32](m, fftOptions{isa: isa}, fourier.Complex, true, dims, dims[1:], to, from)
			runNative(t, 2, m.slots, f.records...)
			got, most := squareError(m.slots[to.Slot], truth), squareError(plain, truth)
			if got > limit*most {
				t.Errorf("%v, rows of %d: root of the mean square error %g, of the plans in Go %g", isa, n, got, most)
			}
		}
	}
}

// squareError is the root of the mean square difference of f32 and f64 numbers.
func squareError(got, truth []byte) float64 {
	sum, want := 0.0, kernel.Cast[float64](truth)
	for i, v := range kernel.Cast[float32](got) {
		sum += (float64(v) - want[i]) * (float64(v) - want[i])
	}
	return math.Sqrt(sum / float64(len(want)))
}

// leastTime returns the least time of f in some rounds.
func leastTime(rounds int, f func()) time.Duration {
	least := time.Duration(math.MaxInt64)
	for range rounds {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	return least
}

// Our transforms, with one thread and two, beside FFTW with one, which has measured, for what is contiguous.
func BenchmarkFft(b *testing.B) {
	for _, tc := range []struct {
		kind          fourier.Kind
		dims, lengths []int64
	}{
		{fourier.Complex, []int64{1 << 20}, []int64{1 << 20}}, {fourier.RealForward, []int64{1024, 513}, []int64{1024, 1024}},
		{fourier.Complex, []int64{512, 512}, []int64{512, 512}}, {fourier.Complex, []int64{1024}, []int64{1024}},
		{fourier.Complex, []int64{256, 1024}, []int64{1024}}, {fourier.Complex, []int64{4, 8192}, []int64{8192}},
		{fourier.Complex, []int64{1000, 100}, []int64{100}}, {fourier.RealForward, []int64{1000, 51}, []int64{100}},
		{fourier.Complex, []int64{1000, 256}, []int64{256}}, {fourier.RealForward, []int64{1000, 501}, []int64{1000}},
	} {
		b.Run(fmt.Sprint(tc.kind, tc.dims), func(b *testing.B) { benchFft(b, tc.kind, tc.dims, tc.lengths) })
	}
}

func benchFft(b *testing.B, kind fourier.Kind, dims, lengths []int64) {
	t, n, last := &testing.T{}, shape.Product(dims), lengths[len(lengths)-1]
	m := &testMemory{}
	from, to := m.Scratch(8*n+64), m.Scratch(8*n+64)
	f := newNativeFft[float32](m, fftOptions{isa: run.Level()}, kind, true, dims, lengths, to, from)
	for _, threads := range []int{1, 2} {
		b.Logf("threads=%d %v", threads, leastTime(50, func() { runNative(t, threads, m.slots, f.records...) }))
	}
	p := fftw.Problem{Kind: fftw.Forward, N: last, Rows: shape.Product(dims[:len(dims)-1])}
	if kind == fourier.RealForward {
		p.Kind = fftw.RealForward
	}
	if plan, err := fftw.NewPlan(p, p.Rows, 2*time.Second); err == nil && len(lengths) == 1 {
		r := plan.Record(ref(to), ref(from), 1)
		b.Logf("FFTW %v", leastTime(50, func() { runNative(t, 1, m.slots, r) }))
	}
}

// Short rows of a power of two are FFTW's, columns ours: within the error of both.
func TestFftwRows(t *testing.T) {
	needNative(t)
	testfile.Library(t, "fftw", fftw.Load())
	r := rand.New(rand.NewPCG(11, 12))
	dims, lengths := []int64{3, 20, 128}, []int64{20, 128}
	for _, forward := range []bool{true, false} {
		src, sum := make([]float64, 2*shape.Product(dims)), 0.0
		for i := range src {
			src[i] = r.NormFloat64()
			sum += src[i] * src[i]
		}
		data := run.Bytes(src)
		want := make([]byte, len(data))
		kernel.NewFft[float64](fourier.Complex, forward, dims, lengths).Run(kernel.Serial, want, data, make([]byte, len(data)))
		for _, shift := range []int64{0, 8} { // arrays need not be aligned
			m := &testMemory{}
			from, to := m.Pack(append(make([]byte, shift), data...)), m.Scratch(int64(len(data))+shift)
			from.Offset, to.Offset = shift, shift
			f := newNativeFft[float64](m, fftOptions{isa: run.Level(), vendor: true}, fourier.Complex, forward, dims, lengths, to, from)
			if f.calls.Count == 0 {
				t.Fatal("FFTW is not called")
			}
			runNative(t, 3, m.slots, f.records...)
			got := kernel.Cast[float64](m.slots[to.Slot][shift:])
			for i, w := range kernel.Cast[float64](want) {
				if d := math.Abs(got[i] - w); !(d <= 100*0x1p-53*math.Sqrt(sum)) {
					t.Fatalf("forward=%v, %d bytes off, number %d: got %v, want %v", forward, shift, i, got[i], w)
				}
			}
		}
	}
}

func TestTune(t *testing.T) {
	needNative(t)
	testfile.Library(t, "fftw", fftw.Load())
	folder := t.TempDir()
	o := newFftOptions(exec.Options{Tune: 50 * time.Millisecond, TuneFolder: folder})
	m := &testMemory{}
	f := newNativeFft[float64](m, o, fourier.Complex, true, []int64{128}, []int64{128}, m.Scratch(128*16), m.Scratch(128*16))
	o.learned(f.calls.Count > 0)
	if files, err := os.ReadDir(folder); err != nil || len(files) != 2 {
		t.Errorf("got the files %v, %v, want what FFTW has measured in f32 and f64", files, err)
	}
}
