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
