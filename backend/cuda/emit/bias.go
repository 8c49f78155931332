package emit

import (
	"errors"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Biased reports whether in, a fusion that reads the product c, does nothing but add a bias to each of its rows, and a
// library may do both: in f32, where the sum of a product is what the law rounds it to before the bias comes.
func Biased(c, in *hlo.Instruction) bool {
	a, ok := in.Attrs.(*hlo.FusionAttrs)
	e := LowerGemm(c, 0)
	if !ok || c.Shape.Type != shape.F32 || e == nil {
		return false
	}
	dot := -1
	for i, o := range in.Operands {
		if o == c {
			dot = i
		}
	}
	return dot >= 0 && rowBias(a.Calls, a.Calls.Parameters[dot], c.Shape, e.Steps[0].Gemm) != nil
}

// rowBias returns the parameter with a number for each column of a product that a computation adds to x, which is or
// stands for it; nil if it does anything else.
func rowBias(c *hlo.Computation, x *hlo.Instruction, s shape.Shape, g *Gemm) *hlo.Instruction {
	b := biasIn(c, x, s.Rank()-1)
	if b == nil || b.Shape.Size() != g.N { // columns may be several dimensions
		return nil
	}
	return b
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

// extra is 1 for a dot or a convolution, which is no parameter of its computation.
func extra(x *hlo.Instruction) int {
	if x.Op == hlo.Parameter {
		return 0
	}
	return 1
}

// LowerBiased returns a fusion of a product and a bias as one call of a library, with the workspace that this says it
// takes; where that fails with errors.ErrUnsupported as a product without a bias, which has a workspace of some bytes,
// and a kernel. It returns nil for all other instructions.
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

// biasedGemm returns the product of a fusion of one and a bias, and where the bias lies; nil if in is none.
func biasedGemm(in *hlo.Instruction, workspace int64) (*Emission, Buffer) {
	a, ok := in.Attrs.(*hlo.FusionAttrs)
	if !ok {
		return nil, Buffer{}
	}
	for _, dot := range a.Calls.Instructions {
		if dot.Op != hlo.Dot && dot.Op != hlo.Convolution {
			continue
		}
		e, x, y := LowerGemm(dot, workspace), dot.Operands[0], dot.Operands[1]
		if e == nil || in.Shape.Type != shape.F32 || x.Op != hlo.Parameter || y.Op != hlo.Parameter {
			return nil, Buffer{}
		}
		g := e.Steps[0].Gemm
		bias := rowBias(a.Calls, dot, dot.Shape, g)
		if bias == nil {
			return nil, Buffer{}
		}
		g.A.Buffer, g.B.Buffer = parameterBuffer(dot.Operands[g.A.Index]), parameterBuffer(dot.Operands[g.B.Index])
		return e, parameterBuffer(bias)
	}
	return nil, Buffer{}
}

// parameterBuffer is where the operand of a fusion lies that a parameter stands for. All operands are arrays.
func parameterBuffer(p *hlo.Instruction) Buffer {
	return Buffer{Operand, int(p.Attrs.(*hlo.ParameterAttrs).Number)}
}
