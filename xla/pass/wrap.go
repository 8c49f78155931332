package pass

import "github.com/halo-xla/halo/xla/hlo"

// Wraps puts a gather or a scatter and what makes its indices of those that count from the end into one fusion, of kind
// kInput: JAX and others write select(i < 0, i + n, i) for each index i.
func Wraps() Pass {
	return joining("wrap", (*epilogues).wrap, (*epilogues).indexes, func(*hlo.Instruction) *hlo.Instruction { return nil })
}

// indexes reports whether in gathers or scatters one array by wrapped indices.
func (x *epilogues) indexes(in *hlo.Instruction) bool {
	single := in.Op == hlo.Gather || in.Op == hlo.Scatter && len(in.Operands) == 3
	if !single || !plain(in.Shape) || in.IsDynamic() || x.isPinned(in) {
		return false
	}
	from, _ := Wrapped(in.Operands[1])
	return from != nil
}

// Wrapped returns the integers i of which in is select(i < 0, i + by, i) with the same elements in the same order, or
// nil if in is nothing like that. by is not below 0.
func Wrapped(in *hlo.Instruction) (i *hlo.Instruction, by int64) {
	for in.Op == hlo.Reshape {
		in = in.Operands[0]
	}
	if in.Op != hlo.Select || !in.Shape.Type.IsSigned() || in.IsDynamic() || !plain(in.Shape) {
		return nil, 0
	}
	below, moved, i := in.Operands[0], in.Operands[1], in.Operands[2]
	if !isBelowZero(below, i) || moved.Op != hlo.Add {
		return nil, 0
	}
	for k, o := range moved.Operands {
		if by, ok := integer(moved.Operands[1-k]); ok && o == i && by >= 0 {
			return i, by
		}
	}
	return nil, 0
}

// isBelowZero reports whether in is i < 0, for each element.
func isBelowZero(in, i *hlo.Instruction) bool {
	a, ok := in.Attrs.(*hlo.CompareAttrs)
	return ok && in.Op == hlo.Compare && a.Direction == hlo.Lt && in.Operands[0] == i && isNumber(in.Operands[1], 0) &&
		in.Shape.SameDims(i.Shape)
}

// wrap makes the fusion of in and the choice of its indices.
func (x *epilogues) wrap(in *hlo.Instruction) {
	f := &fusion{now: map[*hlo.Instruction]*hlo.Instruction{}}
	x.copyIndices(f, in.Operands[1])
	for k, o := range in.Operands {
		if k != 1 {
			f.now[o] = f.input(o)
		}
	}
	x.copyInto(f, in)
	x.call(f, "kInput", in, f.now[in])
}

// copyIndices adds what makes indices to the fusion's body: of those before they were wrapped, where they are.
func (x *epilogues) copyIndices(f *fusion, indices *hlo.Instruction) {
	from, _ := Wrapped(indices)
	if from == nil {
		f.now[indices] = f.input(indices)
		return
	}
	f.now[from] = f.input(from)
	x.copyTree(f, indices)
}

// copyTree adds copies of in, and of what it is made of, to the fusion's body.
func (x *epilogues) copyTree(f *fusion, in *hlo.Instruction) {
	if f.now[in] != nil {
		return
	}
	for _, o := range in.Operands {
		x.copyTree(f, o)
	}
	x.copyInto(f, in)
}
