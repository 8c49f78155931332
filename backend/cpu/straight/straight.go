// Package straight makes straight-line code of programs of the register pipeline: a jump from stage to stage takes as
// long as three operations with vectors, and a value that is wanted twice lies in memory between them. Code has
// instructions for cheap stages, and calls the functions of others.
package straight

import (
	"math"
	"slices"
	"strings"

	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/code"
)

// Make returns functions that do what a program's stages do at a level, or none: there are instructions of AVX2 and
// AVX-512 for lanes of four bytes and eight, and not for all stages, or it does not pay, or the system gives no memory
// for code.
func Make(p *pipeline.Program, level run.ISA) (made pipeline.Made) {
	l := list{lane: p.Lane, stages: p.Stages, inputs: p.Inputs, outputs: len(p.Outputs)}
	for _, framed := range []bool{false, true} {
		if made = l.make(len(p.Outputs), level, 1, 1, framed); made.Plain != nil {
			break
		}
	}
	return made
}

// Knows reports whether there are instructions of a level.
func Knows(level run.ISA) bool { return widths[level] > 0 }

// list is stages, and what their pointers are: inputs, outputs, saved lanes, and rooms, of which those that splats fill
// have one lane for all places. Other phases want what is in some, and across rows all that was not stored before is a
// value of each.
type list struct {
	lane           int
	stages         []pipeline.Stage
	inputs         []pipeline.Stream
	outputs, saved int
	splats         []pipeline.Spread
	wanted         map[int]bool
	across         bool
}

// make returns the functions of a list that stores so many outputs, for rounds of so many vectors, of which some go
// side by side, with a frame or without.
func (l list) make(stored int, level run.ISA, round, beside int, framed bool) (made pipeline.Made) {
	if !Knows(level) || lanes[l.lane] == (code.Access{}) || !l.storesLast(stored) || framed && !l.pays() {
		return made
	}
	m := &maker{Function: code.New(l.lane, widths[level]), list: l, level: level}
	for k := 0; k < round; k += beside {
		m.vectors(k, beside)
	}
	m.keepSums()
	if m.failed {
		return made
	}
	c, ok := m.Assemble(framed)
	if !ok {
		return made
	}
	if a, b := code.Place(c.Plain), code.Place(c.Past); a != nil && b != nil {
		made = pipeline.Made{Level: level, Plain: a, Past: b, Unit: c.Unit}
	}
	return made
}

// storesLast reports whether nothing comes behind the first store of a result but stores of the others.
func (l *list) storesLast(outputs int) bool {
	stored := 0
	for i := range l.stages {
		s := &l.stages[i]
		switch {
		case l.isOutput(s.A) && strings.HasPrefix(s.Name, "store"):
			stored++
		case stored > 0 && s.Name != "load":
			return false
		}
	}
	return stored == outputs
}

func (l *list) isOutput(k int) bool { return k >= len(l.inputs) && k < len(l.inputs)+l.outputs }

func (l *list) isSaved(k int) bool { return k >= len(l.inputs)+l.outputs && !l.isSlot(k) }

func (l *list) isSlot(k int) bool { return k >= len(l.inputs)+l.outputs+l.saved }

// isOne reports whether a pointer is at one lane for all places.
func (l *list) isOne(k int) bool {
	return k < len(l.inputs) && (l.inputs[k].Kind == pipeline.Splat || l.inputs[k].Kind == pipeline.Immediate) ||
		slices.ContainsFunc(l.splats, func(s pipeline.Spread) bool { return s.To == k })
}

// maker makes a function of a list of stages.
type maker struct {
	*code.Function
	*vector
	list
	level  run.ISA
	sums   []*sum
	failed bool // there is no instruction for a stage, or no such operand
}

// vector is what the stages have in the registers, and in slots by their pointers.
type vector struct {
	register code.Value
	slots    map[int]code.Value
}

// vectors makes n vectors of a round, from number k on, side by side.
func (m *maker) vectors(k, n int) {
	list := make([]vector, n)
	each := func(do func()) {
		for u := range list {
			m.vector = &list[u]
			m.Begin(k + u)
			do()
		}
	}
	each(func() { m.slots = map[int]code.Value{} })
	for i := range m.stages {
		each(func() { m.stage(&m.stages[i]) })
	}
	each(m.saveSlots)
}

func (m *maker) stage(s *pipeline.Stage) {
	recipe, ok := recipes[s.Name]
	if m.failed = m.failed || !ok; !m.failed {
		recipe(m, s)
	}
}

// at is what a pointer points at.
func (m *maker) at(k int) code.Value {
	switch v, ok := m.slots[k]; {
	case ok:
		return v
	case m.isOne(k):
		return m.One(k)
	case m.isLanes(k):
		return m.Load(k, lanes[m.Lane()])
	}
	m.failed = true
	return 0
}

// isLanes reports whether lanes lie at a pointer.
func (m *maker) isLanes(k int) bool {
	in := m.inputs
	return m.isSaved(k) || m.across && m.isSlot(k) ||
		k < len(in) && (in[k].Size == m.Lane() || in[k].Convert != "" || in[k].Kind != pipeline.Linear)
}

var (
	lanes  = map[int]code.Access{4: code.Lanes4, 8: code.Lanes8}
	widths = map[run.ISA]int{run.AVX2: code.Vector, run.AVX512: code.Wide}
)

// do is an operation, if there is one for such lanes.
func (m *maker) do(op *code.Op, number int, args ...code.Value) code.Value {
	if !m.Has(op) {
		m.failed = true
		return 0
	}
	return m.Do(op, byte(number), args...)
}

// whole is a constant of integers, float one of floats.
func (m *maker) whole(v int64) code.Value {
	if m.Lane() == 4 {
		return m.Constant(uint64(uint32(v)))
	}
	return m.Constant(uint64(v))
}

func (m *maker) float(v float64) code.Value {
	if m.Lane() == 4 {
		return m.Constant(uint64(math.Float32bits(float32(v))))
	}
	return m.Constant(math.Float64bits(v))
}

// sign is a lane of which the sign alone is set.
func (m *maker) sign() code.Value { return m.whole(-1 << (8*m.Lane() - 1)) }

func (m *maker) not(x code.Value) code.Value { return m.do(&code.Xor, 0, x, m.whole(-1)) }

func (m *maker) choose(mask, holds, fails code.Value) code.Value {
	return m.do(&code.Choose, 0, fails, holds, mask)
}

func (m *maker) sum(x, y code.Value) code.Value        { return m.do(&code.Add, 0, x, y) }
func (m *maker) difference(x, y code.Value) code.Value { return m.do(&code.Sub, 0, x, y) }
func (m *maker) product(x, y code.Value) code.Value    { return m.do(&code.Mul, 0, x, y) }

func (m *maker) isNaN(x, y code.Value) code.Value { return m.do(&code.Compare, code.Unordered, x, y) }

var floatComparisons = map[string]int{"eq_f": code.EqualTo, "ne_f": code.UnequalTo, "lt_f": code.LessThan,
	"le_f": code.AtMost, "gt_f": code.MoreThan, "ge_f": code.AtLeast}

// wholeComparisons are those of AVX-512.
var wholeComparisons = map[string]struct {
	op     *code.Op
	number int
}{
	"eq": {&code.CompareSigned, code.IntEqual}, "ne": {&code.CompareSigned, code.IntUnequal},
	"lt_s": {&code.CompareSigned, code.IntLess}, "le_s": {&code.CompareSigned, code.IntAtMost},
	"gt_s": {&code.CompareSigned, code.IntMoreThan}, "ge_s": {&code.CompareSigned, code.IntAtLeast},
	"lt_u": {&code.ComparePlain, code.IntLess}, "le_u": {&code.ComparePlain, code.IntAtMost},
	"gt_u": {&code.ComparePlain, code.IntMoreThan}, "ge_u": {&code.ComparePlain, code.IntAtLeast},
}

// compare is the mask of a comparison by the name of its stage.
func (m *maker) compare(name string, x, y code.Value) code.Value {
	if number, ok := floatComparisons[name]; ok {
		return m.do(&code.Compare, number, x, y)
	}
	if c := wholeComparisons[name]; m.Has(&code.CompareSigned) {
		return m.do(c.op, c.number, x, y)
	}
	switch name {
	case "eq":
		return m.do(&code.EqualInt, 0, x, y)
	case "gt_s":
		return m.do(&code.Greater, 0, x, y)
	case "lt_s":
		return m.do(&code.Greater, 0, y, x)
	case "le_u":
		return m.do(&code.EqualInt, 0, m.do(&code.MinPlain, 0, x, y), x)
	case "ge_u":
		return m.do(&code.EqualInt, 0, m.do(&code.MaxPlain, 0, x, y), x)
	}
	return m.not(m.compare(opposites[name], x, y))
}

var opposites = map[string]string{"ne": "eq", "le_s": "gt_s", "ge_s": "lt_s", "lt_u": "ge_u", "gt_u": "le_u"}

// extreme is a maximum or minimum of floats: of two zeros the one with the right sign, and NaN if one is that. The
// machine's, with a number first, is x where that is NaN and where both are zeros: of those it must be -0 for the
// minimum with -0, which takes as long as without numbers, and 0 for the maximum with 0, for which that is added.
func (m *maker) extreme(op *code.Op, k int, x code.Value) code.Value {
	y := m.at(k)
	v, ok := m.number(k)
	zero, negative := v == 0, math.Signbit(v)
	switch {
	case !ok || v != v || zero && op == &code.Min && negative:
		return m.either(op, x, y)
	case zero && op == &code.Max && !negative:
		return m.sum(m.do(op, 0, y, x), y)
	}
	return m.do(op, 0, y, x)
}

func (m *maker) either(op *code.Op, x, y code.Value) code.Value {
	both, join := m.do(op, 0, x, y), &code.And
	if op == &code.Min {
		join = &code.Or
	}
	both = m.do(join, 0, both, m.do(op, 0, y, x))
	return m.choose(m.isNaN(x, y), m.sum(x, y), both)
}

// number is the number at a pointer, if it is known.
func (m *maker) number(k int) (float64, bool) {
	if k >= len(m.inputs) || m.inputs[k].Kind != pipeline.Immediate {
		return 0, false
	}
	if v := m.inputs[k].Value; m.Lane() == 4 {
		return float64(math.Float32frombits(uint32(v))), true
	} else {
		return math.Float64frombits(v), true
	}
}

func (m *maker) rotate(x code.Value, n int) code.Value {
	if m.Has(&code.Rotate) {
		return m.do(&code.Rotate, n, x)
	}
	return m.do(&code.Or, 0, m.do(&code.Left, n, x), m.do(&code.Right, 8*m.Lane()-n, x))
}

// highPart is the upper half of a product of numbers without a sign, y the same for all lanes.
func (m *maker) highPart(x, y code.Value) code.Value {
	even, odd := m.do(&code.MulPlain, 0, x, y), m.do(&code.MulPlain, 0, m.do(&code.RightWide, 32, x), y)
	even = m.do(&code.RightWide, 32, even)
	if m.Has(&code.Blend) {
		return m.do(&code.Blend, 0xaa, even, odd)
	}
	return m.do(&code.Or, 0, even, m.do(&code.LeftWide, 32, m.do(&code.RightWide, 32, odd)))
}

// withSign is x with the sign of y, which is 0 only where x is.
func (m *maker) withSign(x, y code.Value) code.Value {
	if m.Has(&code.SignOf) {
		return m.do(&code.SignOf, 0, x, y)
	}
	sign := m.do(&code.RightSign, 8*m.Lane()-1, y)
	return m.do(&code.SubInt, 0, m.do(&code.Xor, 0, x, sign), sign)
}

// bf16 is an f32 rounded to bf16, in the upper half of the lane; the lower half is anything.
func (m *maker) bf16(x code.Value) code.Value {
	m.failed = m.failed || m.Lane() != 4
	odd := m.do(&code.And, 0, m.do(&code.Right, 16, x), m.whole(1))
	near := m.do(&code.AddInt, 0, m.do(&code.AddInt, 0, x, m.whole(0x7fff)), odd)
	return m.choose(m.isNaN(x, x), m.do(&code.Or, 0, x, m.whole(0x400000)), near)
}

// zeros counts the bits before the first one, by the exponent of a float that is not rounded up, since the bit behind
// the first one is taken off.
func (m *maker) zeros(x code.Value) code.Value {
	first := m.do(&code.AndNot, 0, m.do(&code.Right, 1, x), x)
	exponent := m.do(&code.Right, 23, m.do(&code.ToFloat, 0, first))
	n := m.do(&code.MaxSigned, 0, m.do(&code.SubInt, 0, m.whole(127+31), exponent), m.whole(0))
	return m.do(&code.MinSigned, 0, n, m.whole(32))
}

// plain is an integer without a sign as a float, of halves that floats have.
func (m *maker) plain(x code.Value) code.Value {
	m.failed = m.failed || m.Lane() != 4
	high := m.do(&code.ToFloat, 0, m.do(&code.Right, 16, x))
	low := m.do(&code.ToFloat, 0, m.do(&code.And, 0, x, m.whole(0xffff)))
	return m.do(&code.MulAdd, 0, high, m.float(1<<16), low)
}

// signed is a float as an integer, towards zero; what is beyond those becomes the last one, and NaN 0.
func (m *maker) signed(x code.Value) code.Value {
	beyond := m.compare("ge_f", x, m.float(1<<31))
	r := m.do(&code.Xor, 0, m.do(&code.ToInt, 0, x), beyond)
	return m.do(&code.And, 0, r, m.compare("eq_f", x, x))
}

// short is a float as an integer of so many bits, -bits of one with a sign.
func (m *maker) short(x code.Value, bits int) code.Value {
	most, least := int64(1)<<max(bits, 0)-1, int64(0)
	if bits < 0 {
		most, least = int64(1)<<(-bits-1)-1, -1<<(-bits-1)
	}
	low := m.do(&code.Min, 0, x, m.float(float64(most)))
	r := m.do(&code.MaxSigned, 0, m.do(&code.ToInt, 0, low), m.whole(least))
	return m.do(&code.And, 0, r, m.compare("eq_f", x, x))
}

// words are the lower halves of lanes, packed; below 2^16 they must be. bytes are the lowest ones.
func (m *maker) words(x code.Value) code.Value {
	if m.Has(&code.CutWords) {
		return m.do(&code.CutWords, 0, x)
	}
	return m.do(&code.PackWords, 0, x, m.do(&code.Upper, 1, x))
}

func (m *maker) lowWords(x code.Value) code.Value {
	return m.words(m.do(&code.And, 0, x, m.whole(0xffff)))
}

func (m *maker) bytes(x code.Value) code.Value {
	if m.Has(&code.CutBytes) {
		return m.do(&code.CutBytes, 0, x)
	}
	w := m.words(m.do(&code.And, 0, x, m.whole(0xff)))
	return m.do(&code.PackBytes, 0, w, w)
}
