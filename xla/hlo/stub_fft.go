package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferFft(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalFft(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
