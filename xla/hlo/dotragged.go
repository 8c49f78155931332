package hlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// RaggedDotAttrs are a dot's, and which dimension of lhs is ragged and which of rhs are the groups.
type RaggedDotAttrs struct {
	LHSBatch, LHSContracting, RHSBatch, RHSContracting []int64
	LHSRagged, RHSGroup                                []int64
	Precision                                          Precision
	Algorithm                                          Raw
}

// Fields lists the attributes.
func (a *RaggedDotAttrs) Fields() []Field {
	return []Field{
		{"lhs_batch_dims", "", &a.LHSBatch, Set},
		{"lhs_contracting_dims", "", &a.LHSContracting, Set},
		{"rhs_batch_dims", "", &a.RHSBatch, Set},
		{"rhs_contracting_dims", "", &a.RHSContracting, Set},
		{"lhs_ragged_dims", "", &a.LHSRagged, Set},
		{"rhs_group_dims", "", &a.RHSGroup, Set},
		{"operand_precision", "precision_config", &a.Precision, Set},
		{"algorithm", "", &a.Algorithm, Set},
	}
}

// RaggedDot is a dot whose ragged dimension of lhs, in M, K or B, falls into G groups of the sizes groupSizes.
//
//	in M: lhs T[B..., M..., K...]   rhs T[G, B..., K..., N...]   result T[B..., M..., N...]: each group has its rhs
//	in K: lhs T[B..., M..., K...]   rhs T[B..., K..., N...]      result T[G, B..., M..., N...]: a sum for each group
//	in B: lhs T[B..., M..., K...]   rhs T[B..., K..., N...]      result T[B..., M..., N...]
//
// groupSizes is S[G], or S[P..., G] where P are the batch dimensions and those of the ragged one's kind before it. What
// is in no group gives zeros. It fails as DotGeneral does, or if there is not one ragged dimension, or the sizes have
// another shape. Law: section 5.1, line 11.
func (b *Builder) RaggedDot(lhs, rhs, groupSizes *Instruction, a RaggedDotAttrs,
	preferred shape.ElementType) *Instruction {
	return b.add(RaggedDot, &a, shape.Shape{Type: preferred}, lhs, rhs, groupSizes)
}

// inferRaggedDot checks everything if no dimensions are told. If they are, StableHLO's verifier looks at the lists of
// dimensions only; the sizes are then checked when the program runs.
func inferRaggedDot(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	a := in.Attrs.(*RaggedDotAttrs)
	s, err := raggedDims(in.OperandShapes(), a)
	t, terr := dotType(in)
	if terr != nil {
		return poison, terr
	}
	if len(in.Shape.Dims) == 0 {
		return s.WithType(t), err
	}
	lhs, rhs := in.Operands[0].Shape, in.Operands[1].Shape
	if err := checkDotSide("lhs", lhs, a.LHSBatch, a.LHSContracting); err != nil {
		return poison, err
	}
	if err := checkDotSide("rhs", rhs, a.RHSBatch, slices.Concat(a.RHSContracting, a.RHSGroup)); err != nil {
		return poison, err
	}
	if err == nil {
		return s.WithType(t), nil
	}
	return in.Shape.WithoutLayout(), nil
}

// CheckRaggedDot fails if the sizes of a ragged dot do not go together: programs that tell the result's dimensions are
// read all the same. Who compiles one asks first.
func CheckRaggedDot(in *Instruction) error {
	s, err := raggedDims(in.OperandShapes(), in.Attrs.(*RaggedDotAttrs))
	switch {
	case err != nil:
		return errorf(in, "%w", err)
	case !slices.Equal(s.Dims, in.Shape.Dims):
		return errorf(in, "got the result %v, want the dimensions %v", in.Shape, s.Dims)
	}
	return nil
}

// raggedMode is which kind of dimension is ragged.
type raggedMode uint8

const (
	raggedFree raggedMode = iota
	raggedContracting
	raggedBatch
)

// mode returns the kind of the ragged dimension and, of lhs, the dimensions before it that may have their own group
// sizes.
func (a *RaggedDotAttrs) mode(lhsRank int) (raggedMode, []int64, error) {
	if len(a.LHSRagged) != 1 {
		return 0, nil, fmt.Errorf("lhs_ragged_dims: got %s, want one dimension", list(a.LHSRagged))
	}
	d := a.LHSRagged[0]
	if d < 0 || d >= int64(lhsRank) {
		return 0, nil, fmt.Errorf("lhs_ragged_dims: dimension %d is out of range, want 0 to %d", d, lhsRank-1)
	}
	if i := slices.Index(a.LHSBatch, d); i >= 0 {
		return raggedBatch, a.LHSBatch[:i], nil
	}
	if i := slices.Index(a.LHSContracting, d); i >= 0 {
		return raggedContracting, slices.Concat(a.LHSBatch, a.LHSContracting[:i]), nil
	}
	free := shape.OtherDims(lhsRank, a.LHSBatch, a.LHSContracting)
	return raggedFree, slices.Concat(a.LHSBatch, free[:slices.Index(free, d)]), nil
}

// raggedDims checks lhs, rhs and group sizes and returns the result's dimensions.
func raggedDims(shapes []shape.Shape, a *RaggedDotAttrs) (shape.Shape, error) {
	lhs, rhs, sizes := shapes[0], shapes[1], shapes[2]
	mode, prefix, err := a.mode(lhs.Rank())
	if err != nil {
		return poison, err
	}
	if want := map[raggedMode]int{raggedFree: 1}[mode]; len(a.RHSGroup) != want {
		return poison, fmt.Errorf("rhs_group_dims: got %s, want %d dimensions", list(a.RHSGroup), want)
	}
	if err := checkDotSide("rhs", rhs, a.RHSBatch, slices.Concat(a.RHSContracting, a.RHSGroup)); err != nil {
		return poison, err
	}
	if !sizes.Type.IsInteger() || sizes.Rank() != 1 && sizes.Rank() != len(prefix)+1 {
		return poison, fmt.Errorf("group_sizes is %v, want integers of rank 1 or %d", sizes, len(prefix)+1)
	}
	groups := sizes.Rank() - 1
	for i, d := range prefix[:groups] {
		if !compatibleDim(sizes, i, lhs, int(d)) {
			return poison, fmt.Errorf("group_sizes is %v: dim %d is %d, want %d as lhs dim %d", sizes, i, sizes.Dims[i],
				lhs.Dims[d], d)
		}
	}
	for _, d := range a.RHSGroup {
		if !compatibleDim(sizes, groups, rhs, int(d)) {
			return poison, fmt.Errorf("groups differ: rhs dim %d is %d, group_sizes is %v", d, rhs.Dims[d], sizes)
		}
	}
	d, rest := a.withoutGroups(rhs)
	out, err := dotDims(lhs, rest, d)
	if err != nil || mode != raggedContracting {
		return out, err
	}
	return insertDim(out, appendDim(shape.Shape{}, sizes, groups), 0), nil
}

// withoutGroups returns the dot of one group: rhs without its group dimension and the attributes for it.
func (a *RaggedDotAttrs) withoutGroups(rhs shape.Shape) (*DotAttrs, shape.Shape) {
	renumber := func(dims []int64) []int64 {
		out := slices.Clone(dims)
		for i, d := range dims {
			for _, g := range a.RHSGroup {
				if g < d {
					out[i]--
				}
			}
		}
		return out
	}
	return &DotAttrs{a.LHSBatch, a.LHSContracting, renumber(a.RHSBatch), renumber(a.RHSContracting), a.Precision,
			a.Algorithm},
		dropDims(rhs, a.RHSGroup)
}
