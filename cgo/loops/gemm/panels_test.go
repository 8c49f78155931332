package gemm_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

// TestPanels multiplies by columns that were packed before, of sizes around those of panels and packed words, with rows
// that are packed and such that are not. What lies between the rows of the result stays as it is.
func TestPanels(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(5, 3))
	for _, s := range [][3]int64{{1, 1, 1}, {12, 32, 16}, {13, 33, 17}, {3, 64, 700}, {97, 70, 530}, {5, 3, 1100},
		{50, 96, 41}, {8, 256, 64},
		{7, 48, 33}, {8, 112, 600}, {7, 208, 5}, {8, 112, 1300}, {24, 64, 31}, {20, 48, 600}, {31, 80, 2}, {15, 33, 513},
		{2, 32, 7}, {49, 256, 600}, {4, 224, 1300}, {3, 224, 701}, {2, 160, 900}, {4, 208, 1300}} {
		for form := range 4 {
			for _, isa := range run.Levels() {
				testPanels(t, r, isa, gemm.ProductF32, &f32, s, form)
				testPanels(t, r, isa, gemm.ProductF64, &f64, s, form)
			}
		}
	}
}

// testPanels multiplies matrices of sizes s, laid out in one of the forms that lay has.
func testPanels(t *testing.T, r *rand.Rand, isa run.ISA, kind gemm.Kind, e *element, s [3]int64, form int) {
	p := gemm.Packed{M: s[0], N: s[1], K: s[2]}
	lay(&p, form)
	x, xs := e.random(r, max(p.M*p.RowA, p.K*p.ColumnA))
	y, ys := e.random(r, max(p.K*p.RowB, p.N*p.ColumnB))
	before := bytes.Repeat([]byte{0x5a}, int(p.M*p.RowC*e.bytes))
	want := bytes.Clone(before)
	multiply(want, e, x, y, &p)
	panels := make([]byte, kind.PanelsBytes(isa, p.N, p.K))
	kind.PackPanels(isa, panels, ys, p.N, p.K, p.RowB, p.ColumnB)
	for _, rows := range []gemm.Rows{gemm.PackedRows, gemm.NearRows, gemm.CopiedRows}[:3-form&1*2] {
		q := gemm.Panels{A: p.A, Panels: p.B, C: p.C, M: p.M, N: p.N, K: p.K, RowA: p.RowA, ColumnA: p.ColumnA,
			RowC: p.RowC, Kind: kind, Rows: rows}
		q.Groups, q.GroupC = groups(kind, isa, p.N)
		q.N /= q.Groups
		q.GroupPanels = kind.PanelsBytes(isa, q.N, q.K)
		got := bytes.Clone(before)
		execute(t, q.Record(isa), 1, xs, panels, got)
		if !bytes.Equal(got, want) { // sums of such integers are exact
			t.Fatalf("%v %v form %d rows %v: got % x, want % x", s, isa, form, rows, got[:min(len(got), 64)],
				want[:min(len(want), 64)])
		}
	}
}

// groups are two groups of columns, if n columns are whole panels for both, and how far apart they are.
func groups(kind gemm.Kind, isa run.ISA, n int64) (count, apart int64) {
	if n%(2*kind.PanelColumns(isa)) == 0 {
		return 2, n / 2
	}
	return 1, 0
}

// TestPanelsEnds does to sums what ends say: where some of what is added is NaN, in whole tiles and in parts of some.
func TestPanelsEnds(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(6, 3))
	for _, s := range [][3]int64{{1, 1, 1}, {12, 32, 16}, {13, 33, 600}, {100, 70, 40}, {8, 112, 40},
		{7, 48, 600}, {29, 64, 30}, {8, 112, 1300}, {25, 256, 600}, {3, 112, 1302}} {
		for ends := range gemm.Cap << 1 {
			for _, isa := range run.Levels() {
				testEnds(t, r, isa, s, ends)
			}
		}
	}
}

// testEnds multiplies matrices of sizes s with ends.
func testEnds(t *testing.T, r *rand.Rand, isa run.ISA, s [3]int64, ends gemm.Ends) {
	kind, m, n, k := gemm.ProductF32, s[0], s[1], s[2]
	x, xs := f32.random(r, m*k)
	y, ys := f32.random(r, n*k)
	bias, biases := f32.random(r, n)
	more, mores := f32.random(r, m*n)
	copy(mores[4*(m*n/2):], nan)
	panels := make([]byte, kind.PanelsBytes(isa, n, k))
	kind.PackPanels(isa, panels, ys, n, k, n, 1)
	want, got := make([]byte, 4*m*n), make([]byte, 4*m*n)
	for i := range m * n {
		v := sum(x[i/n*k:][:k], y[i%n:], n)
		if ends&gemm.AddBias != 0 {
			v += bias[i%n]
		}
		if ends&gemm.AddMore != 0 {
			v += more[i]
		}
		if ends&gemm.Floor != 0 {
			v = max(v, 0)
		}
		if ends&gemm.Cap != 0 {
			v = min(v, 6)
		}
		f32.put(want, i, v)
	}
	if ends&gemm.AddMore != 0 {
		copy(want[4*(m*n/2):], nan)
	}
	for _, rows := range []gemm.Rows{gemm.NearRows, gemm.CopiedRows} {
		q := gemm.Panels{Panels: run.Ref{Slot: 1}, C: run.Ref{Slot: 4}, M: m, N: n, K: k, RowA: k, ColumnA: 1, RowC: n,
			Kind: kind, Rows: rows, Bias: run.Ref{Slot: 2}, More: run.Ref{Slot: 3}, Ends: ends,
			Most: 6}
		execute(t, q.Record(isa), 1, xs, panels, biases, mores, got)
		if !bytes.Equal(got, want) {
			t.Fatalf("%v %v ends %d rows %v: got % x, want % x", s, isa, ends, rows, got[:min(len(got), 64)],
				want[:min(len(want), 64)])
		}
	}
}

var nan = []byte{0, 0, 0xc0, 0x7f}

// sum is that of the products of x and of each n-th of y.
func sum(x, y []int64, n int64) (s int64) {
	for p, v := range x {
		s += v * y[int64(p)*n]
	}
	return s
}
