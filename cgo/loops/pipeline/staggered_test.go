package pipeline

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

// softmaxProgram is a softmax of rows: from array 0 to array out.
func softmaxProgram(rows, row int64, out int32) *Rows {
	number := func(bits uint64) Stream { return Stream{Kind: Immediate, Value: bits} }
	const (
		x = iota
		low
		zero
		one
		to
		saved
		mask
		most
		mostRow
		m
		mLane
		sum
		sumRow
		y
		yLane
		z
		zLane
		rooms
	)
	return &Rows{Dims: []int64{rows, row}, Lead: 1, Lane: 4, Saved: 1, Rooms: rooms - mask, Mask: mask, Tile: 2, Group: 6,
		Chunk:   row,
		Inputs:  []Stream{{Size: 4, Strides: []int64{row, 1}}, number(0xff800000), number(0), number(0x3f800000)},
		Outputs: []Stream{{Ref: run.Ref{Slot: out}, Size: 4}},
		Phases: []Phase{
			{Sweeps: true, Uses: []int{x}, Stages: []Stage{{"load", x, 0}, {"acc_max_f", most, mask}},
				Folds: []Fold{{"max_f", most, mostRow}}},
			{Stages: []Stage{{"load", low, 0}, {"max_f", mostRow, 0}, {"store", m, 0}}},
			{Sweeps: true, Uses: []int{x, saved}, Splats: []Spread{{m, mLane}}, Folds: []Fold{{"add_f", sum, sumRow}},
				Stages: []Stage{{"load", x, 0}, {"sub_f", mLane, 0}, {"exp", 0, 0}, {"store", saved, 0}, {"acc_add_f", sum, mask}}},
			{Stages: []Stage{{"load", zero, 0}, {"add_f", sumRow, 0}, {"store", y, 0}, {"rdiv_f", one, 0}, {"store", z, 0}}},
			{Sweeps: true, Uses: []int{saved, to}, Splats: []Spread{{y, yLane}, {z, zLane}},
				Stages: []Stage{{"load", saved, 0}, {"quotient", yLane, zLane}, {"store", to, 0}}},
		}}
}

// TestStaggered wants the bits of the phases one after the other at every level, on rows of whole blocks and others, of
// few tasks and many, with special values, into the caches and past them, beside what is read and over it.
func TestStaggered(t *testing.T) {
	testfile.Native(t, run.Available())
	for _, size := range [][2]int64{{1, 128}, {2, 256}, {7, 512}, {13, 1024}, {5, 300}, {4200, 512}, {3, 2048}, {3, 20480}} {
		for _, out := range []int32{0, 5} {
			for _, level := range run.Levels() {
				t.Run(fmt.Sprint(size, out, level), func(t *testing.T) { testStaggered(t, level, size, out) })
			}
		}
	}
}

func testStaggered(t *testing.T, level run.ISA, size [2]int64, out int32) {
	p := softmaxProgram(size[0], size[1], out)
	if want := "rows softmax"; size[1] < 20000 && p.Kernel() != want {
		t.Fatalf("%s runs it, want %s", p.Kernel(), want)
	}
	var want []byte
	for _, stepwise := range []bool{true, false} {
		p.stepwise = stepwise
		arrays := sweepArrays(4, int(size[0]), int(size[1]))
		if row := 4 * size[1]; size[0] > 1 { // a row of equal numbers
			clear(arrays[0][row : 2*row])
		}
		execute(t, p.Record(level), arrays)
		got := oneNaN(arrays[out], 4)
		if stepwise {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Error("other bits")
		}
	}
}

// TestStaggers wants no loop for programs that only resemble one that has it.
func TestStaggers(t *testing.T) {
	for i, spoil := range []func(p *Rows){
		func(p *Rows) { p.Inputs[1].Value = 0 },
		func(p *Rows) { p.Inputs[0].Kind = Rowwise },
		func(p *Rows) { p.Inputs[0].Convert = "bf16" },
		func(p *Rows) { p.Outputs[0].Kind = Rowwise },
		func(p *Rows) { p.Outputs = append(p.Outputs, p.Outputs[0]) },
		func(p *Rows) { p.Phases[2].Stages[0].A++ },
		func(p *Rows) { p.Phases[2].Stages[2].Name = "exp2" },
		func(p *Rows) {
			p.Phases[4].Splats[0], p.Phases[4].Splats[1] = p.Phases[4].Splats[1], p.Phases[4].Splats[0]
		},
		func(p *Rows) { p.Phases = slices.Delete(p.Phases, 1, 2) },
		func(p *Rows) { p.Dims[1] = 1 << 14 },
	} {
		p := softmaxProgram(30, 256, 5)
		spoil(p)
		if p.Kernel() != "rows" {
			t.Errorf("%d: %s runs %+v", i, p.Kernel(), p)
		}
	}
}
