package xla

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/stablehlo"
)

// Code is the kind of an Error.
type Code int

// The codes.
const (
	// Internal is a fault of this library.
	Internal Code = iota
	// InvalidArgument is a fault in a program, an argument or an option.
	InvalidArgument
	// Unsupported is something right that this backend cannot do; errors.Is(err, errors.ErrUnsupported) finds it too.
	Unsupported
	// ResourceExhausted is a limit that was passed.
	ResourceExhausted
	// Cancelled is a context that ended: errors.Is finds context.Canceled or context.DeadlineExceeded.
	Cancelled
	// Closed is a call on something closed.
	Closed
	// Failed is a failure while the program ran, of a custom call for example.
	Failed
)

var codeNames = [...]string{"internal", "invalid argument", "unsupported", "resource exhausted", "cancelled",
	"closed", "failed"}

// String returns the code in words.
func (c Code) String() string { return codeNames[c] }

// Error is what every function of this package fails with.
type Error struct {
	Code Code
	// Op and Instruction name the instruction at fault, Position where it stands, "file:line:col"; "" if unknown.
	Op, Instruction, Position string
	Err                       error
}

// Error returns "file:line:col: op(shapes): what, got, want" as far as they are known.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause, which may be a *hlo.Error.
func (e *Error) Unwrap() error { return e.Err }

func errorf(code Code, format string, args ...any) error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}

// wrap makes an *Error of err, with the instruction if err knows it; otherwise is the code of unknown causes.
func wrap(err error, otherwise Code) error {
	if err == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	e := &Error{Code: codeOf(err, otherwise), Err: err}
	e.place()
	return e
}

// place fills in what the cause knows of the instruction, the op of MLIR or the text at fault.
func (e *Error) place() {
	var text *hlo.SyntaxError
	if errors.As(e.Err, &text) {
		e.Position = text.Pos.String()
	}
	var op *stablehlo.Error
	if errors.As(e.Err, &op) {
		e.Op, e.Position = op.Op, cmp.Or(op.Pos.String(), e.Position)
	}
	var at *hlo.Error
	if errors.As(e.Err, &at) {
		e.Op, e.Instruction = at.In.Op.String(), at.In.Name
		e.Position = cmp.Or(at.In.Pos.String(), e.Position)
	}
}

func codeOf(err error, otherwise Code) Code {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Cancelled
	case errors.Is(err, hlo.ErrLimit):
		return ResourceExhausted
	case errors.Is(err, errors.ErrUnsupported):
		return Unsupported
	}
	return otherwise
}

// guard turns a panic, which is a bug of ours or of a handler, into an error.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = errorf(Internal, "panic: %v", r)
	}
}
