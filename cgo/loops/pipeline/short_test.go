package pipeline

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

// short is a program of n elements that makes 2*x*x + y*k + z*k, and the numbers of pred of whether that is less than
// x: x has 4 bytes, y is a BF16, z is in every second place, and k is one element or a constant.
func short(n int64, k Stream) *Program {
	return &Program{Dims: []int64{n}, Lane: 4, Slots: 1, Task: 1 << 15,
		Inputs: []Stream{{Ref: run.Ref{Slot: 0}, Size: 4, Strides: []int64{1}},
			{Ref: run.Ref{Slot: 1}, Size: 2, Convert: "bf16", Strides: []int64{1}},
			{Ref: run.Ref{Slot: 2}, Kind: Strided, Size: 4, Strides: []int64{2}, Offset: 1}, k,
			{Kind: Immediate, Value: uint64(math.Float32bits(2))}},
		Outputs: []Stream{{Ref: run.Ref{Slot: 4}, Size: 4}, {Ref: run.Ref{Slot: 5}, Size: 1, Convert: "pred"}},
		Stages: []Stage{{"load", 1, 0, 0, 0, 0}, {"add_f", 2, 0, 0, 0, 0}, {"mul_f", 3, 0, 0, 0, 0}, {"store", 7, 0, 0, 0, 0}, {"load", 4, 0, 0, 0, 0},
			{"mul_f", 0, 0, 0, 0, 0}, {"mul_f", 0, 0, 0, 0, 0}, {"add_f", 7, 0, 0, 0, 0}, {"store", 5, 0, 0, 0, 0}, {"lt_f", 0, 0, 0, 0, 0}, {"store", 6, 0, 0, 0, 0}},
	}
}

// TestShort runs programs of up to five blocks, the last of them with more than shortBlocks, and looks behind them.
func TestShort(t *testing.T) {
	testfile.Native(t, run.Available())
	for _, level := range run.Levels() {
		block := blockBytes[level] / 4
		for _, n := range []int64{1, 2, 3, block - 1, block, block + 1, 3*block + 7, 4 * block, 5 * block} {
			for _, k := range []Stream{{Ref: run.Ref{Slot: 3}, Kind: Splat, Size: 4},
				{Ref: run.Ref{Slot: 3}, Kind: Splat, Size: 2, Convert: "bf16", Offset: 3},
				{Kind: Immediate, Value: uint64(math.Float32bits(3))}} {
				p := short(n, k)
				if got, want := p.isShort(level), n <= shortBlocks*block; got != want {
					t.Errorf("%v: %d elements: isShort is %v", level, n, got)
				}
				testShort(t, p, level, int(n))
			}
		}
	}
}

func testShort(t *testing.T, p *Program, level run.ISA, n int) {
	t.Helper()
	arrays := make([][]byte, 6)
	for i := range n {
		arrays[0] = binary.LittleEndian.AppendUint32(arrays[0], math.Float32bits(float32(i%7-3)))
		arrays[1] = binary.LittleEndian.AppendUint16(arrays[1], uint16(math.Float32bits(float32(i%5))>>16))
		arrays[2] = binary.LittleEndian.AppendUint32(arrays[2], math.Float32bits(float32(math.NaN())))
		arrays[2] = binary.LittleEndian.AppendUint32(arrays[2], math.Float32bits(float32(i%3)))
	}
	three := math.Float32bits(3)
	arrays[3] = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, three), three)
	arrays[4], arrays[5] = make([]byte, 4*n+4), make([]byte, n+1)
	execute(t, p.Record(level), arrays)
	for i := range n {
		x := float32(i%7 - 3)
		want := 2*x*x + 3*float32(i%5+i%3)
		if got := math.Float32frombits(binary.LittleEndian.Uint32(arrays[4][4*i:])); got != want {
			t.Fatalf("%v: element %d of %d: got %v, want %v", level, i, n, got, want)
		}
		if got := arrays[5][i] == 1; got != (want < x) {
			t.Fatalf("%v: element %d of %d: got %v", level, i, n, got)
		}
	}
	if binary.LittleEndian.Uint32(arrays[4][4*n:]) != 0 || arrays[5][n] != 0 {
		t.Errorf("%v: %d elements: something is written behind them", level, n)
	}
}
