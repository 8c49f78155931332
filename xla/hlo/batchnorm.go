package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/shape"
)

// BatchNormAttrs are the attributes of batch-norm, rows 98 to 100. Epsilon is a float32 value.
type BatchNormAttrs struct {
	Epsilon      float64
	FeatureIndex int64
}

// Fields lists the attributes.
func (a *BatchNormAttrs) Fields() []Field {
	return []Field{{"epsilon", "epsilon", &a.Epsilon, Always}, {"feature_index", "feature_index", &a.FeatureIndex, Always}}
}

// BatchNormTraining normalises operand over all dimensions but featureIndex, and scales and shifts each feature.
//
//	operand T[..., C, ...]   scale T[C]   offset T[C]   result (T[..., C, ...], mean T[C], biased variance T[C])
//
// It fails if T is no float, featureIndex is out of range or scale or offset have another size or type. Law: row 98,
// StableHLO batch_norm_training C1 to C7.
func (b *Builder) BatchNormTraining(operand, scale, offset *Instruction, epsilon float32,
	featureIndex int64) *Instruction {
	return b.add(BatchNormTraining, &BatchNormAttrs{float64(epsilon), featureIndex}, shape.Shape{}, operand, scale, offset)
}

// BatchNormInference is BatchNormTraining with given statistics; its result is one array.
//
//	operand T[..., C, ...]   scale, offset, mean, variance T[C]   result T[..., C, ...]
//
// It fails as BatchNormTraining does. Law: row 99, StableHLO batch_norm_inference C1 to C7.
func (b *Builder) BatchNormInference(operand, scale, offset, mean, variance *Instruction, epsilon float32,
	featureIndex int64) *Instruction {
	a := &BatchNormAttrs{float64(epsilon), featureIndex}
	return b.add(BatchNormInference, a, shape.Shape{}, operand, scale, offset, mean, variance)
}

// BatchNormGrad returns the gradients of BatchNormTraining, whose statistics are mean and variance.
//
//	operand, gradOutput T[..., C, ...]   scale, mean, variance T[C]
//	result (grad of operand T[..., C, ...], of scale T[C], of offset T[C])
//
// It fails as BatchNormTraining does, or if gradOutput has another shape. Law: row 100, StableHLO batch_norm_grad C1 to
// C5.
func (b *Builder) BatchNormGrad(operand, scale, mean, variance, gradOutput *Instruction, epsilon float32,
	featureIndex int64) *Instruction {
	a := &BatchNormAttrs{float64(epsilon), featureIndex}
	return b.add(BatchNormGrad, a, shape.Shape{}, operand, scale, mean, variance, gradOutput)
}

func inferBatchNormTraining(in *Instruction) (shape.Shape, error) {
	s, c, err := checkBatchNorm(in, in.Operands[1:])
	return shape.TupleOf(s, c, c), err // C5 to C7
}

func inferBatchNormInference(in *Instruction) (shape.Shape, error) {
	s, _, err := checkBatchNorm(in, in.Operands[1:])
	return s, err // C7
}

func inferBatchNormGrad(in *Instruction) (shape.Shape, error) {
	s, c, err := checkBatchNorm(in, in.Operands[1:4])
	if err != nil {
		return poison, err
	}
	if g := in.Operands[4].Shape; g.Type != s.Type || !compatibleDims(s, g) { // C2, C3
		return poison, fmt.Errorf("grad_output is %v, want %v as operand", g, s)
	}
	return shape.TupleOf(s, c, c), nil
}

// checkBatchNorm checks the operand and the arrays that have one element a feature. It returns their shapes.
func checkBatchNorm(in *Instruction, features []*Instruction) (s, c shape.Shape, err error) {
	s = in.Operands[0].Shape.WithoutLayout()
	if !s.Type.IsFloat() { // row 98
		return s, c, fmt.Errorf("operand is %v, want floating point", s)
	}
	f := in.Attrs.(*BatchNormAttrs).FeatureIndex
	if err := checkDim("feature_index", f, s); err != nil { // C1
		return s, c, err
	}
	c = appendDim(shape.Shape{}, s, int(f)).WithType(s.Type)
	for i, o := range features {
		if o.Shape.Type != s.Type || !compatibleDims(c, o.Shape) { // C2, C3, C4
			return s, c, fmt.Errorf("%s is %v, want %v", operandName(in, i+1), o.Shape, c)
		}
	}
	return s, c, nil
}
