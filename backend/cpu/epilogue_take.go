package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/tile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// take takes what t, a contraction whose result has such dims and lies between, can do itself out of f, and returns the
// thunk that does it.
func (f *fused) take(t *thunk, between exec.Slice, dims []int64) *thunk {
	if t.biased != nil {
		if bias, ok := f.takeBias(between, dims[len(dims)-1]); ok {
			t = t.biased(bias)
		}
	}
	if t.summed != nil {
		if other, ok := f.takeSum(between); ok {
			t = t.summed(other)
		}
	}
	if t.floored != nil && f.takeFloor(between) {
		t = t.floored()
	}
	if t.capped != nil {
		if most, ok := f.takeCap(between); ok {
			t = t.capped(most)
		}
	}
	return t
}

// takeBias takes the addition of a number for each of the features, the innermost dimension, to the elements of the
// array at s out of f, if that is all that is done to them first, and returns where those numbers lie.
func (f *fused) takeBias(s exec.Slice, features int64) (exec.Slice, bool) {
	return f.takeFirst(s, hlo.Add, func(nd, other *node) bool {
		return other.op == hlo.Parameter && other.access.Offset == 0 && isBias(other.access.Strides) &&
			f.dims[len(f.dims)-1] == features && inOrder(f.dims, nd.access)
	})
}

// takeSum is takeBias for an array whose elements lie as those at s do, be it that f reads them gate by gate.
func (f *fused) takeSum(s exec.Slice) (exec.Slice, bool) {
	return f.takeFirst(s, hlo.Add, func(nd, other *node) bool {
		return other.op == hlo.Parameter && f.inputs[other.input].Size == s.Size &&
			other.access.Offset == nd.access.Offset && slices.Equal(other.access.Strides, nd.access.Strides)
	})
}

// takeFloor takes the maximum of the elements of the array at s and 0 out of f, if that is all that is done to them
// first.
func (f *fused) takeFloor(s exec.Slice) bool {
	_, ok := f.takeFirst(s, hlo.Maximum, func(_, other *node) bool {
		return other.op == hlo.Constant && slices.Equal(other.value.Bytes(), literal.Zero(shape.F32).Bytes())
	})
	return ok
}

// takeCap takes the minimum of the elements of the array at s and a number above 0 out of f, if that is all that is
// done to them first, and returns that number. The kernel's 0 stands for no cap, and NaN is above nothing.
func (f *fused) takeCap(s exec.Slice) (most float32, ok bool) {
	_, ok = f.takeFirst(s, hlo.Minimum, func(_, other *node) bool {
		if other.op != hlo.Constant {
			return false
		}
		this := float32(other.value.Wide().F[0])
		same := most == 0 || most == this
		most = this
		return same && most > 0
	})
	return most, ok
}

// takeFirst takes an operation in F32 on the elements of the array at s and on another operand that suits out of f, if
// that is all that is done to any of them first, and returns where the other lies if it is an input.
func (f *fused) takeFirst(s exec.Slice, op hlo.Opcode, suits func(nd, other *node) bool) (other exec.Slice, ok bool) {
	users, taken := f.users(), map[int]node{} // what users become
	for i := range f.nodes {
		nd := &f.nodes[i]
		if nd.op != hlo.Parameter || f.inputs[nd.input] != s {
			continue
		}
		o := f.besideIn(users[i], i, op)
		if o == nil || !suits(nd, o) {
			return exec.Slice{}, false
		}
		at := exec.Slice{}
		if o.op == hlo.Parameter {
			at = f.inputs[o.input]
		}
		if at == s || len(taken) > 0 && at != other {
			return exec.Slice{}, false
		}
		taken[users[i][0]], other = *nd, at
	}
	for i, nd := range taken {
		f.nodes[i] = nd
	}
	if len(taken) > 0 {
		f.order()
	}
	return other, len(taken) > 0
}

// besideIn returns the other operand of the one user of node i, nil if that is not an operation in F32 on two nodes, or
// if something else wants node i.
func (f *fused) besideIn(users []int, i int, op hlo.Opcode) *node {
	if len(users) != 1 || slices.Contains(f.roots, i) {
		return nil
	}
	user := &f.nodes[users[0]]
	if user.op != op || user.t != shape.F32 || user.args[0] == user.args[1] {
		return nil
	}
	return &f.nodes[user.args[0]+user.args[1]-i]
}

// users lists the nodes that read each node.
func (f *fused) users() [][]int {
	users := make([][]int, len(f.nodes))
	for i, nd := range f.nodes {
		for _, a := range nd.args {
			users[a] = append(users[a], i)
		}
	}
	return users
}

// isBias reports whether strides are those of an array along the innermost dimension of several.
func isBias(strides []int64) bool {
	last := len(strides) - 1
	return last > 0 && strides[last] == 1 && isConstant(tile.Access{Strides: strides[:last]})
}
