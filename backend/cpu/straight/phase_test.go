package straight

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/runtest"
)

// Pointers of randomRows: those of a random program as far as its numbers, of which the third is a vector as long as a
// row here; results, for places and for rows; a saved value; and rooms: the mask, of each sweep the accumulator and
// what a row comes to, what is made of the first one's, and that as a lane for all; and slots.
const (
	outPlaces = firstOut + iota
	outRows
	kept
	mask
	firstAcc
	firstSum
	secondAcc
	secondSum
	rowValue
	rowLane
	rowSlot
)

// Pointers that the phases take, but slots.
var (
	byFirst  = []int{arrayX, arrayY, arrayNarrow, splat, immediate, immediate + 1}
	byRow    = []int{firstSum, splat, immediate + 2, immediate + 3}
	bySecond = []int{arrayX, arrayY, arrayNarrow, splat, immediate + 4, kept, rowLane, rowLane}
)

// randomRows sweeps twice over rows. The first sweep saves a value and reduces another, of which another phase makes a
// value for the second, which takes what is saved as well, reduces and stores.
func randomRows(r *rand.Rand, names []string, reducers [2]string, lane int, rows, row int64, count int) *pipeline.Rows {
	stream := func(slot int, kind pipeline.Kind, strides ...int64) pipeline.Stream {
		return pipeline.Stream{Ref: run.Ref{Slot: int32(slot)}, Kind: kind, Size: lane, Strides: strides}
	}
	tile := 1 + r.Int64N(11)
	p := &pipeline.Rows{Dims: []int64{rows, row}, Lead: 1, Lane: lane, Saved: 1, Rooms: rowSlot + slots - mask, Mask: mask,
		Tile: tile, Group: 2 * tile, Chunk: row, Inputs: []pipeline.Stream{stream(0, pipeline.Linear, row, 1),
			stream(1, pipeline.Linear, row, 1), stream(2, pipeline.Rowwise, 0, 1), stream(3, pipeline.Splat, 0, 0)},
		Outputs: []pipeline.Stream{stream(4, pipeline.Linear), stream(5, pipeline.Linear)}}
	p.Outputs[1].ByRow = true
	for range immediates {
		list := special(lane)
		v := list[r.IntN(len(list))] & (1<<(8*lane-1)<<1 - 1)
		p.Inputs = append(p.Inputs, pipeline.Stream{Kind: pipeline.Immediate, Value: v})
	}
	first := pipeline.Phase{Sweeps: true, Uses: []int{arrayX, arrayY, arrayNarrow, kept},
		Stages: append(randomPhase(r, names, lane, count, byFirst), pipeline.Stage{Name: "store", A: kept},
			pipeline.Stage{Name: "load", A: rowSlot}, pipeline.Stage{Name: "acc_" + reducers[0], A: firstAcc, B: mask}),
		Folds: []pipeline.Fold{{Reducer: reducers[0], Accumulator: firstAcc, To: firstSum}}}
	across := pipeline.Phase{Stages: append(randomPhase(r, names, lane, count/2, byRow),
		pipeline.Stage{Name: "store", A: rowValue})}
	second := pipeline.Phase{Sweeps: true, Uses: []int{arrayX, arrayY, arrayNarrow, kept, outPlaces},
		Splats: []pipeline.Spread{{From: rowValue, To: rowLane}}, Stages: randomPhase(r, names, lane, count, bySecond)}
	if r.IntN(2) > 0 {
		second.Folds = []pipeline.Fold{{Reducer: reducers[1], Accumulator: secondAcc, To: secondSum}}
		second.Stages = append(second.Stages, pipeline.Stage{Name: "acc_" + reducers[1], A: secondAcc, B: mask},
			pipeline.Stage{Name: "load", A: rowSlot + 1})
	}
	second.Stages = append(second.Stages, pipeline.Stage{Name: "store", A: outPlaces})
	plus := "add"
	if strings.HasSuffix(reducers[0], "_f") {
		plus = "add_f"
	}
	p.Phases = []pipeline.Phase{first, across, second, {Uses: []int{outRows}, Stages: []pipeline.Stage{
		{Name: "load", A: secondSum}, {Name: plus, A: rowValue}, {Name: "store", A: outRows}}}}
	return p
}

// randomPhase has so many stages on some pointers and slots.
func randomPhase(r *rand.Rand, names []string, lane, count int, pointers []int) []pipeline.Stage {
	operand := func() int {
		if k := r.IntN(len(pointers) + slots); k < len(pointers) {
			return pointers[k]
		}
		return rowSlot + r.IntN(slots)
	}
	list := []pipeline.Stage{{Name: "load", A: pointers[0]}}
	for k := range slots {
		list = append(list, pipeline.Stage{Name: "store", A: rowSlot + k})
	}
	for range count {
		switch r.IntN(6) {
		case 0:
			list = append(list, pipeline.Stage{Name: "store", A: rowSlot + r.IntN(slots)})
		case 1:
			list = append(list, pipeline.Stage{Name: "load", A: operand()})
		default:
			list = append(list, randomStage(r, names[r.IntN(len(names))], lane, operand, rowSlot)...)
		}
	}
	return list
}

// TestMakePhases wants of random programs over rows the bits that their stages have: on rows of whole blocks and
// others, into the caches and past them, with results over what is read.
func TestMakePhases(t *testing.T) { atLevels(t, testPhases) }

func testPhases(t *testing.T, level run.ISA) {
	r := rand.New(rand.NewPCG(5, 3))
	for _, lane := range []int{4, 8} {
		for i, f := range families(lane, level) {
			made := 0
			for n := range 300 {
				size := [][2]int64{{7, 512}, {5, 300}, {2, 64}, {4, 1}, {9, 1000}}[r.IntN(5)]
				if n == 299 {
					size = [2]int64{2100, 1024}
				}
				by := [2]string{randomReducer(r, i == 0, lane), randomReducer(r, i == 0, lane)}
				p := randomRows(r, f.names, by, lane, size[0], size[1], r.IntN(12))
				q := *p
				q.Phases = append([]pipeline.Phase(nil), p.Phases...)
				MakeRows(&q, level)
				for _, x := range q.Phases {
					if x.Made.Plain != nil {
						made++
					}
				}
				compareRows(t, r, p, &q, f.isFloat, level)
				if t.Failed() {
					t.Fatalf("lane %d, %v: %v %v", lane, size, p.Phases, p.Inputs[immediate:])
				}
			}
			if made < 300 {
				t.Errorf("lane %d: %d phases were made", lane, made)
			}
		}
	}
}

func randomReducer(r *rand.Rand, isFloat bool, lane int) string {
	names := slices.Sorted(maps.Keys(reducers))
	for {
		name := names[r.IntN(len(names))]
		if strings.HasSuffix(name, "_f") == isFloat && pipeline.HasFor(lane, "acc_"+name) {
			return name
		}
	}
}

// compareRows runs a program by its stages and by what was made of them.
func compareRows(t *testing.T, r *rand.Rand, p, q *pipeline.Rows, isFloat bool, level run.ISA) {
	t.Helper()
	n := int(p.Row() * p.Count())
	arrays := [][]byte{lanesOf(r, p.Lane, n), lanesOf(r, p.Lane, n), lanesOf(r, p.Lane, int(p.Row())),
		lanesOf(r, p.Lane, 1)}
	var want [outs][]byte
	over := r.IntN(5) // the first result lies over array 0 or 1, or over none
	for _, x := range []*pipeline.Rows{p, q} {
		list := make([][]byte, len(arrays))
		for i, a := range arrays {
			list[i] = append(aligned(len(a))[:0], a...)
		}
		list = append(list, aligned(n*p.Lane), aligned(int(p.Count())*p.Lane))
		if over < arrayNarrow {
			list[len(arrays)] = list[over]
		}
		runtest.Execute(t, 1, runtest.Slots(list...), x.Record(level))
		sameResults(t, list[len(arrays):], &want, x == p, isFloat, p.Lane)
	}
}

// sameResults notes what results are wanted if they are the first, those of stages, and else compares them with those.
func sameResults(t *testing.T, results [][]byte, want *[outs][]byte, first, isFloat bool, lane int) {
	t.Helper()
	for i, b := range results {
		if isFloat {
			oneNaN(b, lane)
		}
		if first {
			want[i] = b
		} else if k := differs(b, want[i], lane); k >= 0 {
			t.Errorf("result %d: element %d is %x, stages have %x", i, k/lane, b[k:k+lane], want[i][k:k+lane])
		}
	}
}

// BenchmarkMakeRows is what the phases of a program of so many stages take to be made.
func BenchmarkMakeRows(b *testing.B) {
	for _, count := range []int{8, 32, 128} {
		b.Run(strconv.Itoa(count), func(b *testing.B) {
			r := rand.New(rand.NewPCG(11, 7))
			p := randomRows(r, []string{"add_f", "mul_f", "sub_f", "add_mul_f"}, [2]string{"add_f", "add_f"}, 4, 1, 64, count)
			for b.Loop() {
				MakeRows(p, run.AVX2)
			}
		})
	}
}
