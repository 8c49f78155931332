package emit

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
)

// updateFusion makes a kernel of a fusion with results that are updates of arrays in memory by values of its own size,
// and reports whether it is one. Its threads own those values; the arrays are copied before, unless the results lie on
// them.
func updateFusion(e *Emission, in *hlo.Instruction, c *hlo.Computation) bool {
	roots := c.Roots()
	i := slices.IndexFunc(roots, isUpdate)
	if i < 0 {
		return false
	}
	u := &updating{e: e, in: in, c: c, roots: roots, n: roots[i].Operands[1].Shape.Size()}
	u.check()
	u.emit()
	return true
}

func isUpdate(in *hlo.Instruction) bool { return in.Op == hlo.DynamicUpdateSlice }

// updating is a fusion with updates of n elements, of which roots are results.
type updating struct {
	e     *Emission
	in    *hlo.Instruction
	c     *hlo.Computation
	roots []*hlo.Instruction
	n     int64
}

// check refuses what threads of n values cannot do.
func (u *updating) check() {
	for _, r := range u.roots {
		size := r.Shape.Size()
		if isUpdate(r) {
			size = r.Operands[1].Shape.Size()
		}
		if size != u.n || isUpdate(r) && r.Operands[0].Op != hlo.Parameter {
			refuse("a fusion has updates of several sizes, or of what it makes")
		}
	}
	for _, in := range u.c.Instructions {
		if isUpdate(in) && !slices.Contains(u.roots, in) {
			refuse("a fusion has an update inside")
		}
	}
}

func (u *updating) emit() {
	for k, r := range u.roots {
		if isUpdate(r) {
			u.begin(k, r)
		}
	}
	b := newBody(u.e, sizesOf(u.in)...)
	b.own = "i"
	b.line("const %s i = (%s)blockIdx.x * %d + threadIdx.x;", b.ix, b.ix, blockSize)
	b.line("if (i >= %d) return;", u.n)
	u.results(b)
	aliases := newAliases(u.in)
	aliases.add(b, u.n)
	for _, a := range aliases.found {
		if !isUpdate(u.roots[a.Result]) && !u.isTarget(a.Operand) {
			u.e.InPlace = append(u.e.InPlace, a)
		}
	}
	u.e.add(b.kernel(fusionName(u.c)+"_update", ceil(u.n, blockSize), blockSize))
}

// begin copies the array that result k is an update of. The result may lie on it if nothing else reads it.
func (u *updating) begin(k int, r *hlo.Instruction) {
	i := int(r.Operands[0].Attrs.(*hlo.ParameterAttrs).Number)
	from := Buffer{Operand, firstLeaf(u.in, i)}
	u.e.copy(Buffer{Result, k}, from, r.Shape.Size()*int64(r.Shape.Type.Bytes()))
	if u.readBy(i) == 1 {
		u.e.InPlace = append(u.e.InPlace, Alias{k, from.Index})
	}
}

// readBy counts the uses of operand i and of what is the same memory by another name.
func (u *updating) readBy(i int) (n int) {
	for j, o := range u.in.Operands {
		if named(o) != named(u.in.Operands[i]) {
			continue
		}
		for _, in := range u.c.Instructions {
			for _, x := range in.Operands {
				if x == u.c.Parameters[j] {
					n++
				}
			}
		}
	}
	return n
}

// named is the value that in gives another shape.
func named(in *hlo.Instruction) *hlo.Instruction {
	for in.Op == hlo.Reshape || in.Op == hlo.Bitcast || in.Op == hlo.BitcastConvert {
		in = in.Operands[0]
	}
	return in
}

// isTarget reports whether an update is put into leaf k of the operands.
func (u *updating) isTarget(k int) bool {
	return slices.ContainsFunc(u.roots, func(r *hlo.Instruction) bool {
		return isUpdate(r) && firstLeaf(u.in, int(r.Operands[0].Attrs.(*hlo.ParameterAttrs).Number)) == k
	})
}

// results computes and then stores an element of each result.
func (u *updating) results(b *body) {
	g := b.newGraphOf(u.in).inner(u.in, u.c)
	values, places := make([]value, len(u.roots)), make([]string, len(u.roots))
	for k, r := range u.roots {
		places[k] = "i"
		if isUpdate(r) {
			places[k] = u.place(b, g, r)
			r = r.Operands[1]
		}
		values[k] = g.at(r, index{flat: "i", of: r.Shape.Dims})
	}
	for k, v := range values {
		b.store(Buffer{Result, k}, places[k], v)
	}
}

// place is where element i of an update goes.
func (u *updating) place(b *body, g *graph, r *hlo.Instruction) string {
	o, s := r.Operands[0].Shape.Dims, r.Operands[1].Shape.Dims
	from, dims := g.starts(r.Operands[2:], o, s), b.coordinates(index{flat: "i", of: s})
	out := make([]string, len(dims))
	for d := range out {
		out[d] = plus(dims[d], from[d])
	}
	return b.flat(at(o, out))
}
