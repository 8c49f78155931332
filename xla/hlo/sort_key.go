package hlo

import "reflect"

// SortKey is what a comparator of a sort compares: the value of an expression on either side.
type SortKey struct {
	Of         *Computation // the comparator with the left side as its result
	Total      bool         // floats are in total order
	Descending bool         // the largest come first
}

// Bits are those of the key's type.
func (k SortKey) Bits() int { return k.Of.Root.Shape.Type.Bits() }

// SortKeysOf returns the keys by which c, a comparator, orders, the first one most: it says f(lhs) < f(rhs), or that it
// is greater, for one expression f that is not complex, or that this is so or both are equal and the rest is true.
func SortKeysOf(c *Computation) ([]SortKey, bool) {
	var keys []SortKey
	x := c.Root
	for x.Op == Or {
		first, rest := splitOrder(x)
		k, ok := keyOf(c, first)
		if !ok {
			return nil, false
		}
		keys, x = append(keys, k), rest
	}
	k, ok := keyOf(c, x)
	return append(keys, k), ok
}

// splitOrder takes first and rest out of first | first's operands equal & rest, in any order; it returns nil if x is
// something else.
func splitOrder(x *Instruction) (first, rest *Instruction) {
	for i, first := range x.Operands {
		both := x.Operands[1-i]
		if first.Op != Compare || both.Op != And {
			continue
		}
		for j, equal := range both.Operands {
			if equal.Op == Compare && equates(equal, first) {
				return first, both.Operands[1-j]
			}
		}
	}
	return nil, nil
}

// equates reports whether equal says that what less compares is equal, in the same order of floats.
func equates(equal, less *Instruction) bool {
	a, b := equal.Attrs.(*CompareAttrs), less.Attrs.(*CompareAttrs)
	x, y, u, v := equal.Operands[0], equal.Operands[1], less.Operands[0], less.Operands[1]
	return a.Direction == Eq && (a.Type == TotalOrder) == (b.Type == TotalOrder) && (x == u && y == v || x == v && y == u)
}

// keyOf returns the key if x compares f of the left side with f of the right.
func keyOf(c *Computation, x *Instruction) (SortKey, bool) {
	if x == nil || x.Op != Compare {
		return SortKey{}, false
	}
	a, left, right := x.Attrs.(*CompareAttrs), x.Operands[0], x.Operands[1]
	descending := a.Direction == Gt
	if a.Direction != Lt && !descending || left.Shape.Type.IsComplex() {
		return SortKey{}, false
	}
	if !(mirror{}).same(left, right) {
		if !(mirror{}).same(right, left) {
			return SortKey{}, false
		}
		left, descending = right, !descending // the right side less is the left side more
	}
	of := &Computation{Name: c.Name, Instructions: c.Instructions, Root: left, Parameters: c.Parameters}
	return SortKey{of, a.Type == TotalOrder, descending}, true
}

// mirror pairs the instructions of a comparator's left side with those of its right side.
type mirror map[*Instruction]*Instruction

// same reports whether right is left with the left parameters, the even ones, replaced by the right ones beside them.
func (m mirror) same(left, right *Instruction) bool {
	if seen, ok := m[left]; ok {
		return seen == right
	}
	m[left] = right
	if left.Op != right.Op || len(left.Operands) != len(right.Operands) || !left.Shape.Compatible(right.Shape) {
		return false
	}
	if left.Op == Parameter {
		n := left.Attrs.(*ParameterAttrs).Number
		return n%2 == 0 && right.Attrs.(*ParameterAttrs).Number == n+1
	}
	if left.Op.Info().Traits&SideEffect != 0 || !reflect.DeepEqual(left.Attrs, right.Attrs) {
		return false
	}
	for i := range left.Operands {
		if !m.same(left.Operands[i], right.Operands[i]) {
			return false
		}
	}
	return true
}
