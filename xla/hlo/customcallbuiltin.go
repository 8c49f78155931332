package hlo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// builtin is what this package does for a custom call that no handler serves.
type builtin struct {
	eval func(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error)
	// fits reports whether eval can serve this call; nil: any.
	fits func(in *Instruction) bool
}

// runParallel is the target that runs programs on a grid of devices.
const runParallel = "interpreter.run_parallel"

// marks are the targets of marks for the compiler.
var marks = []string{
	"Sharding",
	"SPMDFullToShardShape",
	"SPMDShardToFullShape",
	"annotate_device_placement",
	"LayoutConstraint",
	"MoveToHost",
	"MoveToDevice",
	"PinToDevice",
	"PinToDeviceSram",
	"AssumeGatherIndicesInBound",
	"xla.sdy.FuncResultSharding",
	"xla.sdy.GlobalToLocalShape",
	"xla.sdy.LocalToGlobalShape",
	"xla.sdy.PropagationBarrier",
}

func init() {
	for _, target := range marks {
		builtins[target] = mark
	}
	for target, op := range opTargets {
		builtins[target] = opOf(op)
	}
}

// builtins are the custom calls whose meaning is known without a library: marks for the compiler, which change nothing,
// and ops that producers write as calls.
var builtins = map[string]builtin{
	runParallel:                           {evalRunParallel, nil},
	"shape_assertion":                     {evalShapeAssertion, nil},
	"TopK":                                {evalTopKCall, isTopK},
	"mhlo.topk":                           {evalTopKCall, isTopK},
	"ApproxTopK":                          {evalApproxTopK, isApproxTopK},
	"PartialReduce":                       {evalApproxTopK, isApproxTopK},
	"stablehlo.dynamic_top_k":             {evalDynamicTopK, hasOperands(2)},
	"stablehlo.dynamic_reduce_window":     {evalDynamicReduceWindow, isDynamicReduceWindow},
	"stablehlo.dynamic_rng_bit_generator": {evalDynamicRngBitGenerator, hasOperands(2)},
	"xla.sdy.ShardingGroup":               {evalNothing, isEmpty},
	"X64Combine":                          {evalX64Combine, isX64Combine},
}

// mark is the builtin of calls that return their only operand.
var mark = builtin{evalCopy, func(in *Instruction) bool {
	return len(in.Operands) == 1 && agrees(in.Operands[0].Shape, in.Shape)
}}

func hasOperands(n int) func(*Instruction) bool {
	return func(in *Instruction) bool { return len(in.Operands) == n }
}

// opOf is the builtin of a call that means op on one operand.
func opOf(op Opcode) builtin {
	return builtin{func(e *Evaluator, _ *Instruction, args []*literal.Literal) (*literal.Literal, error) {
		return e.do(op, nil, shape.Shape{}, args...)
	}, hasOperands(1)}
}

// do evaluates one op on args.
func (e *Evaluator) do(op Opcode, a Attrs, told shape.Shape, args ...*literal.Literal) (*literal.Literal, error) {
	operands := make([]*Instruction, len(args))
	for i, l := range args {
		operands[i] = &Instruction{Name: strconv.Itoa(i), Op: Parameter, Shape: l.Shape()}
	}
	in, err := NewInstruction(op, a, told, operands, Pos{})
	if err != nil {
		return nil, err
	}
	return op.Info().Eval(e, in, args)
}

func isEmpty(in *Instruction) bool { return in.Shape.IsTuple() && len(in.Shape.Elems) == 0 }

func evalNothing(*Evaluator, *Instruction, []*literal.Literal) (*literal.Literal, error) {
	return literal.NewTuple(), nil
}

// isX64Combine reports whether a call has two u32 operands of one shape and a result of as many 64-bit integers.
func isX64Combine(in *Instruction) bool {
	if len(in.Operands) != 2 || !in.Shape.Type.IsInteger() || in.Shape.Type.Bits() != 64 || in.Shape.IsDynamic() {
		return false
	}
	half := in.Shape.WithType(shape.U32)
	return in.Operands[0].Shape.Compatible(half) && in.Operands[1].Shape.Compatible(half)
}

// evalX64Combine joins the low and high halves to 64-bit integers.
func evalX64Combine(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	low, high := args[0].Wide(), args[1].Wide()
	w := literal.MakeWide(in.Shape.Type.Class(), len(low.U))
	for i := range low.U {
		if v := low.U[i] | high.U[i]<<32; w.Class == shape.SignedClass {
			w.I[i] = int64(v)
		} else {
			w.U[i] = v
		}
	}
	return literal.FromWide(in.Shape.WithoutLayout(), w), nil
}

// note returns what the program says about a call under name: a frontend attribute, an unknown attribute, or the entry
// "name = value" of a dictionary of either kind or of the backend_config.
func note(in *Instruction, name string) (string, bool) {
	if in.Common == nil {
		return "", false
	}
	if v, ok := in.Common.Frontend.Lookup(name); ok {
		return v, true
	}
	texts := []string{in.Common.Config}
	for _, kv := range in.Common.Frontend {
		texts = append(texts, kv.Value)
	}
	for _, x := range in.Common.Extra {
		if x.Name == name {
			return strings.Trim(x.Text, `"`), true
		}
		texts = append(texts, x.Text)
	}
	for _, t := range texts {
		if v, ok := entry(t, name); ok {
			return v, true
		}
	}
	return "", false
}

// entry returns the value of name in a flat dictionary "{name = value, ...}" or "{"name": value, ...}".
func entry(dictionary, name string) (string, bool) {
	for _, part := range strings.Split(strings.Trim(dictionary, "{} "), ",") {
		k, v, ok := strings.Cut(part, "=")
		if !ok {
			k, v, ok = strings.Cut(part, ":")
		}
		if ok && strings.Trim(k, `" `) == name {
			v, _, _ = strings.Cut(v, " : ") // without the type of an MLIR attribute
			return strings.Trim(v, `" `), true
		}
	}
	return "", false
}

// evalShapeAssertion fails with the call's message if its first operand is false. In the message {0}, {1}... stand for
// the other operands.
func evalShapeAssertion(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	if len(args) == 0 || args[0].Shape().Type != shape.Pred || args[0].Shape().Rank() != 0 {
		return nil, fmt.Errorf("shape_assertion: want a predicate as first operand")
	}
	if args[0].Bytes()[0] != 0 {
		return literal.NewTuple(), nil
	}
	message, ok := note(in, "error_message")
	if !ok {
		message = "the program's shapes are not as it demands"
	}
	for i, a := range args[1:] {
		v := "?"
		if a.Shape().IsScalar() {
			switch w := a.Wide(); w.Class {
			case shape.SignedClass:
				v = strconv.FormatInt(w.I[0], 10)
			case shape.UnsignedClass:
				v = strconv.FormatUint(w.U[0], 10)
			}
		}
		message = strings.ReplaceAll(message, fmt.Sprintf("{%d}", i), v)
	}
	return nil, fmt.Errorf("shape assertion failed: %s", message)
}

// isTopK reports whether a call has one operand and returns values and indices.
func isTopK(in *Instruction) bool {
	return len(in.Operands) == 1 && in.Operands[0].Shape.Rank() > 0 && in.Shape.IsTuple() && len(in.Shape.Elems) == 2 &&
		in.Shape.Elems[0].Rank() == in.Operands[0].Shape.Rank()
}

// evalTopKCall is for TopK and mhlo.topk: as many of the last dimension as the result has.
func evalTopKCall(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	values := in.Shape.Elems[0]
	k := values.Dims[len(values.Dims)-1]
	if k == shape.Unbounded {
		s := args[0].Shape()
		k = s.Dims[len(s.Dims)-1]
	}
	if v, ok := note(in, "k"); ok {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("k is %q, want a number", v)
		}
		k = n
	}
	largest, _ := note(in, "largest")
	a := &TopKAttrs{K: k, Largest: largest != "false" && !takesLess(in)}
	return e.do(TopK, a, shape.Shape{}, args[0])
}

// takesLess reports whether the comparator of a TopK puts smaller elements first.
func takesLess(in *Instruction) bool {
	for _, c := range in.Called() {
		if cmp, ok := c.Root.Attrs.(*CompareAttrs); ok && c.Root.Operands[0] == c.Parameters[0] {
			return cmp.Direction == Lt || cmp.Direction == Le
		}
	}
	return false
}

// evalDynamicTopK is top-k with k as its second operand.
func evalDynamicTopK(e *Evaluator, _ *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	k, err := scalarInt64(args[1])
	if err != nil {
		return nil, fmt.Errorf("k: %w", err)
	}
	return e.do(TopK, &TopKAttrs{K: k, Largest: true}, shape.Shape{}, args[0])
}

func scalarInt64(l *literal.Literal) (int64, error) {
	v, err := int64s(l)
	if err != nil || len(v) != 1 {
		return 0, fmt.Errorf("got %v, want one integer", l.Shape())
	}
	return v[0], nil
}

// int64s returns the elements of an integer array.
func int64s(l *literal.Literal) ([]int64, error) {
	if !l.Shape().Type.IsInteger() {
		return nil, fmt.Errorf("got %v, want integers", l.Shape())
	}
	return indices(l), nil
}

// isApproxTopK reports whether a call has N operands, N initial values, a comparator and N results of the operands'
// rank.
func isApproxTopK(in *Instruction) bool {
	n := len(in.Operands)
	if n == 0 || n%2 != 0 || len(in.Called()) != 1 || wrapped(in.Shape) != n/2 {
		return false
	}
	results := in.ResultShapes()
	for i, r := range results {
		if o := in.Operands[i].Shape; !r.IsArray() || r.Rank() == 0 || r.Rank() != o.Rank() {
			return false
		}
	}
	return true
}

// evalApproxTopK sorts its operands by the comparator and takes the first of each, as many as the result has: exact
// where the call would allow misses.
func evalApproxTopK(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	n := len(args) / 2
	result := in.Shape
	if result.IsTuple() {
		result = result.Elems[0]
	}
	dim, err := reductionDim(in, args[0].Shape().Rank())
	if err != nil {
		return nil, err
	}
	a := &SortAttrs{Dimension: OneDim(dim), IsStable: true, ToApply: in.Called()[0]}
	sorted, err := e.do(Sort, a, shape.Shape{}, args[:n]...)
	if err != nil {
		return nil, err
	}
	out := []*literal.Literal{sorted}
	if n > 1 {
		out = slices.Clone(sorted.Elems())
	}
	for i, l := range out {
		size, k := l.Shape().Dims[dim], result.Dims[dim]
		if k > size {
			return nil, fmt.Errorf("dimension %d of the result is %d, and only %d elements are there", dim, k, size)
		}
		out[i] = cutAlong(l, dim, k)
	}
	return results(out), nil
}

// reductionDim returns the dimension along which an approximate top-k chooses; the last if the call does not say.
func reductionDim(in *Instruction, rank int) (int64, error) {
	dim := int64(rank - 1)
	if v, ok := note(in, "reduction_dim"); ok {
		d, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("reduction_dim is %q, want a number", v)
		}
		dim = d
	}
	if dim < 0 || dim >= int64(rank) {
		return 0, fmt.Errorf("reduction_dim is %d, want 0 to %d", dim, rank-1)
	}
	return dim, nil
}

// cutAlong returns the first n of l along dimension d.
func cutAlong(l *literal.Literal, d, n int64) *literal.Literal {
	out := literal.Zeros(withDim(l.Shape(), d, n))
	count, w := stripes(out.Shape(), d)
	_, width := stripes(l.Shape(), d)
	for i := range count {
		copy(out.Bytes()[i*w:(i+1)*w], l.Bytes()[i*width:])
	}
	return out
}
