package hlo

import "reflect"

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
