package hlo

import (
	"strings"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// OpInfo is everything known about one op that is the same on every backend.
type OpInfo struct {
	// Name is the op's name in HLO text and protos, MLIR the dialect op that means it ("" if none).
	Name, MLIR string
	// Operands are the operands' names: "lhs rhs", "inputs... init_values..."; a name with dots stands for several.
	Operands string
	// Attrs returns a new attribute struct; nil if the op has none.
	Attrs func() Attrs
	// Infer returns the result's shape, or what is wrong with operands and attributes. It is the verifier.
	Infer func(in *Instruction) (shape.Shape, error)
	// Eval is the reference semantics: operands in, result out. Operands and result are row-major.
	Eval func(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error)
	// Scalar is the meaning on one element, for ops that map elements of one type to the same type; Infer and Eval follow
	// from it.
	Scalar *Scalar
	Traits Trait
	// ULP is how far a backend's result may be from Eval's, in units of the result type's last place; 0 is exact.
	ULP int
	// ComplexULP is that of complex numbers' parts, if it is more.
	ComplexULP int
	// Spec is where the law is.
	Spec string
	// least and several are what Arity returns, counted when the table is filled.
	least   int
	several bool
}

// Trait is a set of properties of an op.
type Trait uint8

const (
	// Commutative ops give the same with their two operands swapped.
	Commutative Trait = 1 << iota
	// SideEffect ops are kept even when nobody uses their result, and keep their order.
	SideEffect
	// Elementwise ops give each result element from the operands' elements at the same place.
	Elementwise
)

// Scalar is the meaning of an elementwise op on one element, per wide class; nil means that the op is not defined
// there. Integer functions get the width of the type in bits and may return more bits than fit: the result is cut to
// the width.
type Scalar struct {
	Pred     func(a []bool) bool
	Signed   func(a []int64, bits int) int64
	Unsigned func(a []uint64, bits int) uint64
	Float    func(a []float64) float64
	Complex  func(a []complex128) complex128
	// C64 is the meaning on C64 if it rounds on the way; nil: that of Complex, rounded once.
	C64 func(a []complex128) complex128
}

// ULPOf is how far a backend's result of type t may be from Eval's, in units of its last place.
func (i *OpInfo) ULPOf(t shape.ElementType) int64 {
	if t.IsComplex() {
		return int64(max(i.ULP, i.ComplexULP))
	}
	return int64(i.ULP)
}

// Arity returns the number of operands, or the least number and true for an op that takes several.
func (i *OpInfo) Arity() (n int, variadic bool) { return i.least, i.several }

// countOperands counts the names of the operands.
func (i *OpInfo) countOperands() (n int, variadic bool) {
	for _, f := range strings.Fields(i.Operands) {
		if strings.HasSuffix(f, "...") {
			variadic = true
		} else {
			n++
		}
	}
	return n, variadic
}
