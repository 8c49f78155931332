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
	return t
}

// takeBias takes the addition of a number for each of the features, the innermost dimension, to the elements of the
// array at s out of f, if that is all that is done to them first, and returns where those numbers lie.
func (f *fused) takeBias(s exec.Slice, features int64) (exec.Slice, bool) {
	return f.takeFirst(s, hlo.Add, func(other *node) bool {
		return other.op == hlo.Parameter && other.access.Offset == 0 && isBias(other.access.Strides) &&
			f.dims[len(f.dims)-1] == features
	})
}

// takeSum is takeBias for an array whose elements lie as those at s do.
func (f *fused) takeSum(s exec.Slice) (exec.Slice, bool) {
	return f.takeFirst(s, hlo.Add, func(other *node) bool {
		return other.op == hlo.Parameter && inOrder(f.dims, other.access)
	})
}

// takeFloor takes the maximum of the elements of the array at s and 0 out of f, if that is all that is done to them
// first.
func (f *fused) takeFloor(s exec.Slice) bool {
	_, ok := f.takeFirst(s, hlo.Maximum, func(other *node) bool {
		return other.op == hlo.Constant && slices.Equal(other.value.Bytes(), literal.Zero(shape.F32).Bytes())
	})
	return ok
}

// takeFirst takes an operation in F32 on the elements of the array at s and on another operand that suits out of f, if
// that is all that is done to them first, and returns where the other lies if it is an input.
func (f *fused) takeFirst(s exec.Slice, op hlo.Opcode, suits func(other *node) bool) (other exec.Slice, ok bool) {
	users := map[int][]int{}
	for i, nd := range f.nodes {
		for _, a := range nd.args {
			users[a] = append(users[a], i)
		}
	}
	for i, nd := range f.nodes {
		if nd.op != hlo.Parameter || f.inputs[nd.input] != s || len(users[i]) != 1 || slices.Contains(f.roots, i) {
			continue
		}
		user := &f.nodes[users[i][0]]
		if user.op != op || user.t != shape.F32 || user.args[0] == user.args[1] || !inOrder(f.dims, nd.access) {
			return exec.Slice{}, false
		}
		o := f.nodes[user.args[0]+user.args[1]-i]
		if !suits(&o) {
			return exec.Slice{}, false
		}
		*user = nd
		f.order()
		if o.op == hlo.Parameter {
			other = f.inputs[o.input]
		}
		return other, true
	}
	return exec.Slice{}, false
}

// isBias reports whether strides are those of an array along the innermost dimension of several.
func isBias(strides []int64) bool {
	last := len(strides) - 1
	return last > 0 && strides[last] == 1 && isConstant(tile.Access{Strides: strides[:last]})
}
