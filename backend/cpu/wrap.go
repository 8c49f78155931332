package cpu

import (
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/pass"
)

// wrapping lowers what has wrapped indices: so much is added to those below 0.
var wrapping = map[hlo.Opcode]func(l *exec.Lowering, wrap int64) (exec.Thunk, error){
	hlo.Gather: gatherWrapped, hlo.Scatter: scatterWrapped,
}

// unwrapped returns the indices before they are wrapped, in a fusion, and what wraps them.
func unwrapped(indices *hlo.Instruction) (from *hlo.Instruction, by int64) {
	if from, by = pass.Wrapped(indices); from == nil {
		return indices, 0
	}
	return from, by
}

// lowerWrapped lowers the fusion whose root gathers or scatters by wrapped indices.
func lowerWrapped(l *exec.Lowering, root *hlo.Instruction,
	lower func(*exec.Lowering, int64) (exec.Thunk, error)) (exec.Thunk, error) {
	var operands []int
	var wrap int64
	for i, o := range root.Operands {
		if i == 1 {
			o, wrap = unwrapped(o)
		}
		operands = append(operands, int(o.Attrs.(*hlo.ParameterAttrs).Number))
	}
	return lower(l.Inner(root, operands, l.Result()), wrap)
}
