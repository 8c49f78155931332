package straight

import (
	"maps"
	"slices"

	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/code"
)

// MakeRows makes such functions of the phases of a program over rows.
func MakeRows(p *pipeline.Rows, level run.ISA) {
	for i := range p.Phases {
		p.Phases[i].Made = makePhase(p, i, level)
	}
}

const (
	block      = 8  // vectors that are reduced together
	manyStages = 20 // from so many on some go side by side: the machine does not see the next one's end
	sideBySide = 4
)

func makePhase(p *pipeline.Rows, i int, level run.ISA) (made pipeline.Made) {
	f, stored := &p.Phases[i], 0
	l := list{p.Lane, f.Stages, p.Inputs, len(p.Outputs), p.Saved, f.Splats, wantedBut(p, i), !f.Sweeps}
	for _, k := range f.Uses {
		if l.isOutput(k) {
			stored++
		}
	}
	if len(f.Folds) == 0 {
		if made = l.make(stored, level, 1, 1, false); made.Plain == nil {
			made = l.make(stored, level, 1, 1, true)
		}
		return made
	}
	beside := 1
	if len(f.Stages) >= manyStages {
		beside = sideBySide
	}
	for ; beside > 0 && made.Plain == nil; beside /= 2 {
		made = l.make(stored, level, block, beside, false)
	}
	if made.Plain == nil {
		made = l.make(stored, level, block, block, true)
	}
	return made
}

// wantedBut returns the pointers that other phases than number i look at, and maybe more.
func wantedBut(p *pipeline.Rows, i int) map[int]bool {
	wanted := map[int]bool{}
	for k := range p.Phases {
		if k == i {
			continue
		}
		for _, s := range p.Phases[k].Splats {
			wanted[s.From] = true
		}
		for _, s := range p.Phases[k].Stages {
			wanted[s.A], wanted[s.B], wanted[s.C] = true, true, true
		}
	}
	return wanted
}

// saveSlots leaves what other phases want where those look for it.
func (m *maker) saveSlots() {
	for _, k := range slices.Sorted(maps.Keys(m.slots)) {
		if !m.failed && m.wanted[k] && (m.across || m.isSaved(k)) {
			m.Save(k, m.slots[k])
		}
	}
}

// reducers are those of pipeline's reducers.def that there are instructions for.
var reducers = map[string]func(m *maker, x, y code.Value) code.Value{
	"add_f": (*maker).sum,
	"mul_f": (*maker).product,
	"max_f": func(m *maker, x, y code.Value) code.Value { return m.either(&code.Max, x, y) },
	"min_f": func(m *maker, x, y code.Value) code.Value { return m.either(&code.Min, x, y) },
	"add":   by(&code.AddInt),
	"mul":   by(&code.MulInt),
	"max_s": by(&code.MaxSigned),
	"min_s": by(&code.MinSigned),
	"max_u": by(&code.MaxPlain),
	"min_u": by(&code.MinPlain),
	"and":   by(&code.And),
	"or":    by(&code.Or),
	"xor":   by(&code.Xor),
}

func by(op *code.Op) func(m *maker, x, y code.Value) code.Value {
	return func(m *maker, x, y code.Value) code.Value { return m.do(op, 0, x, y) }
}

func addSums(all map[string]recipe) {
	for name, f := range reducers {
		all["acc_"+name] = func(m *maker, s *pipeline.Stage) { m.sumOf(s.A, f).add(m, m.register) }
	}
}

// sum is what the vectors of a block come to, as a tree like that of the stages: tree[i] is of 2^i vectors, which wait
// for as many others if it is full.
type sum struct {
	accumulator int
	with        func(m *maker, x, y code.Value) code.Value
	tree        []code.Value
	full        []bool
}

// sumOf is the sum that goes into an accumulator.
func (m *maker) sumOf(accumulator int, with func(m *maker, x, y code.Value) code.Value) *sum {
	for _, s := range m.sums {
		if s.accumulator == accumulator {
			return s
		}
	}
	m.sums = append(m.sums, &sum{accumulator: accumulator, with: with})
	return m.sums[len(m.sums)-1]
}

// add adds a vector.
func (s *sum) add(m *maker, v code.Value) {
	for i := range s.tree {
		if !s.full[i] {
			s.tree[i], s.full[i] = v, true
			return
		}
		v, s.full[i] = s.with(m, s.tree[i], v), false
	}
	s.tree, s.full = append(s.tree, v), append(s.full, true)
}

// keepSums leaves what the accumulators come to with a block.
func (m *maker) keepSums() {
	for _, s := range m.sums {
		total := s.with(m, m.Kept(s.accumulator), s.tree[len(s.tree)-1])
		m.Keep(s.accumulator, total)
	}
}
