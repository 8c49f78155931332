package emit

import (
	"fmt"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

func joined(conditions []string) string { return strings.Join(conditions, " && ") }

// blockSize is how many threads a block of most kernels has.
const blockSize = 256

// vectorFrom is how many elements a result has before a thread owns more than one: fewer would leave processors idle.
const vectorFrom = 1 << 15

// output is a result of a loop: which leaf, and what computes its elements.
type output struct {
	leaf  int
	shape shape.Shape
	at    source
}

// emitLoop computes each element of in's results in a thread of its own.
func emitLoop(e *Emission, in *hlo.Instruction) {
	if elements[in.Op] == nil && in.Op != hlo.Call {
		refuse("there is no kernel for %s", in.Op)
	}
	outputs := func(b *body) []output {
		g := b.newGraphOf(in)
		var list []output
		for k, s := range leaves(in.Shape) {
			list = append(list, output{k, s, func(ix index) value { return g.leaf(in, k, b.as(ix, s.Dims)) }})
		}
		return list
	}
	emitOutputs(e, in, in.Op.String(), outputs)
}

// emitOutputs makes a loop for each number of elements that results have.
func emitOutputs(e *Emission, in *hlo.Instruction, name string, outputs func(b *body) []output) {
	done := map[int64]bool{0: true}
	aliases := newAliases(in)
	for _, s := range leaves(in.Shape) {
		n := s.Size()
		if done[n] {
			continue
		}
		done[n] = true
		b := newBody(e, sizesOf(in)...)
		b.vector = vectorWidth(in, n)
		e.add(b.loopKernel(name, n, outputs))
		aliases.add(b, n)
	}
	e.InPlace = append(e.InPlace, aliases.list(len(done) == 2)...)
}

// vectorWidth is how many elements of n a thread owns: what fits into 16 bytes, or twice that of wider types.
func vectorWidth(in *hlo.Instruction, n int64) int {
	if n < vectorFrom || heavy(in) {
		return 1
	}
	least, most := 16, 1
	for _, s := range append(in.OperandShapes(), in.Shape) {
		for _, l := range leaves(s) {
			if l.Size() == n {
				least, most = min(least, l.Type.Bytes()), max(most, l.Type.Bytes())
			}
		}
	}
	v := min(16/least, 8)
	for v > 1 && v*most > 32 {
		v /= 2
	}
	return v
}

// heavy reports whether an element takes a loop.
func heavy(in *hlo.Instruction) bool {
	switch in.Op {
	case hlo.Reduce, hlo.ReduceWindow, hlo.SelectAndScatter, hlo.Dot, hlo.Convolution, hlo.RaggedDot,
		hlo.ScaledDot:
		return true
	}
	return false
}

// loopKernel computes those outputs that have n elements.
func (b *body) loopKernel(name string, n int64, outputs func(b *body) []output) *Kernel {
	threads := ceil(n, int64(b.vector))
	t := fmt.Sprintf("(%s)blockIdx.x * %d + threadIdx.x", b.ix, blockSize)
	b.own = "i"
	if b.vector > 1 {
		return b.vectorKernel(name, n, t, outputs)
	}
	b.line("const %s i = %s;", b.ix, t)
	b.line("if (i >= %d) return;", n)
	b.outputs(n, outputs)
	return b.kernel(name, ceil(threads, blockSize), blockSize)
}

// outputs computes and then stores the outputs of n elements.
func (b *body) outputs(n int64, outputs func(b *body) []output) {
	type result struct {
		output
		v value
	}
	var list []result
	for _, o := range outputs(b) {
		if o.shape.Size() == n {
			list = append(list, result{o, o.at(index{flat: "i", of: o.shape.Dims})})
		}
	}
	for _, r := range list {
		b.store(Buffer{Result, r.leaf}, "i", r.v)
	}
}

// vectorKernel is a loop kernel whose threads own several neighbours. What they own is loaded before and stored after.
func (b *body) vectorKernel(name string, n int64, thread string, outputs func(b *body) []output) *Kernel {
	v := int64(b.vector)
	head := fmt.Sprintf("const %s first = (%s) * %d;", b.ix, thread, v)
	b.depth++
	b.known = append(b.known, map[string][]value{})
	b.outputs(n, outputs)
	b.known = b.known[:len(b.known)-1]
	b.depth--
	loop := b.text.String()
	b.text.Reset()
	b.line("%s", head)
	b.line("if (first >= %d) return;", n)
	b.vectorLoads(n)
	b.line("#pragma unroll")
	b.line("for (s32 k = 0; k < %d; k++) {", v)
	i := "first + k"
	if n%v != 0 {
		i = fmt.Sprintf("x_min(first + k, (%s)%d)", b.ix, n-1)
	}
	b.line("  const %s i = %s;", b.ix, i)
	b.text.WriteString(loop)
	b.line("}")
	b.vectorStores(n)
	return b.kernel(name, ceil(ceil(n, v), blockSize), blockSize)
}

func (b *body) vectorLoads(n int64) {
	for i, p := range b.params {
		t := fmt.Sprintf("pack<%s, %d>", p.t, b.vector)
		switch {
		case p.written:
			b.line("%s xp%d;", t, i)
		case p.own:
			b.line("const %s xp%d = fetch<%s, %d, %s>(p%d, first, %d);", t, i, p.t, b.vector, b.ix, i, n)
		}
	}
}

func (b *body) vectorStores(n int64) {
	for i, p := range b.params {
		if p.written {
			b.line("put<%s, %d, %s>(p%d, first, %d, xp%d);", p.t, b.vector, b.ix, i, n, i)
		}
	}
}

// aliases are the results of loops that may lie on operands.
type aliases struct {
	operands, results []shape.Shape
	found             []Alias
	read              map[int]int // how many kernels read an operand
}

func newAliases(in *hlo.Instruction) *aliases {
	a := &aliases{results: leaves(in.Shape), read: map[int]int{}}
	for _, s := range in.OperandShapes() {
		a.operands = append(a.operands, leaves(s)...)
	}
	return a
}

// add notes which results of n elements may lie on operands that b reads at its threads' own elements only.
func (a *aliases) add(b *body, n int64) {
	for _, p := range b.params {
		if p.Kind != Operand || p.written || p.elsewhere {
			continue
		}
		o := a.operands[p.Index]
		for k, r := range a.results {
			if r.Size() == n && o.Size() == n && r.Type.Bytes() == o.Type.Bytes() {
				a.found = append(a.found, Alias{k, p.Index})
			}
		}
	}
}

// list returns what was found, if one kernel reads and writes all.
func (a *aliases) list(alone bool) []Alias {
	if !alone {
		return nil
	}
	return a.found
}

// emitFusion makes a kernel of a fused computation: of its reductions, or a loop.
func emitFusion(e *Emission, in *hlo.Instruction) {
	c := in.Attrs.(*hlo.FusionAttrs).Calls
	if reduceFusion(e, in, c) || fuseRows(e, in, c) || emitFollowed(e, in, c) {
		return
	}
	if op, yes := nested(c); yes {
		refuse("a fusion has %s inside", op)
	}
	if updateFusion(e, in, c) {
		return
	}
	emitOutputs(e, in, fusionName(c), func(b *body) []output {
		g := b.newGraphOf(in).inner(in, c)
		var list []output
		for k, s := range leaves(c.Root.Shape) {
			list = append(list, output{k, s, func(ix index) value { return g.leaf(c.Root, k, b.as(ix, s.Dims)) }})
		}
		return list
	})
}

// fusionName says what a fusion is made of.
func fusionName(c *hlo.Computation) string {
	name, n := "fused", 0
	for _, in := range c.Instructions {
		if expressions[in.Op] != "" && n < 3 {
			name += "_" + in.Op.String()
			n++
		}
	}
	return name
}
