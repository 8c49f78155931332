package emit

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// runningFrom is how long a running sum is before a block makes it in shares.
const runningFrom = 32

// emitReduceWindow makes running sums and the like in one go over each line, all else window by window.
func emitReduceWindow(e *Emission, in *hlo.Instruction) {
	a := in.Attrs.(*hlo.ReduceWindowAttrs)
	d, backward, ok := running(a.Window, in.Operands[0].Shape.Dims)
	_, simple := simpleOp(a.ToApply)
	rounded := simple && narrow(in.Operands[0].Shape.Type) && termsOf(a.Window) <= shortSum
	if !ok || rounded || backward && !simple || in.Shape.IsTuple() != (len(in.Operands) > 2) ||
		in.Operands[0].Shape.Dims[d] < runningFrom || in.Operands[0].Shape.Size() == 0 {
		emitLoop(e, in)
		return
	}
	r := &runningSum{e: e, in: in, c: a.ToApply, backward: backward, lines: linesAlong(in.Operands[0].Shape.Dims, d)}
	r.types = accumulatorTypes(r.c, len(in.Operands)/2, r.lines.n)
	r.emit()
}

// running reports whether each window is all elements of a dimension up to its place, or from there on.
func running(w hlo.Window, dims []int64) (d int, backward, ok bool) {
	d = -1
	for i, x := range w {
		n := dims[i]
		plain := max(x.Stride, 1) == 1 && max(x.BaseDilation, 1) == 1 && max(x.WindowDilation, 1) == 1 && !x.Reversal
		switch {
		case plain && x.Size == 1 && x.PadLow == 0 && x.PadHigh == 0:
		case d >= 0 || !plain || x.Size != n:
			return 0, false, false
		case x.PadLow == n-1 && x.PadHigh == 0:
			d = i
		case x.PadLow == 0 && x.PadHigh == n-1:
			d, backward = i, true
		default:
			return 0, false, false
		}
	}
	return max(d, 0), backward, d >= 0
}

// runningSum are the kernels of running sums: one, or three if there are few lines and they are long. Those reduce
// parts of lines, scan what came out, and scan each part from there on.
type runningSum struct {
	e        *Emission
	in       *hlo.Instruction
	c        *hlo.Computation
	types    []shape.ElementType // of the accumulators
	backward bool
	lines    lineOf
}

func (r *runningSum) emit() {
	b, g := r.body()
	s := newLineScan(b, r.c, r.types, r.lines)
	s.split()
	s.load = func(row, j string) []value { return r.elements(b, g, row, j) }
	s.store = func(row, j string, v []value) {
		place := r.place(b, row, j)
		for i, l := range leaves(r.in.Shape) {
			b.store(Buffer{Result, i}, b.flat(place), b.converted(v[i], l.Type))
		}
	}
	s.declare(g.inits(r.in, len(r.types)))
	if s.parts > 1 {
		partial := r.reduced(s)
		r.scanned(s, partial)
		s.startAt(func(row, part string) []value { return b.partial(partial, r.types, row, part, s.parts) })
	}
	r.e.add(s.kernel("running_" + r.c.Root.Op.String()))
}

func (r *runningSum) body() (*body, *graph) {
	b := newBody(r.e, sizesOf(r.in)...)
	return b, b.newGraphOf(r.in)
}

// reduced makes the kernel that reduces the parts of s, and returns where it puts what comes out.
func (r *runningSum) reduced(s *lineScan) []Buffer {
	list := &reductions{e: r.e, name: "running_parts", in: r.in, list: []reduction{{in: r.in, c: r.c, types: r.types}},
		graph: func(b *body) *graph { return b.newGraphOf(r.in) }}
	p := list.newPass(r.lines.count, r.lines.n, r.lines.stride > 1)
	p.part, p.parts = s.part, s.parts
	p.element = func(_ reduction, _ int, row, j string) []value { return r.elements(p.b, p.g, row, j) }
	partial := p.toParts()
	r.e.add(p.kernel())
	return partial[0]
}

// scanned makes the kernel that puts the running sums of parts in their place, the initial values before them.
func (r *runningSum) scanned(of *lineScan, partial []Buffer) {
	b, g := r.body()
	s := newLineScan(b, r.c, r.types, lineOf{n: of.parts, stride: 1, count: r.lines.count})
	s.load = func(row, j string) []value { return b.partial(partial, r.types, row, j, of.parts) }
	s.store = func(row, j string, v []value) {
		for i := range v {
			b.store(partial[i], b.integer(fmt.Sprintf("%s * %d + %s", row, of.parts, j)), v[i])
		}
	}
	s.declare(g.inits(r.in, len(r.types)))
	r.e.add(s.kernel("running_between"))
}

// place is that of element j of a line, counted from the end if the sums run backward.
func (r *runningSum) place(b *body, line, j string) index {
	if r.backward {
		j = b.integer(fmt.Sprintf("%d - %s", r.lines.n-1, j))
	}
	ix := r.lines.place(b, line, j)
	return index{flat: ix.flat, of: r.in.Operands[0].Shape.Dims}
}

func (r *runningSum) elements(b *body, g *graph, line, j string) []value {
	return g.elements(r.in, len(r.types), r.place(b, line, j))
}
