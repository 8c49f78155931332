package cpu

import (
	"sync"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/cgo/onednn"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// lowerDot lowers a dot to a contraction.
func lowerDot(l *exec.Lowering) (exec.Thunk, error) {
	c := dotOf(l.In)
	c.lhs, c.rhs, c.out, c.weights = l.Operand(0), l.Operand(1), l.Result(), l.Constant(1)
	if t := blended(l, &c); t != nil {
		return t, nil
	}
	return contract(l, c), nil
}

// dotOf is the contraction of a dot, wherever its arrays are.
func dotOf(in *hlo.Instruction) contraction {
	a, lhs, rhs := in.Attrs.(*hlo.DotAttrs), in.Operands[0].Shape, in.Operands[1].Shape
	c := kernel.NewDot(lhs.Dims, rhs.Dims, a.LHSBatch, a.LHSContracting, a.RHSBatch, a.RHSContracting)
	split := (*kernel.Split)(hlo.DotSplitOf(a.Algorithm, lhs.Type, rhs.Type, in.Shape.Type))
	return contraction{Contraction: c, lhsType: lhs.Type, rhsType: rhs.Type, outType: in.Shape.Type, split: split}
}

// widens reports whether a product of narrow floats is best made in F32: we multiply those, a convolution oneDNN does;
// neither has kernels for the narrow ones, and there is enough to do.
func widens(in *hlo.Instruction) bool {
	t, other := in.Operands[0].Shape.Type, in.Operands[1].Shape.Type
	if !run.Available() || t != shape.F16 && t != shape.BF16 || other != t || in.Shape.Type.Bits() > 32 {
		return false
	}
	if in.Op == hlo.Dot && packs(in) {
		return false
	}
	if in.Op != hlo.Dot && onednn.Load() != nil {
		return false
	}
	least := min(in.Operands[0].Shape.Size(), in.Operands[1].Shape.Size(), in.Shape.Size())
	return least >= wideProduct && !multiplies(t)
}

// packs reports whether our own kernels make a dot of narrow floats, which convert what they pack. Weights that are
// known are converted once.
func packs(in *hlo.Instruction) bool {
	if in.Operands[1].Op == hlo.Constant {
		return false
	}
	c := dotOf(in)
	f, ok := matricesOf(&c.Contraction)
	if !ok {
		return false
	}
	_, _, ok = f.packedKind(&c)
	return ok
}

// wideProduct is how many elements each array of a product must have for conversions to pay.
const wideProduct = 32 * 32

// multiplies reports whether oneDNN has matrix products of a type here.
func multiplies(t shape.ElementType) bool {
	if t == shape.F16 {
		return multipliesF16()
	}
	return multipliesBF16()
}

var (
	multipliesF16  = sync.OnceValue(func() bool { return tryProduct(onednn.F16) })
	multipliesBF16 = sync.OnceValue(func() bool { return tryProduct(onednn.BF16) })
)

// tryProduct asks oneDNN for a product of matrices of 64 by 64.
func tryProduct(t onednn.Type) bool {
	a := onednn.Array{Type: t, Dims: []int64{64, 64}, Strides: []int64{64, 1}}
	_, err := onednn.New(onednn.Spec{Kind: onednn.MatMul, Src: a, Weights: a, Dst: a}, nil)
	return err == nil
}
