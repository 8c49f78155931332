package straight

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/runtest"
)

// rowsOf is a random program of lanes as a sweep over rows: array Y is the same in all rows, the splat a value of each.
func rowsOf(p *pipeline.Program, rows, n int) *pipeline.Rows {
	q := &pipeline.Rows{Dims: []int64{int64(rows), int64(n)}, Lead: 1, Lane: p.Lane, Inputs: slices.Clone(p.Inputs),
		Outputs: slices.Clone(p.Outputs), Rooms: slots + 2, Mask: firstSlot + slots, Tile: 3, Group: 6, Chunk: int64(n)}
	for k := range q.Inputs[:splat] {
		q.Inputs[k].Strides = []int64{int64(n), 1}
	}
	q.Inputs[arrayY].Kind, q.Inputs[arrayY].Strides = pipeline.Rowwise, []int64{0}
	q.Inputs[splat].Kind, q.Inputs[splat].Strides, q.Inputs[splat].ByRow = pipeline.Linear, []int64{1}, true
	f := pipeline.Phase{Sweeps: true, Uses: []int{arrayX, arrayY, arrayNarrow, firstOut, firstOut + 1},
		Splats: []pipeline.Spread{{From: splat, To: q.Mask + 1}}}
	for _, s := range p.Stages {
		for _, k := range operandsOf(&s) {
			if *k == splat {
				*k = q.Mask + 1
			}
		}
		f.Stages = append(f.Stages, s)
	}
	q.Phases = []pipeline.Phase{f}
	return q
}

// operandsOf are the operands of a stage that are pointers.
func operandsOf(s *pipeline.Stage) []*int {
	switch _, isUnary := unary[s.Name]; {
	case isUnary:
		return nil
	case s.Name == "mix" || shifts[s.Name] != nil || quotients[s.Name] != nil:
		return []*int{&s.A}
	}
	return []*int{&s.A, &s.B, &s.C}
}

// TestMakeRows wants of random sweeps over rows the bits that their stages have, also where a row is no whole block, no
// whole vector, or begins within one, into the caches and past them.
func TestMakeRows(t *testing.T) { atLevels(t, testMakeRows) }

func testMakeRows(t *testing.T, level run.ISA) {
	r := rand.New(rand.NewPCG(5, 9))
	for _, lane := range []int{4, 8} {
		for _, f := range families(lane, level) {
			made := 0
			for i := range 300 {
				rows, n := 1+r.IntN(20), []int{64, 65, 100, 127, 512, 1000}[r.IntN(6)]
				if i%100 == 99 {
					rows, n = 1<<21/4096+1, 4096
				}
				stages := 1 + r.IntN([]int{60, 4}[i%2]) // of long lists some stage often has no instruction for such lanes
				p := rowsOf(randomProgram(r, f.names, lane, n, stages, "", ""), rows, n)
				made += testRows(t, r, p, f.isFloat, level)
			}
			if lane == 4 && made < 50 { // with lanes of eight bytes few are
				t.Errorf("lane %d: functions were made of %d of 300 programs", lane, made)
			}
		}
	}
}

// testRows runs a program by its stages and by what is made of them, and returns how many functions that were.
func testRows(t *testing.T, r *rand.Rand, p *pipeline.Rows, isFloat bool, level run.ISA) (made int) {
	t.Helper()
	own := *p
	own.Phases = slices.Clone(p.Phases)
	MakeRows(&own, level)
	if own.Phases[0].Made.Plain == nil {
		return 0
	}
	all, n := int(p.Row()*p.Count()), int(p.Row())
	arrays := [][]byte{lanesOf(r, p.Lane, all), lanesOf(r, p.Lane, n), lanesOf(r, p.Lane, all), lanesOf(r, p.Lane, all)}
	var want [outs][]byte
	inPlace := r.IntN(3) == 0
	for _, q := range []*pipeline.Rows{p, &own} {
		list := make([][]byte, len(arrays)+outs)
		for i := range list {
			list[i] = aligned(all * p.Lane)
			if i < len(arrays) {
				copy(list[i], arrays[i])
			}
		}
		if inPlace {
			list[len(arrays)] = list[arrayX]
		}
		runtest.Execute(t, 1+r.IntN(3), runtest.Slots(list...), q.Record(level))
		sameResults(t, list[len(arrays):], &want, q == p, isFloat, p.Lane)
	}
	if t.Failed() {
		t.Fatalf("lane %d, %d rows of %d: %v", p.Lane, p.Count(), n, p.Phases[0].Stages)
	}
	return 1
}
