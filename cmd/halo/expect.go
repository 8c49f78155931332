package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// expectations are the check.* calls of self-checking programs.
var expectations = xla.HandlerMap{
	"check.expect_eq":        expectation(expectEqual),
	"check.expect_almost_eq": expectation(expectAlmost),
	"check.expect_close":     expectation(expectClose),
	"check.eq":               checkEq,
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

// attribute returns a number among the call's attributes, or its default.
func attribute(call *hlo.Instruction, name string, otherwise float64) (float64, error) {
	if call.Common == nil {
		return otherwise, nil
	}
	text, ok := call.Common.Frontend.Lookup(name)
	if !ok {
		return otherwise, nil
	}
	return strconv.ParseFloat(text, 64)
}

func isCustomCall(call *hlo.Instruction) bool {
	if call.Common == nil {
		return false
	}
	form, _ := call.Common.Frontend.Lookup("form")
	return form == "custom_call"
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
func expectAlmost(call *hlo.Instruction, got, want *literal.Literal) error {
	otherwise := 1e-4
	if isCustomCall(call) {
		otherwise = 1e-3
	}
	tol, err := attribute(call, "tolerance", otherwise)
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

// expectClose wants a difference in units of the last place within the limits.
func expectClose(call *hlo.Instruction, got, want *literal.Literal) error {
	otherwise := 1.0
	if isCustomCall(call) {
		otherwise = 3
	}
	most, err := attribute(call, "max_ulp_difference", otherwise)
	if err != nil {
		return err
	}
	least, err := attribute(call, "min_ulp_difference", 0)
	if err != nil {
		return err
	}
	got, want = parts(got), parts(want)
	if err := difference(literal.Compare(got, want, literal.Tolerance{ULP: int64(most)})); err != nil || least <= 0 {
		return err
	}
	g, w := got.Wide().F, want.Wide().F
	for i := range g {
		if d := literal.ULPDistance(got.Shape().Type, g[i], w[i]); d < int64(least) {
			return fmt.Errorf("element %d: got %v, want %v with a distance of at least %v ULPs, got %d", i, g[i], w[i], least, d)
		}
	}
	return nil
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
