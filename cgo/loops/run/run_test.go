package run

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/halo-xla/halo/internal/testfile"
)

// memory is a table of addresses with its slots, outside Go's heap.
type memory struct {
	block []byte
	base  unsafe.Pointer
	slots [][]byte
}

func newMemory(t testing.TB, sizes ...int) *memory {
	t.Helper()
	total := 8 * (len(sizes) + 8)
	for _, n := range sizes {
		total += (n + 63) &^ 63
	}
	block, err := syscall.Mmap(-1, 0, total+64, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(block) })
	m := &memory{block: block, base: unsafe.Pointer(&block[0])}
	at := 8 * (len(sizes) + 8)
	for i, n := range sizes {
		s := block[at : at+n]
		binary.NativeEndian.PutUint64(block[8*i:], uint64(uintptr(unsafe.Pointer(&block[at]))))
		m.slots = append(m.slots, s)
		at += (n + 63) &^ 63
	}
	return m
}

func (m *memory) cancel() *uint32 { return (*uint32)(unsafe.Pointer(&m.block[len(m.block)-64])) }

func (m *memory) run(s *Segment, threads int) error { return s.Run(m.base, m.cancel(), threads, 0) }

func needNative(t testing.TB) {
	t.Helper()
	testfile.Native(t, Available())
}

func segment(t testing.TB, list ...Record) *Segment {
	s := NewSegment(list)
	t.Cleanup(s.Close)
	return s
}

func fill(b []byte) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
}

func TestCopy(t *testing.T) {
	needNative(t)
	for _, n := range []int{0, 1, 15, 4096, 1 << 20, 5<<20 + 3} {
		for _, threads := range []int{1, 2, 3, 7} {
			m := newMemory(t, n+1, n+9)
			fill(m.slots[0])
			s := segment(t, Copy(Ref{Slot: 1, Offset: 8}, Ref{Slot: 0, Offset: 1}, int64(n)))
			if err := m.run(s, threads); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(m.slots[1][8:8+n], m.slots[0][1:]) || m.slots[1][8+n] != 0 {
				t.Errorf("%d bytes, %d threads: the copy differs", n, threads)
			}
		}
	}
}

func TestConditional(t *testing.T) {
	needNative(t)
	for _, test := range []struct {
		selector int32
		isPred   bool
		want     byte
	}{{0, false, 10}, {2, false, 12}, {-1, false, 12}, {3, false, 12}, {1, true, 10}, {0, true, 11}} {
		m := newMemory(t, 4, 3, 1)
		binary.LittleEndian.PutUint32(m.slots[0], uint32(test.selector))
		copy(m.slots[1], []byte{10, 11, 12})
		var branches []*Segment
		for i := range int64(3) {
			branches = append(branches, NewSegment([]Record{Copy(Ref{Slot: 2}, Ref{Slot: 1, Offset: i}, 1)}))
		}
		s := segment(t, Conditional(Ref{}, test.isPred, branches))
		if err := m.run(s, 1); err != nil || m.slots[2][0] != test.want {
			t.Errorf("%+v: got %d, %v", test, m.slots[2][0], err)
		}
	}
}

// TestWhile moves a window over a row of preds: the condition reads the next one, the body shifts the row.
func TestWhile(t *testing.T) {
	needNative(t)
	m := newMemory(t, 8, 8, 1)
	copy(m.slots[0], []byte{1, 1, 1, 0, 9, 9})
	condition := NewSegment([]Record{Copy(Ref{Slot: 2}, Ref{}, 1)})
	body := NewSegment([]Record{Copy(Ref{Slot: 1}, Ref{Offset: 1}, 7), Copy(Ref{}, Ref{Slot: 1}, 7)})
	s := segment(t, While(condition, Ref{Slot: 2}, body), Repeat(2, NewSegment([]Record{
		Copy(Ref{Slot: 1}, Ref{Offset: 1}, 7), Copy(Ref{}, Ref{Slot: 1}, 7)})))
	if err := m.run(s, 1); err != nil || m.slots[0][0] != 9 || m.slots[0][1] != 0 {
		t.Errorf("got %v, %v", m.slots[0], err)
	}
}

// TestCount has a body look at the count, and leave something else there.
func TestCount(t *testing.T) {
	needNative(t)
	for _, bytes := range []int64{1, 2, 4, 8} {
		for _, wanted := range []bool{false, true} {
			m := newMemory(t, 8, 8, 1, 8)
			m.slots[2][0] = 77
			body := []Record{Copy(Ref{Slot: 3}, Ref{Slot: 1}, 8-bytes),
				Copy(Ref{Slot: 1, Offset: bytes}, Ref{Slot: 3}, 8-bytes), Copy(Ref{Slot: 1}, Ref{}, bytes),
				Copy(Ref{}, Ref{Slot: 2}, 1)}
			c := Counter{Times: 3, Bytes: bytes, First: 1, Step: -1, Wanted: wanted}
			if err := m.run(segment(t, Count(c, NewSegment(body))), 1); err != nil {
				t.Fatal(err)
			}
			last, left := int8(m.slots[1][0]), int8(m.slots[0][0])
			if want := map[bool]int8{false: 77, true: -2}[wanted]; last != -1 || left != want {
				t.Errorf("%d bytes, wanted %v: the last count is %d and leaves %d, want -1 and %d", bytes, wanted, last, left, want)
			}
			if end := m.slots[0][bytes:]; slices.ContainsFunc(end, func(b byte) bool { return b != 0 }) {
				t.Errorf("%d bytes: behind them is %v", bytes, end)
			}
		}
	}
}

func TestCancel(t *testing.T) {
	needNative(t)
	m := newMemory(t, 1, 1)
	m.slots[0][0] = 1 // for ever
	body := []Record{Copy(Ref{Slot: 1}, Ref{}, 1)}
	for _, r := range []Record{While(NewSegment(nil), Ref{}, NewSegment(body)),
		Count(Counter{At: Ref{Slot: 1}, Times: 1 << 60, Bytes: 1}, NewSegment(body)),
		Count(Counter{At: Ref{Slot: 1}, Times: 1 << 60, Bytes: 1}, NewSegment(nil))} {
		*m.cancel() = 0
		s := segment(t, r)
		time.AfterFunc(20*time.Millisecond, func() { *m.cancel() = 1 })
		if err := m.run(s, 2); !errors.Is(err, ErrCancelled) {
			t.Errorf("got %v, want %v", err, ErrCancelled)
		}
	}
}

// TestConcurrentCallers has more callers than threads, with budgets of all kinds, and then counts the pool.
func TestConcurrentCallers(t *testing.T) {
	needNative(t)
	var group sync.WaitGroup
	for c := range 8 {
		m := newMemory(t, 3<<20, 3<<20)
		fill(m.slots[0])
		s := segment(t, Copy(Ref{Slot: 1}, Ref{}, 3<<20))
		group.Go(func() {
			for range 50 {
				clear(m.slots[1])
				if err := m.run(s, 1+c%4); err != nil || !bytes.Equal(m.slots[0], m.slots[1]) {
					t.Errorf("caller %d: the copy differs: %v", c, err)
				}
			}
		})
	}
	group.Wait()
	if n := Workers(); n > 6 { // TestCopy wants 7 threads
		t.Errorf("the pool has %d workers, want at most 6", n)
	}
}

func TestChoose(t *testing.T) {
	for _, test := range []struct {
		best ISA
		name string
		want ISA
	}{{AVX512, "", AVX512}, {AVX512, "avx2", AVX2}, {AVX512, "BASE", Base}, {AVX2, "avx512", AVX2}, {NEON, "base", Base},
		{NEON, "avx2", NEON}} {
		if got := choose(test.best, test.name); got != test.want {
			t.Errorf("best %v, HALO_ISA=%s: got %v, want %v", test.best, test.name, got, test.want)
		}
	}
}

func BenchmarkSegment(b *testing.B) {
	needNative(b)
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := newMemory(b, 16, 16)
			list := make([]Record, n)
			for i := range list {
				list[i] = Copy(Ref{Slot: 1}, Ref{}, 8)
			}
			s := segment(b, list...)
			for b.Loop() {
				if err := m.run(s, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFork shows the price of a parallel region: a copy in two pieces, of 1 MiB and of one byte, by one thread and
// by two. What two take more is the price.
func BenchmarkFork(b *testing.B) {
	needNative(b)
	m := newMemory(b, 1<<20+1, 1<<20+1)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprint(threads), func(b *testing.B) {
			s := segment(b, Copy(Ref{Slot: 1}, Ref{}, 1<<20+1))
			for b.Loop() {
				if err := m.run(s, threads); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
