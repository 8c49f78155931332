package pipeline

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

// Rooms of the programs that have loops: what the reductions come to, and what is made of that, for rows and as lanes.
const (
	staggeredMask = iota + 20
	firstSum
	firstRow
	firstValue
	firstLane
	secondSum
	secondRow
	secondValue
	secondLane
	thirdValue
	thirdLane
	fourthValue
	fifthValue
	sixthValue
)

// immediate is a number as a lane.
func immediate(x float64, lane int) Stream {
	if lane == 4 {
		return Stream{Kind: Immediate, Value: uint64(math.Float32bits(float32(x)))}
	}
	return Stream{Kind: Immediate, Value: math.Float64bits(x)}
}

// staggeredProgram is a program from array 0 to array out, without phases.
func staggeredProgram(lane int, rows, row int64, out int32) *Rows {
	return &Rows{Dims: []int64{rows, row}, Lead: 1, Lane: lane, Saved: 1, Rooms: 30, Mask: staggeredMask, Tile: 2, Group: 6,
		Chunk:   row,
		Inputs:  []Stream{{Size: lane, Strides: []int64{row, 1}}},
		Outputs: []Stream{{Ref: run.Ref{Slot: out}, Size: lane}}}
}

// softmax has the stages of a softmax of rows.
func softmax(lane int, rows, row int64, out int32) *Rows {
	const x, low, zero, one, to, saved = 0, 1, 2, 3, softmaxFactor + 1, softmaxFactor + 2
	p := staggeredProgram(lane, rows, row, out)
	p.Inputs = append(p.Inputs, immediate(math.Inf(-1), lane), immediate(0, lane), immediate(1, lane), immediate(0.3, lane))
	p.Phases = []Phase{
		{Sweeps: true, Uses: []int{x}, Stages: []Stage{{"load", x, 0, 0, 0, 0}, {"acc_max_f", firstSum, staggeredMask, 0, 0, 0}},
			Folds: []Fold{{"max_f", firstSum, firstRow}}},
		{Stages: []Stage{{"load", low, 0, 0, 0, 0}, {"max_f", firstRow, 0, 0, 0, 0}, {"store", firstValue, 0, 0, 0, 0}}},
		{Sweeps: true, Uses: []int{x, saved}, Splats: []Spread{{firstValue, firstLane}},
			Stages: []Stage{{"load", x, 0, 0, 0, 0}, {"sub_f", firstLane, 0, 0, 0, 0}, {"exp", 0, 0, 0, 0, 0}, {"store", saved, 0, 0, 0, 0},
				{"acc_add_f", secondSum, staggeredMask, 0, 0, 0}},
			Folds: []Fold{{"add_f", secondSum, secondRow}}},
		{Stages: []Stage{{"load", zero, 0, 0, 0, 0}, {"add_f", secondRow, 0, 0, 0, 0}, {"store", secondValue, 0, 0, 0, 0}, {"rdiv_f", one, 0, 0, 0, 0},
			{"store", thirdValue, 0, 0, 0, 0}}},
		{Sweeps: true, Uses: []int{saved, to}, Splats: []Spread{{secondValue, secondLane}, {thirdValue, thirdLane}},
			Stages: []Stage{{"load", saved, 0, 0, 0, 0}, {"quotient", secondLane, thirdLane, 0, 0, 0}, {"store", to, 0, 0, 0, 0}}},
	}
	return p
}

const softmaxFactor = 4

// softmaxScaled has those of a softmax of products with a factor.
func softmaxScaled(lane int, rows, row int64, out int32) *Rows {
	p := softmax(lane, rows, row, out)
	for _, q := range []int{0, 2} {
		p.Phases[q].Stages = slices.Insert(p.Phases[q].Stages, 1, Stage{"mul_f", softmaxFactor, 0, 0, 0, 0})
	}
	return p
}

// softmaxLog makes logarithms of what p, a softmax, makes.
func softmaxLog(of func(lane int, rows, row int64, out int32) *Rows) func(lane int, rows, row int64, out int32) *Rows {
	return func(lane int, rows, row int64, out int32) *Rows {
		p := of(lane, rows, row, out)
		last := softmaxFactor + 1
		again, total := p.Phases[2].Stages, p.Phases[3].Stages
		elements := again[:len(again)-3] // with the maximum subtracted, before exponentials are made and kept
		p.Phases[2].Uses, p.Phases[4].Uses = []int{0}, []int{0, last}
		p.Phases[2].Stages = slices.Concat(again[:len(again)-2], again[len(again)-1:])
		p.Phases[3].Stages = slices.Concat(total[:3], []Stage{{Name: "log"}, total[4]})
		p.Phases[4].Splats = []Spread{{firstValue, firstLane}, {thirdValue, thirdLane}}
		p.Phases[4].Stages = slices.Concat(elements, []Stage{{Name: "sub_f", A: thirdLane}, {Name: "store", A: last}})
		return p
	}
}

// choices is the array whose bytes are choices beside rows, addends the one of numbers that are added to them.
const choices, addends = 7, 3

// kept has those of a softmax of what some stages make of a row once and keep.
func kept(stages ...Stage) func(lane int, rows, row int64, out int32) *Rows {
	return func(lane int, rows, row int64, out int32) *Rows {
		p := softmax(lane, rows, row, out)
		const to = softmaxFactor + 1
		p.Inputs = append(p.Inputs, immediate(-1e9, lane),
			Stream{Ref: run.Ref{Slot: choices}, Kind: Rowwise, Convert: "pred", Size: 1, Strides: []int64{0}, Offset: 3},
			Stream{Ref: run.Ref{Slot: addends}, Kind: Rowwise, Size: lane, Strides: []int64{0}})
		p.Saved = 2
		for i := range p.Phases {
			f := &p.Phases[i]
			f.Uses, f.Stages = slices.Clone(f.Uses), slices.Clone(f.Stages)
			for k := range f.Uses {
				f.Uses[k] = moved(f.Uses[k], to)
			}
			for k := range f.Stages {
				if s := &f.Stages[k]; s.Name == "load" || s.Name == "store" {
					s.A = moved(s.A, to)
				}
			}
		}
		f, again := &p.Phases[0], &p.Phases[2]
		f.Uses = []int{0, keptChoice, keptAddend, keptMade}
		f.Stages = append(append(slices.Clone(stages), Stage{"store", keptMade, 0, 0, 0, 0}), f.Stages[1:]...)
		again.Uses[0], again.Stages[0].A = keptMade, keptMade
		return p
	}
}

// Pointers of a softmax of what is kept.
const (
	keptOther = iota + softmaxFactor + 1
	keptChoice
	keptAddend
	keptOut
	keptExps
	keptMade
)

// moved is the number of a pointer where three inputs more are before the output, which was number to.
func moved(k, to int) int {
	if k == to || k == to+1 {
		return k + keptOut - to
	}
	return k
}

// norm has those of a norm of rows, by a scale and an offset.
func norm(mean string, count float64) func(lane int, rows, row int64, out int32) *Rows {
	const x, zero, n, epsilon, scale, offset, to = 0, 1, 2, 3, 4, 5, 6
	return func(lane int, rows, row int64, out int32) *Rows {
		p := staggeredProgram(lane, rows, row, out)
		vector := func(slot int32) Stream {
			return Stream{Ref: run.Ref{Slot: slot}, Kind: Rowwise, Size: lane, Strides: []int64{0}}
		}
		p.Inputs = append(p.Inputs, immediate(0, lane), immediate(count, lane), immediate(1e-5, lane), vector(3), vector(4))
		p.Phases = []Phase{
			{Sweeps: true, Uses: []int{x}, Stages: []Stage{{"load", x, 0, 0, 0, 0}, {"acc_add_f", firstSum, staggeredMask, 0, 0, 0}},
				Folds: []Fold{{"add_f", firstSum, firstRow}}},
			{Stages: []Stage{{"load", zero, 0, 0, 0, 0}, {"add_f", firstRow, 0, 0, 0, 0}, {"store", firstValue, 0, 0, 0, 0}, {mean, n, 0, 0, 0, 0},
				{"store", thirdValue, 0, 0, 0, 0}}},
			{Sweeps: true, Uses: []int{x}, Splats: []Spread{{thirdValue, firstLane}},
				Stages: []Stage{{"load", x, 0, 0, 0, 0}, {"sub_f", firstLane, 0, 0, 0, 0}, {"square_f", 0, 0, 0, 0, 0},
					{"acc_add_f", secondSum, staggeredMask, 0, 0, 0}},
				Folds: []Fold{{"add_f", secondSum, secondRow}}},
			{Stages: []Stage{{"load", zero, 0, 0, 0, 0}, {"add_f", secondRow, 0, 0, 0, 0}, {"store", secondValue, 0, 0, 0, 0}, {mean, n, 0, 0, 0, 0},
				{"store", fourthValue, 0, 0, 0, 0}, {"add_f", epsilon, 0, 0, 0, 0}, {"store", fifthValue, 0, 0, 0, 0}, {"rsqrt_f", 0, 0, 0, 0, 0},
				{"store", sixthValue, 0, 0, 0, 0}}},
			{Sweeps: true, Uses: []int{x, scale, offset, to},
				Splats: []Spread{{thirdValue, firstLane}, {sixthValue, secondLane}},
				Stages: []Stage{{"load", x, 0, 0, 0, 0}, {"sub_f", firstLane, 0, 0, 0, 0}, {"mul_f", secondLane, 0, 0, 0, 0}, {"mul_f", scale, 0, 0, 0, 0},
					{"add_f", offset, 0, 0, 0, 0}, {"store", to, 0, 0, 0, 0}}},
		}
		return p
	}
}

// staggeredPrograms have the loops of their names.
var staggeredPrograms = map[string]func(lane int, rows, row int64, out int32) *Rows{
	"softmax": softmax, "softmax_scaled": softmaxScaled, "norm": norm("mul_f", 0.001), "norm_div": norm("div_f", 700),
	"softmax_log": softmaxLog(softmax), "softmax_log_scaled": softmaxLog(softmaxScaled),
	"softmax_divided":        kept(Stage{"load", 0, 0, 0, 0, 0}, Stage{"div_f", softmaxFactor, 0, 0, 0, 0}),
	"softmax_chosen":         kept(Stage{"load", keptChoice, 0, 0, 0, 0}, Stage{"select", 0, keptOther, 0, 0, 0}),
	"softmax_chosen refused": kept(Stage{"load", keptChoice, 0, 0, 0, 0}, Stage{"select", keptOther, 0, 0, 0, 0}),
	"softmax_chosen scaled": kept(Stage{"load", 0, 0, 0, 0, 0}, Stage{"mul_f", softmaxFactor, 0, 0, 0, 0},
		Stage{"select_true", keptChoice, keptOther, 0, 0, 0}),
	"softmax_chosen divided": kept(Stage{"load", 0, 0, 0, 0, 0}, Stage{"div_f", softmaxFactor, 0, 0, 0, 0},
		Stage{"select_false", keptChoice, keptOther, 0, 0, 0}),
	"softmax_added scaled": kept(Stage{"load", 0, 0, 0, 0, 0}, Stage{"mul_f", softmaxFactor, 0, 0, 0, 0},
		Stage{"add_f", keptAddend, 0, 0, 0, 0}),
	"softmax_added divided": kept(Stage{"load", 0, 0, 0, 0, 0}, Stage{"div_f", softmaxFactor, 0, 0, 0, 0},
		Stage{"add_f", keptAddend, 0, 0, 0, 0}),
}

// narrowedProgram takes rows of floats of so many bits, if from is one, and makes such of the result, if to is one.
func narrowedProgram(p *Rows, from, to string) *Rows {
	if from != "" {
		p.Inputs[0].Convert, p.Inputs[0].Size = from, 2
	}
	if to != "" {
		p.Outputs[0].Convert, p.Outputs[0].Size = to, 2
		last := &p.Phases[len(p.Phases)-1]
		last.Stages = slices.Insert(slices.Clone(last.Stages), len(last.Stages)-1, Stage{Name: "round_" + to})
	}
	return p
}

// TestStaggeredNarrow wants the bits of the phases where rows are widened before, or results rounded behind, or both.
func TestStaggeredNarrow(t *testing.T) {
	testfile.Native(t, run.Available())
	for name, of := range staggeredPrograms {
		for _, size := range [][2]int64{{1, 128}, {7, 512}, {13, 1024}, {5, 300}, {9, 97}, {2, 2048}} {
			for _, types := range [][2]string{{"bf16", "bf16"}, {"f16", ""}, {"", "f16"}, {"f16", "bf16"}} {
				for _, lane := range []int{4, 8} {
					for _, level := range run.Levels() {
						t.Run(fmt.Sprint(name, size, types, lane, level), func(t *testing.T) {
							p := narrowedProgram(of(lane, size[0], size[1], 5), types[0], types[1])
							loop, _, _ := strings.Cut(name, " ")
							if want := "rows " + loop; p.Kernel() != want && lane == 4 {
								t.Fatalf("%s runs it, want %s", p.Kernel(), want)
							}
							testStaggered(t, p, level, 5)
							if types[0] == types[1] {
								p.Outputs[0].Ref.Slot = 0
								testStaggered(t, p, level, 0)
							}
						})
					}
				}
			}
		}
	}
}

// halves are the upper 16 bits of lanes, which are numbers as floats of those bits, too. There is room for a result.
func halves(b []byte, lane int) []byte {
	out := make([]byte, len(b))
	for i := range len(b) / lane {
		copy(out[2*i:2*i+2], b[(i+1)*lane-2:])
	}
	return out
}

// TestStaggered wants the bits of the phases one after the other at every level, on rows of whole blocks and others, of
// few tasks and many, with special values, into the caches and past them, beside what is read and over it.
func TestStaggered(t *testing.T) {
	testfile.Native(t, run.Available())
	for name, of := range staggeredPrograms {
		for _, size := range [][2]int64{{1, 128}, {2, 256}, {7, 512}, {13, 1024}, {5, 300}, {9, 97}, {4200, 512},
			{4200, 528}, {3, 2048}} {
			for _, lane := range []int{4, 8} {
				for _, out := range []int32{0, 5} {
					if size[0] > 1000 && (lane == 8 || out == 0) { // nothing goes past the caches over what is read
						continue
					}
					for _, level := range run.Levels() {
						t.Run(fmt.Sprint(name, size, lane, out, level), func(t *testing.T) {
							p := of(lane, size[0], size[1], out)
							loop, _, _ := strings.Cut(name, " ")
							if want := "rows " + loop; p.Kernel() != want && (!strings.HasPrefix(name, "softmax") || lane == 4) {
								t.Fatalf("%s runs it, want %s", p.Kernel(), want)
							}
							testStaggered(t, p, level, int(out))
						})
					}
				}
			}
		}
	}
}

func testStaggered(t *testing.T, p *Rows, level run.ISA, out int) {
	var want []byte
	for _, stepwise := range []bool{true, false} {
		p.stepwise = stepwise
		arrays := sweepArrays(p.Lane, int(p.Dims[0]), int(p.Dims[1]))
		if p.Dims[0] > 2 {
			setRow(arrays[0], p, 1, func(int) float64 { return 0 })
			setRow(arrays[0], p, 2, func(i int) float64 { return -0.3 * float64(i%360) }) // down to exponentials of 0
		}
		if p.Dims[0] > 4 {
			setRow(arrays[0], p, 3, func(i int) float64 { return float64(i%7/3) * -1e9 }) // and of none but 1 and 0
			setRow(arrays[0], p, 4, func(i int) float64 { return float64(i%64) / -63 * 104.5 })
		}
		if p.Inputs[0].Convert != "" {
			arrays[0] = halves(arrays[0], p.Lane)
		}
		arrays = append(arrays, choicesOf(int(p.Dims[1])))
		execute(t, p.Record(level), arrays)
		got := arrays[out]
		if p.Outputs[0].Convert == "" {
			got = oneNaN(got, p.Lane)
		}
		if stepwise {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Error("other bits")
		}
	}
}

// choicesOf are bytes of which some hold and some do not, in turns and in long runs, and numbers that are not 1 do, too.
func choicesOf(row int) []byte {
	b := make([]byte, row+3)
	for i := range b {
		if i%3 > 0 && i < 200 || i > 400 {
			b[i] = byte(1 + i%2*4)
		}
	}
	return b
}

// setRow sets the elements of a row.
func setRow(b []byte, p *Rows, row int, of func(i int) float64) {
	for i := range int(p.Dims[1]) {
		at := (row*int(p.Dims[1]) + i) * p.Lane
		bits := immediate(of(i), p.Lane).Value
		if p.Lane == 4 {
			binary.NativeEndian.PutUint32(b[at:], uint32(bits))
		} else {
			binary.NativeEndian.PutUint64(b[at:], bits)
		}
	}
}

// TestStaggers wants no loop for programs that only resemble one that has it.
func TestStaggers(t *testing.T) {
	for name, list := range map[string][]func(p *Rows){
		"softmax": {
			func(p *Rows) { p.Inputs[1].Value = 0 },
			func(p *Rows) { p.Inputs[0].Kind = Rowwise },
			func(p *Rows) { p.Inputs[0].Convert = "s16" },
			func(p *Rows) { p.Outputs[0].Convert = "u8" },
			func(p *Rows) { narrowedProgram(p, "bf16", "").Dims[1] = mostNear/24 + 1 },
			func(p *Rows) { narrowedProgram(p, "", "bf16").Phases[4].Stages[2].Name = "round_f16" },
			func(p *Rows) { narrowedProgram(p, "", "bf16").Phases[2].Stages[2].Name = "round_bf16" },
			func(p *Rows) { p.Outputs[0].Kind = Rowwise },
			func(p *Rows) { p.Outputs = append(p.Outputs, p.Outputs[0]) },
			func(p *Rows) { p.Phases[2].Stages[0].A++ },
			func(p *Rows) { p.Phases[2].Stages[2].Name = "exp2" },
			func(p *Rows) { slices.Reverse(p.Phases[4].Splats) },
			func(p *Rows) { p.Phases = slices.Delete(p.Phases, 1, 2) },
			func(p *Rows) { p.Dims[1] = 1 << 14 },
		},
		"softmax_scaled": {
			func(p *Rows) { p.Inputs[softmaxFactor] = immediate(-1, 4) },
			func(p *Rows) { p.Inputs[softmaxFactor] = immediate(0, 4) },
			func(p *Rows) { p.Inputs[softmaxFactor].Kind = Splat },
			func(p *Rows) { p.Phases[2].Stages[1].A = 3 },
		},
		"softmax_log": {
			func(p *Rows) { p.Phases[4].Splats[1].From = secondValue },
			func(p *Rows) { p.Phases[4].Stages[1].A = thirdLane },
			func(p *Rows) { p.Phases[3].Stages[3].Name = "log1p" },
			func(p *Rows) { p.Dims[1] = mostNear/8 + 64 },
		},
		"softmax_chosen scaled": {
			func(p *Rows) { p.Inputs[keptChoice].Convert = "s8" },
			func(p *Rows) { p.Inputs[keptChoice].Kind = Strided },
			func(p *Rows) { p.Inputs[keptChoice].ByRow = true },
			func(p *Rows) { p.Inputs[keptOther].Kind = Splat },
			func(p *Rows) { p.Inputs[softmaxFactor] = immediate(-1, 4) },
			func(p *Rows) { p.Phases[2].Stages[0].A = keptExps },
			func(p *Rows) { p.Dims[1] = mostNear / 16 * 2 },
		},
		"softmax_added divided": {
			func(p *Rows) { p.Inputs[keptAddend].Convert = "bf16" },
			func(p *Rows) { p.Inputs[softmaxFactor] = immediate(-1, 4) },
			func(p *Rows) { p.Phases[0].Stages[2].A = softmaxFactor },
		},
		"norm": {
			func(p *Rows) { p.Inputs[4].Strides[0] = 1 },
			func(p *Rows) { p.Inputs[5].Convert = "bf16" },
			func(p *Rows) { p.Inputs[3].Kind = Splat },
			func(p *Rows) { p.Phases[3].Stages[3].Name = "div_f" },
			func(p *Rows) { p.Phases[3].Stages[3].A = 3 },
		},
	} {
		for i, spoil := range list {
			p := staggeredPrograms[name](4, 30, 256, 5)
			spoil(p)
			if p.Kernel() != "rows" {
				t.Errorf("%d: %s runs %+v", i, p.Kernel(), p)
			}
		}
	}
}
