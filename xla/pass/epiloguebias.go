package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
)

// bias is what a fusion adds to its operand number of, a contraction, before anything else: numbers for each of the
// last dimension, which are its operand number numbers.
type bias struct {
	of, numbers    int
	sum, broadcast *hlo.Instruction
}

// has reports whether in is what b computes by itself.
func (b *bias) has(in *hlo.Instruction) bool { return b != nil && in == b.broadcast }

// alone reports whether parameter i is read for the bias only.
func (b *bias) alone(p *hlo.Instruction, i int) bool {
	return b != nil && i == b.numbers && p.Users() == 1
}

// otherBias returns the bias of a contraction other than c that nothing but the fusion in reads, so that c can be added
// to an array that is done; nil if there is none.
func (x *epilogues) otherBias(in, c *hlo.Instruction) *bias {
	a, ok := in.Attrs.(*hlo.FusionAttrs)
	if !ok || !x.apart || !plain(in.Shape) {
		return nil
	}
	for i, o := range in.Operands {
		if o == c || !isContraction(o) || !x.canBegin(o) || !x.leads(o, in) || !x.contracts(o, in) {
			continue
		}
		if b := biasOf(a.Calls, i); b != nil && slices.Index(in.Operands, o) == i {
			return b
		}
	}
	return nil
}

// biasOf returns the bias of parameter i of a fusion.
func biasOf(c *hlo.Computation, i int) *bias {
	p := c.Parameters[i]
	k := slices.IndexFunc(c.Instructions, func(in *hlo.Instruction) bool { return slices.Contains(in.Operands, p) })
	if k < 0 || p.Users() != 1 {
		return nil
	}
	sum := c.Instructions[k]
	if sum.Op != hlo.Add || sum == c.Root || sum.Shape.Type != p.Shape.Type {
		return nil
	}
	for _, b := range sum.Operands {
		if b.Op != hlo.Broadcast || b.Users() != 1 || b.Operands[0].Op != hlo.Parameter {
			continue
		}
		last := int64(b.Shape.Rank() - 1)
		if slices.Equal(b.Attrs.(*hlo.BroadcastAttrs).Dimensions, []int64{last}) {
			return &bias{of: i, numbers: slices.Index(c.Parameters, b.Operands[0]), sum: sum, broadcast: b}
		}
	}
	return nil
}

// biasOther makes a fusion of the contraction whose bias otherBias finds, which it returns.
func (x *epilogues) biasOther(in, c *hlo.Instruction) *bias {
	b := x.otherBias(in, c)
	if b == nil {
		return nil
	}
	o, parameters := in.Operands[b.of], in.Attrs.(*hlo.FusionAttrs).Calls.Parameters
	f := &fusion{now: map[*hlo.Instruction]*hlo.Instruction{}}
	f.now[parameters[b.numbers]] = f.input(in.Operands[b.numbers])
	f.now[parameters[b.of]] = f.begin(o)
	x.copyInto(f, b.broadcast)
	x.copyInto(f, b.sum)
	x.call(f, "kOutput", o, f.now[b.sum])
	return b
}
