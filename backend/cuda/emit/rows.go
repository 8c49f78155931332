package emit

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
)

// rowFusion is a fusion that reduces rows, spreads what comes out over them, and perhaps reduces again: softmax,
// normalisations. The threads of a row go through it once for each reduction, and once for the results.
type rowFusion struct {
	in           *hlo.Instruction
	c            *hlo.Computation
	reduces      []*hlo.Instruction
	rows, length int64
	lead, row    []int64 // sizes of the dimensions that count rows, and of those of a row
	// taken are the places of a thread's elements in a row, if they are few: it computes them once.
	taken []string
	b     *body
	g     *graph
}

// fuseRows makes the kernel of a fusion over rows, and reports whether it is one.
func fuseRows(e *Emission, in *hlo.Instruction, c *hlo.Computation) bool {
	f := &rowFusion{in: in, c: c}
	for _, i := range c.Instructions {
		if i.Op == hlo.Reduce && !f.takes(i) {
			return false
		}
	}
	for _, s := range leaves(c.Root.Shape) {
		if n := s.Size(); n != f.rows*f.length && n != f.rows {
			return false
		}
	}
	if len(f.reduces) == 0 || f.length < 2 || f.rows == 0 {
		return false
	}
	f.b = newBody(e, sizesOf(in)...)
	f.g = f.b.newGraphOf(in).inner(in, c)
	e.add(f.kernel(e))
	return true
}

// takes adds a reduction, and reports whether its rows are those of the others.
func (f *rowFusion) takes(in *hlo.Instruction) bool {
	r := &reductions{in: in}
	r.add(in, 0)
	if in.Shape.IsTuple() || !r.trailing() {
		return false
	}
	if len(f.reduces) == 0 {
		f.rows, f.length, f.lead, f.row = r.rows, r.length, r.kept, r.reduced
	}
	f.reduces = append(f.reduces, in)
	return r.rows == f.rows && r.length == f.length
}

func (f *rowFusion) kernel(e *Emission) *Kernel {
	b := f.b
	r := &reductions{e: e, in: f.in, rows: f.rows, length: f.length, graph: func(*body) *graph { return f.g }}
	p := r.newPass(f.rows, f.length, false)
	if p.lanes == blockSize && f.rows <= wave && f.length >= 8*blockSize { // a processor has nothing else to do
		p.lanes *= 2
	}
	p.b, p.g = b, f.g
	p.element = func(x reduction, _ int, _, j string) []value {
		return f.g.elements(x.in, 1, f.b.as(f.place(j), x.in.Operands[0].Shape.Dims))
	}
	b.line("const s32 lane = threadIdx.x %% %d, line = threadIdx.x / %d;", p.lanes, p.lanes)
	f.take(p)
	for _, in := range f.reduces {
		f.reduce(p, in)
	}
	if f.taken != nil {
		f.takenResults(p)
	} else {
		f.results(p)
	}
	return b.kernel("rows_"+fusionName(f.c), ceil(f.rows, p.width), int(p.lanes*p.width))
}

// place is that of element j of the row in arrays of whole rows.
func (f *rowFusion) place(j string) index {
	dims := append([]string{}, f.leadPlace().dims...)
	dims = append(dims, f.b.coordinates(index{flat: j, of: f.row})...)
	ix := at(append(append([]int64{}, f.lead...), f.row...), dims)
	ix.flat = f.b.integer(plus(times("row", f.length), j))
	return ix
}

// leadPlace is the row's place in arrays of an element for each row.
func (f *rowFusion) leadPlace() index {
	return index{flat: "row", dims: f.b.coordinates(index{flat: "row", of: f.lead}), of: f.lead}
}

// reduce reduces a row; all of its threads know what comes out.
func (f *rowFusion) reduce(p *linePass, in *hlo.Instruction) {
	b, a := f.b, in.Attrs.(*hlo.ReduceAttrs)
	x := reduction{in: in, c: a.ToApply, types: accumulatorTypes(a.ToApply, 1, manyTerms)}
	p.r.list, p.acc, p.shared = []reduction{x}, nil, nil
	total, t := b.name("total"), ctypes[x.types[0]].value
	b.need(ctypes[x.types[0]].uses)
	b.line("%s %s;", t, total)
	elements := f.takenElements(p, x)
	b.open("{")
	p.declare()
	if f.taken != nil {
		f.fold(p, x, elements)
	} else {
		b.open("if (row < %d) {", f.rows)
		p.accumulate("0", num(f.length))
		b.close("}")
	}
	p.tree("0", num(f.length))
	init := b.converted(f.g.at(in.Operands[1], scalar()), x.types[0])
	out := b.plain(b.combine(x.c, []value{init}, []value{b.frozen(x.types[0], p.acc[0][0].text)})[0])
	b.line("%s = lane_first(%s, %d);", total, out.text, min(p.lanes, 32)) // rows always are whole warps or parts of one
	b.close("}")
	v := b.converted(b.frozen(x.types[0], total), in.Shape.Type)
	f.g.args[in] = []source{func(index) value { return v }}
}

// results stores the results: those of whole rows, and those of an element for each.
func (f *rowFusion) results(p *linePass) {
	b := f.b
	b.line("if (row >= %d) return;", f.rows)
	f.leadPlace()
	b.rounds("", fmt.Sprintf("for (%s j = lane; j < %d; j += %d) {", b.ix, f.length, p.lanes), func() {
		f.store(f.place("j"), f.rows*f.length)
	})
	b.open("if (lane == 0) {")
	f.store(f.leadPlace(), f.rows)
	b.close("}")
}

// store computes and stores the results of n elements at a place.
func (f *rowFusion) store(ix index, n int64) {
	list, leaf := f.values(ix, n)
	for i, v := range list {
		f.b.store(Buffer{Result, leaf[i]}, f.b.flat(ix), v)
	}
}

// values computes the results of n elements at a place, and says which they are.
func (f *rowFusion) values(ix index, n int64) (list []value, leaf []int) {
	for k, s := range leaves(f.c.Root.Shape) {
		if s.Size() == n {
			list, leaf = append(list, f.g.leaf(f.c.Root, k, f.b.as(ix, s.Dims))), append(leaf, k)
		}
	}
	return list, leaf
}

// nested reports whether a fused computation has ops that take a loop for each element: they are better alone.
func nested(c *hlo.Computation) (hlo.Opcode, bool) {
	for _, in := range c.Instructions {
		if heavy(in) {
			return in.Op, true
		}
		if f, ok := in.Attrs.(*hlo.FusionAttrs); ok {
			if op, yes := nested(f.Calls); yes {
				return op, true
			}
		}
	}
	return 0, false
}

// rowsAre reports whether a reduction's rows are of a length that one block should go through.
func rowsAre(in *hlo.Instruction) bool {
	if in.Shape.IsTuple() {
		return false
	}
	r := &reductions{in: in}
	r.add(in, 0)
	return r.trailing() && r.length > 1 && (r.length <= 1<<14 || r.length <= 1<<18 && r.rows >= 128)
}
