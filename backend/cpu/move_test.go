package cpu

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
)

// TestMoveThatLags copies stretches to where they begin, within a page, some bytes behind their source, at every level,
// and looks at all bytes around them.
func TestMoveThatLags(t *testing.T) {
	testfile.Native(t, run.Available())
	const rows, apart, far = 3, 16 << 10, 64 << 10
	r := rand.New(rand.NewPCG(1, 2))
	s := newSlots(t, 2*far)
	for _, lag := range []int64{0, 1, 12, 31, 32, 33, 63, 64, 4095} {
		for _, n := range []int64{1, 16, 255, 257, 300, 511, 4084, 9001} {
			for _, isa := range run.Levels() {
				for i := range s.bytes[0] {
					s.bytes[0][i] = byte(r.Uint32())
				}
				want := bytes.Clone(s.bytes[0])
				for i := range int64(rows) {
					copy(want[far+lag+i*apart:][:n], want[i*apart:])
				}
				m := kernel.NewMove(1, far+lag, 0, []kernel.Axis{{N: rows, Dst: apart, Src: apart}, {N: n, Dst: 1, Src: 1}})
				s.run(t, 1, moveRecord(isa, []box{{move: m, dst: exec.Slice{}, src: exec.Slice{}}}))
				if !bytes.Equal(s.bytes[0], want) {
					t.Errorf("level %v: %d bytes that lag %d: wrong", isa, n, lag)
				}
			}
		}
	}
}

// TestMoveOfPlanes transposes planes whose sides are short or no whole vectors, through the caches and past them, to
// rows that begin anywhere in a cache line, at every level, and looks at all bytes around them.
func TestMoveOfPlanes(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(3, 4))
	var sides [][2]int64
	for m := int64(1); m <= 20; m++ {
		for n := int64(1); n <= 20; n++ {
			sides = append(sides, [2]int64{m, n})
		}
		sides = append(sides, [2]int64{m, 600}, [2]int64{200, m}, [2]int64{70, 120*m + 7})
	}
	const room = 1 << 20
	s := newSlots(t, room, room)
	for i := range s.bytes[1] {
		s.bytes[1][i] = byte(r.Uint32())
	}
	for _, width := range []int64{1, 2, 4, 8, 16} {
		for _, side := range sides {
			rows, cols := side[0], side[1]
			axes := []kernel.Axis{{N: 2, Dst: rows * (cols + 3), Src: rows*cols + 1}, {N: rows, Dst: cols + 3, Src: 1},
				{N: cols, Dst: 1, Src: rows}}
			m := kernel.NewMove(width, 1, 0, axes)
			size := (2*rows*(cols+3) + 5) * width
			if size > room {
				continue
			}
			got := s.bytes[0][:size]
			for _, m.Stream = range []bool{false, true} {
				want := make([]byte, size)
				m.Run(want, s.bytes[1], kernel.Serial)
				for _, isa := range run.Levels() {
					clear(got)
					s.run(t, 1, moveRecord(isa, []box{{move: m, dst: exec.Slice{}, src: exec.Slice{Slot: 1}}}))
					if !bytes.Equal(got, want) {
						t.Errorf("level %v: %d by %d elements of %d bytes, stream %v: wrong", isa, rows, cols, width, m.Stream)
					}
				}
			}
		}
	}
}
