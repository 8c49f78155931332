package hlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// DotAttrs say which dimensions of a dot are batch and contracting ones; row 92.
type DotAttrs struct {
	LHSBatch, LHSContracting, RHSBatch, RHSContracting []int64
	Precision                                          Precision
	Algorithm                                          Raw
}

// Fields lists the attributes.
func (a *DotAttrs) Fields() []Field {
	return []Field{
		{"lhs_batch_dims", "", &a.LHSBatch, Set},
		{"lhs_contracting_dims", "", &a.LHSContracting, Set},
		{"rhs_batch_dims", "", &a.RHSBatch, Set},
		{"rhs_contracting_dims", "", &a.RHSContracting, Set},
		{"operand_precision", "precision_config", &a.Precision, Set},
		{"algorithm", "", &a.Algorithm, Set},
	}
}

// Precision has one PrecisionLevel an operand; empty means the default for all. Its text is "{high,highest}".
type Precision []PrecisionLevel

// PrecisionLevel is a wish; on CPUs every level is the full precision of the type.
type PrecisionLevel uint8

// The levels of precision.
const (
	DefaultPrecision PrecisionLevel = iota
	HighPrecision
	HighestPrecision
)

var precisionNames = names{"default", "high", "highest"}

// check fails unless there is no level, or one for each of n operands. StableHLO dot_general C11.
func (v Precision) check(n int) error {
	if len(v) != 0 && len(v) != n {
		return fmt.Errorf("operand_precision: got %d levels, want %d", len(v), n)
	}
	return nil
}

// DotOptions are what the later generations added to the arguments of dots and convolutions.
type DotOptions struct {
	Precision Precision
	// Algorithm is a name of XLA's PrecisionConfig.Algorithm in lower case, "dot_bf16_bf16_f32"; "" leaves the choice
	// open.
	Algorithm Raw
	// PreferredElementType is the type of sums and result; Invalid means the operands'.
	PreferredElementType shape.ElementType
}

// Dot multiplies vectors and matrices.
//
//	T[k] T[k] -> T[]   T[m,k] T[k] -> T[m]   T[m,k] T[k,n] -> T[m,n]   T[k] T[k,n] -> T[n]
//
// It fails if a rank is not 1 or 2, the contracting sizes differ or the element types differ. Law: row 91.
func (b *Builder) Dot(lhs, rhs *Instruction, opts ...DotOptions) *Instruction {
	b.present(Dot, &lhs, &rhs)
	for i, o := range []*Instruction{lhs, rhs} {
		if r := o.Shape.Rank(); b.err == nil && (r < 1 || r > 2) { // row 91
			return b.fail(Dot, "%s is %v, want rank 1 or 2", [...]string{"lhs", "rhs"}[i], o.Shape)
		}
	}
	last := int64(max(lhs.Shape.Rank(), 1) - 1)
	return b.DotGeneral(lhs, rhs, DotAttrs{LHSContracting: []int64{last}, RHSContracting: []int64{0}}, opts...)
}

// DotGeneral multiplies lhs and rhs and sums over pairs of contracting dimensions, for each index of the batch
// dimensions.
//
//	lhs T[B..., M..., K...] and rhs T[B..., N..., K...] in any order of dimensions   result T[B..., M..., N...]
//
// It fails if lists differ in length, a dimension is out of range or named twice, or sizes or element types differ.
// Law: row 92, StableHLO dot_general C1 to C12.
func (b *Builder) DotGeneral(lhs, rhs *Instruction, a DotAttrs, opts ...DotOptions) *Instruction {
	var given shape.Shape
	for _, o := range opts {
		a.Precision, a.Algorithm = o.Precision, o.Algorithm
		given.Type = o.PreferredElementType
	}
	return b.add(Dot, &a, given, lhs, rhs)
}

func inferDot(in *Instruction) (shape.Shape, error) {
	a := in.Attrs.(*DotAttrs)
	lhs, rhs := in.Operands[0].Shape, in.Operands[1].Shape
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	t, err := dotType(in)
	if err != nil {
		return poison, err
	}
	if err := a.Precision.check(2); err != nil { // C11
		return poison, err
	}
	if err := checkAlgorithm(a.Algorithm, lhs.Type); err != nil { // row 92
		return poison, err
	}
	s, err := dotDims(lhs, rhs, a)
	return s.WithType(t), err
}

// dotType returns the type of a contraction's result: the told one, or the operands' if they agree. Rows 91 and 92.
func dotType(in *Instruction) (shape.ElementType, error) {
	l, r, t := in.Operands[0].Shape.Type, in.Operands[1].Shape.Type, in.Shape.Type
	mixed := l.IsFloat() && r.IsFloat() || l.IsInteger() && r.IsInteger()
	if l != r && (t == shape.Invalid || !mixed) {
		return t, fmt.Errorf("element types differ: lhs is %v, rhs is %v", l, r)
	}
	if t == shape.Invalid {
		t = l
	}
	switch {
	case !t.IsArray():
		return t, fmt.Errorf("result type: got %v, want the type of an array's elements", t)
	case l.IsComplex() && !t.IsComplex(),
		l.IsFloat() && !t.IsFloat() && !t.IsComplex(),
		l != shape.Pred && t == shape.Pred:
		return t, fmt.Errorf("result type: got %v, want one that holds the values of %v", t, l)
	case !l.IsFloat() && t.Class() == l.Class() && t.Bits() < l.Bits():
		return t, fmt.Errorf("result type: got %v, want one not narrower than %v", t, l)
	}
	return t, nil
}

// dotDims checks the dimension numbers and returns the result's dimensions: batch, then the rest of lhs, then of rhs.
func dotDims(lhs, rhs shape.Shape, a *DotAttrs) (shape.Shape, error) {
	if len(a.LHSBatch) != len(a.RHSBatch) { // C1
		return poison, fmt.Errorf("batch dimensions: lhs has %d, rhs has %d", len(a.LHSBatch), len(a.RHSBatch))
	}
	if len(a.LHSContracting) != len(a.RHSContracting) { // C2
		return poison, fmt.Errorf("contracting dimensions: lhs has %d, rhs has %d", len(a.LHSContracting),
			len(a.RHSContracting))
	}
	if err := checkDotSide("lhs", lhs, a.LHSBatch, a.LHSContracting); err != nil { // C3, C5, C6
		return poison, err
	}
	if err := checkDotSide("rhs", rhs, a.RHSBatch, a.RHSContracting); err != nil { // C4, C7, C8
		return poison, err
	}
	for i, l := range a.LHSContracting { // C10
		if r := a.RHSContracting[i]; !compatibleDim(lhs, int(l), rhs, int(r)) {
			return poison, fmt.Errorf("contracting sizes differ: lhs dim %d is %d, rhs dim %d is %d", l, lhs.Dims[l], r,
				rhs.Dims[r])
		}
	}
	var out shape.Shape
	for i, l := range a.LHSBatch { // C9
		var one shape.Shape
		r, ok := a.RHSBatch[i], false
		if one, ok = joinDims(appendDim(one, lhs, int(l)), appendDim(one, rhs, int(r))); !ok {
			return poison, fmt.Errorf("batch sizes differ: lhs dim %d is %d, rhs dim %d is %d", l, lhs.Dims[l], r, rhs.Dims[r])
		}
		out = appendDim(out, one, 0)
	}
	for _, d := range shape.OtherDims(lhs.Rank(), a.LHSBatch, a.LHSContracting) { // C12
		out = appendDim(out, lhs, int(d))
	}
	for _, d := range shape.OtherDims(rhs.Rank(), a.RHSBatch, a.RHSContracting) {
		out = appendDim(out, rhs, int(d))
	}
	return out, nil
}

func checkDotSide(side string, s shape.Shape, batch, contracting []int64) error {
	return checkDims(side+" batch and contracting dimensions", slices.Concat(batch, contracting), s.Rank(), true, false)
}
