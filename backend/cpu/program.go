package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/cgo/loops/run"
	native "github.com/halo-xla/halo/cgo/loops/scalar"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// mapped is a program that runs once for every element: the streams are operands and then results.
type mapped struct {
	p        *scalar.Program
	n, grain int64
	slices   []exec.Slice
	strides  []int64
}

// programThunk returns the thunk that runs p once on the leaves of l's operands.
func programThunk(l *exec.Lowering, kernel string, p *scalar.Program) *thunk {
	m := &mapped{p: p, n: 1, grain: 1}
	for i := range l.In.Operands {
		m.slices = append(m.slices, l.Operands(i)...)
	}
	m.slices = append(m.slices, l.Results()...)
	m.strides = make([]int64, len(m.slices))
	return m.thunk(kernel)
}

func (m *mapped) thunk(kernel string) *thunk {
	in := len(m.p.Params)
	uses := append(exec.Reads(m.slices[:in]...), exec.Writes(m.slices[in:]...)...)
	if run.Available() && m.p.Native() {
		streams := make([]native.Stream, len(m.slices))
		for i, s := range m.slices {
			streams[i] = native.Stream{At: ref(s), Stride: m.strides[i]}
		}
		return recordThunk("loops "+kernel, uses, native.Apply(m.p.Pack(), m.n, m.grain, streams))
	}
	return goThunk("go "+kernel, uses, m.runGo)
}

func (m *mapped) runGo(r *exec.Run) error {
	var fault firstError
	r.Parallel((m.n+m.grain-1)/m.grain, func(i int64) {
		streams := make([]scalar.Stream, len(m.slices))
		for k, s := range m.slices {
			streams[k] = scalar.Stream{Data: r.Bytes(s), At: i * m.grain * m.strides[k], Stride: m.strides[k]}
		}
		fault.set(m.p.Machine(r.Context()).Apply(min(m.grain, m.n-i*m.grain), streams))
	})
	return fault.orCancelled(r)
}

func lowerMap(l *exec.Lowering) (exec.Thunk, error) {
	c := attrsOf[*hlo.MapAttrs](l).ToApply
	p, err := scalar.Compile(c)
	if err != nil {
		return nil, unsupportedComputation(c, err)
	}
	m := &mapped{p: p, n: l.In.Shape.Size(), grain: max(taskCost/stepCost(p), 1)}
	for i := range l.In.Operands {
		m.slices, m.strides = append(m.slices, l.Operand(i)), append(m.strides, widthOf(operandShape(l, i)))
	}
	m.slices, m.strides = append(m.slices, l.Result()), append(m.strides, widthOf(l.In.Shape))
	return m.thunk("map by program"), nil
}
