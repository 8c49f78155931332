package pass

import (
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Reads puts a dot that takes reports and what converts its larger operand from a narrower type into one
// fusion, of kind kInput.
func Reads(takes func(in *hlo.Instruction) bool) Pass {
	one := func(x *epilogues, in *hlo.Instruction) bool {
		return plain(in.Shape) && !in.IsDynamic() && !x.isPinned(in) && takes(in)
	}
	return joining("read", (*epilogues).read, one, func(*hlo.Instruction) *hlo.Instruction { return nil })
}

// Widened returns what the larger operand of a dot is converted from, and its number, or nil if that is not converted
// from a narrower type, or the dot also reads it as the other operand.
func Widened(in *hlo.Instruction) (from *hlo.Instruction, k int) {
	if in.Operands[1].Shape.Size() > in.Operands[0].Shape.Size() {
		k = 1
	}
	for o := in.Operands[k]; o != in.Operands[1-k] && widensExactly(o); o = from {
		from = o.Operands[0]
	}
	return from, k
}

// widensExactly reports whether in is a conversion to a wider type of floats that has all numbers of the narrower one.
func widensExactly(in *hlo.Instruction) bool {
	if in.Op != hlo.Convert || !plain(in.Operands[0].Shape) {
		return false
	}
	from, to := in.Operands[0].Shape.Type, in.Shape.Type
	return from.Bits() < to.Bits() && to.IsFloat() && to.Bits() >= 16 && from != shape.F8E8M0FNU &&
		(from.IsFloat() || from.IsInteger() && from.Bits() <= 8)
}

// read makes the fusion of in and the conversions of its larger operand.
func (x *epilogues) read(in *hlo.Instruction) {
	from, k := Widened(in)
	f := &fusion{now: map[*hlo.Instruction]*hlo.Instruction{}}
	f.now[from], f.now[in.Operands[1-k]] = f.input(from), f.input(in.Operands[1-k])
	x.copyTree(f, in)
	x.call(f, "kInput", in, f.now[in])
}
