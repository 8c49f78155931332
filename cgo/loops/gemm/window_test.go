package gemm_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

// TestWindows multiplies rows that begin anywhere, of sizes around those of tiles and of what is multiplied at a time.
// What lies between the rows of the result stays as it is.
func TestWindows(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(21, 1))
	for _, s := range [][4]int64{{1, 1, 1, 1}, {12, 2, 16, 32}, {13, 9, 64, 33}, {49, 4, 257, 64}, {29, 3, 700, 16},
		{7, 1, 513, 47}, {204, 2, 65, 8}} {
		for _, isa := range run.Levels() {
			testWindows(t, r, isa, gemm.ProductF32.PanelColumns(isa), s)
		}
	}
}

// testWindows multiplies so many rows, taps and terms of a tap by so many columns.
func testWindows(t *testing.T, r *rand.Rand, isa run.ISA, panel int64, s [4]int64) {
	w := gemm.Windows{A: run.Ref{Slot: 0}, Panels: run.Ref{Slot: 1}, C: run.Ref{Slot: 2}, Run: s[2], Columns: s[3],
		RowC: s[3] + 3}
	a := integers[float32](r, 4000)
	for range s[0] {
		w.Rows = append(w.Rows, r.Int64N(1000))
	}
	for range s[1] {
		w.Taps = append(w.Taps, r.Int64N(1000))
	}
	terms := s[1] * s[2]
	panels := make([]float32, (s[3]+panel-1)/panel*panel*terms)
	want := integers[float32](r, s[0]*w.RowC)
	got := slices.Clone(want)
	for i, row := range w.Rows {
		clear(want[int64(i)*w.RowC:][:s[3]])
		for p := range terms {
			x := a[row+w.Taps[p/s[2]]+p%s[2]]
			for j := range s[3] {
				at := j/panel*panel*terms + p*panel + j%panel
				if i == 0 {
					panels[at] = float32(r.IntN(9) - 4)
				}
				want[int64(i)*w.RowC+j] += x * panels[at]
			}
		}
	}
	execute(t, w.Record(isa), 1, a, panels, got)
	if !slices.Equal(got, want) { // sums of small integers are exact
		t.Fatalf("%v %v: got %v, want %v", s, isa, got[:min(len(got), 16)], want[:min(len(want), 16)])
	}
}
