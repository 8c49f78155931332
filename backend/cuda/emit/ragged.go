package emit

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
)

// ragged is a ragged dot: a dimension of lhs is in groups one after the other, each of which has a dot of its own.
type ragged struct {
	g      *graph
	in     *hlo.Instruction
	a      *hlo.RaggedDotAttrs
	dot    *hlo.DotAttrs
	x, y   []string
	prefix []int64 // dimensions of lhs whose indices have groups of their own
}

// raggedDot sums the products of one group, whose numbers are known when it runs. Law: section 5.1, line 11.
func raggedDot(g *graph, in *hlo.Instruction, ix index) []value {
	b, a := g.b, in.Attrs.(*hlo.RaggedDotAttrs)
	if err := hlo.CheckRaggedDot(in); err != nil {
		refuse("%v", err)
	}
	if s := a.Algorithm; s != "" && s != "unset" && s != "dot_unset" {
		refuse("ragged-dot with algorithm %s", s)
	}
	r := &ragged{g: g, in: in, a: a, dot: &hlo.DotAttrs{LHSBatch: a.LHSBatch, LHSContracting: a.LHSContracting,
		RHSBatch: slices.Clone(a.RHSBatch), RHSContracting: a.RHSContracting}}
	dims, of := b.coordinates(ix), a.LHSRagged[0]
	contracting, own := slices.Contains(a.LHSContracting, of), ""
	if contracting {
		own, dims = dims[0], dims[1:]
	}
	r.place(dims)
	r.setPrefix()
	lhs, rhs := in.Operands[0], in.Operands[1]
	acc := b.zero(sumType(in.Shape.Type))
	if !contracting {
		r.openGroup(r.x[of])
	}
	b.contracting(r.dot, lhs, r.x, r.y)
	if contracting {
		b.open("if (%s == %s) {", r.group(r.x[of]), own)
	}
	b.addProduct(acc.text, acc.t, g.at(lhs, at(lhs.Shape.Dims, r.x)), g.at(rhs, at(rhs.Shape.Dims, r.y)))
	b.closes(len(a.LHSContracting) + 1)
	return []value{b.sum(acc, in.Shape.Type)}
}

// place gives the coordinates of the result to the operands. That of rhs's group is not known yet.
func (r *ragged) place(dims []string) {
	a, rhs := r.a, r.in.Operands[1].Shape
	r.x, r.y = make([]string, r.in.Operands[0].Shape.Rank()), make([]string, rhs.Rank())
	for i, d := range a.LHSBatch {
		r.x[d], r.y[a.RHSBatch[i]] = dims[i], dims[i]
	}
	dims = dims[len(a.LHSBatch):]
	for d := range r.x {
		if !slices.Contains(slices.Concat(a.LHSBatch, a.LHSContracting), int64(d)) {
			r.x[d], dims = dims[0], dims[1:]
		}
	}
	for d := range r.y {
		if !slices.Contains(slices.Concat(a.RHSBatch, a.RHSContracting, a.RHSGroup), int64(d)) {
			r.y[d], dims = dims[0], dims[1:]
		}
	}
}

// setPrefix finds the dimensions that may have groups of their own: those before the ragged one among its kind, and the
// batch dimensions.
func (r *ragged) setPrefix() {
	a, d := r.a, r.a.LHSRagged[0]
	var before []int64
	switch {
	case slices.Contains(a.LHSBatch, d):
		before = a.LHSBatch[:slices.Index(a.LHSBatch, d)]
	case slices.Contains(a.LHSContracting, d):
		before = slices.Concat(a.LHSBatch, a.LHSContracting[:slices.Index(a.LHSContracting, d)])
	default:
		before = slices.Clone(a.LHSBatch)
		for k := range d {
			if !slices.Contains(slices.Concat(a.LHSBatch, a.LHSContracting), k) {
				before = append(before, k)
			}
		}
	}
	n := r.in.Operands[2].Shape.Rank() - 1
	if n > len(before) {
		refuse("ragged-dot with group sizes %v", r.in.Operands[2].Shape)
	}
	r.prefix = before[:n]
}

// group is the number of the group that index i of the ragged dimension is in, -1 for none.
func (r *ragged) group(i string) string {
	b, sizes := r.g.b, r.in.Operands[2]
	var dims []string
	for _, d := range r.prefix {
		dims = append(dims, r.x[d])
	}
	found, end := b.name("w"), b.name("w")
	b.line("s64 %s = -1, %s = 0;", found, end)
	k := b.loop(sizes.Shape.Dims[len(dims)])
	n := r.g.at(sizes, at(sizes.Shape.Dims, append(dims, k)))
	b.line("if (%s > 0 && %s < 0 && %s < (%s += (s64)%s)) %s = %s;", n.text, found, i, end, n.text, found, k)
	b.close("}")
	return found
}

// openGroup opens a block for what is in a group, and sets rhs's coordinate to it.
func (r *ragged) openGroup(i string) {
	b := r.g.b
	group := r.group(i)
	b.open("if (%s >= 0) {", group)
	for _, d := range r.a.RHSGroup {
		r.y[d] = b.integer(fmt.Sprintf("(%s)%s", b.ix, group))
	}
}
