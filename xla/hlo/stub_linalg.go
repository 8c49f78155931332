package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferCholesky(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalCholesky(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferTriangularSolve(in *Instruction) (shape.Shape, error) {
	return in.Shape, errors.ErrUnsupported
}
func evalTriangularSolve(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
