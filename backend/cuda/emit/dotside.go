package emit

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// dotSide is an operand of a dot: its dimensions by what the dot does with them, and as matrices.
type dotSide struct {
	operand                  int
	t                        shape.ElementType
	of                       []int64
	batch, kept, contracting []int64
	lines, depth             int64 // how many lines there are in each matrix, and how long they are
	m                        side
	plain                    bool // m says where its elements lie
}

// dotSides returns both operands of a dot.
func dotSides(in *hlo.Instruction) (lhs, rhs *dotSide) {
	a := in.Attrs.(*hlo.DotAttrs)
	return newDotSide(in, 0, a.LHSBatch, a.LHSContracting), newDotSide(in, 1, a.RHSBatch, a.RHSContracting)
}

func newDotSide(in *hlo.Instruction, operand int, batch, contracting []int64) *dotSide {
	s := in.Operands[operand].Shape
	d := &dotSide{operand: operand, t: s.Type, of: s.Dims, batch: batch, contracting: contracting}
	for i := range int64(s.Rank()) {
		if !slices.Contains(batch, i) && !slices.Contains(contracting, i) {
			d.kept = append(d.kept, i)
		}
	}
	var ok [3]bool
	d.m.batch, d.m.batchStep, ok[0] = oneDimension(s.Dims, batch)
	d.m.kept, d.m.keptStep, ok[1] = oneDimension(s.Dims, d.kept)
	d.m.depth, d.m.depthStep, ok[2] = oneDimension(s.Dims, contracting)
	d.plain = ok == [3]bool{true, true, true}
	d.lines, d.depth = d.sizeOf(d.kept), d.sizeOf(contracting)
	return d
}

// sizeOf is the product of the sizes of some dimensions.
func (d *dotSide) sizeOf(list []int64) int64 {
	n := int64(1)
	for _, i := range list {
		n *= d.of[i]
	}
	return n
}

// alongDepth reports whether neighbours of a line lie together rather than lines.
func (d *dotSide) alongDepth() bool {
	for i := len(d.of) - 1; i >= 0; i-- {
		if d.of[i] != 1 {
			return slices.Contains(d.contracting, int64(i))
		}
	}
	return true
}

// together is how many neighbours, of a line or of lines, can be loaded at once: a power of two, at most most.
func (d *dotSide) together(most int64) int64 {
	step, n, others := d.m.keptStep, d.lines, []int64{d.m.depthStep, d.m.batchStep}
	if d.alongDepth() {
		step, n, others = d.m.depthStep, d.depth, []int64{d.m.keptStep, d.m.batchStep}
	}
	if !d.plain || step != 1 {
		return 1
	}
	v := int64(1)
	for v*2 <= most && n%(v*2) == 0 && others[0]%(v*2) == 0 && others[1]%(v*2) == 0 {
		v *= 2
	}
	return v
}

// place is where element k of line i of matrix z lies.
func (d *dotSide) place(b *body, z, i, k string) index {
	if d.plain {
		at := plus(plus(times(z, d.m.batchStep), times(i, d.m.keptStep)), times(k, d.m.depthStep))
		return index{flat: b.integer(at), of: d.of}
	}
	dims := make([]string, len(d.of))
	spread := func(list []int64, number string) {
		sizes := make([]int64, len(list))
		for n, d0 := range list {
			sizes[n] = d.of[d0]
		}
		for n, x := range b.coordinates(index{flat: number, of: sizes}) {
			dims[list[n]] = x
		}
	}
	spread(d.batch, z)
	spread(d.kept, i)
	spread(d.contracting, b.integer(k))
	return at(d.of, dims)
}

// load loads n neighbours from element k of line i of matrix z on for the dot in, which may be part of a fusion, and
// returns what gives the one with some number.
func (d *dotSide) load(g *graph, in, whole *hlo.Instruction, n int64, z, i, k string) func(number string) value {
	b, o := g.b, in.Operands[d.operand]
	if n == 1 {
		v := g.at(o, d.place(b, z, i, k))
		return func(string) value { return v }
	}
	c := ctypes[d.t]
	b.need(c.uses)
	buf := Buffer{Operand, d.operand}
	if o.Op == hlo.Parameter && whole != in { // that of a fusion
		buf = parameterBuffer(o)
	}
	p, name := b.pointer(buf, c.store)
	p.elsewhere = true
	t, x := fmt.Sprintf("pack<%s, %d>", c.store, n), b.name("x")
	b.line("const %s %s = *(const %s*)(%s + %s);", t, x, t, name, d.place(b, z, i, k).flat)
	return func(number string) value {
		text := fmt.Sprintf("%s.v[%s]", x, number)
		if narrow(d.t) {
			return value{text, d.t, true}
		}
		return b.element(d.t, fill(c.from, text))
	}
}
