package exec

import (
	"context"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Lowering is what a machine needs to lower one instruction: where its operands, results and scratch memory lie. Slots
// have no addresses yet: memory is assigned when all instructions are lowered.
type Lowering struct {
	// In is the instruction; its shapes are static.
	In       *hlo.Instruction
	c        *compiler
	operands []value
	results  value
	scratch  []Slice
	outer    *Lowering        // of the fusion that In is a part of
	comp     *hlo.Computation // that has In; nil: a fusion has
}

// Inner returns the lowering of in, an instruction with an array result in the computation of a fusion: its operands
// are those of the fusion with such numbers, and its result lies at result. What it takes of scratch is the fusion's.
func (l *Lowering) Inner(in *hlo.Instruction, operands []int, result Slice) *Lowering {
	n := &Lowering{In: in, c: l.c, results: value{{result, in.Shape.WithoutLayout()}}, outer: l}
	for _, i := range operands {
		n.operands = append(n.operands, l.operands[i])
	}
	return n
}

// Wanted returns which elements of In's result, a tuple, something looks at; nil if that may be all.
func (l *Lowering) Wanted() []bool {
	if l.comp == nil || l.comp.Root == l.In || !l.In.Shape.IsTuple() {
		return nil
	}
	wanted := make([]bool, len(l.In.Shape.Elems))
	for _, user := range l.comp.Instructions {
		switch {
		case !slices.Contains(user.Operands, l.In):
		case user.Op != hlo.GetTupleElement:
			return nil
		default:
			wanted[user.Attrs.(*hlo.GetTupleElementAttrs).Index] = true
		}
	}
	return wanted
}

// Operand returns where the array operand i lies: dense, row-major, elements narrower than a byte in one byte each.
func (l *Lowering) Operand(i int) Slice { return l.operands[i][0].Slice }

// Operands returns where the leaves of operand i lie.
func (l *Lowering) Operands(i int) []Slice { return l.operands[i].slices() }

// Result returns where the array result must be written.
func (l *Lowering) Result() Slice { return l.results[0].Slice }

// Results returns where the leaves of the result must be written; tokens have NoSlot.
func (l *Lowering) Results() []Slice { return l.results.slices() }

// Scratch returns memory for this thunk alone, 64-byte aligned and uninitialised. It counts as written.
func (l *Lowering) Scratch(bytes int64) Slice {
	s := l.c.newSlot(slot{kind: temporary, size: bytes})
	for l.outer != nil {
		l = l.outer
	}
	l.scratch = append(l.scratch, s)
	return s
}

// Constant returns the value of operand i if it is known at compile and an array, else nil.
func (l *Lowering) Constant(i int) *literal.Literal {
	if len(l.operands[i]) != 1 {
		return nil
	}
	return l.c.constant(l.operands[i][0])
}

// Pack returns where data lies, which must not be changed any more: weights in packed form, tables. It lives as long as
// the executable.
func (l *Lowering) Pack(data []byte) Slice {
	return l.c.newSlot(slot{kind: constant, size: int64(len(data)), data: data})
}

// Host returns a thunk that does In on the host, by its definition: it calls a function of the user, or meets other
// devices or whoever feeds the program. Reports say kernel.
func (l *Lowering) Host(kernel string) Thunk {
	return &hostThunk{*newReferenceThunk(l.In, l.operands, l.results), kernel}
}

// Options returns the options of the compile.
func (l *Lowering) Options() Options { return l.c.options }

// Context returns the context of the compile.
func (l *Lowering) Context() context.Context { return l.c.ctx }

// OnClose has f called once, when the program is closed: for what the thunk holds besides memory.
func (l *Lowering) OnClose(f func()) { l.c.program.closing = append(l.c.program.closing, f) }

// leaf is an array of a value: where it lies, and the shape it has there. That is static and without a layout, but for
// boxed slots.
type leaf struct {
	Slice
	shape shape.Shape
}

// value is the leaves of an instruction's result.
type value []leaf

func (v value) slices() []Slice {
	out := make([]Slice, len(v))
	for i, l := range v {
		out[i] = l.Slice
	}
	return out
}

// element returns the leaves of element i of the tuple v of shape s.
func (v value) element(s shape.Shape, i int64) value {
	for _, e := range s.Elems[:i] {
		v = v[e.LeafCount():]
	}
	return v[:s.Elems[i].LeafCount()]
}

func concat(vs []value) value {
	var out value
	for _, v := range vs {
		out = append(out, v...)
	}
	return out
}
