package cpu

import (
	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// invertDivisors gives what is divided by a value of its row the inverse of that, with which a stage finds the same
// quotients faster. Programs without reductions may come to run otherwise than row by row and stay as they are.
func (f *fused) invertDivisors() {
	if !f.reduces || f.lane() != 4 {
		return
	}
	e := &rowEmitter{emitter: newEmitter(f), folds: map[int]pipeline.Fold{}}
	e.plan()
	now := make([]int, len(f.nodes))
	var nodes []node
	for i, nd := range f.nodes {
		args := make([]int, len(nd.args))
		for k, a := range nd.args {
			args[k] = now[a]
		}
		divides := nd.op == hlo.Divide && nd.t == shape.F32 && nd.stage == "" &&
			e.level[nd.args[0]] == placeLevel && e.level[nd.args[1]] == rowLevel
		nd.args = args
		if divides {
			one := constantNode(literal.Scalar(float32(1)))
			inverse := node{op: hlo.Divide, in: nd.in, t: nd.t, args: []int{len(nodes), args[1]}}
			nodes = append(nodes, one, inverse)
			nd.stage, nd.args = "quotient", append(args, len(nodes)-1)
		}
		now[i] = len(nodes)
		nodes = append(nodes, nd)
	}
	for i := range nodes {
		if nd := &nodes[i]; nd.leavesTwo() {
			nd.mixed = now[nd.mixed]
		}
	}
	for i, r := range f.roots {
		f.roots[i] = now[r]
	}
	f.nodes = nodes
}
