package pass

import (
	"github.com/halo-xla/halo/xla/hlo"
)

// Frame makes a padding the root of the fusion of kind kLoop whose only result it pads, if only the padding reads that
// and framed reports that the backend can do both at once: a stencil and the edge around it.
func Frame(framed func(pad *hlo.Instruction) bool) Pass {
	return into("frame", (*epilogues).frame, func(x *epilogues, in *hlo.Instruction) bool {
		return x.pads(in) && framed(in)
	})
}

// into is the pass that makes one fusion, by join, of every instruction that wanted reports and of its first operand,
// which nothing else reads.
func into(name string, join func(x *epilogues, in *hlo.Instruction),
	wanted func(x *epilogues, in *hlo.Instruction) bool) Pass {
	return joining(name, join, wanted, func(in *hlo.Instruction) *hlo.Instruction { return in.Operands[0] })
}

// joining is the pass that has join do every instruction that wanted reports. What gone returns of one, unless it is
// nil, becomes part of it.
func joining(name string, join func(x *epilogues, in *hlo.Instruction),
	wanted func(x *epilogues, in *hlo.Instruction) bool, gone func(in *hlo.Instruction) *hlo.Instruction) Pass {
	return Pass{Name: name, Run: func(m *hlo.Module) (*hlo.Module, error) {
		flow := controlFlow(m)
		return edit(m, func(e *editor) {
			x := &epilogues{editor: e}
			inside, joined := map[*hlo.Instruction]bool{}, map[*hlo.Instruction]bool{}
			for _, in := range e.old.Instructions {
				if flow[e.old] && wanted(x, in) {
					inside[gone(in)], joined[in] = true, true
				}
			}
			if len(joined) == 0 {
				e.keepAllIf(false)
				return
			}
			for _, in := range e.old.Instructions {
				switch {
				case inside[in]:
				case joined[in]:
					join(x, in)
				default:
					e.keep(in)
				}
			}
		}), nil
	}}
}

// pads reports whether in is a padding of a fusion's result that nothing else reads.
func (x *epilogues) pads(in *hlo.Instruction) bool {
	if in.Op != hlo.Pad || !plain(in.Shape) || in.IsDynamic() || x.isPinned(in) {
		return false
	}
	o := in.Operands[0]
	a, ok := o.Attrs.(*hlo.FusionAttrs)
	return ok && a.Kind == "kLoop" && o.Users() == 1 && o != x.old.Root && plain(o.Shape) && !x.isPinned(o)
}

// frame makes the fusion of a padding and what it pads.
func (x *epilogues) frame(in *hlo.Instruction) {
	inner := in.Operands[0]
	c := inner.Attrs.(*hlo.FusionAttrs).Calls
	f := &fusion{now: map[*hlo.Instruction]*hlo.Instruction{}}
	for i, o := range inner.Operands {
		f.now[c.Parameters[i]] = f.input(o)
	}
	f.now[in.Operands[1]] = f.input(in.Operands[1])
	for _, b := range c.Instructions {
		if f.now[b] == nil {
			x.copyInto(f, b)
		}
	}
	f.now[inner] = f.now[c.Root]
	x.copyInto(f, in)
	x.call(f, "kLoop", in, f.now[in])
}
