package cpu

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/runtest"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// runNative runs records on memory of this test: slot i is slots[i].
func runNative(t *testing.T, threads int, slots [][]byte, list ...run.Record) {
	t.Helper()
	runtest.Execute(t, threads, runtest.Slots(slots...), list...)
}

func needNative(t *testing.T) {
	t.Helper()
	testfile.Native(t, run.Available())
}

// Every instruction set gives the bits of the kernels in Go.
func TestNativeBits(t *testing.T) {
	needNative(t)
	const most = ^uint64(0)
	for _, dims := range [][]int64{nil, {0}, {1}, {5}, {63}, {64}, {65}, {100001}, {300, 1000}, {3, 70001}, {7, 5, 3}, {33, 2}} {
		for _, e := range []shape.ElementType{shape.U8, shape.U16, shape.U32, shape.U64} {
			for _, state := range [][]uint64{{5, most - 100}, {1 << 40, 1<<32 - 5}, {9, most - 6, most}} {
				for _, isa := range run.Levels() {
					checkBits(t, shape.Array(e, dims...), state, isa)
				}
			}
		}
	}
}

func checkBits(t *testing.T, s shape.Shape, state []uint64, isa run.ISA) {
	t.Helper()
	n, err := s.ByteSize()
	if err != nil {
		t.Fatal(err)
	}
	g := &generator{words: int64(len(state)), bits: s, state: exec.Slice{Slot: 0}}
	g.out = []exec.Slice{{Slot: 1}, {Slot: 2}}
	for _, fry := range []bool{true, false} {
		want, after := make([]byte, n), make([]uint64, len(state))
		var record run.Record
		if fry {
			if len(state) != 2 {
				continue
			}
			g.plan = kernel.NewThreeFryPlan(s.Dims, int64(s.Type.Bytes()))
			kernel.ThreeFry(kernel.Serial, want, g.plan, state[0], state[1])
			record = g.native(isa).ThreeFry()
		} else {
			g.plan = kernel.NewPhiloxPlan(s.Dims, int64(s.Type.Bytes()))
			v := philoxState(state)
			kernel.Philox(kernel.Serial, want, g.plan, v[0], v[1], v[2])
			record = g.native(isa).Philox()
		}
		for _, threads := range []int{1, 2, 3, 7} {
			got := make([]byte, n+64)
			runNative(t, threads, [][]byte{run.Bytes(state), run.Bytes(after), got}, record)
			if !bytes.Equal(got[:n], want) || !bytes.Equal(got[n:], make([]byte, 64)) {
				t.Fatalf("%v of %v, ThreeFry=%v, %v, %d threads: other bits", s, state, fry, isa, threads)
			}
		}
	}
}

func BenchmarkThreeFry(b *testing.B) {
	testfile.Native(b, run.Available())
	s := shape.Array(shape.U32, 1<<22)
	g := &generator{words: 2, bits: s, out: []exec.Slice{{Slot: 1}, {Slot: 2}}}
	g.plan = kernel.NewThreeFryPlan(s.Dims, 4)
	t := &testing.T{}
	slots := [][]byte{make([]byte, 16), make([]byte, 16), make([]byte, 1<<24)}
	for _, isa := range run.Levels() {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%v/%d", isa, threads), func(b *testing.B) {
				for b.Loop() {
					runNative(t, threads, slots, g.native(isa).ThreeFry())
				}
			})
			b.Run(fmt.Sprintf("philox/%v/%d", isa, threads), func(b *testing.B) {
				for b.Loop() {
					runNative(t, threads, slots, g.native(isa).Philox())
				}
			})
		}
	}
}
