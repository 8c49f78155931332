package hlo

import (
	"context"
	"errors"
	"fmt"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// EvalOptions say how a program is evaluated. The zero value is useful.
type EvalOptions struct {
	// Handlers finds the functions behind custom calls; nil: there are none.
	Handlers Handlers
	// Feeds are the infeed and outfeed queues, one for each device; a device without one cannot run infeed and outfeed.
	Feeds []*Feed
	// Host serves sends to the host and receives from it; nil: they fail.
	Host HostTransfers
	// Seed seeds the generators of rng ops; 0 is a seed like any other.
	Seed uint64
	// MaxSteps limits the instructions run, loops counted; 0: no limit.
	MaxSteps int64
	// MaxBytes limits the bytes that live values take; 0: no limit.
	MaxBytes int64
	// Job is the ranks among which the devices of EvaluateAll, EvaluateGrid and run_parallel calls are, if these are for
	// several; every rank calls with all arguments and gets all results. nil: all devices are here.
	Job *collective.Job
}

// Handlers finds the function that a custom call's target names.
type Handlers interface {
	Lookup(target string) (Handler, bool)
}

// Holder is what Handlers may be besides, to last as long as somebody uses them: each Hold that does not fail is
// followed by a Release.
type Holder interface {
	Hold() error
	Release()
}

// Refuser is what Handlers may be besides, to tell before a program runs which calls cannot be served.
type Refuser interface {
	// Refuse returns why call cannot be served although its target may be known, and nil if it can or is unknown.
	Refuse(call *Instruction) error
}

// Handler is the function behind a custom call: operands in, result out, of the call's shape. The operands are shared
// with buffers and other values: a handler must not write to them, nor keep them after it returns. It should return
// when ctx ends.
type Handler func(ctx context.Context, call *Instruction, args []*literal.Literal) (*literal.Literal, error)

// Evaluator runs programs by the book: slow, plain, and the definition of right. It serves one execution on one device.
type Evaluator struct {
	EvalOptions
	ctx   context.Context
	steps int64
	spent int // elements since the last tick
	bytes int64
	depth int
	// device is this execution's place among several devices; its zero value is the only one.
	device device
	rng    rngState
	// frames are those of the calls that run now, and of deeper ones before, to be used again.
	frames []*frame
	// inPlace are the writes that need not copy what they write to.
	inPlace []inPlace
}

// ErrLimit is what evaluation returns when it passes MaxSteps or MaxBytes.
var ErrLimit = errors.New("evaluation limit passed")

// Evaluate runs m on one device. args belong to the entry's parameters; the result belongs to its root.
// Values of dynamic shapes have their real sizes. It fails with ctx's error when ctx ends.
func Evaluate(ctx context.Context, m *Module, args []*literal.Literal, opts EvalOptions) (*literal.Literal, error) {
	e := &Evaluator{EvalOptions: opts, ctx: ctx}
	return e.Entry(m, args)
}

// Entry checks args against the parameters of m's entry and runs it.
func (e *Evaluator) Entry(m *Module, args []*literal.Literal) (*literal.Literal, error) {
	in, err := arguments(m.Entry, args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	out, err := e.Call(m.Entry, in)
	if err != nil {
		return nil, err
	}
	return cropped(out), e.device.close()
}

// Fits reports whether a value of shape s may be passed where want is declared: dynamic dimensions take any size up to
// the bound.
func Fits(s, want shape.Shape) bool { return shape.Fits(&s, &want) }

// maxDepth bounds the nesting of calls, which the acyclic call graph bounds too.
const maxDepth = 10_000

// Call runs c on args, which are row-major.
func (e *Evaluator) Call(c *Computation, args []*literal.Literal) (*literal.Literal, error) {
	if e.depth++; e.depth > maxDepth {
		return nil, fmt.Errorf("computation %s: calls nest deeper than %d", c.Name, maxDepth)
	}
	defer func() { e.depth-- }()
	f := e.frame(len(c.Instructions), args)
	for _, in := range c.Instructions {
		if err := e.step(f, in); err != nil {
			return nil, err
		}
	}
	root := f.values[c.Root.index]
	e.bytes -= f.bytes
	clear(f.values)
	clear(f.operands[:])
	return root, nil
}

// frame returns an empty frame of n instructions for the present depth of calls.
func (e *Evaluator) frame(n int, args []*literal.Literal) *frame {
	for len(e.frames) < e.depth {
		e.frames = append(e.frames, &frame{})
	}
	f := e.frames[e.depth-1]
	if cap(f.values) < n {
		f.values, f.left = make([]*literal.Literal, n), make([]int32, n)
	}
	f.args, f.values, f.left, f.bytes = args, f.values[:n], f.left[:n], 0
	clear(f.values)
	return f
}

// frame is one run of a computation: its arguments and the values that somebody still needs.
type frame struct {
	args   []*literal.Literal
	values []*literal.Literal
	left   []int32 // uses of each value still to come
	bytes  int64   // bytes of the values made here
	// operands is for the arguments of ops that do not keep them.
	operands [4]*literal.Literal
}

func (e *Evaluator) step(f *frame, in *Instruction) error {
	if err := e.tick(); err != nil {
		return &Error{in, err}
	}
	if err := e.admit(in.bytes); err != nil { // before it is made: keep would say the same too late
		return &Error{in, err}
	}
	v, err := e.value(f, in)
	if err != nil {
		var he *Error
		if errors.As(err, &he) {
			return err
		}
		return &Error{in, err}
	}
	return e.keep(f, in, v)
}

// tick counts one step against the limit and looks whether the context has ended.
func (e *Evaluator) tick() error {
	e.steps++
	if e.MaxSteps > 0 && e.steps > e.MaxSteps {
		return fmt.Errorf("%w: more than %d steps", ErrLimit, e.MaxSteps)
	}
	return e.ctx.Err()
}

func (e *Evaluator) value(f *frame, in *Instruction) (*literal.Literal, error) {
	switch in.Op {
	case Parameter:
		return f.args[in.Attrs.(*ParameterAttrs).Number], nil
	case GetTupleElement:
		return f.values[in.Operands[0].index].Elems()[in.Attrs.(*GetTupleElementAttrs).Index], nil
	}
	info := in.Op.Info()
	var args []*literal.Literal
	if n := len(in.Operands); info.Traits&Elementwise != 0 && n <= len(f.operands) {
		args = f.operands[:n]
	} else {
		args = make([]*literal.Literal, n)
	}
	for i, o := range in.Operands {
		args[i] = f.values[o.index]
	}
	if in.dynamic {
		return e.evalDynamic(in, args)
	}
	if in.Op == DynamicUpdateSlice && e.writesInPlace(in) {
		return updateInPlace(args), nil
	}
	return info.Eval(e, in, args)
}

// admit fails if n more bytes would pass the limit.
func (e *Evaluator) admit(n int64) error {
	if e.MaxBytes > 0 && n > e.MaxBytes-e.bytes {
		return fmt.Errorf("%w: live values take more than %d bytes", ErrLimit, e.MaxBytes)
	}
	return nil
}

// keep stores v until its last use and drops the operands that nobody needs any more.
func (e *Evaluator) keep(f *frame, in *Instruction, v *literal.Literal) error {
	if in.users > 0 {
		f.values[in.index], f.left[in.index] = v, in.users
		n := sizeBytes(v)
		f.bytes += n
		e.bytes += n
	}
	if err := e.admit(0); err != nil {
		return &Error{in, err}
	}
	for _, o := range in.Operands {
		if f.left[o.index]--; f.left[o.index] == 0 {
			n := sizeBytes(f.values[o.index])
			f.bytes -= n
			e.bytes -= n
			f.values[o.index] = nil
		}
	}
	return nil
}

func isDynamic(in *Instruction) bool {
	if in.Shape.IsDynamic() {
		return true
	}
	for _, o := range in.Operands {
		if o.Shape.IsDynamic() {
			return true
		}
	}
	return false
}

func sizeBytes(l *literal.Literal) int64 {
	n := int64(len(l.Bytes()))
	for _, e := range l.Elems() {
		n += sizeBytes(e)
	}
	return n
}
