package pass

import "github.com/halo-xla/halo/xla/hlo"

// Bags puts a gather and the reduction of its result into one fusion, of kind kInput, if only the reduction reads the
// result and bag reports that the backend can do both at once: the rows of an embedding and their sum.
// What wraps indices is in the fusion, too.
func Bags(bag func(reduce *hlo.Instruction) bool) Pass {
	return into("bags", (*epilogues).bag, func(x *epilogues, in *hlo.Instruction) bool {
		return x.sumsGathered(in) && bag(in)
	})
}

// sumsGathered reports whether in reduces one array, a gather's result that nothing else reads.
func (x *epilogues) sumsGathered(in *hlo.Instruction) bool {
	if in.Op != hlo.Reduce || len(in.Operands) != 2 || !plain(in.Shape) || in.IsDynamic() || x.isPinned(in) {
		return false
	}
	o := in.Operands[0]
	return o.Op == hlo.Gather && o.Users() == 1 && plain(o.Shape) && !o.IsDynamic() && !x.isPinned(o)
}

// bag makes the fusion of a reduction and the gather before it.
func (x *epilogues) bag(in *hlo.Instruction) {
	f := &fusion{now: map[*hlo.Instruction]*hlo.Instruction{}}
	g := in.Operands[0]
	x.copyIndices(f, g.Operands[1])
	for _, o := range []*hlo.Instruction{g.Operands[0], in.Operands[1]} {
		f.now[o] = f.input(o)
	}
	x.copyInto(f, g)
	x.copyInto(f, in)
	x.call(f, "kInput", in, f.now[in])
}
