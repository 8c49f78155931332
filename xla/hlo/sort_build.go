package hlo

import "github.com/halo-xla/halo/xla/shape"

// Sort sorts operands together along dimension, which counts from the end if negative (-1 is the last); the result is
// one array, or a tuple for several operands. comparator takes two scalars of each operand, lhs and rhs by turns, and
// says whether lhs goes first; nil compares the first operand's by less-than in total order, as Sort(operand) of 2017
// and Sort(keys, values, dimension) of 2018 do. Equal elements always keep their order, whatever isStable says.
//
//	operands T_i[D...]   result T_i[D...]
//
// It fails if the operands' sizes differ, dimension is out of range or comparator has another signature. Law: row 105.
func (b *Builder) Sort(operands []*Instruction, comparator *Computation, dimension int64, isStable bool) *Instruction {
	operands = b.allPresent(Sort, operands)
	if len(operands) > 0 {
		a := &SortAttrs{Dimension: OneDim(dimension)}
		if d, err := a.dim(operands[0].Shape.Rank()); err == nil {
			dimension = int64(d)
		}
	}
	if comparator == nil && len(operands) > 0 {
		types := make([]shape.ElementType, len(operands))
		for i, o := range operands {
			types[i] = o.Shape.Type
		}
		c, err := CreateScalarLtComputation(types...)
		if err != nil {
			return b.fail(Sort, "%w", err)
		}
		comparator = c
	}
	a := &SortAttrs{Dimension: OneDim(dimension), IsStable: isStable, ToApply: comparator}
	return b.add(Sort, a, shape.Shape{}, operands...)
}

// TopK is the k largest (or smallest) elements of each row, best first, and their places in the row, as a tuple. Of
// equal elements the one with the lower index comes first; floats are in total order.
//
//	operand T[D..., N]   result (T[D..., k], s32[D..., k])
//
// It fails if operand is a scalar or complex or k is not in 0 to N. Law: row 106.
func (b *Builder) TopK(operand *Instruction, k int64, largest bool) *Instruction {
	return b.add(TopK, &TopKAttrs{K: k, Largest: largest}, shape.Shape{}, operand)
}
