package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// AsyncAttrs: the wrapped computation of async-start, which its update and done may name too, and the thread that runs
// it.
type AsyncAttrs struct {
	Calls  *Computation
	Thread string
	Group  Raw
}

// Fields lists the attributes.
func (a *AsyncAttrs) Fields() []Field {
	return []Field{
		{"async_group_id", "", &a.Group, Set},
		{"async_execution_thread", "execution_thread", &a.Thread, Set},
		{"calls", "", &a.Calls, Set},
	}
}

// CopyStartAttrs are kept as text.
type CopyStartAttrs struct{ CrossProgramPrefetch Raw }

// Fields lists the attributes.
func (a *CopyStartAttrs) Fields() []Field {
	return []Field{{"cross_program_prefetch_index", "", &a.CrossProgramPrefetch, Set}}
}

// The reference does a started operation at once: the start's value holds the result, done takes it out. What a backend
// keeps beside it, of which the program declares the shapes, is zero here.

// contextShapes returns the shapes that a start's told shape has from element from on.
func contextShapes(in *Instruction, from int) []shape.Shape {
	if !in.Shape.IsTuple() || len(in.Shape.Elems) < from {
		return nil
	}
	return in.Shape.Elems[from:]
}

// withContext is the tuple of v and zeros for the rest of in's shape.
func withContext(in *Instruction, v ...*literal.Literal) (*literal.Literal, error) {
	for _, s := range contextShapes(in, len(v)) {
		l, err := literal.New(s.WithoutLayout())
		if err != nil {
			return nil, err
		}
		v = append(v, l)
	}
	return literal.NewTuple(v...), nil
}

// inferAsyncStart: ((operands...), result, context...).
func inferAsyncStart(in *Instruction) (shape.Shape, error) {
	result, err := inferCallOf(in, in.Attrs.(*AsyncAttrs).Calls)
	if err != nil {
		return poison, err
	}
	operands, err := inferTuple(in)
	if err != nil {
		return poison, err
	}
	return shape.TupleOf(append([]shape.Shape{operands, result}, contextShapes(in, 2)...)...), nil
}

func evalAsyncStart(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	out, err := e.Call(in.Attrs.(*AsyncAttrs).Calls, args)
	if err != nil {
		return nil, err
	}
	return withContext(in, literal.NewTuple(args...), out)
}

func inferAsyncUpdate(in *Instruction) (shape.Shape, error) {
	if _, err := asyncResult(in); err != nil {
		return poison, err
	}
	return in.Operands[0].Shape, nil
}

func evalAsyncUpdate(_ *Evaluator, _ *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return args[0], nil
}

// asyncResult returns the shape of the result that the operand, an async-start's value, holds.
func asyncResult(in *Instruction) (shape.Shape, error) {
	s := in.Operands[0].Shape
	if !s.IsTuple() || len(s.Elems) < 2 || !s.Elems[0].IsTuple() {
		return poison, fmt.Errorf("operand: got %v, want the value of async-start, ((operands...), result, ...)", s)
	}
	c := in.Attrs.(*AsyncAttrs).Calls
	if c != nil && !agrees(c.Root.Shape, s.Elems[1]) {
		return poison, fmt.Errorf("computation %s returns %v, and the operand holds %v", c.Name, c.Root.Shape, s.Elems[1])
	}
	return s.Elems[1], nil
}

func inferAsyncDone(in *Instruction) (shape.Shape, error) { return asyncResult(in) }

func evalAsyncDone(_ *Evaluator, _ *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return args[0].Elems()[1], nil
}

// inferCopyStart: (destination, source, u32[] context).
func inferCopyStart(in *Instruction) (shape.Shape, error) {
	s := in.Operands[0].Shape
	rest := contextShapes(in, 2)
	if len(rest) == 0 {
		rest = []shape.Shape{shape.Array(shape.U32)}
	}
	return shape.TupleOf(append([]shape.Shape{s.WithoutLayout(), s}, rest...)...), nil
}

func evalCopyStart(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return withContext(in, args[0], args[0])
}

func inferCopyDone(in *Instruction) (shape.Shape, error) {
	s := in.Operands[0].Shape
	if !s.IsTuple() || len(s.Elems) < 2 || !agrees(s.Elems[0], s.Elems[1]) {
		return poison, fmt.Errorf("operand: got %v, want the value of copy-start, (destination, source, ...)", s)
	}
	return s.Elems[0], nil
}

func evalCopyDone(_ *Evaluator, _ *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return args[0].Elems()[0], nil
}

// started is the value's shape of all-gather-start and collective-permute-start: operands and results, each a tuple if
// there are several, and a context.
func started(in *Instruction, result shape.Shape) shape.Shape {
	operands := wrap(in.OperandShapes())
	return shape.TupleOf(append([]shape.Shape{operands, result}, contextShapes(in, 2)...)...)
}

func inferAllGatherStart(in *Instruction) (shape.Shape, error) {
	var whole shape.Shape
	if in.Shape.IsTuple() && len(in.Shape.Elems) > 1 {
		whole = in.Shape.Elems[1]
	}
	result, err := inferGathered(in, whole)
	if err != nil {
		return poison, err
	}
	return started(in, result), nil
}

func evalAllGatherStart(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	v, err := e.allGather(in, args, in.Shape.Elems[1])
	if err != nil {
		return nil, err
	}
	return withContext(in, results(args), results(v))
}

// inferAllReduceStart: the value of the start has the result's shape alone.
func inferAllReduceStart(in *Instruction) (shape.Shape, error) { return inferAllReduce(in) }

func evalAllReduceStart(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return evalAllReduce(e, in, args)
}

func inferCollectivePermuteStart(in *Instruction) (shape.Shape, error) {
	result, err := inferCollectivePermute(in)
	if err != nil {
		return poison, err
	}
	return started(in, result), nil
}

func evalCollectivePermuteStart(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	v, err := e.collectivePermute(in, args)
	if err != nil {
		return nil, err
	}
	return withContext(in, results(args), results(v))
}

// inferStartDone is for the done of a collective: the result that its start's value holds.
func inferStartDone(in *Instruction) (shape.Shape, error) {
	s := in.Operands[0].Shape
	if in.Op == AllReduceDone {
		return s.WithoutLayout(), nil
	}
	if !s.IsTuple() || len(s.Elems) < 2 {
		return poison, fmt.Errorf("operand: got %v, want the value of its start, (operands, results, ...)", s)
	}
	return s.Elems[1], nil
}

func evalStartDone(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	if in.Op == AllReduceDone {
		return args[0], nil
	}
	return args[0].Elems()[1], nil
}

// AsyncStart starts a call of computation; AsyncDone gets its result. thread names who runs it, "" for "main".
//
//	operands T_i   computation (T_0, ...) -> S   result ((T_0, ...), S, contexts)
//
// It fails as Call does. Law: HLO async-start.
func (b *Builder) AsyncStart(computation *Computation, thread string, operands ...*Instruction) *Instruction {
	return b.add(AsyncStart, &AsyncAttrs{Calls: computation, Thread: thread}, shape.Shape{}, operands...)
}

// AsyncUpdate goes on with what start, an AsyncStart or AsyncUpdate, began.
//
//	start what AsyncStart returned   result the same
//
// It fails unless start is from AsyncStart or AsyncUpdate. Law: HLO async-update.
func (b *Builder) AsyncUpdate(start *Instruction) *Instruction {
	return b.add(AsyncUpdate, &AsyncAttrs{}, shape.Shape{}, start)
}

// AsyncDone waits for start, an AsyncStart or AsyncUpdate, and returns the computation's result.
//
//	start what AsyncStart returned   result S
//
// It fails unless start is from AsyncStart or AsyncUpdate. Law: HLO async-done.
func (b *Builder) AsyncDone(start *Instruction) *Instruction {
	return b.add(AsyncDone, &AsyncAttrs{}, shape.Shape{}, start)
}

// CopyStart starts a copy; CopyDone gets it.
//
//	operand T   result (T, T, u32[])
//
// It never fails. Law: HLO copy-start.
func (b *Builder) CopyStart(operand *Instruction) *Instruction {
	return b.add(CopyStart, &CopyStartAttrs{}, shape.Shape{}, operand)
}

// CopyDone waits for a CopyStart and returns the copy.
//
//	start (T, T, u32[])   result T
//
// It fails unless start is what CopyStart returned. Law: HLO copy-done.
func (b *Builder) CopyDone(start *Instruction) *Instruction {
	return b.add(CopyDone, nil, shape.Shape{}, start)
}
