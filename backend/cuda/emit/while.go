package emit

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// What a loop may have at most to be one kernel: elements of an array that changes, bytes of all those in shared
// memory, which has them twice, bytes of one that stays, and terms of a sum; and how many lines of C a thread may go
// through in a round, as often as it has elements.
const (
	maxCarried       = 4096
	maxCarriedBytes  = 40 << 10
	maxHandedOnBytes = 64 << 10
	maxTermsWithin   = 64
	maxRoundLines    = 1500
)

// How many threads a loop has at most, and one of more instructions than some: so that these stay in registers.
const (
	maxLoopThreads   = 512
	maxThreadsOfMany = 256
	manyInstructions = 48
)

// How many rounds pass until a loop looks whether it shall end: that is memory of the host, which is far.
const (
	roundsAlone    = 1024
	roundsTogether = 64
)

// While returns what runs the loop in as one kernel: of one thread if its state is scalars, else of one block that has
// the state in shared memory. It fails with errors.ErrUnsupported where that is not possible, or would take longer than
// a kernel for each step.
func While(in *hlo.Instruction) (*Emission, error) {
	return emission(in, func(e *Emission, in *hlo.Instruction) {
		w := newWhole(e, in)
		w.check()
		w.copies()
		e.add(w.kernel())
	})
}

// whole is a loop that is one kernel.
type whole struct {
	b     *body
	a     *hlo.WhileAttrs
	state []*carried
	block int64
}

// carried is an array of a loop's state.
type carried struct {
	shape shape.Shape
	stays bool   // the body hands it on as it is
	v     value  // the variable of a scalar
	name  string // the shared memory of an array
}

func newWhole(e *Emission, in *hlo.Instruction) *whole {
	w := &whole{b: newBody(e, sizesOf(in)...), a: in.Attrs.(*hlo.WhileAttrs), block: 1}
	w.b.lookup, w.b.alone = true, true
	most := int64(maxLoopThreads)
	if countWithin(w.a.Condition)+countWithin(w.a.Body) > manyInstructions {
		most = maxThreadsOfMany
	}
	for k, s := range leaves(in.Shape) {
		c := &carried{shape: s, stays: w.handsOn(k)}
		if n := s.Size(); !c.stays && n > 1 {
			w.block = max(w.block, min(32*ceil(n, 32), most))
		}
		w.state = append(w.state, c)
	}
	return w
}

// handsOn reports whether the body leaves leaf k of the state as it is.
func (w *whole) handsOn(k int) bool {
	root, p := w.a.Body.Root, w.a.Body.Parameters[0]
	if root.Op != hlo.Tuple {
		return root == p
	}
	for i, o := range root.Operands {
		if n := o.Shape.LeafCount(); k >= n {
			k -= n
			continue
		}
		a, ok := o.Attrs.(*hlo.GetTupleElementAttrs)
		return ok && o.Operands[0] == p && int(a.Index) == i
	}
	return false
}

// check refuses what is too large for one block.
func (w *whole) check() {
	bytes := int64(0)
	for _, c := range w.state {
		n, size := c.shape.Size(), c.shape.Size()*int64(c.shape.Type.Bytes())
		if n == 0 || !c.stays && n > maxCarried || c.stays && size > maxHandedOnBytes {
			refuse("a loop over %v", c.shape)
		}
		if !c.stays && n > 1 {
			bytes += 2 * size
		}
	}
	if bytes > maxCarriedBytes {
		refuse("a loop over %d bytes", bytes)
	}
	checkWithin(w.a.Condition)
	checkWithin(w.a.Body)
}

// checkWithin refuses computations that one block does not do as it goes round.
func checkWithin(c *hlo.Computation) {
	for _, in := range c.Instructions {
		if in.HasSideEffect() || in.IsDynamic() || termsWithin(in) > maxTermsWithin {
			refuse("a loop with %s", in.Op)
		}
		switch in.Op {
		case hlo.Fusion, hlo.Call:
			for _, called := range in.Called() {
				checkWithin(called)
			}
		}
	}
}

// countWithin is how many instructions c has, those of what it calls among them.
func countWithin(c *hlo.Computation) int {
	n := len(c.Instructions)
	for _, in := range c.Instructions {
		for _, called := range in.Called() {
			n += countWithin(called)
		}
	}
	return n
}

// termsWithin is how many elements an element of in is made of.
func termsWithin(in *hlo.Instruction) int64 {
	switch a := in.Attrs.(type) {
	case *hlo.ReduceAttrs:
		return in.Operands[0].Shape.Size() / max(leaves(in.Shape)[0].Size(), 1)
	case *hlo.DotAttrs:
		n := int64(1)
		for _, d := range a.LHSContracting {
			n *= in.Operands[0].Shape.Dims[d]
		}
		return n
	}
	if heavy(in) {
		return maxTermsWithin + 1
	}
	return 1
}

// copies makes results of arrays that stay as they are, which the kernel only reads.
func (w *whole) copies() {
	e := w.b.e
	for k, c := range w.state {
		if c.isRead() {
			e.copy(Buffer{Result, k}, Buffer{Operand, k}, c.shape.Size()*int64(c.shape.Type.Bytes()))
			e.InPlace = append(e.InPlace, Alias{k, k})
		}
	}
}

// isArray reports whether c is an array that stays as it is.
func (c *carried) isRead() bool { return c.stays && c.shape.Size() > 1 }

func (w *whole) kernel() *Kernel {
	b := w.b
	w.begin()
	b.line("#pragma unroll 1")
	b.open("for (u32 round = 1;; round++) {")
	lines := b.lines()
	w.round()
	if n := int64(b.lines()-lines) * w.each(); n > maxRoundLines {
		refuse("a loop of %d lines a round", n)
	}
	b.close("}")
	w.end()
	return b.kernel("loop", 1, int(w.block))
}

// each is how many elements a thread has at most.
func (w *whole) each() int64 {
	n := int64(1)
	for _, c := range w.state {
		if !c.stays {
			n = max(n, ceil(c.shape.Size(), w.block))
		}
	}
	return n
}

// begin brings the state to where it is changed.
func (w *whole) begin() {
	b := w.b
	b.line("u32 now = 0;")
	for k, c := range w.state {
		switch from := (Buffer{Operand, k}); {
		case c.stays:
		case c.shape.Size() == 1:
			c.v = b.variable(b.load(from, c.shape.Type, index{flat: "0", of: c.shape.Dims}))
		default:
			c.name = b.name("state")
			b.line("__shared__ %s %s[%d];", ctypes[c.shape.Type].store, c.name, 2*c.shape.Size())
			w.share(c.shape.Size())
			b.line("%s[t] = %s;", c.name, b.stored(b.load(from, c.shape.Type, index{flat: "t", of: c.shape.Dims})))
			b.close("}")
		}
	}
	w.barrier()
}

// share opens a loop in which the threads take n elements t.
func (w *whole) share(n int64) {
	w.b.open("for (%[1]s t = threadIdx.x; t < %[2]d; t += %[3]d) {", w.b.ix, n, w.block)
}

func (w *whole) barrier() {
	if w.block > 1 {
		w.b.line("__syncthreads();")
	}
}

// round writes a round: whether there is one, what becomes of the state, and that.
func (w *whole) round() {
	b := w.b
	b.line("if (!(%s)) break;", b.plain(w.within(w.a.Condition).leaf(w.a.Condition.Root, 0, scalar())).text)
	w.stop()
	g, root := w.within(w.a.Body), w.a.Body.Root
	next := make([]value, len(w.state))
	for k, c := range w.state {
		if c.v.text != "" {
			v := b.plain(g.leaf(root, k, index{flat: "0", dims: zeros(c.shape.Rank()), of: c.shape.Dims}))
			next[k] = b.frozen(v.t, v.text)
		}
	}
	for _, n := range w.sizes() {
		w.arrays(g, root, n)
	}
	w.barrier()
	for k, c := range w.state {
		if c.v.text != "" {
			b.line("%s = %s;", c.v.text, next[k].text)
		}
	}
	b.line("now ^= 1;")
}

func zeros(n int) []string { return slices.Repeat([]string{"0"}, n) }

// stop ends the loop every so many rounds if somebody wants that.
func (w *whole) stop() {
	_, name := w.b.pointer(Buffer{Kind: Stop}, "u32")
	look := fmt.Sprintf("*(const volatile u32*)%s", name)
	if w.block == 1 {
		w.b.line("if (round %% %d == 0 && %s) break;", roundsAlone, look)
		return
	}
	w.b.line("if (round %% %d == 0 && __syncthreads_or(threadIdx.x == 0 && %s)) break;", roundsTogether, look)
}

// sizes lists the sizes of the arrays that change.
func (w *whole) sizes() (list []int64) {
	for _, c := range w.state {
		if n := c.shape.Size(); c.name != "" && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// arrays writes what becomes of the arrays of n elements.
func (w *whole) arrays(g *graph, root *hlo.Instruction, n int64) {
	b := w.b
	w.share(n)
	next := make([]string, len(w.state))
	for k, c := range w.state {
		if c.name != "" && c.shape.Size() == n {
			next[k] = b.stored(g.leaf(root, k, index{flat: "t", of: c.shape.Dims}))
		}
	}
	for k, c := range w.state {
		if next[k] != "" {
			b.line("%s[(now ^ 1) * %d + t] = %s;", c.name, n, next[k])
		}
	}
	b.close("}")
}

// within returns the graph of the condition or the body on the state as it is.
func (w *whole) within(c *hlo.Computation) *graph {
	g := w.b.newGraph()
	for k, x := range w.state {
		g.args[c.Parameters[0]] = append(g.args[c.Parameters[0]], w.source(k, x))
	}
	return g
}

func (w *whole) source(k int, c *carried) source {
	b, t := w.b, c.shape.Type
	return func(ix index) value {
		switch {
		case c.stays:
			return b.load(Buffer{Operand, k}, t, b.as(ix, c.shape.Dims))
		case c.name == "":
			return c.v
		}
		text := fmt.Sprintf("%s[now * %d + %s]", c.name, c.shape.Size(), group(b.flat(b.as(ix, c.shape.Dims))))
		b.need(ctypes[t].uses)
		if narrow(t) {
			return value{b.let(ctypes[t].store, text), t, true}
		}
		return b.element(t, fill(ctypes[t].from, text))
	}
}

// end writes the results but those that stay as they are.
func (w *whole) end() {
	b := w.b
	for k, c := range w.state {
		if c.isRead() {
			continue
		}
		w.share(c.shape.Size())
		b.store(Buffer{Result, k}, "t", w.source(k, c)(index{flat: "t", of: c.shape.Dims}))
		b.close("}")
	}
}

// scattered is an element of a scatter with few updates.
func scattered(g *graph, in *hlo.Instruction, ix index) []value {
	s := newScatter(g.b.e, in)
	if s.count > few {
		refuse("a loop with a scatter of %d windows", s.count)
	}
	return s.element(g.b, g, ix)
}
