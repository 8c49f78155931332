package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferSort(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalSort(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferTopK(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalTopK(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
