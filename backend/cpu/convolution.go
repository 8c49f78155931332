package cpu

import (
	"encoding/binary"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// lowerConvolution lowers a convolution to a contraction, after its lhs is padded where places of the window stick out.
func lowerConvolution(l *exec.Lowering) (exec.Thunk, error) {
	in := l.In
	c := contraction{lhsType: in.Operands[0].Shape.Type, rhsType: in.Operands[1].Shape.Type, outType: in.Shape.Type,
		lhs: l.Operand(0), rhs: l.Operand(1), out: l.Result(), weights: l.Constant(1)}
	if c.out.Size == 0 {
		return goThunk("nothing", nil, func(*exec.Run) error { return nil }), nil
	}
	var pad *kernel.Padding
	if c.Contraction, pad = convolutionShape(in).Contraction(); pad == nil {
		return contract(l, c), nil
	}
	var steps []*thunk
	if c.lhsType == shape.F8E8M0FNU { // has no zero
		steps = append(steps, widenThunk(l, &c))
	}
	steps = append(steps, padThunk(l, pad, &c))
	return sequence(append(steps, careful(c, pad, contract(l, c)))...), nil
}

// careful is fast, which computes c after padding, where weights are finite, and a slower kernel where they are not.
func careful(c contraction, pad *kernel.Padding, fast *thunk) *thunk {
	if !c.rhsType.IsFloat() && !c.rhsType.IsComplex() || c.weights != nil && kernel.Finite(c.weights.Bytes(), c.rhsType) {
		return fast
	}
	slow := &kernel.Careful{Contraction: c.Contraction, Padding: pad, LHS: c.lhsType, RHS: c.rhsType, Out: c.outType}
	run := runnable(fast)
	t := goThunk(fast.kernel, append(c.uses(), fast.uses...), func(r *exec.Run) error {
		if rhs := r.Bytes(c.rhs); !kernel.Finite(rhs, c.rhsType) {
			slow.Run(r.Bytes(c.out), r.Bytes(c.lhs), rhs, tasks(r))
			return r.Cancelled()
		}
		return run(r)
	})
	return t.keeping(fast)
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
	lt, rt := in.Operands[0].Shape.Type, in.Operands[1].Shape.Type
	return goThunk("go contraction", uses, func(r *exec.Run) error {
		if out.Size == 0 {
			return nil
		}
		s := convolutionShape(in)
		for i := range s.Window {
			s.Window[i].PadLow = int(element(r.Bytes(padding), in.Operands[2].Shape.Type.Bytes(), 2*i))
		}
		c, pad := s.Contraction()
		data := r.Bytes(lhs)
		if pad != nil {
			data = padded(pad, data, int64(lt.Bytes()), tasks(r))
			slow := &kernel.Careful{Contraction: c, Padding: pad, LHS: lt, RHS: rt, Out: in.Shape.Type}
			if weights := r.Bytes(rhs); !kernel.Finite(weights, rt) {
				slow.Run(r.Bytes(out), data, weights, tasks(r))
				return r.Cancelled()
			}
		}
		k := kernel.NewContractor(c, lt, rt, in.Shape.Type, nil)
		r.Parallel(k.Tasks, func(task int64) { k.Run(r.Bytes(out), data, r.Bytes(rhs), task) })
		return r.Cancelled()
	}), nil
}

// padded returns data, elements of width bytes, spread out.
func padded(pad *kernel.Padding, data []byte, width int64, p kernel.Parallel) []byte {
	to := make([]byte, pad.Bytes(width))
	_, inner := pad.Moves(width)
	inner.Run(to, data, p)
	return to
}

// element returns the signed integer i of some of so many bytes.
func element(b []byte, width, i int) int64 {
	var wide [8]byte
	if copy(wide[:], b[i*width:][:width]); wide[width-1] >= 0x80 {
		for j := width; j < len(wide); j++ {
			wide[j] = 0xff
		}
	}
	return int64(binary.LittleEndian.Uint64(wide[:]))
}
