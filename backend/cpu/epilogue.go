package cpu

import (
	"slices"

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
}

// parts are a thunk in parts, and the thunk that comes before all of them, nil if none does.
type parts struct {
	before *thunk
	list   []piece
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

// lowerOutputFusion lowers a fusion that begins with a contraction: what follows is done to each part of its result
// while that is in cache, if it has parts, or else afterwards.
func lowerOutputFusion(l *exec.Lowering, c *hlo.Computation, first *hlo.Instruction) (exec.Thunk, error) {
	numbers := make([]int, len(first.Operands))
	for i, o := range first.Operands {
		numbers[i] = int(o.Attrs.(*hlo.ParameterAttrs).Number)
	}
	between := l.Result()
	f := newFused(l, slices.Clone(c.Root.Shape.Dims))
	for i, p := range c.Parameters {
		f.leaves[p] = l.Operand(i)
	}
	f.leaves[first] = between
	if err := f.addRoot(c.Root); err != nil {
		return nil, err
	}
	if !f.passesOver(between, c.Root.Shape.Type.Bytes()) {
		between = l.Scratch(first.Shape.Size() * int64(first.Shape.Type.Bytes()))
		f.replace(l.Result(), between)
	}
	x, err := lowerings[first.Op](l.Inner(first, numbers, between))
	if err != nil {
		return nil, err
	}
	contraction := x.(*thunk)
	if contraction.biased != nil {
		if bias, ok := f.takeBias(between, first.Shape.Dims[first.Shape.Rank()-1]); ok {
			contraction = contraction.biased(bias)
		}
		if f.nodes[f.roots[0]].op == hlo.Parameter && between == l.Result() {
			return contraction, nil
		}
	}
	then := f.thunk(l.Results()).(*thunk)
	kernel := contraction.kernel
	whole := sequence(contraction, then)
	whole.kernel = kernel
	if contraction.parts == nil || then.run != nil {
		return whole, nil
	}
	f.rows = false // pieces are places that are all alike
	p, ok := f.program(l.Results())
	if !ok {
		return whole, nil
	}
	var tasks [][]run.Record
	for _, part := range contraction.parts.list {
		q, ok := partOfProgram(p, part, between)
		if !ok {
			return whole, nil
		}
		tasks = append(tasks, []run.Record{part.record, q.Record(run.Level())})
	}
	t := recordThunk(kernel, whole.uses, gemm.Tasks(tasks)).keeping(whole)
	if before := contraction.parts.before; before != nil {
		t = sequence(before, t)
	}
	return t.calling(contraction.calls), nil
}

// passesOver reports whether f reads the array at s element by element, each where it writes one of so many bytes, so
// that its result may lie there too.
func (f *fused) passesOver(s exec.Slice, bytes int) bool {
	f.merge()
	return slices.Contains(f.overwritable(bytes), slices.Index(f.inputs, s))
}

// takeBias takes the addition of a number for each of the features, the innermost dimension, to the elements of the
// array at s out of f, if that is all that is done to them first, and returns where those numbers lie.
func (f *fused) takeBias(s exec.Slice, features int64) (exec.Slice, bool) {
	users := map[int][]int{}
	for i, nd := range f.nodes {
		for _, a := range nd.args {
			users[a] = append(users[a], i)
		}
	}
	for i, nd := range f.nodes {
		if nd.op != hlo.Parameter || f.inputs[nd.input] != s || len(users[i]) != 1 || slices.Contains(f.roots, i) {
			continue
		}
		sum := &f.nodes[users[i][0]]
		if sum.op != hlo.Add || sum.t != shape.F32 || sum.args[0] == sum.args[1] {
			return exec.Slice{}, false
		}
		b := f.nodes[sum.args[0]+sum.args[1]-i] // the other operand
		if b.op != hlo.Parameter || b.access.Offset != 0 || !isBias(b.access.Strides) ||
			f.dims[len(f.dims)-1] != features {
			return exec.Slice{}, false
		}
		*sum = nd
		f.order()
		return f.inputs[b.input], true
	}
	return exec.Slice{}, false
}

// isBias reports whether strides are those of an array along the innermost dimension of several.
func isBias(strides []int64) bool {
	last := len(strides) - 1
	return last > 0 && strides[last] == 1 && isConstant(tile.Access{Strides: strides[:last]})
}

// replace has f read the array at to instead of the one at from.
func (f *fused) replace(from, to exec.Slice) {
	if i := slices.Index(f.inputs, from); i >= 0 {
		f.inputs[i] = to
	}
}

// contracts reports whether in may begin a fusion.
func contracts(c, _ *hlo.Instruction) bool {
	return run.Available() && inPipeline(c.Shape.Type)
}

// contractionIn returns the contraction that a fusion begins with, nil if there is none.
func contractionIn(c *hlo.Computation) *hlo.Instruction {
	for _, in := range c.Instructions {
		if in.Op == hlo.Dot || in.Op == hlo.Convolution {
			return in
		}
	}
	return nil
}

// partOfProgram returns what p does to a part of the places, which must be whole rows of its innermost dimensions and
// read no more than their own places of the array between.
func partOfProgram(p *pipeline.Program, of piece, between exec.Slice) (*pipeline.Program, bool) {
	inner := int64(1)
	for _, d := range p.Dims[min(1, len(p.Dims)):] {
		inner *= d
	}
	if len(p.Dims) == 0 || of.from%inner != 0 || of.n%inner != 0 {
		return nil, false
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
			return nil, false
		case s.Kind == pipeline.Strided || s.Kind == pipeline.Iota:
			s.Offset += of.from / inner * s.Strides[0]
		}
	}
	for i := range q.Outputs {
		q.Outputs[i].Ref.Offset += of.from * int64(q.Outputs[i].Size)
	}
	return &q, true
}
