package cpu

import "github.com/halo-xla/halo/xla/hlo"

// useGelus gives erfc in x*erfc(c*x), as GELU has it, a stage that is faster where vectors are narrow and not as exact:
// rounding c*x costs as much.
func (f *fused) useGelus() {
	uses := f.uses()
	for _, nd := range f.nodes {
		if nd.op != hlo.Multiply || nd.stage != "" {
			continue
		}
		for i, n := range nd.args {
			e := &f.nodes[n]
			if e.stage == "erfc" && uses[n] == 1 && f.unscaled(nd.args[1-i]) == f.unscaled(e.args[0]) {
				e.stage = "gelu_erfc"
			}
		}
	}
}

// unscaled returns x of a number times x, or times -x.
func (f *fused) unscaled(n int) int {
	constant := func(a int) bool { return f.nodes[a].op == hlo.Constant }
	for {
		switch nd := &f.nodes[n]; {
		case nd.op == hlo.Negate && nd.stage == "", nd.op == hlo.Multiply && nd.stage == "" && constant(nd.args[1]):
			n = nd.args[0]
		case nd.op == hlo.Multiply && nd.stage == "" && constant(nd.args[0]):
			n = nd.args[1]
		default:
			return n
		}
	}
}
