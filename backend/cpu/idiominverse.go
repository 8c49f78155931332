package cpu

import (
	"math"

	"github.com/halo-xla/halo/xla/erfinv"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// erfInvPattern is what chlo.erf_inv of f32 becomes, with the polynomials of w as one of two ways writes them.
func erfInvPattern(polynomials func(b builder, w, near *hlo.Instruction) *hlo.Instruction) *hlo.Computation {
	return pattern("erf_inv", func(b builder, x *hlo.Instruction) *hlo.Instruction {
		w := b.Neg(b.Log1p(b.Mul(x, b.Neg(x))))
		p := b.Mul(polynomials(b, w, b.Lt(w, b.number(5))), x)
		return b.Select(b.Eq(b.Abs(x), b.number(1)), b.Mul(x, b.number(float32(math.Inf(1)))), p)
	})
}

// erfInvTwice has both polynomials and takes one, as our importer does.
func erfInvTwice(b builder, w, near *hlo.Instruction) *hlo.Instruction {
	return b.Select(near, b.horner(b.Sub(w, b.number(2.5)), inF32(erfinv.F32[0])),
		b.horner(b.Sub(b.Sqrt(w), b.number(3)), inF32(erfinv.F32[1])))
}

func inF32(list []float64) []float32 {
	out := make([]float32, len(list))
	for i, v := range list {
		out[i] = float32(v)
	}
	return out
}

// erfInvChosen chooses each coefficient, as StableHLO's own passes do.
func erfInvChosen(b builder, w, near *hlo.Instruction) *hlo.Instruction {
	y := b.Select(near, b.Sub(w, b.number(2.5)), b.Sub(b.Sqrt(w), b.number(3)))
	c := func(i int) *hlo.Instruction {
		return b.Select(near, b.number(float32(erfinv.F32[0][i])), b.number(float32(erfinv.F32[1][i])))
	}
	p := c(0)
	for i := 1; i < len(erfinv.F32[0]); i++ {
		p = b.Add(b.Mul(p, y), c(i))
	}
	return p
}

// erfInv64Pattern is what our importer makes of chlo.erf_inv of f64.
func erfInv64Pattern() *hlo.Computation {
	return patternOf("erf_inv", shape.F64, func(b builder, x *hlo.Instruction) *hlo.Instruction {
		number := func(v float64) *hlo.Instruction { return numberOf(b, v) }
		w := b.Neg(b.Log1p(b.Mul(x, b.Neg(x))))
		root, c := b.Sqrt(w), erfinv.F64
		p := b.Select(b.Lt(w, number(16)), hornerOf(b, b.Sub(root, number(3.25)), c[1]),
			hornerOf(b, b.Sub(root, number(5)), c[2]))
		p = b.Select(b.Lt(w, number(6.25)), hornerOf(b, b.Sub(w, number(3.125)), c[0]), p)
		return b.Select(b.Eq(b.Abs(x), number(1)), b.Mul(x, number(math.Inf(1))), b.Mul(p, x))
	})
}
