package cpu

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// idiom is a function of one element or two that programs write as many operations and the pipeline has a stage for.
type idiom struct {
	stage   string
	pattern *hlo.Computation
}

var idioms = sync.OnceValue(func() []idiom {
	return append([]idiom{{"erfc", erfcPattern()}, {"erf_inv", erfInvPattern(erfInvTwice)},
		{"erf_inv", erfInvPattern(erfInvChosen)}, {"erf_inv", erfInv64Pattern()}, {"sinh", pattern("sinh", sinhOperations)},
		{"cosh", pattern("cosh", coshOperations)}}, absIdioms()...)
})

// erfcCoefficients are those of the Cephes library: of erf(x)/x in x^2 up to 1, and of erfc(x) exp(x^2) |x| in 1/x^2 up
// to 2 and from there on.
var erfcCoefficients = [3][]float32{
	{7.853861353153693e-5, -8.010193625184903e-4, 5.188327685732524e-3, -2.685381193529856e-2, 1.128358514861418e-1,
		-3.761262582423300e-1, 1.128379165726710},
	{2.326819970068386e-2, -1.387039388740657e-1, 3.687424674597105e-1, -5.824733027278666e-1, 6.210004621745983e-1,
		-4.944515323274145e-1, 3.404879937665872e-1, -2.741127028184656e-1, 5.638259427386472e-1},
	{-1.047766399936249e1, 1.297719955372516e1, -7.495518717768503, 2.921019019210786, -1.015265279202700,
		4.218463358204948e-1, -2.820767439740514e-1, 5.641895067754075e-1},
}

// number is a constant of f32. numberOf and hornerOf, of coefficients with the highest first, are of any type.
func (b builder) number(v float32) *hlo.Instruction { return numberOf(b, v) }

func (b builder) horner(x *hlo.Instruction, c []float32) *hlo.Instruction { return hornerOf(b, x, c) }

func numberOf[T float32 | float64](b builder, v T) *hlo.Instruction {
	return b.ConstantLiteral(literal.Scalar(v))
}

func hornerOf[T float32 | float64](b builder, x *hlo.Instruction, c []T) *hlo.Instruction {
	p := b.Mul(numberOf(b, c[0]), x)
	for _, v := range c[1 : len(c)-1] {
		p = b.Mul(b.Add(p, numberOf(b, v)), x)
	}
	return b.Add(p, numberOf(b, c[len(c)-1]))
}

// pattern returns the computation of one f32.
func pattern(name string, of func(b builder, x *hlo.Instruction) *hlo.Instruction) *hlo.Computation {
	return patternOf(name, shape.F32, of)
}

func patternOf(name string, t shape.ElementType,
	of func(b builder, x *hlo.Instruction) *hlo.Instruction) *hlo.Computation {
	b := builder{hlo.NewBuilder(name)}
	c, err := b.Build(of(b, b.Parameter(0, shape.Array(t), "x")))
	if err != nil {
		panic("cpu: bug: " + err.Error())
	}
	return c
}

// erfcPattern is what chlo.erfc of f32 becomes.
func erfcPattern() *hlo.Computation { return pattern("erfc", erfcOperations) }

func erfcOperations(b builder, x *hlo.Instruction) *hlo.Instruction {
	number, horner := b.number, b.horner
	square, abs := b.Mul(x, x), b.Abs(x)
	minus := b.Neg(square)
	inverse := b.Div(number(1), square)
	tail := b.Mul(b.Mul(b.Exp(minus), b.Div(number(1), abs)), b.Select(b.Lt(abs, number(2)),
		horner(inverse, erfcCoefficients[1]), horner(inverse, erfcCoefficients[2])))
	tail = b.Select(b.Lt(minus, number(-88.72283905206835)), number(0), tail)
	tail = b.Select(b.Lt(x, number(0)), b.Sub(number(2), tail), tail)
	near := b.Sub(number(1), b.Mul(x, horner(square, erfcCoefficients[0])))
	return b.Select(b.Lt(abs, number(1)), near, tail)
}

// sinhOperations are what chlo.sinh becomes: half of the difference of exponentials, below 1 by exp(x)-1.
func sinhOperations(b builder, x *hlo.Instruction) *hlo.Instruction {
	e, one := b.Expm1(x), b.number(1)
	near := b.Mul(b.number(0.5), b.Add(e, b.Div(e, b.Add(e, one))))
	return b.Select(b.Lt(b.Abs(x), one), near, b.Sub(b.halves(x)))
}

// coshOperations are what chlo.cosh becomes.
func coshOperations(b builder, x *hlo.Instruction) *hlo.Instruction { return b.Add(b.halves(x)) }

// halves are exp(x)/2 and exp(-x)/2.
func (b builder) halves(x *hlo.Instruction) (up, down *hlo.Instruction) {
	half := b.number(-math.Ln2)
	return b.Exp(b.Add(x, half)), b.Exp(b.Sub(half, x))
}

// matcher finds a pattern among the nodes of a computation.
type matcher struct {
	f     *fused
	bound map[*hlo.Instruction]int
}

func (m *matcher) match(in *hlo.Instruction, n int) bool {
	for slices.Contains(renaming, in.Op) {
		in = in.Operands[0]
	}
	if at, ok := m.bound[in]; ok {
		return at == n
	}
	nd := &m.f.nodes[n]
	switch {
	case in.Op == hlo.Parameter:
	case nd.op != in.Op || nd.t != in.Shape.Type || nd.stage != "":
		return false
	case in.Op == hlo.Constant:
		return bytes.Equal(nd.value.Bytes(), in.Attrs.(*hlo.ConstantAttrs).Literal.Bytes())
	case !m.operands(in, nd):
		return false
	}
	m.bound[in] = n
	return true
}

// operands matches operands, of commutative ops in either order.
func (m *matcher) operands(in *hlo.Instruction, nd *node) bool {
	if in.Op == hlo.Compare && !sameComparison(in.Attrs.(*hlo.CompareAttrs), nd.in.Attrs.(*hlo.CompareAttrs)) {
		return false
	}
	before := maps.Clone(m.bound)
	matched := len(in.Operands) == len(nd.args)
	for i := 0; matched && i < len(nd.args); i++ {
		matched = m.match(in.Operands[i], nd.args[i])
	}
	if matched || in.Op.Info().Traits&hlo.Commutative == 0 {
		return matched
	}
	m.bound = before
	return m.match(in.Operands[0], nd.args[1]) && m.match(in.Operands[1], nd.args[0])
}

// sameComparison knows that numbers are compared as floats whether that is said or not.
func sameComparison(a, b *hlo.CompareAttrs) bool {
	return a.Direction == b.Direction && (a.Type == hlo.TotalOrder) == (b.Type == hlo.TotalOrder)
}

// uses counts how often each node is an argument or a result.
func (f *fused) uses() []int {
	n := make([]int, len(f.nodes))
	for _, nd := range f.nodes {
		for _, a := range nd.args {
			n[a]++
		}
	}
	for _, r := range f.roots {
		n[r]++
	}
	return n
}

// useIdioms replaces what the pipeline has a stage for, and drops what nothing needs any more.
func (f *fused) useIdioms() {
	found := false
	for _, x := range idioms() {
		for n := range f.nodes {
			if f.nodes[n].op != x.pattern.Root.Op {
				continue
			}
			m := &matcher{f, map[*hlo.Instruction]int{}}
			if m.match(x.pattern.Root, n) {
				f.nodes[n].stage, f.nodes[n].args = x.stage, nil
				for _, p := range x.pattern.Parameters {
					f.nodes[n].args = append(f.nodes[n].args, m.bound[p])
				}
				found = true
			}
		}
	}
	f.useGelus()
	found = f.useFloors() || found
	found = f.useDivisors() || found
	if f.useShifts() || found {
		f.order()
	}
}
