package hlo

import "reflect"

// SortKey is what a comparator of a sort compares: the value of an expression on either side.
type SortKey struct {
	Of         *Computation // the comparator with the left side as its result
	Total      bool         // floats are in total order
	Descending bool         // the largest come first
}

// SortKeyOf returns the key by which c, a comparator, orders: it says that f(lhs) < f(rhs), or that it is greater, for
// one expression f that is not complex.
func SortKeyOf(c *Computation) (SortKey, bool) {
	if c.Root.Op != Compare {
		return SortKey{}, false
	}
	a, left, right := c.Root.Attrs.(*CompareAttrs), c.Root.Operands[0], c.Root.Operands[1]
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
