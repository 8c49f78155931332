package hlo

import (
	"math"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// features is an array as batch normalisation sees it: outer by features by inner elements.
type features struct {
	shape           shape.Shape
	x               []float64
	outer, n, inner int
	epsilon         float64
}

func newFeatures(in *Instruction, operand *literal.Literal) *features {
	a, s := in.Attrs.(*BatchNormAttrs), operand.Shape()
	f := &features{shape: s.WithoutLayout(), x: operand.Wide().F, epsilon: float64(float32(a.Epsilon))}
	f.n = int(s.Dims[a.FeatureIndex])
	f.outer = int(shape.Product(s.Dims[:a.FeatureIndex]))
	f.inner = int(shape.Product(s.Dims[a.FeatureIndex+1:]))
	return f
}

// each calls g with the feature and the position of each run of elements of one feature.
func (f *features) each(e *Evaluator, g func(c, first, end int)) error {
	for i := range f.outer {
		for c := range f.n {
			first := (i*f.n + c) * f.inner
			g(c, first, first+f.inner)
		}
		if err := e.poll(i); err != nil {
			return err
		}
	}
	return nil
}

// mean returns for each feature the sum of term over its elements, divided by their number.
func (f *features) mean(e *Evaluator, term func(c, i int) float64) ([]float64, error) {
	sum := make([]float64, f.n)
	err := f.each(e, func(c, first, end int) {
		for i := first; i < end; i++ {
			sum[c] += term(c, i)
		}
	})
	for c := range sum {
		sum[c] /= float64(f.outer * f.inner)
	}
	return sum, err
}

// normalise returns scale*(x-mean)/sqrt(variance+epsilon) + offset, by feature.
func (f *features) normalise(e *Evaluator, scale, offset, mean, variance []float64) (*literal.Literal, error) {
	out := make([]float64, len(f.x))
	err := f.each(e, func(c, first, end int) {
		deviation := math.Sqrt(variance[c] + f.epsilon)
		for i := first; i < end; i++ {
			out[i] = float64(scale[c]*((f.x[i]-mean[c])/deviation)) + offset[c]
		}
	})
	return f.array(out), err
}

// array returns an array like the operand.
func (f *features) array(v []float64) *literal.Literal {
	return literal.FromWide(f.shape, literal.Wide{Class: shape.FloatClass, F: v})
}

// vector returns an array of one element a feature.
func (f *features) vector(v []float64) *literal.Literal {
	return literal.FromWide(shape.Array(f.shape.Type, int64(f.n)), literal.Wide{Class: shape.FloatClass, F: v})
}

// evalBatchNormTraining takes the variance in a second pass over the differences from the mean, since the difference of
// the means of squares loses all digits where the mean is large.
func evalBatchNormTraining(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	f := newFeatures(in, args[0])
	mean, err := f.mean(e, func(_, i int) float64 { return f.x[i] })
	if err != nil {
		return nil, err
	}
	variance, err := f.mean(e, func(c, i int) float64 { d := f.x[i] - mean[c]; return d * d })
	if err != nil {
		return nil, err
	}
	out, err := f.normalise(e, args[1].Wide().F, args[2].Wide().F, mean, variance)
	return literal.NewTuple(out, f.vector(mean), f.vector(variance)), err
}

func evalBatchNormInference(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	f := newFeatures(in, args[0])
	return f.normalise(e, args[1].Wide().F, args[2].Wide().F, args[3].Wide().F, args[4].Wide().F)
}

// evalBatchNormGrad is the derivative of the training formula, the statistics' share included; row 100.
func evalBatchNormGrad(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	f := newFeatures(in, args[0])
	scale, mean, variance, dy := args[1].Wide().F, args[2].Wide().F, args[3].Wide().F, args[4].Wide().F
	inverse := make([]float64, f.n)
	for c, v := range variance {
		inverse[c] = 1 / math.Sqrt(v+f.epsilon)
	}
	normal := func(c, i int) float64 { return (f.x[i] - mean[c]) * inverse[c] }
	meanDy, err := f.mean(e, func(_, i int) float64 { return dy[i] })
	if err != nil {
		return nil, err
	}
	meanDyX, err := f.mean(e, func(c, i int) float64 { return dy[i] * normal(c, i) })
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(f.x))
	err = f.each(e, func(c, first, end int) {
		for i := first; i < end; i++ {
			out[i] = scale[c] * inverse[c] * (dy[i] - meanDy[c] - float64(normal(c, i)*meanDyX[c]))
		}
	})
	return literal.NewTuple(f.array(out), f.vector(f.sum(meanDyX)), f.vector(f.sum(meanDy))), err
}

// sum turns means into sums.
func (f *features) sum(mean []float64) []float64 {
	m := f.outer * f.inner
	out := make([]float64, len(mean))
	for c, v := range mean {
		if m > 0 {
			out[c] = v * float64(m)
		}
	}
	return out
}
