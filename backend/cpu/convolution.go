package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// lowerConvolution lowers a convolution: to oneDNN's, or to a contraction after its lhs is padded where places of the
// window stick out.
func lowerConvolution(l *exec.Lowering) (exec.Thunk, error) {
	in, lhs := l.In, l.Operand(0)
	c := contraction{lhsType: in.Operands[0].Shape.Type, rhsType: in.Operands[1].Shape.Type, outType: in.Shape.Type,
		lhs: lhs, rhs: l.Operand(1), out: l.Result(), weights: l.Constant(1)}
	if c.out.Size == 0 {
		return goThunk("nothing", nil, func(*exec.Run) error { return nil }), nil
	}
	var pad *kernel.Padding
	s := convolutionShape(in)
	if c.Contraction, pad = s.Contraction(); pad == nil && s.Points() == 1 && !isStrided(s) {
		c.Contraction = s.Images()
		return contract(l, c), nil
	}
	slow := &goConvolution{s, c.lhsType, c.rhsType, c.outType}
	if t := depthwiseConvolution(l, s, &c); t != nil {
		return t, nil
	}
	if t := groupedConvolution(l, s, &c); t != nil {
		return t, nil
	}
	if t := weightGradient(l, s, &c); t != nil {
		return careful(t, slow, nil, lhs, c.rhs, c.out), nil
	}
	if t := windowConvolution(l, s, &c); t != nil {
		return careful(t, slow, c.weights, lhs, c.rhs, c.out), nil
	}
	if t := onednnConvolution(l, s, &c); t != nil {
		return careful(t, slow, c.weights, lhs, c.rhs, c.out), nil
	}
	if pad == nil {
		return contract(l, c), nil
	}
	var steps []*thunk
	if c.lhsType == shape.F8E8M0FNU { // has no zero
		steps = append(steps, widenThunk(l, &c))
	}
	steps = append(steps, padThunk(l, pad, &c))
	return careful(sequence(append(steps, contract(l, c))...), slow, c.weights, lhs, c.rhs, c.out), nil
}

// isStrided says whether a window moves by more than 1, so that places in lhs are no rows of a matrix.
func isStrided(s *kernel.Convolution) bool {
	return slices.ContainsFunc(s.Window, func(w kernel.ConvolutionWindow) bool { return w.Stride > 1 })
}

// careful is fast, which multiplies weights by padding, where weights are finite, and slow where they are not.
func careful(fast *thunk, slow *goConvolution, weights *literal.Literal, lhs, rhs, out exec.Slice) *thunk {
	t := slow.rhs
	if !slow.padded() || !t.IsFloat() && !t.IsComplex() || weights != nil && allFinite(weights.Bytes(), t) {
		return fast
	}
	inner := runnable(fast)
	uses := append(exec.Reads(lhs, rhs), exec.Writes(out)...)
	return goThunk(fast.kernel, append(uses, fast.uses...), func(r *exec.Run) error {
		if weights := r.Bytes(rhs); !allFinite(weights, t) {
			slow.run(r.Bytes(out), r.Bytes(lhs), weights, r.Parallel)
			return r.Cancelled()
		}
		return inner(r)
	}).keeping(fast)
}

// allFinite is kernel.Finite, native where it can.
func allFinite(data []byte, t shape.ElementType) bool {
	if t == shape.F32 && run.Available() {
		return gemm.Finite(data)
	}
	return kernel.Finite(data, t)
}

// goConvolution is a convolution of elements of some types, all in Go and in memory of its own.
type goConvolution struct {
	*kernel.Convolution
	lhs, rhs, out shape.ElementType
}

func (c *goConvolution) padded() bool {
	_, pad := c.Contraction()
	return pad != nil
}

func (c *goConvolution) run(out, lhs, rhs []byte, p kernel.Parallel) {
	d, pad := c.Contraction()
	if pad == nil {
		k := kernel.NewContractor(d, c.lhs, c.rhs, c.out, nil)
		p(k.Tasks, func(task int64) { k.Run(out, lhs, rhs, task) })
		return
	}
	width := int64(c.lhs.Bytes())
	to := make([]byte, pad.Bytes(width))
	_, inner := pad.Moves(width)
	inner.Run(to, lhs, p)
	k := &kernel.Careful{Contraction: d, Padding: pad, LHS: c.lhs, RHS: c.rhs, Out: c.out}
	k.Run(out, to, rhs, p)
}

// padThunk makes c's lhs a scratch array, into which it is spread out.
func padThunk(l *exec.Lowering, pad *kernel.Padding, c *contraction) *thunk {
	width := int64(c.lhsType.Bytes())
	from, to, zero := c.lhs, l.Scratch(pad.Bytes(width)), l.Pack(make([]byte, width))
	fills, inner := pad.Moves(width)
	var boxes []box
	for _, m := range fills {
		boxes = append(boxes, box{move: m, dst: to, src: zero})
	}
	c.lhs = to
	t := moveThunk(l, append(boxes, box{move: inner, dst: to, src: from})...)
	t.uses = append(exec.Reads(from, zero), exec.Writes(to)...)
	return t
}

// widenThunk makes c's lhs, powers of two, a scratch array of BF16, which holds them all.
func widenThunk(l *exec.Lowering, c *contraction) *thunk {
	from, to := c.lhs, l.Scratch(2*c.lhs.Size)
	c.lhs, c.lhsType = to, shape.BF16
	return goThunk("go convert", append(exec.Reads(from), exec.Writes(to)...), func(r *exec.Run) error {
		wide := kernel.Cast[uint16](r.Bytes(to))
		for i, b := range r.Bytes(from) {
			wide[i] = uint16(shape.BF16.FromFloat64(shape.F8E8M0FNU.ToFloat64(uint64(b))))
		}
		return nil
	})
}

// convolutionShape returns the plain numbers of a convolution.
func convolutionShape(in *hlo.Instruction) *kernel.Convolution {
	a := in.Attrs.(*hlo.ConvolutionAttrs)
	l, rhs := &a.DimLabels, in.Operands[1].Shape.Dims
	c := &kernel.Convolution{LHS: in.Operands[0].Shape.Dims, RHS: rhs, Out: in.Shape.Dims,
		Input:         kernel.ConvolutionLabels{Batch: l.InputBatch, Feature: l.InputFeature, Spatial: l.InputSpatial},
		Kernel:        kernel.ConvolutionLabels{Batch: l.KernelOutput, Feature: l.KernelInput, Spatial: l.KernelSpatial},
		Output:        kernel.ConvolutionLabels{Batch: l.OutputBatch, Feature: l.OutputFeature, Spatial: l.OutputSpatial},
		FeatureGroups: int(a.FeatureGroupCount), BatchGroups: int(a.BatchGroupCount)}
	for i, w := range a.Window {
		c.Window = append(c.Window, kernel.ConvolutionWindow{Size: int(rhs[l.KernelSpatial[i]]),
			Stride: int(max(w.Stride, 1)), PadLow: int(w.PadLow), BaseDilation: int(max(w.BaseDilation, 1)),
			WindowDilation: int(max(w.WindowDilation, 1)), Reversal: w.Reversal})
	}
	return c
}

// lowerDynamicConvolution lowers a convolution whose padding is known when it runs; the sizes of its result are those
// of the instruction.
func lowerDynamicConvolution(l *exec.Lowering) (exec.Thunk, error) {
	in, lhs, rhs, padding, out := l.In, l.Operand(0), l.Operand(1), l.Operand(2), l.Result()
	uses := append(exec.Reads(lhs, rhs, padding), exec.Writes(out)...)
	return goThunk("go contraction", uses, func(r *exec.Run) error {
		if out.Size == 0 {
			return nil
		}
		s := convolutionShape(in)
		pads, err := paddingOf(in, r.Bytes(padding))
		if err != nil {
			return err
		}
		for i := range s.Window {
			s.Window[i].PadLow = int(pads[2*i])
		}
		c := &goConvolution{s, in.Operands[0].Shape.Type, in.Operands[1].Shape.Type, in.Shape.Type}
		c.run(r.Bytes(out), r.Bytes(lhs), r.Bytes(rhs), r.Parallel)
		return r.Cancelled()
	}), nil
}

// paddingOf returns the low and high padding of each dimension that a dynamic convolution has, of any integer type.
func paddingOf(in *hlo.Instruction, data []byte) ([]int64, error) {
	l, err := literal.FromBytes(in.Operands[2].Shape.WithoutLayout(), data)
	if err != nil {
		return nil, err
	}
	wide, err := literal.Convert(l, shape.S64)
	if err != nil {
		return nil, err
	}
	return wide.Wide().I, nil
}
