package cpu

import (
	"context"
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/xla/hlo"
)

// sortKey is one key of a comparator: of an operand's elements themselves, or of what a program makes of elements.
type sortKey struct {
	kernel.SortKey
	operand int
	program *scalar.Program // of all parameters, left and right; nil: the operand's elements
}

// sortKeys returns the keys by which a comparator compares, the first one most, if it is an order by keys: f(lhs) <
// f(rhs), or >, or equal in one key and ordered by the next.
func sortKeys(c *hlo.Computation) ([]sortKey, bool) {
	var keys []sortKey
	root := c.Root
	for root.Op == hlo.Or {
		first, rest, ok := splitOrder(root)
		if !ok {
			return nil, false
		}
		k, ok := keyOf(c, first)
		if !ok {
			return nil, false
		}
		keys, root = append(keys, k), rest
	}
	k, ok := keyOf(c, root)
	if !ok || len(keys) > 0 && slices.ContainsFunc(append(keys, k), sortKey.isSmall) {
		return nil, false // what a comparison makes of the one NaN of some small floats is no key's business
	}
	return append(keys, k), true
}

// isSmall reports whether the key is a float of one byte.
func (k sortKey) isSmall() bool { return k.Type.IsFloat() && k.Type.Bytes() == 1 }

// splitOrder takes first and rest out of first | first's operands equal & rest, in any order.
func splitOrder(or *hlo.Instruction) (first, rest *hlo.Instruction, ok bool) {
	for i, x := range or.Operands {
		both := or.Operands[1-i]
		if x.Op != hlo.Compare || both.Op != hlo.And {
			continue
		}
		for j, equal := range both.Operands {
			if equal.Op == hlo.Compare && equates(equal, x) {
				return x, both.Operands[1-j], true
			}
		}
	}
	return nil, nil, false
}

// equates reports whether equal says that what less compares is equal, in the same order of floats.
func equates(equal, less *hlo.Instruction) bool {
	a, b := equal.Attrs.(*hlo.CompareAttrs), less.Attrs.(*hlo.CompareAttrs)
	if a.Direction != hlo.Eq || (a.Type == hlo.TotalOrder) != (b.Type == hlo.TotalOrder) {
		return false
	}
	x, y, u, v := equal.Operands[0], equal.Operands[1], less.Operands[0], less.Operands[1]
	m, n := mirror{}, mirror{}
	return m.alike(x, u, false) && m.alike(y, v, false) || n.alike(x, v, false) && n.alike(y, u, false)
}

// keyOf returns the key if x compares f of the left side with f of the right.
func keyOf(c *hlo.Computation, x *hlo.Instruction) (sortKey, bool) {
	if x.Op != hlo.Compare {
		return sortKey{}, false
	}
	a, left, right := x.Attrs.(*hlo.CompareAttrs), x.Operands[0], x.Operands[1]
	t, descending := left.Shape.Type, a.Direction == hlo.Gt
	if a.Direction != hlo.Lt && a.Direction != hlo.Gt || t.IsComplex() {
		return sortKey{}, false
	}
	if !(mirror{}).alike(left, right, true) {
		if !(mirror{}).alike(right, left, true) {
			return sortKey{}, false
		}
		left, descending = right, !descending // the right side less is the left side more
	}
	k := sortKey{SortKey: kernel.SortKey{Type: t, Total: a.Type == hlo.TotalOrder, Descending: descending}}
	if left.Op == hlo.Parameter {
		k.operand = int(left.Attrs.(*hlo.ParameterAttrs).Number / 2)
		return k, true
	}
	f := *c
	f.Root = left
	p, err := scalar.Compile(&f)
	if err != nil {
		return sortKey{}, false
	}
	if from, ok := chooses(left); ok && k.canonical(p, from) {
		return k, true
	}
	k.program = p
	return k, true
}

// mirror has the pairs of instructions that were found alike.
type mirror map[*hlo.Instruction]*hlo.Instruction

// alike reports whether y is x: with the left parameters, the even ones, replaced by the right ones if sides is set.
func (m mirror) alike(x, y *hlo.Instruction, sides bool) bool {
	if seen, ok := m[x]; ok {
		return seen == y
	}
	m[x] = y
	if x.Op != y.Op || len(x.Operands) != len(y.Operands) || !x.Shape.Compatible(y.Shape) {
		return false
	}
	if x.Op == hlo.Parameter {
		a, b := x.Attrs.(*hlo.ParameterAttrs).Number, y.Attrs.(*hlo.ParameterAttrs).Number
		return sides && a%2 == 0 && b == a+1 || !sides && a == b
	}
	if x.Op.Info().Traits&hlo.SideEffect != 0 || !reflect.DeepEqual(x.Attrs, y.Attrs) {
		return false
	}
	for i := range x.Operands {
		if !m.alike(x.Operands[i], y.Operands[i], sides) {
			return false
		}
	}
	return true
}

// chooses reports whether in is one parameter, or a constant where selects by comparisons of the parameter with itself
// or zero say so, and which parameter that is. Such an expression does the same to all numbers of one sign.
func chooses(in *hlo.Instruction) (parameter int64, ok bool) {
	parameter = -1
	var walk func(in *hlo.Instruction, compared bool) bool
	walk = func(in *hlo.Instruction, compared bool) bool {
		switch in.Op {
		case hlo.Parameter:
			n := in.Attrs.(*hlo.ParameterAttrs).Number
			known := parameter < 0 || parameter == n
			parameter = n
			return known
		case hlo.Constant:
			return !compared || isZero(in)
		case hlo.Compare:
			return walk(in.Operands[0], true) && walk(in.Operands[1], true)
		case hlo.Select:
			return in.Operands[0].Op == hlo.Compare && walk(in.Operands[0], false) && !compared &&
				walk(in.Operands[1], false) && walk(in.Operands[2], false)
		}
		return false
	}
	ok = walk(in, false) && parameter >= 0 && in.Shape.Type.IsFloat()
	return parameter, ok
}

func isZero(in *hlo.Instruction) bool {
	c, ok := in.Attrs.(*hlo.ConstantAttrs)
	return ok && !slices.ContainsFunc(c.Literal.Bytes(), func(b byte) bool { return b != 0 })
}

// canonical reports whether p, which chooses by parameter from, only makes zeros or NaN positive, and notes which.
func (k *sortKey) canonical(p *scalar.Program, from int64) bool {
	t := k.Type
	if k.isSmall() || p.Params[from].Type != t {
		return false
	}
	sign := uint64(1) << (t.Bits() - 1)
	infinity := (uint64(1)<<t.ExponentBits() - 1) << t.MantissaBits()
	nan := infinity | 1<<(t.MantissaBits()-1)
	f := func(bits uint64) uint64 { return apply(p, int(from), bits) }
	for _, x := range []uint64{0, 1, infinity - 1, infinity, sign | 1, sign | infinity, nan} {
		if f(x) != x {
			return false
		}
	}
	k.operand, k.Zeros, k.NaNs = int(from/2), f(sign) == 0, f(sign|nan) == nan
	return (k.Zeros || f(sign) == sign) && (k.NaNs || f(sign|nan) == sign|nan)
}

// apply runs p on bits as one parameter, zeros as the others.
func apply(p *scalar.Program, parameter int, bits uint64) uint64 {
	streams := make([]scalar.Stream, len(p.Params)+1)
	for i := range streams {
		streams[i].Data = make([]byte, 16)
	}
	binary.LittleEndian.PutUint64(streams[parameter].Data, bits)
	if err := p.Machine(context.Background()).Apply(1, streams); err != nil {
		return ^bits
	}
	return binary.LittleEndian.Uint64(streams[len(p.Params)].Data)
}

// keyBytes returns how many bytes the keys of n elements take, 0 if they are an operand's.
func (k sortKey) keyBytes(n int64) int64 {
	if k.program == nil {
		return 0
	}
	return n * int64(k.Type.Bytes())
}
