package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/cgo/loops/run"
	native "github.com/halo-xla/halo/cgo/loops/scalar"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// line is where a stream of a sweep stands: bytes from the slice's beginning in the first round of the first line, and
// to the next outer and inner line and the next round.
type line struct {
	exec.Slice
	at, outer, inner, round int64
}

// sweep is a recurrence: on each line start runs once and then step, round by round with the results of the one before.
type sweep struct {
	lines, inner, rounds      int64
	start, step               *scalar.Program
	startStreams, stepStreams []line
}

func (s *sweep) grain() int64 {
	return max(taskCost/max((s.rounds+1)*stepCost(s.step), 1), 1)
}

func (s *sweep) thunk(name string, uses []exec.Use) *thunk {
	if !run.Available() || !s.start.Native() || !s.step.Native() {
		return goThunk("go "+name, uses, s.runGo)
	}
	streams := func(list []line) []native.Line {
		out := make([]native.Line, len(list))
		for i, x := range list {
			at := ref(x.Slice)
			at.Offset += x.at
			out[i] = native.Line{At: at, Outer: x.outer, Inner: x.inner, Round: x.round}
		}
		return out
	}
	return recordThunk("loops "+name, uses, native.Sweep{Lines: s.lines, Inner: s.inner, Rounds: s.rounds,
		Grain: s.grain(), Start: s.start.Pack(), Step: s.step.Pack(), StartStreams: streams(s.startStreams),
		StepStreams: streams(s.stepStreams)}.Record())
}

func (s *sweep) runGo(r *exec.Run) error {
	var fault firstError
	grain := s.grain()
	r.Parallel((s.lines+grain-1)/grain, func(i int64) {
		start, step := s.start.Machine(r.Context()), s.step.Machine(r.Context())
		for k := i * grain; k < min((i+1)*grain, s.lines); k++ {
			fault.set(start.Apply(1, s.streams(r, s.startStreams, k)))
			fault.set(step.Apply(s.rounds, s.streams(r, s.stepStreams, k)))
		}
	})
	return fault.orCancelled(r)
}

// streams returns the streams of line k.
func (s *sweep) streams(r *exec.Run, list []line, k int64) []scalar.Stream {
	out := make([]scalar.Stream, len(list))
	for i, x := range list {
		out[i] = scalar.Stream{Data: r.Bytes(x.Slice), At: x.at + k/s.inner*x.outer + k%s.inner*x.inner, Stride: x.round}
	}
	return out
}

// running finds windows that are running reductions: along one dimension, every place has all elements up to its own,
// or from its own on if reverse.
func running(w []kernel.WindowDim, dims, out []int64) (dim int, reverse, ok bool) {
	dim = -1
	for d, x := range w {
		if x.Size == 1 && x.Stride == 1 && x.PadLow == 0 && x.BaseDilation == 1 && dims[d] == out[d] {
			continue
		}
		plain := x.Stride == 1 && x.BaseDilation == 1 && x.WindowDilation == 1 && dims[d] == out[d] && dims[d] > 0
		if dim >= 0 || !plain || x.Size < dims[d] || x.PadLow != x.Size-1 && x.PadLow != 0 {
			return 0, false, false
		}
		dim, reverse = d, x.PadLow == 0
	}
	return dim, reverse, dim >= 0
}

// runningSweep returns the recurrence of a running reduction by the computation c along dimension d, whose types are
// those of the operands: the accumulator has a place of its own and goes to the result in every round.
func runningSweep(l *exec.Lowering, c *hlo.Computation, d int, reverse bool) (exec.Thunk, error) {
	n, dims := len(l.In.Operands)/2, operandShape(l, 0).Dims
	types := operandTypes(l, n)
	outer, rounds, inner := kernel.Around(dims, d)
	r, err := newReducer(c, types, rounds)
	if err != nil {
		return nil, unsupportedComputation(c, err)
	}
	s := &sweep{lines: outer * inner, inner: inner, rounds: rounds, start: r.start}
	to := make([]shape.ElementType, n)
	for i := range to {
		to[i] = c.Parameters[i].Shape.Type
	}
	if s.step, err = runningStep(c, types, to, r.finish != nil); err != nil {
		return nil, unsupportedComputation(c, err)
	}
	var uses []exec.Use
	var accs, elements, results []line
	for i, out := range l.Results() {
		width := int64(r.acc[i].Bytes())
		acc := l.Scratch(s.lines * width)
		accs = append(accs, line{acc, 0, inner * width, width, 0})
		elements = append(elements, lineOf(l.Operand(i), widthOf(operandShape(l, i)), rounds, inner, reverse))
		results = append(results, lineOf(out, s.step.Results[n+i].Bytes(), rounds, inner, reverse))
		s.startStreams = append(s.startStreams, line{Slice: l.Operand(n + i)})
		uses = append(uses, append(exec.Reads(l.Operand(i), l.Operand(n+i)), exec.Writes(acc, out)...)...)
	}
	s.startStreams = append(s.startStreams, accs...)
	s.stepStreams = slices.Concat(accs, elements, accs, results)
	return s.thunk("running reduction by program", uses), nil
}

// lineOf is the stream of an array's elements along a dimension of rounds elements, inner apart.
func lineOf(s exec.Slice, width, rounds, inner int64, reverse bool) line {
	x := line{Slice: s, outer: rounds * inner * width, inner: width, round: inner * width}
	if reverse {
		x.at, x.round = (rounds-1)*inner*width, -x.round
	}
	return x
}

// runningStep returns the program of c on accumulators and elements of types from whose results are the accumulators,
// and then the same as results of types to; wide ones are in F64.
func runningStep(c *hlo.Computation, from, to []shape.ElementType, wide bool) (*scalar.Program, error) {
	b, n := builder{hlo.NewBuilder("running")}, len(from)
	if wide {
		f64 := []shape.ElementType{shape.F64}
		args := append(b.parameters(0, f64, f64), b.parameters(1, from, f64)...)
		v := b.wide(c.Root.Op, args)
		return b.program(b.Tuple(v, b.ConvertElementType(v, to[0])))
	}
	next := b.Call(c, append(b.parameters(0, to, to), b.parameters(n, from, to)...)...)
	list := []*hlo.Instruction{next}
	if next.Shape.IsTuple() {
		list = nil
		for i := range n {
			list = append(list, b.GetTupleElement(next, int64(i)))
		}
	}
	return b.program(b.Tuple(slices.Concat(list, list)...))
}
