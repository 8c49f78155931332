package cpu

import (
	"bytes"
	"maps"
	"slices"
	"sync"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// idiom is a function of one element that programs write as many operations and the pipeline has a stage for.
type idiom struct {
	stage   string
	pattern *hlo.Computation
}

var idioms = sync.OnceValue(func() []idiom { return []idiom{{"erfc", erfcPattern()}} })

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

// erfcPattern is what chlo.erfc of f32 becomes.
func erfcPattern() *hlo.Computation {
	b := hlo.NewBuilder("erfc")
	number := func(v float32) *hlo.Instruction { return b.ConstantLiteral(literal.Scalar(v)) }
	horner := func(x *hlo.Instruction, c []float32) *hlo.Instruction {
		p := b.Mul(number(c[0]), x)
		for _, v := range c[1 : len(c)-1] {
			p = b.Mul(b.Add(p, number(v)), x)
		}
		return b.Add(p, number(c[len(c)-1]))
	}
	x := b.Parameter(0, shape.Array(shape.F32), "x")
	square, abs := b.Mul(x, x), b.Abs(x)
	minus := b.Neg(square)
	inverse := b.Div(number(1), square)
	tail := b.Mul(b.Mul(b.Exp(minus), b.Div(number(1), abs)), b.Select(b.Lt(abs, number(2)),
		horner(inverse, erfcCoefficients[1]), horner(inverse, erfcCoefficients[2])))
	tail = b.Select(b.Lt(minus, number(-88.72283905206835)), number(0), tail)
	tail = b.Select(b.Lt(x, number(0)), b.Sub(number(2), tail), tail)
	near := b.Sub(number(1), b.Mul(x, horner(square, erfcCoefficients[0])))
	c, err := b.Build(b.Select(b.Lt(abs, number(1)), near, tail))
	if err != nil {
		panic("cpu: bug: " + err.Error())
	}
	return c
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
	if in.Op == hlo.Compare && *in.Attrs.(*hlo.CompareAttrs) != *nd.in.Attrs.(*hlo.CompareAttrs) {
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
				f.nodes[n].stage, f.nodes[n].args = x.stage, []int{m.bound[x.pattern.Parameters[0]]}
				found = true
			}
		}
	}
	if found {
		f.dropUnused()
	}
}

// dropUnused drops the nodes that no result needs.
func (f *fused) dropUnused() {
	needed := make([]bool, len(f.nodes))
	for _, r := range f.roots {
		needed[r] = true
	}
	for n := len(f.nodes) - 1; n >= 0; n-- {
		for _, a := range f.nodes[n].args {
			needed[a] = needed[a] || needed[n]
		}
	}
	now := make([]int, len(f.nodes))
	var nodes []node
	for n, nd := range f.nodes {
		if !needed[n] {
			continue
		}
		for i, a := range nd.args {
			nd.args[i] = now[a]
		}
		now[n] = len(nodes)
		nodes = append(nodes, nd)
	}
	for i, r := range f.roots {
		f.roots[i] = now[r]
	}
	f.nodes = nodes
}
