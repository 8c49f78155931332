package emit

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
)

// source gives an array element by element.
type source func(ix index) value

// graph computes elements of the instructions of one computation.
type graph struct {
	b    *body
	id   string
	args map[*hlo.Instruction][]source // of parameters, and of whatever else is given, by leaves
	// inners are those of the computations that its instructions call.
	inners map[*hlo.Instruction]*graph
}

// newGraph returns a graph in which nothing is given yet.
func (b *body) newGraph() *graph {
	return &graph{b: b, id: b.name("g"), args: map[*hlo.Instruction][]source{},
		inners: map[*hlo.Instruction]*graph{}}
}

// newGraphOf returns a graph in which in's operands lie in memory, scalar constants apart.
func (b *body) newGraphOf(in *hlo.Instruction) *graph {
	g := b.newGraph()
	for i, o := range in.Operands {
		if g.args[o] == nil && !(o.Op == hlo.Constant && o.Shape.IsScalar()) {
			g.args[o] = b.memory(in, i)
		}
	}
	return g
}

// memory returns the leaves of operand i as they lie in memory.
func (b *body) memory(in *hlo.Instruction, i int) []source {
	var list []source
	first := firstLeaf(in, i)
	for k, s := range leaves(in.Operands[i].Shape) {
		buf := Buffer{Operand, first + k}
		list = append(list, func(ix index) value { return b.load(buf, s.Type, b.as(ix, s.Dims)) })
	}
	return list
}

// inner returns the graph of a computation that in calls with its operands: one, so that leaves share what they are
// made of.
func (g *graph) inner(in *hlo.Instruction, c *hlo.Computation) *graph {
	if n := g.inners[in]; n != nil {
		return n
	}
	n := g.b.newGraph()
	g.inners[in] = n
	for i, p := range c.Parameters {
		o := in.Operands[i]
		for k := range p.Shape.LeafCount() {
			n.args[p] = append(n.args[p], func(ix index) value { return g.leaf(o, k, ix) })
		}
	}
	return n
}

// at returns the element of the array in.
func (g *graph) at(in *hlo.Instruction, ix index) value { return g.leaf(in, 0, ix) }

// leaf returns the element of leaf k of in.
func (g *graph) leaf(in *hlo.Instruction, k int, ix index) value {
	if in.Shape.IsScalar() {
		ix = scalar()
	}
	if a := g.args[in]; a != nil {
		return a[k](ix)
	}
	switch in.Op {
	case hlo.Tuple:
		for _, o := range in.Operands {
			if n := o.Shape.LeafCount(); k >= n {
				k -= n
			} else {
				return g.leaf(o, k, ix)
			}
		}
	case hlo.GetTupleElement:
		return g.leaf(in.Operands[0], k+skipped(in), ix)
	case hlo.Call, hlo.Fusion: // whose leaves may have several sizes
		c := in.Called()[0]
		return g.inner(in, c).leaf(c.Root, k, g.b.as(ix, leaves(c.Root.Shape)[k].Dims))
	}
	return g.all(in, ix)[k]
}

// skipped returns how many leaves lie before those that a get-tuple-element takes.
func skipped(in *hlo.Instruction) int {
	n := 0
	for _, s := range in.Operands[0].Shape.Elems[:in.Attrs.(*hlo.GetTupleElementAttrs).Index] {
		n += s.LeafCount()
	}
	return n
}

// all returns the elements of all leaves of in at a place.
func (g *graph) all(in *hlo.Instruction, ix index) []value {
	key := g.id + fmt.Sprintf(" %p ", in) + ix.key()
	if v := g.b.find(key); v != nil {
		return v
	}
	f := elements[in.Op]
	if in.Op == hlo.Scatter && g.b.lookup {
		f = scattered
	}
	if f == nil {
		refuse("no kernel has %s inside", in.Op)
	}
	if ix.of == nil && in.Shape.IsArray() {
		ix.of = in.Shape.Dims
	}
	return g.b.keep(key, f(g, in, ix))
}

// apply returns what a computation on scalars makes of args.
func (b *body) apply(c *hlo.Computation, args []value) []value {
	g := b.newGraph()
	for _, p := range c.Parameters {
		for _, s := range leaves(p.Shape) {
			v := b.converted(args[0], s.Type)
			g.args[p] = append(g.args[p], func(index) value { return v })
			args = args[1:]
		}
	}
	out := make([]value, c.Root.Shape.LeafCount())
	for k := range out {
		out[k] = g.leaf(c.Root, k, scalar())
	}
	return out
}
