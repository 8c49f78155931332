package cpu

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/fftw"
	"github.com/halo-xla/halo/cgo/loops/run"
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
				b.Logf("%v fftw=%v threads=%d %v", tc.dims, f.called, threads,
					leastTime(50, func() { runNative(t, threads, m.slots, f.records...) }))
			}
		}
	}
}
