package emit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// accumulators declares accumulators that hold inits, for some number of terms.
func (b *body) accumulators(c *hlo.Computation, inits []value, terms int64) []value {
	var out []value
	for i, t := range accumulatorTypes(c, len(inits), terms) {
		out = append(out, b.variable(b.converted(inits[i], t)))
	}
	return out
}

// manyTerms stands for the terms of reductions in shares, which are not rounded at each step.
const manyTerms = math.MaxInt64

// accumulatorTypes are the types in which c accumulates n values of so many terms. Simple sums of narrow floats are
// accumulated in f32 and rounded once, but for short ones, which are rounded at each step.
func accumulatorTypes(c *hlo.Computation, n int, terms int64) []shape.ElementType {
	list := make([]shape.ElementType, n)
	for i := range list {
		list[i] = c.Parameters[i].Shape.Type
		if _, ok := simpleOp(c); ok && narrow(list[i]) && terms > shortSum {
			list[i] = shape.F32
		}
	}
	return list
}

// simpleOp returns the op of a computation that is nothing but a commutative and associative op on its parameters.
func simpleOp(c *hlo.Computation) (hlo.Opcode, bool) {
	r := c.Root
	switch r.Op {
	case hlo.Add, hlo.Multiply, hlo.Maximum, hlo.Minimum, hlo.And, hlo.Or, hlo.Xor:
	default:
		return 0, false
	}
	if len(c.Parameters) != 2 {
		return 0, false
	}
	p, q, x, y := c.Parameters[0], c.Parameters[1], r.Operands[0], r.Operands[1]
	return r.Op, (x == p && y == q || x == q && y == p) && p.Shape.IsScalar() && q.Shape.IsScalar() &&
		r.Shape.Type == p.Shape.Type && q.Shape.Type == p.Shape.Type
}

// combine returns what c makes of accumulators and values.
func (b *body) combine(c *hlo.Computation, acc, v []value) []value {
	if op, ok := simpleOp(c); ok && len(acc) == 1 {
		return []value{b.operation(op, acc[0].t, []value{b.plain(acc[0]), b.plain(b.converted(v[0], acc[0].t))})}
	}
	out := b.apply(c, append(slices.Clone(acc), v...))
	for i := range out {
		out[i] = b.converted(out[i], acc[i].t)
	}
	return out
}

// fold puts what c makes of accumulators and values into the accumulators.
func (b *body) fold(c *hlo.Computation, acc, v []value) {
	held := make([]value, len(acc))
	for i, a := range acc {
		held[i] = b.frozen(a.t, a.text)
	}
	b.assign(acc, b.combine(c, held, v))
}

func (b *body) assign(to, from []value) {
	for i, v := range from {
		b.line("%s = %s;", to[i].text, b.plain(v).text)
	}
}

// loop opens a loop over numbers below n and returns the number's name.
func (b *body) loop(n int64) string { return b.loopFrom("0", num(n)) }

func (b *body) loopFrom(first, end string) string {
	i := b.name("i")
	if first == "0" && end == "1" {
		b.open("{")
		return "0"
	}
	if b.rolled {
		b.line("#pragma unroll 1")
	}
	b.open("for (%s %s = %s; %s < %s; %s++) {", b.ix, i, first, i, end, i)
	return i
}

// closes closes n blocks.
func (b *body) closes(n int) {
	for range n {
		b.close("}")
	}
}

// inits are the initial values, which follow n operands.
func (g *graph) inits(in *hlo.Instruction, n int) []value {
	out := make([]value, n)
	for i := range out {
		out[i] = g.at(in.Operands[n+i], scalar())
	}
	return out
}

// reduceElement goes through all elements that go into one result.
func reduceElement(g *graph, in *hlo.Instruction, ix index) []value {
	a, n, b := in.Attrs.(*hlo.ReduceAttrs), len(in.Operands)/2, g.b
	kept, of := b.coordinates(ix), in.Operands[0].Shape.Dims
	acc := b.accumulators(a.ToApply, g.inits(in, n), shape.Product(of)/max(leaves(in.Shape)[0].Size(), 1))
	dims := make([]string, len(of))
	opened := 0
	for d, size := range of {
		if slices.Contains(a.Dimensions, int64(d)) {
			dims[d] = b.loop(size)
			opened++
		} else {
			dims[d], kept = kept[0], kept[1:]
		}
	}
	b.fold(a.ToApply, acc, g.elements(in, n, at(of, dims)))
	b.closes(opened)
	return b.results(in, acc)
}

// elements are those of the first n operands.
func (g *graph) elements(in *hlo.Instruction, n int, ix index) []value {
	out := make([]value, n)
	for i := range out {
		out[i] = g.at(in.Operands[i], ix)
	}
	return out
}

// results are what accumulators hold, in the types of in's results.
func (b *body) results(in *hlo.Instruction, acc []value) []value {
	out := make([]value, len(acc))
	for i, s := range leaves(in.Shape) {
		out[i] = b.converted(b.frozen(acc[i].t, acc[i].text), s.Type)
	}
	return out
}

// tap is the place in an array of size n that element k of a window at place p reads along one dimension, and the
// conditions under which there is one.
func (b *body) tap(w hlo.WindowDim, n int64, p, k string) (string, []string) {
	if w.Reversal {
		k = b.integer(differ(num(w.Size-1), k))
	}
	base := max(w.BaseDilation, 1)
	x := plus(times(p, max(w.Stride, 1)), times(k, max(w.WindowDilation, 1)))
	x = b.integer(plus(x, num(-w.PadLow)))
	var conditions []string
	if w.PadLow > 0 {
		conditions = append(conditions, x+" >= 0")
	}
	if base > 1 {
		conditions = append(conditions, fmt.Sprintf("%s %% %d == 0", x, base))
		x = b.integer(over(x, base))
	}
	if w.PadHigh > 0 || n == 0 {
		conditions = append(conditions, fmt.Sprintf("%s < %d", x, n))
	}
	return x, conditions
}

// taps opens loops over a window and returns the place that is read, and how many blocks are open.
func (b *body) taps(w hlo.Window, of []int64, dims []string) ([]string, int) {
	out := make([]string, len(w))
	opened := 0
	for d := range w {
		k := b.loop(w[d].Size)
		x, conditions := b.tap(w[d], of[d], dims[d], k)
		opened++
		if len(conditions) > 0 {
			b.open("if (%s) {", strings.Join(conditions, " && "))
			opened++
		}
		out[d] = x
	}
	return out, opened
}

// termsOf is the number of elements of a window.
func termsOf(w hlo.Window) int64 {
	n := int64(1)
	for _, d := range w {
		n *= d.Size
	}
	return n
}

// reduceWindow goes through the elements of a window.
func reduceWindow(g *graph, in *hlo.Instruction, ix index) []value {
	a, n, b := in.Attrs.(*hlo.ReduceWindowAttrs), len(in.Operands)/2, g.b
	acc := b.accumulators(a.ToApply, g.inits(in, n), termsOf(a.Window))
	of := in.Operands[0].Shape.Dims
	dims, opened := b.taps(a.Window, of, b.coordinates(ix))
	b.fold(a.ToApply, acc, g.elements(in, n, at(of, dims)))
	b.closes(opened)
	return b.results(in, acc)
}

// selectAndScatter goes through the windows that hold an element, and takes in the source where the element is chosen.
func selectAndScatter(g *graph, in *hlo.Instruction, ix index) []value {
	a, b := in.Attrs.(*hlo.SelectAndScatterAttrs), g.b
	operand, source := in.Operands[0], in.Operands[1]
	t := a.Scatter.Root.Shape.Type
	own, dims := b.flat(ix), b.coordinates(ix)
	acc := b.variable(b.converted(g.at(in.Operands[2], scalar()), t))
	window := make([]string, len(dims))
	opened := len(dims)
	for d, w := range a.Window {
		window[d] = b.windowsOf(w, source.Shape.Dims[d], dims[d])
	}
	chosen := b.chosen(g, a, operand, window)
	b.open("if (%s == %s) {", chosen, own)
	held := b.frozen(t, acc.text)
	v := b.converted(g.at(source, at(source.Shape.Dims, window)), t)
	b.assign([]value{acc}, []value{b.converted(b.apply(a.Scatter, []value{held, v})[0], t)})
	b.close("}")
	b.closes(opened)
	return []value{b.frozen(t, acc.text)}
}

// windowsOf opens a loop over the places along a dimension at which windows hold element x.
func (b *body) windowsOf(w hlo.WindowDim, places int64, x string) string {
	stride, reach := max(w.Stride, 1), (w.Size-1)*max(w.WindowDilation, 1)
	p := b.integer(fmt.Sprintf("(%s)%s * %d + %d", b.ix, x, max(w.BaseDilation, 1), w.PadLow))
	first := b.integer(fmt.Sprintf("%s > %d ? (%s - %d) / %d : 0", p, reach, p, reach-stride+1, stride))
	end := b.integer(fmt.Sprintf("x_min(%s / %d + 1, (%s)%d)", group(p), stride, b.ix, places))
	return b.loopFrom(first, fmt.Sprintf("(%s < 0 ? 0 : %s)", p, end))
}

// chosen finds the element of a window that select prefers, -1 for an empty window.
func (b *body) chosen(g *graph, a *hlo.SelectAndScatterAttrs, operand *hlo.Instruction, window []string) string {
	best, of := b.name("best"), operand.Shape.Dims
	b.line("%s %s = -1;", b.ix, best)
	b.need(ctypes[operand.Shape.Type].uses)
	kept := b.name("w")
	b.line("%s %s = {};", ctypes[operand.Shape.Type].value, kept)
	dims, opened := b.taps(a.Window, of, window)
	v := b.plain(g.at(operand, at(of, dims)))
	taken := b.name("w")
	b.line("bool %s = %s < 0;", taken, best)
	b.open("if (!%s) {", taken)
	b.line("%s = !%s;", taken, b.apply(a.Select, []value{b.frozen(v.t, kept), v})[0].text)
	b.close("}")
	b.open("if (%s) {", taken)
	b.line("%s = %s;", best, b.flat(at(of, dims)))
	b.line("%s = %s;", kept, v.text)
	b.close("}")
	b.closes(opened)
	return best
}
