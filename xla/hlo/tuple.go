package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// ParameterAttrs has the number of a parameter of its computation.
type ParameterAttrs struct {
	Number      int64
	Replication []bool
}

// Fields lists the attributes.
func (a *ParameterAttrs) Fields() []Field {
	return []Field{{"", "", &a.Number, Operand}, {"parameter_replication", "", &a.Replication, Set}}
}

// ConstantAttrs has the value of a constant.
type ConstantAttrs struct{ Literal *literal.Literal }

// Fields lists the attributes.
func (a *ConstantAttrs) Fields() []Field { return []Field{{"", "value", &a.Literal, Operand}} }

// GetTupleElementAttrs says which element of a tuple is taken.
type GetTupleElementAttrs struct{ Index int64 }

// Fields lists the attributes.
func (a *GetTupleElementAttrs) Fields() []Field { return []Field{{"index", "index", &a.Index, Always}} }

// DomainAttrs are kept as text.
type DomainAttrs struct{ Domain Raw }

// Fields lists the attributes.
func (a *DomainAttrs) Fields() []Field { return []Field{{"domain", "", &a.Domain, Set}} }

// told returns the shape that a program gives an instruction whose op cannot infer it.
func told(in *Instruction) (shape.Shape, error) {
	if in.Shape.Type == shape.Invalid {
		return poison, fmt.Errorf("the result's shape is missing")
	}
	return in.Shape, nil
}

func inferParameter(in *Instruction) (shape.Shape, error) {
	if n := in.Attrs.(*ParameterAttrs).Number; n < 0 { // row 73
		return poison, fmt.Errorf("parameter number %d, want 0 or more", n)
	}
	return told(in)
}

func evalParameter(_ *Evaluator, in *Instruction, _ []*literal.Literal) (*literal.Literal, error) {
	panic("hlo: bug: the value of parameter " + in.Name + " is its computation's argument")
}

func inferConstant(in *Instruction) (shape.Shape, error) {
	l := in.Attrs.(*ConstantAttrs).Literal
	if l == nil { // row 74
		return poison, fmt.Errorf("the constant has no value")
	}
	if in.Shape.Type == shape.Invalid {
		return l.Shape(), nil
	}
	if !agrees(l.Shape(), in.Shape) { // constant C1
		return poison, fmt.Errorf("the value has shape %v, want %v", l.Shape(), in.Shape)
	}
	return in.Shape, nil
}

func evalConstant(_ *Evaluator, in *Instruction, _ []*literal.Literal) (*literal.Literal, error) {
	return in.Attrs.(*ConstantAttrs).Literal.RowMajor(), nil
}

func inferTuple(in *Instruction) (shape.Shape, error) { // row 77
	elems := make([]shape.Shape, len(in.Operands))
	for i, o := range in.Operands {
		elems[i] = o.Shape
	}
	s := shape.Shape{Type: shape.Tuple, Elems: elems}
	if leavesUpTo(s, maxLeaves+1) > maxLeaves {
		return poison, fmt.Errorf("the tuple has more than %d elements, those of inner tuples counted", maxLeaves)
	}
	return s, nil
}

// maxLeaves bounds the size of tuples, which would grow with the power of their depth: tuple(x, x) of tuple(x, x).
const maxLeaves = 1 << 16

// leavesUpTo counts the parts of s that are no tuples, and empty tuples; it stops at most.
func leavesUpTo(s shape.Shape, most int) int {
	if !s.IsTuple() || len(s.Elems) == 0 {
		return 1
	}
	n := 0
	for _, e := range s.Elems {
		if n += leavesUpTo(e, most-n); n >= most {
			return n
		}
	}
	return n
}

func evalTuple(_ *Evaluator, _ *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return literal.NewTuple(args...), nil
}

func inferGetTupleElement(in *Instruction) (shape.Shape, error) {
	s, i := in.Operands[0].Shape, in.Attrs.(*GetTupleElementAttrs).Index
	if !s.IsTuple() { // row 78
		return poison, fmt.Errorf("operand: got %v, want a tuple", s)
	}
	if i < 0 || i >= int64(len(s.Elems)) { // get_tuple_element C1, row 78
		return poison, fmt.Errorf("index %d is out of range for a tuple of %d elements", i, len(s.Elems))
	}
	return s.Elems[i], nil
}

func evalGetTupleElement(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return args[0].Elems()[in.Attrs.(*GetTupleElementAttrs).Index], nil
}

// inferCopy is for ops whose result is their operand: copy, domain and the optimization barrier, row 84.
func inferCopy(in *Instruction) (shape.Shape, error) {
	return in.Operands[0].Shape.WithoutLayout(), nil
}

func evalCopy(_ *Evaluator, _ *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return args[0], nil
}

// ConstantR0 adds a scalar constant. Law: row 74.
func ConstantR0[T literal.Element](b *Builder, v T) *Instruction {
	return b.ConstantLiteral(literal.Scalar(v))
}

// ConstantR1 adds a vector constant with the elements v. Law: row 74.
func ConstantR1[T literal.Element](b *Builder, v ...T) *Instruction {
	return ConstantFromArray(b, v, int64(len(v)))
}

// ConstantR2 adds a matrix constant with the given rows, which must be equally long. Law: row 74.
func ConstantR2[T literal.Element](b *Builder, rows ...[]T) *Instruction {
	all, cols := []T{}, 0
	for i, r := range rows {
		if cols = len(rows[0]); len(r) != cols {
			return b.fail(Constant, "row %d has %d elements, want %d as row 0", i, len(r), cols)
		}
		all = append(all, r...)
	}
	return ConstantFromArray(b, all, int64(len(rows)), int64(cols))
}

// ConstantFromArray adds a constant of the sizes dims with the elements v in row-major order; without dims it is a
// scalar. It is the form of ConstantR3, R4 and more. It fails if v has another number of elements. Law: row 74.
func ConstantFromArray[T literal.Element](b *Builder, v []T, dims ...int64) *Instruction {
	if dims == nil {
		dims = []int64{}
	}
	l, err := literal.FromSlice(v, dims...)
	if err != nil {
		return b.fail(Constant, "%w", err)
	}
	return b.ConstantLiteral(l)
}

// ConstantFromArrayWithLayout is ConstantFromArray for a constant that lies in memory as layout says. v is in row-major
// order all the same. Law: row 74.
func ConstantFromArrayWithLayout[T literal.Element](b *Builder, v []T, layout *shape.Layout,
	dims ...int64) *Instruction {
	if dims == nil {
		dims = []int64{}
	}
	l, err := literal.FromSlice(v, dims...)
	if err == nil {
		l, err = l.Relayout(layout)
	}
	if err != nil {
		return b.fail(Constant, "%w", err)
	}
	return b.ConstantLiteral(l)
}

// Tuple makes a tuple of elements, of which there may be none; tuples nest.
//
//	elements T_i   result (T_0, T_1, ...)
//
// It never fails. Law: row 77.
func (b *Builder) Tuple(elements ...*Instruction) *Instruction {
	return b.add(Tuple, nil, shape.Shape{}, elements...)
}

// GetTupleElement takes element index of a tuple.
//
//	tuple (T_0, T_1, ...)   result T_index
//
// It fails if tuple is none or index is out of range. Law: row 78.
func (b *Builder) GetTupleElement(tuple *Instruction, index int64) *Instruction {
	return b.add(GetTupleElement, &GetTupleElementAttrs{Index: index}, shape.Shape{}, tuple)
}

// Copy copies an array or tuple.
//
//	operand T   result T
//
// It never fails. Law: HLO copy.
func (b *Builder) Copy(operand *Instruction) *Instruction {
	return b.add(Copy, nil, shape.Shape{}, operand)
}

// OptimizationBarrier is operand unchanged; nothing is moved, joined or folded across it. All of it is computed
// before anything that depends on the result.
//
//	operand T, an array or tuple   result T
//
// It never fails. Law: row 84.
func (b *Builder) OptimizationBarrier(operand *Instruction) *Instruction {
	return b.add(OptimizationBarrier, nil, shape.Shape{}, operand)
}
