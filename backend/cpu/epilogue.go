package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/straight"
	"github.com/halo-xla/halo/backend/cpu/tile"
	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// piece is a record that computes n elements of a dense result, from one on, by itself and on one thread.
type piece struct {
	record  run.Record
	from, n int64
	// columns says that the elements lie in rows of so many, which begin row apart; 0: in one piece.
	columns, row int64
	// gates says that each element stands for so many of the contraction's, row apart in their row; 0: for itself.
	gates int64
	// apart is how many elements behind their places those of the contraction lie.
	apart int64
}

// parts are a thunk in parts, and the thunk that comes before all of them, nil if none does.
type parts struct {
	before *thunk
	list   []piece
	// apart returns the same list where neighbours in rows lie apart, in room for two results; nil: there is none.
	apart func() []piece
}

// pieces are the parts, apart if there are such and they are wanted.
func (p *parts) pieces(apart bool) []piece {
	if apart && p.apart != nil {
		return p.apart()
	}
	return p.list
}

// have reports whether each element that the pieces count stands for so many gates.
func (p *parts) have(gates int64) bool {
	return !slices.ContainsFunc(p.list, func(q piece) bool { return max(q.gates, 1) != max(gates, 1) })
}

// inParts says that the thunk is a record that can run in parts, if they make up all of a result of so many elements.
func (t *thunk) inParts(list []piece, elements int64) *thunk {
	slices.SortFunc(list, func(a, b piece) int { return int(a.from - b.from) })
	at := int64(0)
	for _, p := range list {
		if p.from != at {
			return t
		}
		at += p.n
	}
	if at == elements {
		t.parts = &parts{list: list}
	}
	return t
}

// apartBytes is how large a product is whose pieces of gates lie apart from their neighbours. A processor that goes
// through its own part of a row asks for what follows, which another is about to write: with two threads that took a
// fifth of a recurrent cell's time.
const apartBytes = 1 << 20

// lowerOutputFusion lowers a fusion that begins with a contraction: what follows is done to each part of its result
// while that is in cache, if it has parts, or else afterwards.
func lowerOutputFusion(l *exec.Lowering, c *hlo.Computation, first *hlo.Instruction) (exec.Thunk, error) {
	numbers := make([]int, len(first.Operands))
	for i, o := range first.Operands {
		numbers[i] = int(o.Attrs.(*hlo.ParameterAttrs).Number)
	}
	roots := c.Roots()
	between := l.Results()[0]
	f := newFused(l, slices.Clone(roots[0].Shape.Dims))
	for i, p := range c.Parameters {
		f.leaves[p] = l.Operand(i)
	}
	f.leaves[first] = between
	for _, r := range roots {
		if err := f.addRoot(r); err != nil {
			return nil, err
		}
	}
	gates := first.Shape.Size() / max(roots[0].Shape.Size(), 1)
	bytes := first.Shape.Size() * int64(first.Shape.Type.Bytes())
	apart := gates > 1 && bytes <= apartBytes
	if len(roots) > 1 || gates > 1 || !f.passesOver(between, c.Root.Shape.Type.Bytes()) {
		between = l.Scratch(bytes * pick[int64](apart, 2, 1))
		between.Size = bytes
		f.replace(l.Results()[0], between)
	}
	x, err := lowerings[first.Op](l.Inner(first, numbers, between))
	if err != nil {
		return nil, err
	}
	contraction := x.(*thunk)
	if gates > 1 && contraction.gated != nil {
		contraction = contraction.gated(int(gates))
	}
	if len(roots) == 1 || gates > 1 {
		contraction = f.take(contraction, between, first.Shape.Dims)
		if gates == 1 && f.nodes[f.roots[0]].op == hlo.Parameter && between == l.Result() {
			return contraction, nil
		}
	}
	then := f.thunk(l.Results()).(*thunk)
	kernel := contraction.kernel
	whole := sequence(contraction, then)
	whole.kernel = kernel
	whole.inPlace = then.besides(contraction, between)
	byRows := first.Op == hlo.Transpose && f.inRows() // a piece is places that are all alike
	if contraction.parts == nil || then.run != nil || !contraction.parts.have(gates) || byRows {
		return whole, nil
	}
	tasks, ok := f.after(contraction.parts.pieces(apart), between, l.Results())
	if !ok {
		return whole, nil
	}
	t := recordThunk(kernel, whole.uses, gemm.Tasks(tasks)).keeping(whole).overwriting(whole.inPlace...)
	if before := contraction.parts.before; before != nil {
		t = sequence(before, t)
	}
	return t.calling(contraction.calls), nil
}

// besides are the results of t that may have the memory of an operand when a contraction comes first: it reads other
// arrays, and its own result lies elsewhere.
func (t *thunk) besides(contraction *thunk, between exec.Slice) (pairs []exec.Pair) {
	for _, p := range t.inPlace {
		touches := func(u exec.Use) bool { return u.Slice.Slot == p.Operand || u.Slice.Slot == p.Result }
		if p.Operand != between.Slot && !slices.ContainsFunc(contraction.uses, touches) {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// after returns the tasks of a contraction whose result lies between, each of a piece and of what f does to it.
func (f *fused) after(list []piece, between exec.Slice, results []exec.Slice) (tasks [][]run.Record, ok bool) {
	f.rows = false // pieces are places that are all alike
	p, ok := f.program(results)
	if ok {
		p.Made = straight.Make(p, run.Level())
	}
	for _, part := range list {
		if !ok {
			return nil, false
		}
		var r run.Record
		if part.columns > 0 {
			r, ok = f.recordOf(part, between, results)
		} else {
			r, ok = recordOfProgram(p, part, between)
		}
		tasks = append(tasks, []run.Record{part.record, r})
	}
	return tasks, ok
}

// passesOver reports whether f reads the array at s element by element, each where it writes one of so many bytes, so
// that its result may lie there too.
func (f *fused) passesOver(s exec.Slice, bytes int) bool {
	f.merge()
	return slices.Contains(f.overwritable(bytes), slices.Index(f.inputs, s))
}

// replace has f read the array at to instead of the one at from.
func (f *fused) replace(from, to exec.Slice) {
	if i := slices.Index(f.inputs, from); i >= 0 {
		f.inputs[i] = to
	}
}

// contracts reports whether c may begin a fusion that ends with in.
func contracts(c, in *hlo.Instruction) bool {
	return run.Available() && inPipeline(c.Shape.Type) && (c.Op != hlo.Transpose || turns(c, in))
}

// contractionIn returns the contraction that a fusion begins with, or the transposition, nil if there is none. Others
// than pass.Epilogue's choose elements by transpositions.
func contractionIn(a *hlo.FusionAttrs) *hlo.Instruction {
	for _, in := range a.Calls.Instructions {
		if in.Op == hlo.Dot || in.Op == hlo.Convolution || in.Op == hlo.Transpose && a.Kind == "kOutput" {
			return in
		}
	}
	return nil
}

// recordOfProgram returns what p does to a part of the places, which must be whole rows of its innermost dimensions and
// read no more than their own places of the array between.
func recordOfProgram(p *pipeline.Program, of piece, between exec.Slice) (r run.Record, ok bool) {
	inner := shape.Product(p.Dims[min(1, len(p.Dims)):])
	if len(p.Dims) == 0 || of.from%inner != 0 || of.n%inner != 0 {
		return r, false
	}
	q := *p
	q.Dims, q.Task = slices.Clone(p.Dims), (of.n+127)/128*128
	q.Dims[0] = of.n / inner
	q.Inputs, q.Outputs = slices.Clone(p.Inputs), slices.Clone(p.Outputs)
	for i := range q.Inputs {
		s := &q.Inputs[i]
		switch {
		case s.Kind == pipeline.Linear:
			s.Offset += of.from
		case s.Kind == pipeline.Strided && s.Ref == ref(between):
			return r, false
		case s.Kind == pipeline.Strided || s.Kind == pipeline.Iota:
			s.Offset += of.from / inner * s.Strides[0]
		}
	}
	for i := range q.Outputs {
		q.Outputs[i].Ref.Offset += of.from * int64(q.Outputs[i].Size)
	}
	return q.Record(run.Level()), true
}

// recordOf returns what f does to a part of the places that is some columns of some rows, and reads no more than their
// own places of the array between.
func (f *fused) recordOf(part piece, between exec.Slice, results []exec.Slice) (r run.Record, ok bool) {
	g, ok := f.split(part.row)
	rows := part.n / part.columns
	if !ok || g.lead != 1 && rows*part.row != shape.Strides(g.dims)[0]*g.dims[0] {
		return r, false
	}
	x, y := part.from/part.row, part.from%part.row
	for i := range g.nodes {
		nd := &g.nodes[i]
		if nd.op == hlo.Parameter && g.inputs[nd.input] == between {
			if !part.has(g.dims, nd.access) {
				return r, false
			}
			nd.access.Offset += part.apart
		}
		if nd.access.Strides != nil {
			nd.access.Offset += x*nd.access.Strides[0] + y*nd.access.Strides[g.lead]
		}
	}
	g.out = &tile.Access{Offset: part.from, Strides: shape.Strides(g.dims)}
	if g.lead == 1 {
		g.dims[0] = rows
	}
	g.dims[g.lead] = part.columns
	p, ok := g.rowProgram(results)
	if !ok {
		return r, false
	}
	return p.Record(run.Level()), true
}

// has reports whether an access to the array between reads no more than what a piece of rows computes: their own
// places, or those of one gate.
func (p *piece) has(dims []int64, a tile.Access) bool {
	if p.gates == 0 {
		return inOrder(dims, a)
	}
	last := len(dims) - 1
	wide := slices.Clone(dims)
	wide[last] *= p.gates
	return a.Offset%dims[last] == 0 && a.Offset < wide[last] && slices.Equal(a.Strides, shape.Strides(wide))
}

// split is f with rows of n elements as its last dimension, if all it reads allows that.
func (f *fused) split(n int64) (*fused, bool) {
	g := *f
	last := len(f.dims) - 1
	if last < 0 || f.dims[last]%n != 0 {
		return nil, false
	}
	g.dims = slices.Clone(f.dims)
	g.dims[last] = n
	if rows := f.dims[last] / n; rows > 1 || last == 0 {
		g.dims = slices.Insert(g.dims, last, rows)
	}
	g.rows, g.lead, g.nodes = true, len(g.dims)-1, slices.Clone(f.nodes)
	for i := range g.nodes {
		if a := &g.nodes[i].access; a.Strides != nil {
			a.Strides = slices.Clone(a.Strides)
			if len(a.Strides) < len(g.dims) {
				a.Strides = slices.Insert(a.Strides, last, a.Strides[last]*n)
			}
		}
	}
	return &g, true
}
