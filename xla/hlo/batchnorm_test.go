package hlo

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func wantFloatsNear(t *testing.T, what string, got *literal.Literal, want []float64, tolerance float64) {
	t.Helper()
	f := got.Wide().F
	if len(f) != len(want) {
		t.Fatalf("%s: got %v, want %v", what, f, want)
	}
	for i := range f {
		if math.Abs(f[i]-want[i]) > tolerance*(1+math.Abs(want[i])) {
			t.Fatalf("%s: element %d: got %v, want %v", what, i, f[i], want[i])
		}
	}
}

func TestBatchNormTraining(t *testing.T) {
	got := evalBuilt(t, func(b *Builder) *Instruction {
		x := b.ConstantLiteral(numLit(t, shape.F32, []float64{1, 2, 3, 4, 5, 12}, 3, 2))
		scale, offset := b.ConstantLiteral(numLit(t, shape.F32, []float64{2, 1}, 2)), b.ConstantLiteral(numLit(t, shape.F32, []float64{10, 0}, 2))
		return b.BatchNormTraining(x, scale, offset, 1, 1)
	})
	// Feature 0 is 1 3 5: mean 3, variance 8/3. Feature 1 is 2 4 12: mean 6, variance 56/3.
	d0, d1 := math.Sqrt(8.0/3+1), math.Sqrt(56.0/3+1)
	wantFloatsNear(t, "output", got.Elems()[0], []float64{10 - 4/d0, -4 / d1, 10, -2 / d1, 10 + 4/d0, 6 / d1}, 1e-6)
	wantFloatsNear(t, "mean", got.Elems()[1], []float64{3, 6}, 0)
	wantFloatsNear(t, "variance", got.Elems()[2], []float64{8.0 / 3, 56.0 / 3}, 1e-6)
}

// The variance of values far from 0 must not cancel; no elements have no statistics.
func TestBatchNormTrainingExtremes(t *testing.T) {
	train := func(x []float64, dims ...int64) *literal.Literal {
		return evalBuilt(t, func(b *Builder) *Instruction {
			one := b.ConstantLiteral(numLit(t, shape.F32, []float64{1}, 1))
			return b.BatchNormTraining(b.ConstantLiteral(numLit(t, shape.F32, x, dims...)), one, one, 0, 1)
		})
	}
	wantFloats(t, train([]float64{1 << 23, 1<<23 + 1, 1<<23 + 2, 1<<23 + 3}, 4, 1).Elems()[2], "f32[1]", 1.25)
	empty := train(nil, 0, 1)
	wantFloats(t, empty.Elems()[0], "f32[0,1]")
	wantFloats(t, empty.Elems()[1], "f32[1]", math.NaN())
	wantFloats(t, empty.Elems()[2], "f32[1]", math.NaN())
}

func TestBatchNormInference(t *testing.T) {
	got := evalBuilt(t, func(b *Builder) *Instruction {
		v := func(x ...float64) *Instruction { return b.ConstantLiteral(numLit(t, shape.F32, x, int64(len(x)))) }
		x := b.ConstantLiteral(numLit(t, shape.F32, []float64{1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2))
		return b.BatchNormInference(x, v(2, 1), v(1, 0), v(1, 4), v(3, 8), 1, 1)
	})
	wantFloatsNear(t, "output", got, []float64{1, 2, -1.0 / 3, 0, 5, 6, 1, 4.0 / 3}, 1e-7)
}

// The gradients of sum(dy*y) by differences.
func TestBatchNormGradIsTheDerivative(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 4))
	random := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.Float64()*4 - 2
		}
		return v
	}
	const c, feature, epsilon = 3, 1, 0.125
	dims := []int64{2, c, 2}
	x, scale, offset, dy := random(12), random(c), random(c), random(12)
	train := func() *literal.Literal {
		return evalBuilt(t, func(b *Builder) *Instruction {
			return b.BatchNormTraining(b.ConstantLiteral(numLit(t, shape.F64, x, dims...)), b.ConstantLiteral(numLit(t, shape.F64, scale, c)),
				b.ConstantLiteral(numLit(t, shape.F64, offset, c)), epsilon, feature)
		})
	}
	loss := func() float64 {
		sum := 0.0
		for i, y := range train().Elems()[0].Wide().F {
			sum += y * dy[i]
		}
		return sum
	}
	slope := func(v []float64) []float64 {
		const h = 1e-5
		d := make([]float64, len(v))
		for i, old := range v {
			v[i] = old + h
			up := loss()
			v[i] = old - h
			d[i] = (up - loss()) / (2 * h)
			v[i] = old
		}
		return d
	}
	stats := train().Elems()
	got := evalBuilt(t, func(b *Builder) *Instruction {
		return b.BatchNormGrad(b.ConstantLiteral(numLit(t, shape.F64, x, dims...)), b.ConstantLiteral(numLit(t, shape.F64, scale, c)),
			b.ConstantLiteral(stats[1]), b.ConstantLiteral(stats[2]), b.ConstantLiteral(numLit(t, shape.F64, dy, dims...)), epsilon, feature)
	})
	t.Logf("seed %d", seed)
	wantFloatsNear(t, "gradient of operand", got.Elems()[0], slope(x), 1e-6)
	wantFloatsNear(t, "gradient of scale", got.Elems()[1], slope(scale), 1e-6)
	wantFloatsNear(t, "gradient of offset", got.Elems()[2], slope(offset), 1e-6)
}

func TestBatchNormErrors(t *testing.T) {
	f32 := shape.F32
	for _, c := range []struct {
		want  string
		build func(b *Builder) *Instruction
	}{
		{"want floating point", func(b *Builder) *Instruction {
			return b.BatchNormTraining(numParam(b, shape.S32, 4, 2), numParam(b, f32, 2), numParam(b, f32, 2), 0, 1)
		}},
		{"feature_index: dimension -1 is out of range", func(b *Builder) *Instruction { // C1
			return b.BatchNormTraining(numParam(b, f32, 4, 2), numParam(b, f32, 2), numParam(b, f32, 2), 0, -1)
		}},
		{"feature_index: dimension 2 is out of range", func(b *Builder) *Instruction { // C1
			return b.BatchNormTraining(numParam(b, f32, 4, 2), numParam(b, f32, 2), numParam(b, f32, 2), 0, 2)
		}},
		{"scale is f64[2], want f32[2]", func(b *Builder) *Instruction { // C2
			return b.BatchNormTraining(numParam(b, f32, 4, 2), numParam(b, shape.F64, 2), numParam(b, f32, 2), 0, 1)
		}},
		{"scale is f32[3], want f32[2]", func(b *Builder) *Instruction { // C3
			return b.BatchNormTraining(numParam(b, f32, 4, 2), numParam(b, f32, 3), numParam(b, f32, 2), 0, 1)
		}},
		{"offset is f32[2,1], want f32[2]", func(b *Builder) *Instruction { // C4
			return b.BatchNormTraining(numParam(b, f32, 4, 2), numParam(b, f32, 2), numParam(b, f32, 2, 1), 0, 1)
		}},
		{"mean is f32[3], want f32[2]", func(b *Builder) *Instruction { // row 99
			p := numParam(b, f32, 2)
			return b.BatchNormInference(numParam(b, f32, 4, 2), p, p, numParam(b, f32, 3), p, 0, 1)
		}},
		{"variance is f32[], want f32[2]", func(b *Builder) *Instruction { // row 99
			p := numParam(b, f32, 2)
			return b.BatchNormInference(numParam(b, f32, 4, 2), p, p, p, numParam(b, f32), 0, 1)
		}},
		{"mean is f32[4], want f32[2]", func(b *Builder) *Instruction { // C4
			p := numParam(b, f32, 2)
			return b.BatchNormGrad(numParam(b, f32, 4, 2), p, numParam(b, f32, 4), p, numParam(b, f32, 4, 2), 0, 1)
		}},
		{"grad_output is f32[4], want f32[4,2]", func(b *Builder) *Instruction { // C3
			p := numParam(b, f32, 2)
			return b.BatchNormGrad(numParam(b, f32, 4, 2), p, p, p, numParam(b, f32, 4), 0, 1)
		}},
	} {
		wantBuildError(t, c.want, c.build)
	}
}
