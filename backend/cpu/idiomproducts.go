package cpu

import (
	"slices"
	"strings"

	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// productStages are the stages of an op on a product and something else, by which of the two comes first: of x*z and y,
// and of x and y*z, where x is the operand in the registers. The product is rounded before it is added.
var productStages = map[hlo.Opcode][2]struct{ product, other string }{
	hlo.Add:      {{"mul_add_f", "add_mul_f"}, {"mul_add_f", "add_mul_f"}},
	hlo.Subtract: {{"mul_sub_f", "rsub_mul_f"}, {"mul_rsub_f", "sub_mul_f"}},
}

// useProducts makes one stage of each sum and difference with a product that nothing else needs.
func (f *fused) useProducts() {
	uses := f.uses()
	found := false
	for i := range f.nodes {
		nd := &f.nodes[i]
		if nd.stage != "" || len(productStages[nd.op][0].other) == 0 || !f.fillsLanes(nd.t) {
			continue
		}
		for k, a := range nd.args {
			if m := &f.nodes[a]; m.op == hlo.Multiply && m.stage == "" && uses[a] == 1 {
				f.useProduct(nd, k)
				found = true
				break
			}
		}
	}
	if found {
		f.order()
	}
}

// useProduct makes a stage of nd, whose operand k is a product. What is computed for it alone stays in the registers.
func (f *fused) useProduct(nd *node, k int) {
	names := productStages[nd.op][k]
	other, factors := nd.args[1-k], slices.Clone(f.nodes[nd.args[k]].args)
	computed := func(n int) bool { return len(f.nodes[n].args) > 0 }
	if computed(factors[1]) || f.nodes[factors[0]].op == hlo.Constant {
		slices.Reverse(factors)
	}
	if computed(factors[0]) {
		nd.stage, nd.args = names.product, []int{factors[0], other, factors[1]}
	} else {
		nd.stage, nd.args = names.other, []int{other, factors[0], factors[1]}
	}
}

// fillsLanes reports whether values of type t are floats as wide as the lanes, whose products need no rounding.
func (f *fused) fillsLanes(t shape.ElementType) bool {
	return (t == shape.F32 || t == shape.F64) && t.Bits() == 8*f.lane()
}

// scaled is the name of a stage on three operands, and of that for one number as the last, if it is one.
func (e *emitter) scaled(name string, z operand) string {
	if z.kind != input {
		return name
	}
	kind := e.inputs[z.value].Kind
	if one := name + "_k"; (kind == pipeline.Immediate || kind == pipeline.Splat) && pipeline.Has(one) {
		return one
	}
	return name
}

// roundedStores are the stores that round, each with the rounding that it does.
var roundedStores = map[string]string{"store_bf16": "round_bf16", "store_f16": "round_f16"}

// joinSteps makes one stage of two that add one after the other, and of a rounding with the store that it is for.
func joinSteps(steps []step) []step {
	var list []step
	for i, s := range steps {
		n := len(list) - 1
		switch {
		case n >= 0 && s.name == "add_f" && list[n].name == "add_f":
			list[n] = step{name: "add_add_f", a: list[n].a, b: s.a}
		case n >= 0 && roundedStores[s.name] != "" && list[n].name == roundedStores[s.name] && leavesNone(steps[i+1:]):
			list[n] = step{name: "store_rounded_" + strings.TrimPrefix(s.name, "store_"), a: s.a}
		default:
			list = append(list, s)
		}
	}
	return list
}

// leavesNone reports whether steps take nothing from the registers.
func leavesNone(steps []step) bool {
	return len(steps) == 0 || strings.HasPrefix(steps[0].name, "load")
}
