package main

import (
	"math"
	"math/cmplx"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// slack is the factor c of the bound c n u on the error of a sum of n terms.
const slack = 8

// toleranceOf is how far a result of m that should be want may be off: the ULPs of all of m's operations, of the
// greatest element since a difference cancels, and where m sums, slack units roundoff for each term.
func toleranceOf(m *hlo.Module, want *literal.Literal) literal.Tolerance {
	t := literal.Tolerance{}
	terms, unit := 0.0, 0.0
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			t.ULP += in.Op.Info().ULPOf(in.Shape.Type)
			if f := summed[in.Op]; f != nil && !in.Shape.IsTuple() {
				terms += f(in)
			}
			if in.Shape.IsArray() {
				unit = max(unit, roundoff(in.Shape.Type))
			}
		}
	}
	for _, l := range want.Leaves() {
		t.ATol = max(t.ATol, (slack*terms+2*float64(t.ULP))*unit*greatest(l))
	}
	return t
}

// summed tell how many terms each element of an operation's result sums.
var summed = map[hlo.Opcode]func(in *hlo.Instruction) float64{
	hlo.Dot: products, hlo.Convolution: products, hlo.RaggedDot: products, hlo.ScaledDot: products,
	hlo.Reduce: folded, hlo.ReduceWindow: products, hlo.Fft: products, hlo.Scatter: folded, hlo.SelectAndScatter: folded,
	hlo.Cholesky: products, hlo.TriangularSolve: products, hlo.AllReduce: folded, hlo.BatchNormTraining: folded,
	hlo.BatchNormGrad: folded,
}

// products is the number of multiply-adds for each element of the result.
func products(in *hlo.Instruction) float64 {
	if in.IsDynamic() {
		return folded(in)
	}
	return float64(in.Cost().FLOPs) / float64(max(in.Shape.Static().Size(), 1))
}

// folded is the number of elements that are folded into one of the result, if all are folded evenly.
func folded(in *hlo.Instruction) float64 {
	n := float64(0)
	for _, o := range in.Operands {
		if o.Shape.IsArray() {
			n = max(n, elements(o.Shape, unknownSize))
		}
	}
	return n / max(elements(in.Shape, 1), 1)
}

// unknownSize stands for the size of an operand's dimension that a program does not know.
const unknownSize = 64

// elements is the number of elements of an array whose dimensions of unknown size have as many as unknown says.
func elements(s shape.Shape, unknown float64) float64 {
	n := 1.0
	for _, d := range s.Dims {
		if d == shape.Unbounded {
			n *= unknown
		} else {
			n *= float64(d)
		}
	}
	return n
}

// roundoff is half the distance from 1 to the next number of a floating-point type, 0 for others.
func roundoff(t shape.ElementType) float64 {
	if t.IsComplex() {
		t = t.Component()
	}
	if !t.IsFloat() {
		return 0
	}
	return math.Ldexp(1, -t.MantissaBits()-1)
}

// greatest is the greatest finite magnitude of l's elements.
func greatest(l *literal.Literal) float64 {
	w, most := l.Wide(), 0.0
	take := func(v float64) {
		if v = math.Abs(v); v > most && !math.IsInf(v, 0) {
			most = v
		}
	}
	for _, v := range w.F {
		take(v)
	}
	for _, v := range w.C {
		take(cmplx.Abs(v))
	}
	return most
}
