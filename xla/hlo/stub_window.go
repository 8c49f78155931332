package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferReduceWindow(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalReduceWindow(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferSelectAndScatter(in *Instruction) (shape.Shape, error) {
	return in.Shape, errors.ErrUnsupported
}
func evalSelectAndScatter(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
