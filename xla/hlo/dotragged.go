package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
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

func inferRaggedDot(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalRaggedDot(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferScaledDot(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalScaledDot(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
