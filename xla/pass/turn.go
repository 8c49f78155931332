package pass

import "github.com/halo-xla/halo/xla/hlo"

// Turns puts a dot and the transpose of its result into one fusion, of kind kInput, if only the transpose reads the
// result and turn reports that the backend writes it in that order as fast.
func Turns(turn func(transpose *hlo.Instruction) bool) Pass {
	return into("turns", (*epilogues).turn, func(x *epilogues, in *hlo.Instruction) bool {
		return x.turnsDot(in) && turn(in)
	})
}

// turnsDot reports whether in transposes the result of a dot that nothing else reads.
func (x *epilogues) turnsDot(in *hlo.Instruction) bool {
	return in.Op == hlo.Transpose && plain(in.Shape) && !in.IsDynamic() && !x.isPinned(in) &&
		in.Operands[0].Op == hlo.Dot && x.canBegin(in.Operands[0])
}

// turn makes the fusion of a transpose and the dot before it.
func (x *epilogues) turn(in *hlo.Instruction) {
	f := &fusion{now: map[*hlo.Instruction]*hlo.Instruction{}}
	f.now[in.Operands[0]] = f.begin(in.Operands[0])
	x.copyInto(f, in)
	x.call(f, "kInput", in, f.now[in])
}
