package gemm_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/runtest"
	"github.com/halo-xla/halo/internal/testfile"
)

// TestWindows multiplies rows that begin anywhere, of sizes around those of tiles and of what is multiplied at a time;
// some taps lie outside, of some rows all. What lies between the rows of the result stays as it is.
func TestWindows(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(21, 1))
	for _, s := range [][4]int64{{1, 1, 1, 1}, {12, 2, 16, 32}, {13, 9, 64, 33}, {49, 4, 257, 64}, {29, 3, 700, 16},
		{7, 1, 513, 47}, {204, 2, 65, 8}, {60, 64, 5, 40}, {100, 1, 300, 70}} {
		for _, isa := range run.Levels() {
			testWindows(t, r, isa, gemm.ProductF32.PanelColumns(isa), s, false)
			if s[1] == 1 {
				testWindows(t, r, isa, gemm.ProductF32.PanelColumns(isa), s, true)
			}
		}
	}
}

// testWindows multiplies so many rows, taps and terms of a tap by so many columns.
func testWindows(t *testing.T, r *rand.Rand, isa run.ISA, panel int64, s [4]int64, copied bool) {
	row := s[3] + 3
	var table gemm.Table
	for range s[1] {
		table.Taps = append(table.Taps, r.Int64N(1000))
	}
	for _, i := range r.Perm(int(s[0])) {
		inside := r.Uint64() | r.Uint64()
		if i%20 < 14 {
			inside &= 0xf0f1 // a tile leaves out what lies outside for all its rows
		}
		if n := len(table.Rows); s[1] > 1 && n < 24 {
			inside &= []uint64{0x7, 0x70}[n/12] // and what it sees no tap of
		}
		table.Rows = append(table.Rows, gemm.Window{At: r.Int64N(1000), Inside: inside, C: int64(i) * row})
	}
	terms := s[1] * s[2]
	a, zero := integers[float32](r, 4000), make([]float32, s[2])
	panels := make([]float32, (s[3]+panel-1)/panel*panel*terms)
	for i := range panels {
		panels[i] = float32(r.IntN(9) - 4)
	}
	want := integers[float32](r, s[0]*row)
	got := slices.Clone(want)
	for _, w := range table.Rows {
		for j := range s[3] {
			sum := float32(0)
			for p := range terms {
				if w.Inside>>(p/s[2])&1 == 1 {
					sum += a[w.At+table.Taps[p/s[2]]+p%s[2]] * panels[j/panel*panel*terms+p*panel+j%panel]
				}
			}
			want[w.C+j] = sum
		}
	}
	p := gemm.Panels{Panels: run.Ref{Slot: 1}, C: run.Ref{Slot: 2}, M: s[0], N: s[3], K: terms, RowC: row,
		Kind: gemm.ProductF32, Rows: gemm.WindowRows, Windows: &gemm.Windows{Zero: run.Ref{Slot: 3},
			Table: run.Ref{Slot: 4}, Taps: s[1], Run: s[2], Most: 256, Copied: copied}}
	runtest.Execute(t, 1, append(runtest.Slots(a, panels, got, zero), runtest.Slots(table.Bytes())...), p.Record(isa))
	if !slices.Equal(got, want) { // sums of small integers are exact
		t.Fatalf("%v %v: got %v, want %v", s, isa, got[:min(len(got), 16)], want[:min(len(want), 16)])
	}
}
