package kernel

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/xla/shape"
)

// goroutines is a Parallel of so many threads.
func goroutines(threads int64) Parallel {
	return func(n int64, f func(i int64)) {
		var wg sync.WaitGroup
		for t := range threads {
			wg.Go(func() {
				for i := t; i < n; i += threads {
					f(i)
				}
			})
		}
		wg.Wait()
	}
}

// The vectors of OPS.md, section 7.
func TestThreeFryVectors(t *testing.T) {
	for _, tc := range []struct {
		dims         []int64
		key, counter uint64
		want         []uint32
		blocks       int64
	}{
		{[]int64{5}, 1, 2, []uint32{0x0296e954, 0x802fd53b, 0xed3492d3, 0xdf435003, 0x63b40bd3}, 3},
		{[]int64{2, 3}, 1, 2, []uint32{0x0296e954, 0xed3492d3, 0x63b40bd3, 0x802fd53b, 0xdf435003, 0xfcc0f261}, 3},
		{[]int64{3, 4}, 42, 0, []uint32{0xde79f4b9, 0x4f6cc618, 0x268fd86c, 0xfe251627, 0x8533bc2a, 0x1b41c6e8, 0x3ffbe4ea,
			0xdc557f27, 0x9f821b71, 0x0a548c27, 0x436dbd8a, 0x294e53cc}, 6},
		{nil, 1, 2, []uint32{0x0296e954}, 1},
		{[]int64{2, 0}, 1, 2, nil, 0},
	} {
		p := NewThreeFryPlan(tc.dims, 4)
		got := make([]uint32, len(tc.want))
		ThreeFry(Serial, asBytes(got), p, tc.key, tc.counter)
		if !slices.Equal(got, tc.want) || p.ThreeFryBlocks() != tc.blocks {
			t.Errorf("u32%v of {%d,%d}: got %08x and %d blocks, want %08x and %d", tc.dims, tc.key, tc.counter, got,
				p.ThreeFryBlocks(), tc.want, tc.blocks)
		}
	}
	words := make([]uint64, 2)
	ThreeFry(Serial, asBytes(words), NewThreeFryPlan([]int64{2}, 8), 1, 2)
	if want := []uint64{0x802fd53b0296e954, 0xdf435003ed3492d3}; !slices.Equal(words, want) {
		t.Errorf("u64[2]: got %x, want %x", words, want)
	}
}

func TestPhiloxVectors(t *testing.T) {
	for _, tc := range []struct {
		key, low, high uint64
		want           []uint32
	}{
		{1, 2, 3, []uint32{0xf045e74a, 0x517630e6, 0x1d8af405, 0xb5e59a96, 0x05545ceb}},
		{1, 2, 1, []uint32{0x7d34a749, 0xa9b8bbe8, 0x7ba423d7, 0x2fb324d9, 0x6cf923fe}},
	} {
		got := make([]uint32, 5)
		Philox(Serial, asBytes(got), NewPhiloxPlan([]int64{5}, 4), tc.key, tc.low, tc.high)
		if !slices.Equal(got, tc.want) {
			t.Errorf("{%d,%d,%d}: got %08x, want %08x", tc.key, tc.low, tc.high, got, tc.want)
		}
	}
	words := make([]uint64, 3)
	Philox(Serial, asBytes(words), NewPhiloxPlan([]int64{3}, 8), 1, 2, 3)
	if want := []uint64{0x517630e6f045e74a, 0xb5e59a961d8af405, 0x72471b7705545ceb}; !slices.Equal(words, want) {
		t.Errorf("u64[3]: got %x, want %x", words, want)
	}
	if c := philox(7, math.MaxUint64, 3); c == philox(7, math.MaxUint64, 4) {
		t.Error("the upper half of the counter does not count")
	}
	carry := make([]uint32, 8)
	Philox(Serial, asBytes(carry), NewPhiloxPlan([]int64{8}, 4), 7, math.MaxUint64, 3)
	if want := philox(7, 0, 4); !slices.Equal(carry[4:], want[:]) {
		t.Errorf("after the low half overflows: got %x, want %x", carry[4:], want)
	}
}

// The low bytes of the words of 32-bit arrays are the narrower arrays, and threads change nothing.
func TestNarrowBits(t *testing.T) {
	for _, dims := range [][]int64{{100003}, {100002}, {3, 70001}, {4, 30001}, {3, 5, 4001}, {301, 77, 2}, {7, 2, 9}} {
		n := shape.Product(dims)
		for name, generate := range map[string]func(p Parallel, dst []byte, width int64){
			"ThreeFry": func(p Parallel, dst []byte, width int64) { ThreeFry(p, dst, NewThreeFryPlan(dims, width), 1<<40+3, 9) },
			"Philox":   func(p Parallel, dst []byte, width int64) { Philox(p, dst, NewPhiloxPlan(dims, width), 1<<40+3, 9, 8) },
		} {
			wide := make([]uint32, n)
			generate(Serial, asBytes(wide), 4)
			for _, threads := range []int64{1, 2, 3, 7} {
				again := make([]uint32, n)
				generate(goroutines(threads), asBytes(again), 4)
				if !slices.Equal(again, wide) {
					t.Errorf("%s u32%v: other bits with %d threads", name, dims, threads)
				}
			}
			halves, octets := make([]uint16, n), make([]uint8, n)
			generate(Serial, asBytes(halves), 2)
			generate(Serial, octets, 1)
			for i, w := range wide {
				if halves[i] != uint16(w) || octets[i] != uint8(w) {
					t.Fatalf("%s of %v, element %d: got %x and %x, want the low bytes of %x", name, dims, i, halves[i], octets[i], w)
				}
			}
		}
	}
}

func TestUniformInt(t *testing.T) {
	s := Stream{1, 3}
	got := make([]int64, 20000)
	n := uint64(3) << 62 // a quarter of all products is refused
	s.UniformInt(goroutines(3), asBytes(got), 8, -1<<62, n)
	for _, v := range got {
		if uint64(v+1<<62) >= n {
			t.Fatalf("got %d, want at least %d and below %d", v, int64(-1<<62), int64(-1<<62)+int64(n))
		}
	}
	same := make([]int64, len(got))
	s.UniformInt(Serial, asBytes(same), 8, -1<<62, n)
	if !slices.Equal(got, same) {
		t.Error("other numbers with 3 threads")
	}
	few := make([]int8, 300)
	s.UniformInt(Serial, asBytes(few), 1, -1, 3)
	slices.Sort(few)
	if few = slices.Compact(few); !slices.Equal(few, []int8{-1, 0, 1}) {
		t.Errorf("got %v, want -1, 0 and 1", few)
	}
	s.UniformInt(Serial, asBytes(few), 1, 5, 0)
	if few[0] != 5 || few[2] != 5 {
		t.Errorf("of nothing: got %v, want 5", few)
	}
}

func TestUniformFloat(t *testing.T) {
	s := Stream{1, 1}
	for _, tc := range []struct{ a, b float64 }{{0, 1}, {-1, 0}, {1, 1.0078125}, {-3, -1}, {5, 5}, {7, -7}} {
		got := make([]uint16, 3000)
		s.UniformFloat(goroutines(2), asBytes(got), shape.BF16, tc.a, tc.b)
		for _, v := range got {
			f := shape.BF16.ToFloat64(uint64(v))
			if f != tc.a && (f < tc.a || f >= tc.b) {
				t.Fatalf("[%g, %g): got %g", tc.a, tc.b, f)
			}
		}
	}
}

// asBytes is the memory of v.
func asBytes[T any](v []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(t)))
}

func ExampleThreeFry() {
	bits := make([]byte, 8)
	ThreeFry(Serial, bits, NewThreeFryPlan([]int64{2}, 4), 0, 0)
	fmt.Printf("%08x\n", Cast[uint32](bits))
	// Output: [6b200159 99ba4efe]
}
