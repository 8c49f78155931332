package emit

import (
	"errors"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Biased reports whether in, a fusion that reads the dot c, does nothing but add a bias to each of its rows, and a
// library may do both: in f32, where the sum of a product is what the law rounds it to before the bias comes.
func Biased(c, in *hlo.Instruction) bool {
	a, ok := in.Attrs.(*hlo.FusionAttrs)
	if !ok || c.Op != hlo.Dot || c.Shape.Type != shape.F32 || LowerGemm(c, 0) == nil {
		return false
	}
	dot := -1
	for i, o := range in.Operands {
		if o == c {
			dot = i
		}
	}
	return dot >= 0 && biasIn(a.Calls, a.Calls.Parameters[dot], c.Shape.Rank()-1) != nil
}

// biasIn returns the parameter with a number for each place along a dimension that a computation adds to x; nil if it
// does anything else.
func biasIn(c *hlo.Computation, x *hlo.Instruction, dimension int) *hlo.Instruction {
	r := c.Root
	if r.Op != hlo.Add || len(c.Instructions) != len(c.Parameters)+2+extra(x) {
		return nil
	}
	b := r.Operands[0]
	if b == x {
		b = r.Operands[1]
	} else if r.Operands[1] != x {
		return nil
	}
	a, ok := b.Attrs.(*hlo.BroadcastAttrs)
	if !ok || len(a.Dimensions) != 1 || int(a.Dimensions[0]) != dimension || b.Operands[0].Op != hlo.Parameter {
		return nil
	}
	return b.Operands[0]
}

// extra is 1 for a dot, which is no parameter of its computation.
func extra(x *hlo.Instruction) int {
	if x.Op == hlo.Parameter {
		return 0
	}
	return 1
}

// LowerBiased returns a fusion of a dot and a bias as one product of a library, with the workspace that library says it
// takes; where that fails with errors.ErrUnsupported as a product without a bias, which has a workspace of some
// bytes, and a kernel. It returns nil for all other instructions.
func LowerBiased(in *hlo.Instruction, workspace int64, library func(*Gemm) (int64, error)) (*Emission, error) {
	e, bias := biasedGemm(in, workspace)
	if e == nil {
		return nil, nil
	}
	g := e.Steps[0].Gemm
	g.Bias = &bias
	bytes, err := library(g)
	switch {
	case err == nil:
		e.Scratch[g.Work.Index] = bytes
		return e, nil
	case !errors.Is(err, errors.ErrUnsupported):
		return nil, err
	}
	g.Bias = nil
	s := in.Shape
	b := newBody(e, s.Size())
	b.threads(s.Size())
	sum := b.load(g.C.Buffer, s.Type, index{flat: "t", of: s.Dims})
	v := b.load(bias, s.Type, index{flat: b.integer(modulo("t", g.N))})
	b.store(g.C.Buffer, "t", b.element(s.Type, sum.text+" + "+v.text))
	e.add(b.kernel("bias", ceil(s.Size(), blockSize), blockSize))
	return e, nil
}

// biasedGemm returns the product of a fusion of a dot and a bias, and where the bias lies; nil if in is none.
func biasedGemm(in *hlo.Instruction, workspace int64) (*Emission, Buffer) {
	a, ok := in.Attrs.(*hlo.FusionAttrs)
	if !ok {
		return nil, Buffer{}
	}
	for _, dot := range a.Calls.Instructions {
		if dot.Op != hlo.Dot {
			continue
		}
		e, bias := LowerGemm(dot, workspace), biasIn(a.Calls, dot, dot.Shape.Rank()-1)
		x, y := dot.Operands[0], dot.Operands[1]
		if e == nil || bias == nil || in.Shape.Type != shape.F32 || x.Op != hlo.Parameter || y.Op != hlo.Parameter {
			return nil, Buffer{}
		}
		g := e.Steps[0].Gemm
		g.A.Buffer, g.B.Buffer = parameterBuffer(x), parameterBuffer(y)
		return e, parameterBuffer(bias)
	}
	return nil, Buffer{}
}

// parameterBuffer is where the operand of a fusion lies that a parameter stands for. All operands are arrays.
func parameterBuffer(p *hlo.Instruction) Buffer {
	return Buffer{Operand, int(p.Attrs.(*hlo.ParameterAttrs).Number)}
}
