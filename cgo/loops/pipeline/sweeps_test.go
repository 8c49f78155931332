package pipeline

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/runtest"
	"github.com/halo-xla/halo/internal/testfile"
)

// Pointers of sweepProgram: what it reads and writes for each place, for each row and once, and its rooms.
const (
	places = iota
	rowY
	rowZ
	vectorG
	vectorB
	outPlaces
	outRows
	mask
	laneY
	laneZ
	accumulator
	folded
)

// operands are those of the stages of sweepProgram.
var operands = map[string]Stage{"sub_f*": {A: laneY}, "mul_f*": {A: laneZ}, "quotient": {A: laneY, B: laneZ},
	"mul_f": {A: vectorG}, "add_f": {A: vectorB}, "store": {A: outPlaces}, "store#": {A: accumulator},
	"mul_f#": {A: accumulator}, "add_add_f": {A: vectorG, B: vectorB}, "sub_mul_f_k": {A: vectorG, B: laneY},
	"mul_add_f_k": {A: places, B: laneZ}, "acc_max_f": {A: accumulator, B: mask},
	"acc_add_f": {A: accumulator, B: mask}}

// sweepProgram makes a program over rows of a list of stages.
func sweepProgram(list string, lane int, rows, row int64) *Rows {
	by := func(slot int32, kind Kind, byRow bool, strides ...int64) Stream {
		return Stream{Ref: run.Ref{Slot: slot}, Kind: kind, Size: lane, ByRow: byRow, Strides: strides}
	}
	p := &Rows{Dims: []int64{rows, row}, Lead: 1, Lane: lane, Rooms: 5, Mask: mask, Tile: 3, Group: 6, Chunk: row,
		Inputs: []Stream{by(0, Linear, false, row, 1), by(1, Linear, true, 1), by(2, Linear, true, 1),
			by(3, Rowwise, false, 0, 1), by(4, Rowwise, false, 0, 1)},
		Outputs: []Stream{by(5, Linear, false), by(6, Linear, true)}}
	f := Phase{Sweeps: true, Stages: []Stage{{"load", places, 0, 0, 0, 0}}, Uses: []int{places},
		Splats: []Spread{{rowY, laneY}, {rowZ, laneZ}}}
	for _, name := range strings.Fields(list) {
		s := operands[name]
		s.Name = strings.TrimRight(name, "*#+")
		if strings.HasSuffix(name, "+") {
			f.Stages = append(f.Stages, Stage{"load", places, 0, 0, 0, 0})
		}
		f.Stages = append(f.Stages, s)
		for _, k := range []int{s.A, s.B} {
			if (k == vectorG || k == vectorB || k == outPlaces) && !f.uses(k) {
				f.Uses = append(f.Uses, k)
			}
		}
	}
	p.Phases = []Phase{f}
	if reducer, ok := strings.CutPrefix(f.Stages[len(f.Stages)-1].Name, "acc_"); ok {
		p.Phases[0].Folds = []Fold{{reducer, accumulator, folded}}
		p.Phases = append(p.Phases, Phase{Stages: []Stage{{"load", folded, 0, 0, 0, 0}, {"store", outRows, 0, 0, 0, 0}}, Uses: []int{outRows}})
	}
	return p
}

// TestSweeps wants of each sweep the bits of the stages that it stands for, at every level, on rows of whole blocks and
// others, with special values, into the caches and past them, over what is read as well.
func TestSweeps(t *testing.T) {
	testfile.Native(t, run.Available())
	for _, s := range sweepStages {
		for _, size := range [][2]int64{{7, 512}, {5, 300}, {4, 1}, {4200, 512}} {
			for _, lane := range []int{4, 8} {
				for _, level := range run.Levels() {
					for _, over := range []bool{false, true} {
						name := fmt.Sprint(s.name, size, lane, level, over)
						t.Run(name, func(t *testing.T) { testSweep(t, s.list, lane, level, size, over) })
					}
				}
			}
		}
	}
}

func testSweep(t *testing.T, list string, lane int, level run.ISA, size [2]int64, over bool) {
	p := sweepProgram(list, lane, size[0], size[1])
	joined := join(p.Phases[0].Stages, p.Phases[0].isOne(p.Inputs))
	if name := sweepOf(joined, p.Phases[0].uses); name == "" {
		t.Fatalf("no sweep does %v", joined)
	}
	var want [2][]byte
	for _, stepwise := range []bool{true, false} {
		p.stepwise = stepwise
		arrays := sweepArrays(lane, int(size[0]), int(size[1]))
		if over {
			arrays[5] = arrays[0]
		}
		execute(t, p.Record(level), arrays)
		got := [2][]byte{oneNaN(arrays[5], lane), oneNaN(arrays[6], lane)}
		if stepwise {
			want = got
		}
		for i := range got {
			if !bytes.Equal(got[i], want[i]) {
				t.Errorf("result %d has other bits", i)
			}
		}
	}
}

// sweepArrays returns the arrays of a program, results last.
func sweepArrays(lane, rows, row int) [][]byte {
	r := rand.New(rand.NewPCG(5, 8))
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 1e-40, -1e-310, 80, -200, 1e30}
	fill := func(n int, of func(i int) float64) []byte {
		b := make([]byte, n*lane+64)
		b = b[-uintptr(unsafe.Pointer(&b[0]))&63:][:n*lane]
		for i := range n {
			if lane == 4 {
				*(*float32)(unsafe.Pointer(&b[4*i])) = float32(of(i))
			} else {
				*(*float64)(unsafe.Pointer(&b[8*i])) = of(i)
			}
		}
		return b
	}
	normal := func(int) float64 { return r.NormFloat64() }
	x := fill(rows*row, func(i int) float64 {
		if r.IntN(200) == 0 {
			return special[i/row%len(special)]
		}
		return r.NormFloat64()
	})
	y := func(i int) float64 { return float64(i%5) + 0.3 }
	return [][]byte{x, fill(rows, y), fill(rows, func(i int) float64 { return inverse(y(i), lane) }), fill(row, normal),
		fill(row, normal), fill(rows*row, normal), fill(rows, normal)}
}

// oneNaN makes all NaN one: which of two a product has is nobody's business.
func oneNaN(b []byte, lane int) []byte {
	for i := 0; i < len(b); i += lane {
		if x := (*float32)(unsafe.Pointer(&b[i])); lane == 4 && *x != *x {
			*x = float32(math.NaN())
		}
		if x := (*float64)(unsafe.Pointer(&b[i&^7])); lane == 8 && *x != *x {
			*x = math.NaN()
		}
	}
	return b
}

// inverse is 1/y, rounded as lanes of so many bytes are.
func inverse(y float64, lane int) float64 {
	if lane == 4 {
		return float64(1 / float32(y))
	}
	return 1 / y
}

// execute runs a record on arrays.
func execute(t *testing.T, r run.Record, arrays [][]byte) {
	t.Helper()
	runtest.Execute(t, 2, runtest.Slots(arrays...), r)
}

// TestSweepOf wants no sweep where an operand does not lie as it is read.
func TestSweepOf(t *testing.T) {
	testfile.Native(t, run.Available())
	for _, spoil := range []func(p *Rows){
		func(p *Rows) {
			p.Phases[0].Uses = slices.DeleteFunc(p.Phases[0].Uses, func(k int) bool { return k == vectorG })
		},
		func(p *Rows) { p.Phases[0].Uses = p.Phases[0].Uses[1:] },
		func(p *Rows) { p.Phases[0].Splats = p.Phases[0].Splats[:1] },
		func(p *Rows) { p.Phases[0].Stages[5].A = mask },
		func(p *Rows) { p.Phases[0].Stages = p.Phases[0].Stages[:5] },
	} {
		p := sweepProgram("sub_f* mul_f* mul_f add_f store", 4, 3, 512)
		spoil(p)
		f := &p.Phases[0]
		if name := sweepOf(join(f.Stages, f.isOne(p.Inputs)), f.uses); name != "" {
			t.Errorf("%s does %+v", name, f)
		}
	}
}
