package cpu

import (
	"bytes"
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
)

// testMemory is memory of a test, by slots.
type testMemory struct{ slots [][]byte }

func (m *testMemory) Scratch(n int64) exec.Slice { return m.Pack(make([]byte, n)) }

func (m *testMemory) Pack(data []byte) exec.Slice {
	m.slots = append(m.slots, append(make([]byte, 0, len(data)+64), data...))
	return exec.Slice{Slot: int32(len(m.slots) - 1), Size: int64(len(data))}
}

// Every instruction set gives the bits of the plans in Go, for any number of threads.
func TestNativeFft(t *testing.T) {
	needNative(t)
	r := rand.New(rand.NewPCG(9, 10))
	for _, isa := range run.Levels() {
		for _, tc := range []struct{ dims, lengths []int64 }{
			{[]int64{1024}, []int64{1024}}, {[]int64{40, 96}, []int64{96}}, {[]int64{17, 13, 20}, []int64{13, 20}},
			{[]int64{33, 113}, []int64{113}}, {[]int64{5, 139, 18}, []int64{139, 18}}, {[]int64{16384}, []int64{16384}},
			{[]int64{10010}, []int64{10010}}, {[]int64{3, 12, 2, 34}, []int64{12, 2, 34}}, {[]int64{20, 1210}, []int64{1210}},
			{[]int64{20014}, []int64{20014}}, {[]int64{35, 7, 1}, []int64{35, 7, 1}},
		} {
			compareFft[float32](t, r, isa, tc.dims, tc.lengths)
			compareFft[float64](t, r, isa, tc.dims, tc.lengths)
		}
	}
}

func compareFft[T fourier.Number](t *testing.T, r *rand.Rand, isa run.ISA, full, lengths []int64) {
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
		{fourier.Complex, true, full, 2 * volume(full), 2 * volume(full)},
		{fourier.Complex, false, full, 2 * volume(full), 2 * volume(full)},
		{fourier.RealForward, true, half, volume(full), 2 * volume(half)},
		{fourier.RealInverse, false, half, 2 * volume(half), volume(full)},
	} {
		src := make([]T, k.from)
		for i := range src {
			src[i] = T(r.NormFloat64())
		}
		size := int64(unsafe.Sizeof(T(0)))
		data := unsafe.Slice((*byte)(unsafe.Pointer(&src[0])), k.from*size)
		want := make([]byte, k.to*size)
		kernel.NewFft[T](k.kind, k.forward, k.dims, lengths).Run(kernel.Serial, want, data, make([]byte, len(data)))
		m := &testMemory{}
		from, to := m.Pack(data), m.Scratch(k.to*size)
		f := newNativeFft[T](m, fftOptions{isa: isa}, k.kind, k.forward, k.dims, lengths, to, from)
		for _, threads := range []int{1, 2, 3, 7} {
			clear(m.slots[to.Slot])
			runNative(t, threads, m.slots, f.records...)
			if !bytes.Equal(m.slots[to.Slot], want) {
				t.Errorf("%v, %T, kind %d of %v, %v, %d threads: other bits", isa, T(0), k.kind, full, lengths, threads)
			}
		}
	}
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

// What runs a transform fastest: our lines, FFTW's rows, the kernel in Go.
func BenchmarkFft(b *testing.B) {
	t := &testing.T{}
	for _, tc := range []struct {
		kind          fourier.Kind
		dims, lengths []int64
	}{
		{fourier.Complex, []int64{1 << 20}, []int64{1 << 20}}, {fourier.RealForward, []int64{1024, 513}, []int64{1024, 1024}},
		{fourier.Complex, []int64{512, 512}, []int64{512, 512}}, {fourier.Complex, []int64{1024}, []int64{1024}},
		{fourier.Complex, []int64{256, 1024}, []int64{1024}}, {fourier.Complex, []int64{4, 8192}, []int64{8192}},
		{fourier.Complex, []int64{1000, 100}, []int64{100}}, {fourier.RealForward, []int64{1000, 51}, []int64{100}},
	} {
		n := volume(tc.dims)
		for _, vendor := range []bool{false, true} {
			m := &testMemory{}
			from, to := m.Scratch(8*n+64), m.Scratch(8*n+64)
			o := fftOptions{isa: run.Level(), vendor: vendor && fftw.Load() == nil}
			f := newNativeFft[float32](m, o, tc.kind, true, tc.dims, tc.lengths, to, from)
			for _, threads := range []int{1, 2} {
				b.Logf("%v fftw=%v threads=%d %v", tc.dims, f.calls.Count > 0, threads,
					leastTime(50, func() { runNative(t, threads, m.slots, f.records...) }))
			}
		}
	}
}

// The columns of a transform are ours, its rows FFTW's: within the error of both.
func TestFftwRows(t *testing.T) {
	needNative(t)
	testfile.Library(t, "fftw", fftw.Load())
	r := rand.New(rand.NewPCG(11, 12))
	dims, lengths := []int64{3, 20, 100}, []int64{20, 100}
	half := []int64{3, 20, 51}
	for _, k := range []struct {
		kind     fourier.Kind
		forward  bool
		dims     []int64
		from, to int64
	}{
		{fourier.Complex, true, dims, 12000, 12000}, {fourier.Complex, false, dims, 12000, 12000},
		{fourier.RealForward, true, half, 6000, 6120}, {fourier.RealInverse, false, half, 6120, 6000},
	} {
		src, want, sum := make([]float64, k.from), make([]byte, 8*k.to), 0.0
		for i := range src {
			src[i] = r.NormFloat64()
			sum += src[i] * src[i]
		}
		data := kernelBytes(src)
		kernel.NewFft[float64](k.kind, k.forward, k.dims, lengths).Run(kernel.Serial, want, data, make([]byte, len(data)))
		for _, shift := range []int64{0, 8} { // arrays need not be aligned
			m := &testMemory{}
			from, to := m.Pack(append(make([]byte, shift), data...)), m.Scratch(8*k.to+shift)
			from.Offset, to.Offset = shift, shift
			f := newNativeFft[float64](m, fftOptions{isa: run.Level(), vendor: true}, k.kind, k.forward, k.dims, lengths, to, from)
			if f.calls.Count == 0 {
				t.Fatal("FFTW is not called")
			}
			runNative(t, 3, m.slots, f.records...)
			got := kernel.Cast[float64](m.slots[to.Slot][shift:])
			for i, w := range kernel.Cast[float64](want) {
				if d := math.Abs(got[i] - w); !(d <= 100*0x1p-53*math.Sqrt(sum)) {
					t.Fatalf("kind %d forward=%v, %d bytes off, number %d: got %v, want %v", k.kind, k.forward, shift, i, got[i], w)
				}
			}
		}
	}
}

func kernelBytes(v []float64) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 8*len(v)) }

func TestTune(t *testing.T) {
	needNative(t)
	testfile.Library(t, "fftw", fftw.Load())
	folder := t.TempDir()
	o := newFftOptions(exec.Options{Tune: 50 * time.Millisecond, TuneFolder: folder})
	m := &testMemory{}
	f := newNativeFft[float64](m, o, fourier.Complex, true, []int64{96}, []int64{96}, m.Scratch(96*16), m.Scratch(96*16))
	o.learned(f.calls.Count > 0)
	if files, err := os.ReadDir(folder); err != nil || len(files) != 2 {
		t.Errorf("got the files %v, %v, want what FFTW has measured in f32 and f64", files, err)
	}
}
