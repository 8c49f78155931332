package emit

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// scatter is a scatter of n arrays. Its windows are those of the index vectors, of which there are count.
type scatter struct {
	e       *Emission
	in      *hlo.Instruction
	a       *hlo.ScatterAttrs
	n       int
	operand []int64 // sizes
	updates []int64
	starts  *hlo.Instruction
	batch   []int64 // dimensions of the updates that count index vectors
	sizes   []int64 // of those
	window  []int64 // sizes of a window, by dimensions of the operand
	count   int64
}

func newScatter(e *Emission, in *hlo.Instruction) *scatter {
	n := len(in.Operands) / 2
	s := &scatter{e: e, in: in, a: in.Attrs.(*hlo.ScatterAttrs), n: n, operand: in.Operands[0].Shape.Dims,
		updates: in.Operands[n+1].Shape.Dims, starts: in.Operands[n], count: 1}
	for d, size := range s.updates {
		if !slices.Contains(s.a.UpdateWindowDims, int64(d)) {
			s.batch, s.sizes = append(s.batch, int64(d)), append(s.sizes, size)
			s.count *= size
		}
	}
	k := 0
	for d := range s.operand {
		size := int64(1)
		if !s.isPoint(int64(d)) {
			size = s.updates[s.a.UpdateWindowDims[k]]
			k++
		}
		s.window = append(s.window, size)
	}
	return s
}

// isPoint reports whether windows have no dimension for one of the operand.
func (s *scatter) isPoint(d int64) bool {
	return slices.Contains(s.a.InsertedWindowDims, d) || slices.Contains(s.a.InputBatchingDims, d)
}

// disjoint reports whether windows that begin at different places have nothing in common.
func (s *scatter) disjoint() bool {
	for _, d := range s.a.ScatterDimsToOperandDims {
		if s.window[d] != 1 {
			return false
		}
	}
	return true
}

// few is how many index vectors each element of the result may look through for its updates.
const few = 16

// emitScatter applies the updates of each element in their order: where there are few, each element looks through all;
// where the result is small, blocks take in slices of them; else they are sorted by where they go. No order is needed
// where it does not show in the bits.
func emitScatter(e *Emission, in *hlo.Instruction) {
	s := newScatter(e, in)
	same := true
	for i, l := range leaves(in.Shape) {
		same = same && l.Type == in.Operands[i].Shape.Type
	}
	meet, meets := s.meet()
	switch sliced := s.newSliced(); {
	case shape.Product(s.updates) == 0 && same:
		s.copies()
	case s.count <= few || !same:
		emitOutputs(e, in, "scatter", s.outputs)
	case s.a.UniqueIndices:
		s.each("")
	case sliced != nil:
		sliced.emit()
	case meets:
		s.each(meet)
	case !s.disjoint():
		emitOutputs(e, in, "scatter", s.outputs)
	default:
		s.copies()
		s.sorted()
	}
}

// copies makes the results what the operands are, unless they lie on them.
func (s *scatter) copies() {
	for i := range s.n {
		o := s.in.Operands[i].Shape
		s.e.copy(Buffer{Result, i}, Buffer{Operand, i}, o.Size()*int64(o.Type.Bytes()))
		s.e.InPlace = append(s.e.InPlace, Alias{i, i})
	}
}

// place is where the window of an index vector starts, by dimensions of the operand, and the conditions under which all
// of it lies there.
func (s *scatter) place(b *body, g *graph, vector []string) (start, conditions []string) {
	start = slices.Repeat([]string{"0"}, len(s.operand))
	for k, d := range s.a.ScatterDimsToOperandDims {
		v := g.at(s.starts, indexVector(s.starts.Shape.Dims, vector, s.a.IndexVectorDim, k))
		conditions = append(conditions, fmt.Sprintf("inside(%s, %d)", v.text, s.operand[d]-s.window[d]))
		start[d] = b.integer(fmt.Sprintf("(%s)%s", b.ix, v.text))
	}
	for k, d := range s.a.InputBatchingDims {
		start[d] = vector[batchPosition(s.a.ScatterIndicesBatchingDims[k], s.a.IndexVectorDim)]
	}
	return start, conditions
}

// update is the place in the updates of a window's element, by its coordinates in the operand's dimensions.
func (s *scatter) update(vector, offset []string) index {
	dims := make([]string, len(s.updates))
	for i, d := range s.batch {
		dims[d] = vector[i]
	}
	k := 0
	for d := range s.operand {
		if !s.isPoint(int64(d)) {
			dims[s.a.UpdateWindowDims[k]] = offset[d]
			k++
		}
	}
	return at(s.updates, dims)
}

// fold puts the updates at a place into accumulators.
func (s *scatter) fold(b *body, g *graph, acc []value, ix index) {
	held := make([]value, 2*s.n)
	for i := range s.n {
		held[i] = b.frozen(acc[i].t, acc[i].text)
		held[s.n+i] = g.at(s.in.Operands[s.n+1+i], ix)
	}
	out := b.apply(s.a.ToApply, held)
	for i := range out {
		out[i] = b.converted(out[i], acc[i].t)
	}
	b.assign(acc, out)
}

// outputs are the results, each element of which looks through all index vectors.
func (s *scatter) outputs(b *body) []output {
	g := b.newGraphOf(s.in)
	all := func(ix index) []value {
		if v := b.find("scatter " + ix.key()); v != nil {
			return v
		}
		return b.keep("scatter "+ix.key(), s.element(b, g, ix))
	}
	var list []output
	for k, l := range leaves(s.in.Shape) {
		list = append(list, output{k, l, func(ix index) value { return all(ix)[k] }})
	}
	return list
}

func (s *scatter) element(b *body, g *graph, ix index) []value {
	var acc []value
	for i, l := range leaves(s.in.Shape) {
		acc = append(acc, b.variable(b.converted(g.at(s.in.Operands[i], ix), l.Type)))
	}
	dims := b.coordinates(ix)
	vector := make([]string, len(s.sizes))
	for i, n := range s.sizes {
		vector[i] = b.loop(n)
	}
	start, conditions := s.place(b, g, vector)
	b.open("if (%s) {", always(conditions))
	offset := make([]string, len(dims))
	conditions = nil
	for d := range dims {
		offset[d] = b.integer(differ(dims[d], start[d]))
		if s.window[d] < s.operand[d] || start[d] != "0" {
			conditions = append(conditions, fmt.Sprintf("%s >= 0 && %s < %d", offset[d], offset[d], s.window[d]))
		}
	}
	b.open("if (%s) {", always(conditions))
	s.fold(b, g, acc, s.update(vector, offset))
	b.closes(2 + len(s.sizes))
	for i := range acc {
		acc[i] = b.frozen(acc[i].t, acc[i].text)
	}
	return acc
}

// always is what conditions say together; none say yes.
func always(conditions []string) string {
	if len(conditions) == 0 {
		return "true"
	}
	return joined(conditions)
}

// sorted sorts the windows by where they start; then a thread for each element of a window goes through all windows
// that start at one place. Windows that are promised to be in order are left there.
func (s *scatter) sorted() {
	w := &windows{scatter: s, order: &sorter{e: s.e, name: "scatter", n: s.count, lines: 1}}
	switch {
	case s.a.IndicesAreSorted:
		w.places()
	case s.count <= 4*local && shape.Product(w.open()) < 1<<32:
		s.e.add(w.inBlock())
	default:
		w.byDigits()
	}
	s.apply(w)
}

// apply goes through the sorted windows.
func (s *scatter) apply(w *windows) {
	if _, ok := s.simple(); ok && !narrow(s.typeOf()) {
		s.runs(w)
		return
	}
	size := shape.Product(s.window)
	b := newBody(s.e, append(sizesOf(s.in), s.count*size)...)
	g := b.newGraphOf(s.in)
	b.threads(s.count * size)
	b.line("const %s s = t / %d, w = t %% %d;", b.ix, size, size)
	number, start := w.order.number(b), w.start(b)
	b.line("const u64 to = %s;", start("s"))
	b.line("if (to == ~0ull) return;")
	last := num(s.count)
	if s.overwrites() {
		b.line("if (s + 1 < %d && %s == to) return;", s.count, start("s + 1"))
		last = "s + 1"
	} else {
		b.line("if (s > 0 && %s == to) return;", start("s - 1"))
	}
	offset := b.coordinates(index{flat: "w", of: s.window})
	b.line("const %s place = (%s)to + %s;", b.ix, b.ix, b.flat(at(s.operand, offset)))
	acc := s.load(b)
	b.open("for (%s q = s; q < %s && %s == to; q++) {", b.ix, last, start("q"))
	b.line("const %s n = %s;", b.ix, number("q"))
	s.fold(b, g, acc, s.update(b.coordinates(index{flat: "n", of: s.sizes}), offset))
	b.close("}")
	s.save(b, acc)
	s.e.add(b.kernel("scatter_apply", ceil(s.count*size, blockSize), blockSize))
}
