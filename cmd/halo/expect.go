package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"

	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// newExpectations returns the handlers of the check.* and interpreter.* calls of one self-checking program.
func newExpectations() xla.HandlerMap {
	p := &probes{values: map[string][]*literal.Literal{}}
	return xla.HandlerMap{
		"check.expect_eq":            expectation(expectEqual),
		"check.expect_almost_eq":     expectation(expectAlmost),
		"check.expect_close":         expectation(expectClose),
		"check.eq":                   checkEq,
		"check.expect_serialized_eq": p.expect,
		"interpreter.probe":          p.record,
		"interpreter.print":          printValue,
	}
}

// expectation wraps a judgement of (actual, expected) into a handler without results.
func expectation(judge func(call *hlo.Instruction, got, want *literal.Literal) error) xla.Handler {
	return func(_ context.Context, call *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
		if len(args) != 2 {
			return nil, fmt.Errorf("got %d operands, want actual and expected", len(args))
		}
		if !args[0].Shape().Compatible(args[1].Shape()) {
			return nil, errWrong{fmt.Errorf("got %v, want %v", args[0].Shape(), args[1].Shape())}
		}
		if err := judge(call, args[0], args[1]); err != nil {
			return nil, errWrong{err}
		}
		return literal.NewTuple(), nil
	}
}

// attribute returns an attribute of the call, an ffi.Scalar or a string for example, and whether it is there.
func attribute(call *hlo.Instruction, name string) (any, bool, error) {
	if call.Common == nil || !call.Common.Dictionary {
		return nil, false, nil
	}
	attrs, err := ffi.ParseAttrs(call.Common.Config)
	if err != nil {
		return nil, false, err
	}
	v, ok := attrs.Lookup(name)
	return v, ok, nil
}

// number returns a number among the call's attributes, or its default.
func number(call *hlo.Instruction, name string, otherwise float64) (float64, error) {
	v, ok, err := attribute(call, name)
	if !ok {
		return otherwise, err
	}
	return ffi.Attrs{{Name: name, Value: v}}.Float(name)
}

func difference(d *literal.Difference) error {
	if d == nil {
		return nil
	}
	return errors.New(d.String())
}

// expectEqual wants equal elements. NaN equals NaN: programs whose answers hold NaN could not pass otherwise.
func expectEqual(_ *hlo.Instruction, got, want *literal.Literal) error {
	return difference(literal.Compare(got, want, literal.Tolerance{}))
}

// expectAlmost wants an absolute difference within the tolerance.
// The call without attributes is custom_call's form.
func expectAlmost(call *hlo.Instruction, got, want *literal.Literal) error {
	tol, err := number(call, "tolerance", 1e-3)
	if err != nil {
		return err
	}
	return difference(literal.Compare(parts(got), parts(want), literal.Tolerance{ATol: tol}))
}

// parts is a complex array as an array of its parts, and any other array itself.
func parts(l *literal.Literal) *literal.Literal {
	s := l.Shape()
	if !s.Type.IsComplex() {
		return l
	}
	p, err := l.RowMajor().WithShape(shape.Array(s.Type.Component(), append(slices.Clone(s.Dims), 2)...))
	if err != nil {
		panic(fmt.Sprintf("halo: bug: parts of %v: %v", s, err))
	}
	return p
}

// expectClose wants a distance in units of the last place within the limits.
// Without attributes it is custom_call's form.
func expectClose(call *hlo.Instruction, got, want *literal.Literal) error {
	most, err := count(call, "max_ulp_difference", 3)
	if err != nil {
		return err
	}
	least, err := count(call, "min_ulp_difference", 0)
	if err != nil {
		return err
	}
	got, want = parts(got), parts(want)
	if !got.Shape().Type.IsFloat() {
		return expectEqual(call, got, want)
	}
	g, w := got.Wide().F, want.Wide().F
	for i := range g {
		if d := distance(got.Shape().Type, g[i], w[i]); d < least || d > most {
			return fmt.Errorf("element %d, row-major: got %v, want %v within %d to %d ULPs, the distance is %d",
				i, g[i], w[i], least, most, d)
		}
	}
	return nil
}

// distance is how many values of the type lie between a and b; NaN and infinities are as far as can be from all others.
func distance(t shape.ElementType, a, b float64) uint64 {
	special := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	switch {
	case a == b, math.IsNaN(a) && math.IsNaN(b):
		return 0
	case special(a) || special(b):
		return math.MaxUint64
	}
	return uint64(literal.ULPDistance(t, a, b))
}

// count returns a whole number among the call's attributes, or its default. MLIR may print 2^64-1 as -1.
func count(call *hlo.Instruction, name string, otherwise uint64) (uint64, error) {
	v, ok, err := attribute(call, name)
	if !ok {
		return otherwise, err
	}
	n, err := ffi.Attrs{{Name: name, Value: v}}.Int(name)
	return uint64(n), err
}

// probeOf is the probe that a call names.
func probeOf(call *hlo.Instruction) (string, error) {
	v, _, err := attribute(call, "probe_id")
	id, _ := v.(string)
	return id, err
}

// checkEq is the form with a result; its operands are (expected, actual).
func checkEq(_ context.Context, call *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
	if len(args) != 2 {
		return nil, fmt.Errorf("got %d operands, want expected and actual", len(args))
	}
	want, got := args[0], args[1]
	if !got.Shape().Compatible(want.Shape()) {
		return nil, errWrong{fmt.Errorf("got %v, want %v", got.Shape(), want.Shape())}
	}
	tol := literal.Tolerance{ATol: 1e-4} // integers must be equal whatever it says
	if err := difference(literal.Compare(parts(got), parts(want), tol)); err != nil {
		return nil, errWrong{err}
	}
	return literal.Scalar(true), nil
}

// probes are the values that interpreter.probe saw, by probe and in their order.
type probes struct {
	mu     sync.Mutex
	values map[string][]*literal.Literal
}

// record keeps the operand and returns it.
func (p *probes) record(_ context.Context, call *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("got %d operands, want one", len(args))
	}
	id, err := probeOf(call)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.values[id] = append(p.values[id], args[0].Clone()) // the operand's memory is used again
	return args[0], nil
}

// expect wants the operand to be what the probe saw in an iteration, counted from 0.
func (p *probes) expect(_ context.Context, call *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("got %d operands, want one", len(args))
	}
	id, err := probeOf(call)
	if err != nil {
		return nil, err
	}
	iter, err := count(call, "iter", 0)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.values[id]); iter >= uint64(n) {
		return nil, errWrong{fmt.Errorf("probe %q saw %d values, want one with the number %d", id, n, iter)}
	}
	if err := difference(literal.Compare(args[0], p.values[id][iter], literal.Tolerance{})); err != nil {
		return nil, errWrong{err}
	}
	return literal.NewTuple(), nil
}

// printValue prints its operand as a message.
func printValue(_ context.Context, _ *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
	fmt.Fprintln(os.Stderr, args[0])
	return literal.NewTuple(), nil
}
