package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/cgo/loops/reduce"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// windowDims returns w as kernels take it.
func windowDims(w hlo.Window) []kernel.WindowDim {
	out := make([]kernel.WindowDim, len(w))
	for d, x := range w {
		out[d] = kernel.WindowDim{Size: x.Size, Stride: max(x.Stride, 1), PadLow: x.PadLow,
			BaseDilation: max(x.BaseDilation, 1), WindowDilation: max(x.WindowDilation, 1)}
	}
	return out
}

// oneTap is a dimension that windows do not extend over.
var oneTap = kernel.WindowDim{Size: 1, Stride: 1, BaseDilation: 1, WindowDilation: 1}

// firstLeaf returns the shape of an array, or of the first element of a tuple.
func firstLeaf(s shape.Shape) shape.Shape {
	if s.IsTuple() {
		return s.Elems[0]
	}
	return s
}

// windowFold is a reduction of windows by programs: a task is some segments of lines.
type windowFold struct {
	kernel.Window
	*reducer
	operands     []foldOperand
	tasks, grain int64
}

func lowerReduceWindow(l *exec.Lowering) (exec.Thunk, error) {
	a := attrsOf[*hlo.ReduceWindowAttrs](l)
	dims, out := operandShape(l, 0).Dims, firstLeaf(l.In.Shape).Dims
	if d, reverse, ok := running(windowDims(a.Window), dims, out); ok {
		return lowerRunning(l, a.ToApply, d, reverse)
	}
	plan := kernel.NewWindow(windowDims(a.Window), dims, out)
	n := len(l.In.Operands) / 2
	if op, simple := simpleReducer(a.ToApply); simple && n == 1 && operandShape(l, 0).Type == l.In.Shape.Type {
		x := summedParts(l, op)
		if len(x.Dims) > len(dims) {
			plan = kernel.NewWindow(append(windowDims(a.Window), oneTap), x.Dims, slices.Concat(out, []int64{2}))
		}
		if pool := nativePool(op, x.Type, plan.Terms); pool != 0 {
			return poolThunk(l, x, plan, pool), nil
		}
	}
	r, err := newReducer(a.ToApply, operandTypes(l, n), plan.Terms)
	if err != nil {
		return nil, unsupportedComputation(a.ToApply, err)
	}
	w := &windowFold{Window: plan, reducer: r, operands: foldOperands(l, r, plan.Out)}
	all := plan.Rows() * int64(len(plan.Line))
	cost := plan.Out * plan.Terms * stepCost(r.step)
	w.grain = max(taskCost*all/max(cost, 1), 1)
	w.tasks = (all + w.grain - 1) / w.grain
	return w.thunk(), nil
}

func (w *windowFold) thunk() *thunk {
	uses := foldUses(w.operands)
	if !w.native() {
		return goThunk("go reduce-window by program", uses, w.runGo)
	}
	out := reduce.Window{Plan: planOf(w.Window), Tasks: w.tasks, Grain: w.grain, Operands: nativeOperands(w.operands),
		Start: w.start.Pack(), Step: w.step.Pack()}
	if w.finish != nil {
		out.Finish = w.finish.Pack()
	}
	return recordThunk("loops reduce-window by program", uses, out.Record())
}

// planOf returns w as native kernels take it.
func planOf(w kernel.Window) reduce.Plan {
	p := reduce.Plan{LineStride: w.LineStride, Axes: make([]reduce.PlaceAxis, len(w.Axes)),
		Line: make([]reduce.Segment, len(w.Line))}
	for i, a := range w.Axes {
		p.Axes[i] = reduce.PlaceAxis{Stride: a.Stride, Places: make([]reduce.Taps, len(a.Places))}
		for k, t := range a.Places {
			p.Axes[i].Places[k] = reduce.Taps(t)
		}
	}
	for i, s := range w.Line {
		p.Line[i] = reduce.Segment(s)
	}
	return p
}

func (w *windowFold) runGo(r *exec.Run) error {
	var fault firstError
	r.Parallel(w.tasks, func(i int64) {
		k := &windowWorker{windowFold: w, r: r, streams: make([]scalar.Stream, 3*len(w.operands))}
		k.machines[0], k.machines[1] = w.start.Machine(r.Context()), w.step.Machine(r.Context())
		if w.finish != nil {
			k.machines[2] = w.finish.Machine(r.Context())
		}
		fault.set(k.segments(i))
	})
	return fault.orCancelled(r)
}

// windowWorker is what one task has.
type windowWorker struct {
	*windowFold
	r        *exec.Run
	machines [3]*scalar.Machine
	streams  []scalar.Stream
	taps     []int64
	out      int64
}

func (k *windowWorker) segments(task int64) error {
	lines := int64(len(k.Line))
	last := int64(-1)
	rows := k.Rows()
	for i := task * k.grain; i < min((task+1)*k.grain, rows*lines); i++ {
		if i/lines != last {
			last = i / lines
			k.taps, k.out = k.Row(last, k.taps)
		}
		if err := k.segment(k.Line[i%lines]); err != nil {
			return err
		}
	}
	return nil
}

// acc is the stream of accumulator i from element at on.
func (k *windowWorker) acc(i int, at, stride int64) scalar.Stream {
	o := k.operands[i]
	return scalar.Stream{Data: k.r.Bytes(o.acc), At: at * o.accBytes, Stride: stride * o.accBytes}
}

// segment reduces the places of s: taps in turn, each for all places, or places in turn.
func (k *windowWorker) segment(s kernel.Segment) error {
	n, to := len(k.operands), k.out+s.Out*k.LineStride
	for i, o := range k.operands {
		k.streams[i], k.streams[n+i] = scalar.Stream{Data: k.r.Bytes(o.init)}, k.acc(i, to, k.LineStride)
	}
	if err := k.machines[0].Apply(s.N, k.streams[:2*n]); err != nil {
		return err
	}
	for _, at := range k.taps {
		for i := range s.Taps {
			if err := k.rounds(s, to, at+s.At+i*s.Step); err != nil {
				return err
			}
		}
	}
	if k.finish == nil {
		return k.r.Cancelled()
	}
	for i, o := range k.operands {
		k.streams[i] = k.acc(i, to, k.LineStride)
		k.streams[n+i] = scalar.Stream{Data: k.r.Bytes(o.out), At: to * o.outBytes, Stride: k.LineStride * o.outBytes}
	}
	return k.machines[2].Apply(s.N, k.streams[:2*n])
}

// rounds takes the tap from on of the first place, and so on, into the accumulators from to on.
func (k *windowWorker) rounds(s kernel.Segment, to, from int64) error {
	n := len(k.operands)
	for i, o := range k.operands {
		k.streams[i] = k.acc(i, to, k.LineStride)
		k.streams[2*n+i] = k.streams[i]
		k.streams[n+i] = scalar.Stream{Data: k.r.Bytes(o.x), At: from * o.xBytes, Stride: s.Move * o.xBytes}
	}
	return k.machines[1].Apply(s.N, k.streams)
}
