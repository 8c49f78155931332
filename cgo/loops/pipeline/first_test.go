package pipeline

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

// Pointers of firstProgram before its rooms.
const (
	firstIn = iota
	firstOffset
	firstInit
	firstPlace
	firstTop
	firstStart
	firstOut
	firstMask
	firstRooms
)

// firstProgram is the program of the phases that firstOf has for elements, at is 0 where these are made.
func firstProgram(extreme, elements string, rows, row int64, init float32, start int32) *Rows {
	var made []Stage
	for _, s := range strings.Split(elements, "; ") {
		name, word, _ := strings.Cut(s, " ")
		made = append(made, Stage{Name: name, A: map[string]int{"in": firstIn, "offset": firstOffset}[word]})
	}
	const sum, best, value, lane, indices, index, least, kept, last, element, is = firstRooms, firstRooms + 1,
		firstRooms + 2, firstRooms + 3, firstRooms + 4, firstRooms + 5, firstRooms + 6, firstRooms + 7, firstRooms + 8,
		firstRooms + 9, firstRooms + 10
	at := element
	second := append(append([]Stage{}, made...), Stage{"store", element, 0, 0, 0, 0})
	if len(made) == 1 {
		at, second = firstIn, made
	}
	second = append(append([]Stage{}, second...), Stage{"eq_f", lane, 0, 0, 0, 0}, Stage{"store", is, 0, 0, 0, 0},
		Stage{"load", at, 0, 0, 0, 0}, Stage{"ne_f", at, 0, 0, 0, 0}, Stage{"or", is, 0, 0, 0, 0}, Stage{"select", firstPlace, firstTop, 0, 0, 0},
		Stage{"acc_min_s", indices, firstMask, 0, 0, 0})
	return &Rows{Dims: []int64{rows, row}, Lead: 1, Lane: 4, Rooms: 12, Mask: firstMask, Tile: 2, Group: 6, Chunk: row,
		Inputs: []Stream{{Size: 4, Strides: []int64{row, 1}},
			{Ref: run.Ref{Slot: 1}, Kind: Rowwise, Size: 4, Strides: []int64{0}},
			{Kind: Immediate, Value: uint64(math.Float32bits(init))}, {Kind: Iota, Size: 4, Strides: []int64{0, 1}},
			{Kind: Immediate, Value: math.MaxInt32}, {Kind: Immediate, Value: uint64(start)}},
		Outputs: []Stream{{Ref: run.Ref{Slot: 2}, Size: 4, ByRow: true}},
		Phases: []Phase{
			{Sweeps: true, Uses: []int{firstIn, firstOffset},
				Stages: append(append([]Stage{}, made...), Stage{"acc_" + extreme, sum, firstMask, 0, 0, 0}),
				Folds:  []Fold{{extreme, sum, best}}},
			{Stages: []Stage{{"load", firstInit, 0, 0, 0, 0}, {extreme, best, 0, 0, 0, 0}, {"store", value, 0, 0, 0, 0}}},
			{Sweeps: true, Uses: []int{firstIn, firstOffset, firstPlace}, Splats: []Spread{{value, lane}}, Stages: second,
				Folds: []Fold{{"min_s", indices, index}}},
			{Uses: []int{firstOut}, Stages: []Stage{{"load", firstTop, 0, 0, 0, 0}, {"min_s", index, 0, 0, 0, 0}, {"store", least, 0, 0, 0, 0},
				{"unless_eq_f", value, firstInit, firstStart, 0, 0}, {"store", kept, 0, 0, 0, 0}, {"min_s", least, 0, 0, 0, 0},
				{"store", last, 0, 0, 0, 0}, {"store", firstOut, 0, 0, 0, 0}}},
		}}
}

// firstElements are what the loops make of x, an element of a row, and o, one of the offset.
var firstElements = map[string]struct {
	name string
	of   func(x, o float32) float32
}{
	"load in":               {"", func(x, _ float32) float32 { return x }},
	"load in; add_f offset": {"_plus", func(x, o float32) float32 { return x + o }},
	"load offset; add_f in": {"_plus", func(x, o float32) float32 { return x + o }},
	"load in; sub_f offset": {"_minus", func(x, o float32) float32 { return x - o }},
	"load offset; sub_f in": {"_from", func(x, o float32) float32 { return o - x }},
}

// firstPlaceOf is the place that the definition finds, one element after the other.
func firstPlaceOf(x, offset []float32, of func(x, o float32) float32, least bool, init float32, start int32) int32 {
	found := start
	for i := range x {
		e, at := of(x[i], offset[i]), int32(i)
		switch better := e < init == least && e != init; {
		case init != init: // the first NaN stays
		case e != e || better:
			init, found = e, at
		case e == init:
			found = min(found, at)
		}
	}
	return found
}

// TestFirst wants of the loops that find places what the definition finds and what the phases one after the other do,
// at every level, in rows with equal elements, infinite ones, zeros of both signs and NaN.
func TestFirst(t *testing.T) {
	testfile.Native(t, run.Available())
	for elements, made := range firstElements {
		for _, extreme := range []string{"min_f", "max_f"} {
			for _, row := range []int64{16, 17, 31, 32, 64, 97, 100, 515, 5003} {
				for k, init := range []float32{float32(math.Inf(1)), float32(math.Inf(-1)), 0, 2} {
					name := map[string]string{"min_f": "least", "max_f": "most"}[extreme] + made.name
					p := firstProgram(extreme, elements, 29, row, init, int32(2*k))
					if want := "rows " + name; p.Kernel() != want {
						t.Fatalf("%s runs %s, want %s", p.Kernel(), elements, want)
					}
					t.Run(fmt.Sprint(elements, extreme, row, init), func(t *testing.T) { testFirst(t, p, extreme == "min_f", made.of) })
				}
			}
		}
	}
}

func testFirst(t *testing.T, p *Rows, least bool, of func(x, o float32) float32) {
	r := rand.New(rand.NewPCG(7, uint64(p.Row())))
	rows, row := int(p.Count()), int(p.Row())
	x, offset := make([]float32, rows*row), make([]float32, row)
	special := []float64{math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1e-40, -1e-40}
	for i := range x {
		switch i / row % 4 { // zeros of both signs, few numbers, those and special ones, special ones only
		case 0:
			x[i] = float32(special[2+r.IntN(2)])
		case 1:
			x[i] = float32(r.IntN(5)) - 2
		case 2:
			x[i] = float32(r.IntN(99)) - 30
			if r.IntN(row) == 0 {
				x[i] = float32(special[r.IntN(len(special))])
			}
		case 3:
			x[i] = float32(special[r.IntN(len(special))])
		}
		if i/row >= 20 && r.IntN(row) == 0 {
			x[i] = float32(math.NaN())
		}
	}
	for i := range offset {
		offset[i] = float32(r.IntN(3))
	}
	bits := func(list []float32) (b []byte) {
		for _, v := range list {
			b = binary.NativeEndian.AppendUint32(b, math.Float32bits(v))
		}
		return b
	}
	init, start := math.Float32frombits(uint32(p.Inputs[firstInit].Value)), int32(p.Inputs[firstStart].Value)
	for _, level := range run.Levels() {
		for _, stepwise := range []bool{true, false} {
			p.stepwise = stepwise
			got := make([]byte, 4*rows)
			execute(t, p.Record(level), [][]byte{bits(x), bits(offset), got})
			for i := range rows {
				line := x[i*row : (i+1)*row]
				want := firstPlaceOf(line, offset, of, least, init, start)
				if at := int32(binary.NativeEndian.Uint32(got[4*i:])); at != want {
					t.Fatalf("%v, stepwise %v: row %d has it at %d, want %d", level, stepwise, i, at, want)
				}
			}
		}
	}
}

// TestFirstStaggers wants no loop for programs that only resemble one that has it.
func TestFirstStaggers(t *testing.T) {
	for i, spoil := range []func(p *Rows){
		func(p *Rows) { p.Inputs[firstPlace].Offset = 1 },
		func(p *Rows) { p.Inputs[firstPlace].Strides = []int64{1, 1} },
		func(p *Rows) { p.Inputs[firstPlace].Strides = []int64{0, 2} },
		func(p *Rows) { p.Inputs[firstPlace].Convert = "s16" },
		func(p *Rows) { p.Inputs[firstOffset].Strides[0] = 1 },
		func(p *Rows) { p.Inputs[firstTop].Value-- },
		func(p *Rows) { p.Inputs[firstInit].Kind = Splat },
		func(p *Rows) { p.Outputs[0].ByRow = false },
		func(p *Rows) { p.Phases[3].Stages[3].A = firstIn },
		func(p *Rows) { p.Phases[0].Stages[0].A, p.Phases[0].Stages[1].A = firstIn, firstOffset },
		func(p *Rows) { p.Dims = []int64{30, 15} },
		func(p *Rows) { p.Dims = []int64{30, 4, 8} },
	} {
		p := firstProgram("min_f", "load offset; sub_f in", 30, 32, 0, 0)
		spoil(p)
		if p.Kernel() != "rows" {
			t.Errorf("%d: %s runs %+v", i, p.Kernel(), p)
		}
	}
}
