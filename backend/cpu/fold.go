package cpu

import (
	"fmt"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/cgo/loops/reduce"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// reducer is the programs of a reduction: start makes accumulators of init values, step accumulators of accumulators
// and elements, and finish, nil if there is nothing to do, results of accumulators.
type reducer struct {
	start, step, finish *scalar.Program
	acc                 []shape.ElementType
}

// shortSum is how many terms the reference adds or multiplies in the result's own type; more are taken in F64.
const shortSum = 256

// newReducer returns the programs that reduce terms elements of types from each by the computation c.
func newReducer(c *hlo.Computation, from []shape.ElementType, terms int64) (*reducer, error) {
	n := len(from)
	to := make([]shape.ElementType, n)
	for i := range to {
		to[i] = c.Parameters[i].Shape.Type
	}
	r := &reducer{acc: to}
	op, wide := wideSum(c, to, terms)
	if wide {
		r.acc = []shape.ElementType{shape.F64}
	}
	var err error
	if r.start, err = converting(from, r.acc); err != nil {
		return nil, err
	}
	if wide {
		r.step, err = wideStep(op, from[0])
	} else {
		r.step, err = convertingStep(c, from, to)
	}
	if err == nil && wide {
		r.finish, err = converting(r.acc, to)
	}
	return r, err
}

// wideSum reports whether c adds or multiplies floats narrower than F64, and so many that rounding each step to their
// type would lose too much.
func wideSum(c *hlo.Computation, t []shape.ElementType, terms int64) (hlo.Opcode, bool) {
	op, simple := simpleReducer(c)
	return op, simple && len(t) == 1 && terms > shortSum && t[0].IsFloat() && t[0] != shape.F64 &&
		(op == hlo.Add || op == hlo.Multiply)
}

// simpleReducer reports whether c is one commutative op of its two parameters.
func simpleReducer(c *hlo.Computation) (hlo.Opcode, bool) {
	r := c.Root
	if len(c.Parameters) != 2 || len(r.Operands) != 2 || r.Op.Info().Traits&hlo.Commutative == 0 {
		return 0, false
	}
	p, q, x, y := c.Parameters[0], c.Parameters[1], r.Operands[0], r.Operands[1]
	straight := x == p && y == q || x == q && y == p
	return r.Op, straight && p.Shape.IsScalar() && q.Shape.IsScalar() && r.Shape.Type == p.Shape.Type
}

// builder makes small computations for programs.
type builder struct{ *hlo.Builder }

// parameters adds a scalar parameter for each type, converted to the other type.
func (b builder) parameters(first int, from, to []shape.ElementType) []*hlo.Instruction {
	out := make([]*hlo.Instruction, len(from))
	for i, t := range from {
		out[i] = b.Parameter(int64(first+i), shape.Array(t), "")
		if t != to[i] {
			out[i] = b.ConvertElementType(out[i], to[i])
		}
	}
	return out
}

func (b builder) program(root *hlo.Instruction) (*scalar.Program, error) {
	c, err := b.Build(root)
	if err != nil {
		return nil, err
	}
	return scalar.Compile(c)
}

// converting returns the program that converts scalars.
func converting(from, to []shape.ElementType) (*scalar.Program, error) {
	b := builder{hlo.NewBuilder("start")}
	return b.program(b.Tuple(b.parameters(0, from, to)...))
}

// convertingStep returns the program of c on accumulators of types to and elements of types from.
func convertingStep(c *hlo.Computation, from, to []shape.ElementType) (*scalar.Program, error) {
	b := builder{hlo.NewBuilder("step")}
	args := append(b.parameters(0, to, to), b.parameters(len(to), from, to)...)
	return b.program(b.Call(c, args...))
}

// wideStep returns the program that adds an element of type t to a sum in F64, or multiplies.
func wideStep(op hlo.Opcode, t shape.ElementType) (*scalar.Program, error) {
	b, wide := builder{hlo.NewBuilder("wide")}, []shape.ElementType{shape.F64}
	args := append(b.parameters(0, wide, wide), b.parameters(1, []shape.ElementType{t}, wide)...)
	return b.program(b.wide(op, args))
}

// wide is op, a sum or else a product, of two arguments.
func (b builder) wide(op hlo.Opcode, args []*hlo.Instruction) *hlo.Instruction {
	if op == hlo.Add {
		return b.Add(args[0], args[1])
	}
	return b.Mul(args[0], args[1])
}

// native reports whether C can run all of r.
func (r *reducer) native() bool {
	return run.Available() && r.start.Native() && r.step.Native() && (r.finish == nil || r.finish.Native())
}

// foldOperand is one of the arrays that are reduced together.
type foldOperand struct {
	x, init, acc, out          exec.Slice
	xBytes, accBytes, outBytes int64
}

// fold is a reduction by programs: a task is some kept places, or a strip of the results of one.
type fold struct {
	kernel.Fold
	*reducer
	operands             []foldOperand
	tasks, places, strip int64
}

// stepCost is about how many nanoseconds a program takes for one element.
func stepCost(p *scalar.Program) int64 { return int64(2*len(p.Instructions()) + 5) }

const (
	taskCost = 200_000 // nanoseconds that a task of programs should take
	minStrip = 256     // results
)

// foldOperands returns the operands of l, a reduction to results elements.
func foldOperands(l *exec.Lowering, r *reducer, results int64) []foldOperand {
	n := len(l.In.Operands) / 2
	list := make([]foldOperand, n)
	for i, out := range l.Results() {
		o := foldOperand{x: l.Operand(i), init: l.Operand(n + i), acc: out, out: out,
			xBytes: widthOf(operandShape(l, i)), accBytes: int64(r.acc[i].Bytes())}
		if o.outBytes = o.accBytes; r.finish != nil {
			o.outBytes = r.finish.Results[i].Bytes()
			o.acc = l.Scratch(results * o.accBytes)
		}
		list[i] = o
	}
	return list
}

func newFold(l *exec.Lowering, r *reducer, plan kernel.Fold) *fold {
	f := &fold{Fold: plan, reducer: r, operands: foldOperands(l, r, kernel.Count(plan.Kept)*plan.Width())}
	f.split()
	return f
}

// split divides the results into tasks.
func (f *fold) split() {
	kept := kernel.Count(f.Kept)
	each := max(f.Rows()*f.Run*stepCost(f.step), 1) // for one kept place
	f.places = max(taskCost/each, 1)
	f.tasks = (kept + f.places - 1) / f.places
	if strips := min(each/taskCost, f.Width()/minStrip); f.places == 1 && strips > 1 {
		f.strip = (f.Width() + strips - 1) / strips
		f.tasks = kept * ((f.Width() + f.strip - 1) / f.strip)
	}
	if f.Width() == 0 {
		f.tasks = 0
	}
}

func foldUses(operands []foldOperand) []exec.Use {
	var u []exec.Use
	for _, o := range operands {
		u = append(u, exec.Reads(o.x, o.init)...)
		u = append(u, exec.Writes(o.out)...)
		if o.acc != o.out {
			u = append(u, exec.Writes(o.acc)...)
		}
	}
	return u
}

func (f *fold) thunk() *thunk {
	if f.native() {
		return recordThunk("loops reduce by program", foldUses(f.operands), f.record())
	}
	return goThunk("go reduce by program", foldUses(f.operands), f.runGo)
}

func (f *fold) record() run.Record {
	out := reduce.Fold{Run: f.Run, RunReduced: f.RunReduced, Tasks: f.tasks, Places: f.places, Strip: f.strip,
		Kept: axesOf(f.Kept), Reduced: axesOf(f.Reduced), Start: f.start.Pack(), Step: f.step.Pack(),
		Operands: nativeOperands(f.operands)}
	if f.finish != nil {
		out.Finish = f.finish.Pack()
	}
	return out.Record()
}

// nativeOperands returns operands as native kernels take them.
func nativeOperands(list []foldOperand) []reduce.Operand {
	out := make([]reduce.Operand, len(list))
	for i, o := range list {
		out[i] = reduce.Operand{X: ref(o.x), Init: ref(o.init), Acc: ref(o.acc), Out: ref(o.out), XBytes: o.xBytes,
			AccBytes: o.accBytes, OutBytes: o.outBytes}
	}
	return out
}

func axesOf(list []kernel.Extent) []reduce.Axis {
	out := make([]reduce.Axis, len(list))
	for i, a := range list {
		out[i] = reduce.Axis(a)
	}
	return out
}

func (f *fold) runGo(r *exec.Run) error {
	var fault firstError
	r.Parallel(f.tasks, func(i int64) { fault.set(f.task(r, i)) })
	return fault.orCancelled(r)
}

// task reduces into the results of task i.
func (f *fold) task(r *exec.Run, i int64) error {
	w := foldWorker{fold: f, r: r}
	w.machines[0], w.machines[1] = f.start.Machine(r.Context()), f.step.Machine(r.Context())
	if f.finish != nil {
		w.machines[2] = f.finish.Machine(r.Context())
	}
	if f.strip > 0 {
		strips := (f.Width() + f.strip - 1) / f.strip
		first := i % strips * f.strip
		return w.place(i/strips, first, min(f.strip, f.Width()-first))
	}
	for k := i * f.places; k < min((i+1)*f.places, kernel.Count(f.Kept)); k++ {
		if err := w.place(k, 0, f.Width()); err != nil {
			return err
		}
	}
	return nil
}

type foldWorker struct {
	*fold
	r        *exec.Run
	machines [3]*scalar.Machine
}

// place reduces into results first to first+n-1 of kept place k.
func (w *foldWorker) place(k, first, n int64) error {
	to, from := k*w.Width()+first, kernel.At(w.Kept, k)+first
	count := len(w.operands)
	s := make([]scalar.Stream, 2*count, 3*count)
	acc := func(i int, stride int64) scalar.Stream {
		o := w.operands[i]
		return scalar.Stream{Data: w.r.Bytes(o.acc), At: to * o.accBytes, Stride: stride * o.accBytes}
	}
	for i, o := range w.operands {
		s[i], s[count+i] = scalar.Stream{Data: w.r.Bytes(o.init)}, acc(i, 1)
	}
	if err := w.machines[0].Apply(n, s); err != nil {
		return err
	}
	rounds, stride := n, int64(1)
	if w.RunReduced {
		rounds, stride = w.Run, 0
	}
	s = s[:3*count]
	for row := range w.Rows() {
		at := from + kernel.At(w.Reduced, row)
		for i, o := range w.operands {
			s[i] = acc(i, stride)
			s[2*count+i] = s[i]
			s[count+i] = scalar.Stream{Data: w.r.Bytes(o.x), At: at * o.xBytes, Stride: o.xBytes}
		}
		if err := w.machines[1].Apply(rounds, s); err != nil {
			return err
		}
	}
	if w.finish == nil {
		return w.r.Cancelled()
	}
	s = s[:2*count]
	for i, o := range w.operands {
		s[i] = acc(i, 1)
		s[count+i] = scalar.Stream{Data: w.r.Bytes(o.out), At: to * o.outBytes, Stride: o.outBytes}
	}
	return w.machines[2].Apply(n, s)
}

// unsupportedComputation says that a computation has no program.
func unsupportedComputation(c *hlo.Computation, err error) error {
	return fmt.Errorf("backend cpu: computation %s: %w", c.Name, err)
}
