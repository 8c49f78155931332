package hlo

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// convCase is a convolution in any form.
type convCase struct {
	lhs, rhs                 []int64
	strides                  []int64
	padding                  [][2]int64
	lhsDilate, rhsDilate     []int64
	reversal                 []bool
	labels                   DimLabels
	featureGroup, batchGroup int64
}

func randomConv(r *rand.Rand) convCase {
	n := r.IntN(4)
	c := convCase{featureGroup: 1, batchGroup: 1}
	switch r.IntN(3) {
	case 0:
		c.featureGroup = 1 + r.Int64N(3)
	case 1:
		c.batchGroup = 1 + r.Int64N(3)
	}
	groups := c.featureGroup * c.batchGroup
	features, outputs, batch := r.Int64N(4), groups*(r.Int64N(6)), c.batchGroup*r.Int64N(3)
	lp, kp, op := r.Perm(n+2), r.Perm(n+2), r.Perm(n+2)
	l := &c.labels
	l.InputBatch, l.InputFeature = int64(lp[0]), int64(lp[1])
	l.KernelInput, l.KernelOutput = int64(kp[0]), int64(kp[1])
	l.OutputBatch, l.OutputFeature = int64(op[0]), int64(op[1])
	c.lhs, c.rhs = make([]int64, n+2), make([]int64, n+2)
	c.lhs[lp[0]], c.lhs[lp[1]] = batch, features*c.featureGroup
	c.rhs[kp[0]], c.rhs[kp[1]] = features, outputs
	for i := range n {
		l.InputSpatial = append(l.InputSpatial, int64(lp[i+2]))
		l.KernelSpatial = append(l.KernelSpatial, int64(kp[i+2]))
		l.OutputSpatial = append(l.OutputSpatial, int64(op[i+2]))
		c.lhs[lp[i+2]], c.rhs[kp[i+2]] = r.Int64N(6), 1+r.Int64N(3)
		c.strides = append(c.strides, 1+r.Int64N(3))
		c.padding = append(c.padding, [2]int64{r.Int64N(6) - 2, r.Int64N(6) - 2})
		c.lhsDilate, c.rhsDilate = append(c.lhsDilate, 1+r.Int64N(3)), append(c.rhsDilate, 1+r.Int64N(3))
		c.reversal = append(c.reversal, r.IntN(2) == 0)
	}
	return c
}

// naive is the definition of row 94: it returns the result's sizes and elements.
func (c convCase) naive(lhs, rhs []float64) ([]int64, []float64) {
	l := c.labels
	dims := make([]int64, len(c.lhs))
	dims[l.OutputBatch] = c.lhs[l.InputBatch] / c.batchGroup
	dims[l.OutputFeature] = c.rhs[l.KernelOutput]
	var kernel []int64
	for i, d := range l.OutputSpatial {
		n, k := c.lhs[l.InputSpatial[i]], c.rhs[l.KernelSpatial[i]]
		kernel = append(kernel, k)
		padded := c.padding[i][0] + c.padding[i][1]
		if n > 0 {
			padded += (n-1)*c.lhsDilate[i] + 1
		}
		if win := (k-1)*c.rhsDilate[i] + 1; padded > 0 && win <= padded {
			dims[d] = (padded-win)/c.strides[i] + 1
		}
	}
	outputs := dims[l.OutputFeature]
	out := make([]float64, shape.Array(shape.F32, dims...).Size())
	eachIndex(dims, func(o []int64) {
		eachIndex(append(slices.Clone(kernel), c.rhs[l.KernelInput]), func(k []int64) {
			li, ri := make([]int64, len(c.lhs)), make([]int64, len(c.rhs))
			f, ci := o[l.OutputFeature], k[len(kernel)]
			ri[l.KernelOutput], ri[l.KernelInput] = f, ci
			li[l.InputBatch] = o[l.OutputBatch] + f/(outputs/c.batchGroup)*dims[l.OutputBatch]
			li[l.InputFeature] = ci + f/(outputs/c.featureGroup)*c.rhs[l.KernelInput]
			for i := range kernel {
				ri[l.KernelSpatial[i]] = k[i]
				if c.reversal[i] {
					ri[l.KernelSpatial[i]] = kernel[i] - 1 - k[i]
				}
				p := o[l.OutputSpatial[i]]*c.strides[i] - c.padding[i][0] + k[i]*c.rhsDilate[i]
				if p < 0 || p%c.lhsDilate[i] != 0 || p/c.lhsDilate[i] >= c.lhs[l.InputSpatial[i]] {
					return
				}
				li[l.InputSpatial[i]] = p / c.lhsDilate[i]
			}
			out[position(dims, o)] += lhs[position(c.lhs, li)] * rhs[position(c.rhs, ri)]
		})
	})
	return dims, out
}

func TestConvolutionRandom(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 2))
	types := []shape.ElementType{shape.F32, shape.S32, shape.U16, shape.C64, shape.BF16}
	for i := range 600 {
		c := randomConv(r)
		et := types[i%len(types)]
		lhs, rhs := randomInts(r, c.lhs), randomInts(r, c.rhs)
		if et == shape.U16 {
			for i := range lhs {
				lhs[i] = math.Abs(lhs[i])
			}
			for i := range rhs {
				rhs[i] = math.Abs(rhs[i])
			}
		}
		got := evalBuilt(t, func(b *Builder) *Instruction {
			x, k := b.ConstantLiteral(numLit(t, et, lhs, c.lhs...)), b.ConstantLiteral(numLit(t, et, rhs, c.rhs...))
			return b.ConvGeneralDilated(x, k, c.strides, c.padding, c.lhsDilate, c.rhsDilate, c.labels, ConvOptions{
				FeatureGroupCount: c.featureGroup, BatchGroupCount: c.batchGroup, WindowReversal: c.reversal, PreferredElementType: et})
		})
		dims, want := c.naive(lhs, rhs)
		w := literal.ConvertWide(numLit(t, et, want, dims...).Wide(), et, shape.F64)
		f := literal.ConvertWide(got.Wide(), et, shape.F64)
		if !slices.Equal(got.Shape().Dims, dims) || !slices.Equal(f.F, w.F) {
			t.Fatalf("seed %d, case %d, %+v: got %v %v, want %v %v", seed, i, c, got.Shape(), f.F, dims, w.F)
		}
	}
}

// Padding is left out: an infinite weight over it does no harm. SAME puts the odd element at the end.
func TestConvPadding(t *testing.T) {
	x, k := numLit(t, shape.F32, []float64{1, 2, 3, 4}, 1, 1, 4), numLit(t, shape.F32, []float64{math.Inf(1), 10}, 1, 1, 2)
	got := evalBuilt(t, func(b *Builder) *Instruction {
		return b.ConvWithGeneralPadding(b.ConstantLiteral(x), b.ConstantLiteral(k), []int64{4}, [][2]int64{{1, 0}})
	})
	wantFloats(t, got, "f32[1,1,1]", 10)
	k = numLit(t, shape.F32, []float64{1, 10}, 1, 1, 2)
	got = evalBuilt(t, func(b *Builder) *Instruction {
		return b.Conv(b.ConstantLiteral(x), b.ConstantLiteral(k), []int64{1}, SamePadding)
	})
	wantFloats(t, got, "f32[1,1,4]", 21, 32, 43, 4)
	got = evalBuilt(t, func(b *Builder) *Instruction {
		return b.Conv(b.ConstantLiteral(x), b.ConstantLiteral(k), []int64{2}, ValidPadding)
	})
	wantFloats(t, got, "f32[1,1,2]", 21, 43)
	got = evalBuilt(t, func(b *Builder) *Instruction {
		last := DimLabels{InputFeature: 2, InputSpatial: []int64{1}, KernelInput: 1, KernelOutput: 2, KernelSpatial: []int64{0},
			OutputFeature: 2, OutputSpatial: []int64{1}}
		x := b.ConstantLiteral(numLit(t, shape.S8, []float64{100, 100, 100}, 1, 3, 1))
		k := b.ConstantLiteral(numLit(t, shape.S8, []float64{1, 1}, 2, 1, 1))
		return b.ConvWithGeneralDimensions(x, k, []int64{1}, ValidPadding, last, ConvOptions{PreferredElementType: shape.S32})
	})
	wantFloats(t, got, "s32[1,2,1]", 200, 200)
}

func TestConvolutionPredicates(t *testing.T) {
	x, k := numLit(t, shape.Pred, []float64{1, 0, 0, 1}, 1, 1, 4), numLit(t, shape.Pred, []float64{1, 1}, 1, 1, 2)
	got := evalBuilt(t, func(b *Builder) *Instruction {
		return b.Conv(b.ConstantLiteral(x), b.ConstantLiteral(k), []int64{1}, ValidPadding)
	})
	wantFloats(t, got, "pred[1,1,3]", 1, 0, 1)
}

func TestConvolutionErrors(t *testing.T) {
	good := convCase{
		lhs: []int64{1, 8, 8, 207}, rhs: []int64{3, 3, 207, 16}, strides: []int64{1, 1}, padding: [][2]int64{{1, 1}, {1, 1}},
		lhsDilate: []int64{1, 1}, rhsDilate: []int64{1, 1}, reversal: []bool{false, false},
		labels: DimLabels{InputFeature: 3, InputSpatial: []int64{1, 2}, KernelInput: 2, KernelOutput: 3,
			KernelSpatial: []int64{0, 1}, OutputFeature: 3, OutputSpatial: []int64{1, 2}},
		featureGroup: 1, batchGroup: 1,
	}
	for _, c := range []struct {
		want  string
		spoil func(c *convCase, o *ConvOptions)
	}{
		{"", func(c *convCase, o *ConvOptions) {}},
		{"want the same rank", func(c *convCase, o *ConvOptions) { c.rhs = []int64{3} }},                                         // C1
		{"want the same rank of 2 or more", func(c *convCase, o *ConvOptions) { c.lhs, c.rhs = []int64{1}, []int64{3} }},         // C1
		{"window strides: got 1 numbers, want 2", func(c *convCase, o *ConvOptions) { c.strides = []int64{1} }},                  // C2
		{"window strides: got 0 for dim 1", func(c *convCase, o *ConvOptions) { c.strides = []int64{1, 0} }},                     // C3
		{"padding: got 1 pairs, want 2", func(c *convCase, o *ConvOptions) { c.padding = c.padding[:1] }},                        // C4
		{"base dilations: got 1 numbers", func(c *convCase, o *ConvOptions) { c.lhsDilate = []int64{1} }},                        // C5
		{"base dilations: got 0 for dim 0", func(c *convCase, o *ConvOptions) { c.lhsDilate = []int64{0, 1} }},                   // C6
		{"window dilations: got 1 numbers", func(c *convCase, o *ConvOptions) { c.rhsDilate = []int64{1} }},                      // C7
		{"window dilations: got -1 for dim 0", func(c *convCase, o *ConvOptions) { c.rhsDilate = []int64{-1, 1} }},               // C8
		{"window reversal: got 1 values", func(c *convCase, o *ConvOptions) { c.reversal = []bool{true} }},                       // C9
		{"lhs batch dim 0 is 1, want a multiple of batch_group_count 2", func(c *convCase, o *ConvOptions) { c.batchGroup = 2 }}, // C10
		{"lhs feature dim 3 is 207, want a multiple of feature_group_count 2",
			func(c *convCase, o *ConvOptions) { c.featureGroup = 2 }}, // C11
		{"input dimension numbers: got 3 dimensions", func(c *convCase, o *ConvOptions) { c.labels.InputSpatial = []int64{1} }},              // C12
		{"input dimension numbers: dimension 1 is there twice", func(c *convCase, o *ConvOptions) { c.labels.InputSpatial = []int64{1, 1} }}, // C13
		{"input dimension numbers: dimension 4 is out of range", func(c *convCase, o *ConvOptions) { c.labels.InputBatch = 4 }},              // C13
		{"features differ: lhs dim 3 is 207, rhs dim 2 is 20", func(c *convCase, o *ConvOptions) { c.rhs[2] = 20 }},                          // C14
		{"rhs output feature dim 3 is 16, want a multiple of batch_group_count 3",
			func(c *convCase, o *ConvOptions) { c.lhs[0], c.batchGroup = 3, 3 }}, // C15
		{"rhs output feature dim 3 is 16, want a multiple of feature_group_count 9",
			func(c *convCase, o *ConvOptions) { c.rhs[2], c.featureGroup = 23, 9 }}, // C16
		{"kernel dimension numbers: dimension 0 is there twice", func(c *convCase, o *ConvOptions) { c.labels.KernelSpatial = []int64{0, 0} }}, // C18
		{"output dimension numbers: got 5 dimensions", func(c *convCase, o *ConvOptions) { c.labels.OutputSpatial = []int64{1, 2, 4} }},        // C19
		{"output dimension numbers: dimension 3 is there twice", func(c *convCase, o *ConvOptions) { c.labels.OutputBatch = 3 }},               // C20
		{"feature_group_count is -1", func(c *convCase, o *ConvOptions) { c.featureGroup = -1 }},                                               // C21
		{"batch_group_count is -1", func(c *convCase, o *ConvOptions) { c.batchGroup = -1 }},                                                   // C22
		{"want one of them to be 1", func(c *convCase, o *ConvOptions) { c.featureGroup, c.batchGroup = 2, 2 }},                                // C23
		{"operand_precision: got 1 levels", func(c *convCase, o *ConvOptions) { o.Precision = Precision{HighPrecision} }},                      // C24
		{"window dim 0: size is 0, want 1 or more", func(c *convCase, o *ConvOptions) { c.rhs[0] = 0 }},
		{"sizes overflow", func(c *convCase, o *ConvOptions) { c.padding[0][0] = math.MaxInt64 }},
	} {
		k := good
		k.lhs, k.rhs, k.padding = slices.Clone(good.lhs), slices.Clone(good.rhs), slices.Clone(good.padding)
		var o ConvOptions
		c.spoil(&k, &o)
		o.FeatureGroupCount, o.BatchGroupCount, o.WindowReversal = k.featureGroup, k.batchGroup, k.reversal
		f := func(b *Builder) *Instruction {
			return b.ConvGeneralDilated(numParam(b, shape.F32, k.lhs...), numParam(b, shape.F32, k.rhs...), k.strides, k.padding,
				k.lhsDilate, k.rhsDilate, k.labels, o)
		}
		if c.want != "" {
			wantBuildError(t, c.want, f)
			continue
		}
		b := NewBuilder("good")
		if s := f(b).Shape.String(); b.err != nil || s != "f32[1,8,8,16]" {
			t.Errorf("got %s, %v, want f32[1,8,8,16]", s, b.err)
		}
	}
	wantBuildError(t, "element types differ: lhs is f32, rhs is s32", func(b *Builder) *Instruction { // C27
		return b.Conv(numParam(b, shape.F32, 1, 1, 1), numParam(b, shape.S32, 1, 1, 1), nil, ValidPadding)
	})
}

func TestConvolutionDynamic(t *testing.T) {
	b := NewBuilder("test")
	lhs := b.Parameter(0, shape.Shape{Type: shape.F32, Dims: []int64{shape.Unbounded, 3, 8}, Dynamic: []bool{false, false, true}}, "lhs")
	c := b.ConvWithGeneralPadding(lhs, numParam(b, shape.F32, 5, 3, 2), []int64{2}, nil)
	if got := c.Shape.String(); b.err != nil || got != "f32[?,5,<=4]" {
		t.Errorf("got %v, %v, want f32[?,5,<=4]", got, b.err)
	}
}

func BenchmarkConvolution(b *testing.B) {
	for _, c := range []struct {
		name     string
		lhs, rhs []int64
		groups   int64
	}{
		{"3x3", []int64{1, 64, 56, 56}, []int64{64, 64, 3, 3}, 1},
		{"wide", []int64{8, 512, 7, 7}, []int64{512, 512, 3, 3}, 1},
		{"depthwise", []int64{1, 64, 112, 112}, []int64{64, 1, 3, 3}, 64},
		{"1x1", []int64{1, 256, 28, 28}, []int64{64, 256, 1, 1}, 1},
		{"first", []int64{1, 3, 112, 112}, []int64{32, 3, 7, 7}, 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			nb := NewBuilder("conv")
			in := nb.Conv(numParam(nb, shape.F32, c.lhs...), numParam(nb, shape.F32, c.rhs...), nil, SamePadding,
				ConvOptions{FeatureGroupCount: c.groups})
			if nb.err != nil {
				b.Fatal(nb.err)
			}
			args := []*literal.Literal{literal.Zeros(in.Operands[0].Shape), literal.Zeros(in.Operands[1].Shape)}
			e := &Evaluator{ctx: context.Background()}
			b.ResetTimer()
			for range b.N {
				if _, err := evalConvolution(e, in, args); err != nil {
					b.Fatal(err)
				}
			}
			n := in.Shape.Size() * c.rhs[1] * c.rhs[2] * c.rhs[3]
			b.ReportMetric(float64(int64(b.N)*n)/b.Elapsed().Seconds()/1e6, "Mmuladd/s")
		})
	}
}
