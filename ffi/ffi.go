// Package ffi calls the functions behind custom calls: it has the words that runtime and function share, in Go and as
// XLA's C interface, version 0.5.
//
// A Site is a custom call of a program as it was compiled, a Call one execution of it. Functions in C get a call frame
// that is built once for a site and used again for every call.
package ffi

import (
	"fmt"

	"github.com/halo-xla/halo/xla/shape"
)

// Version is a custom call's calling convention. The numbers are XLA's.
type Version uint8

// The calling conventions. Unspecified is Original.
const (
	Unspecified Version = iota
	Original
	StatusReturning
	StatusReturningUnified
	TypedFFI
)

// Value describes an array that goes in or out: an element type, which is shape.Token for a token, and logical sizes.
type Value struct {
	Type shape.ElementType
	Dims []int64
	// MinorToMajor is the order of the dimensions in memory, the one that varies fastest first; nil: row-major.
	MinorToMajor []int64
}

// Elements returns how many elements the array has; 1 for a token.
func (v Value) Elements() int64 {
	n := int64(1)
	for _, d := range v.Dims {
		n *= d
	}
	return n
}

// Bytes returns how many bytes Buffer.Data has: elements narrower than a byte take one each, a token none.
func (v Value) Bytes() int64 {
	if v.Type == shape.Token {
		return 0
	}
	return v.Elements() * int64((v.Type.Bits()+7)/8)
}

// Alias says that a result lives in the memory of an operand. Both are numbers of leaves.
type Alias struct{ Result, Operand int }

// Site is a custom call of a program. It is plain data, and is not changed once it is made.
type Site struct {
	Target  string
	Version Version
	// Operands and Results are the leaves of all tuples, in order.
	Operands, Results []Value
	// Tuple says that the result is a tuple, if only of one element.
	Tuple         bool
	Aliases       []Alias
	HasSideEffect bool
	// Config is the backend_config: the opaque text of the old conventions, or a dictionary in MLIR's syntax, which is in
	// Attrs, too.
	Config string
	// Attrs are the attributes of the typed convention, sorted by name.
	Attrs Attrs
	// Called are the names of the called computations.
	Called []string
}

// Buffer is an array in memory: its elements in the order that MinorToMajor says, one byte for each narrower than that.
type Buffer struct {
	Value
	Data []byte
}

// Call is one execution of a site. The function may keep nothing of it.
type Call struct {
	Site *Site
	// Operands must not be written, except those that a result has the memory of. Results hold anything at first.
	Operands, Results []Buffer
	// RunID identifies the execution of the program; it is not 0. Device is the number of the device.
	RunID  int64
	Device int32
}

// Code is the kind of a function's error. The numbers are those of the C interface.
type Code int32

// The codes.
const (
	OK Code = iota
	Cancelled
	Unknown
	InvalidArgument
	DeadlineExceeded
	NotFound
	AlreadyExists
	PermissionDenied
	ResourceExhausted
	FailedPrecondition
	Aborted
	OutOfRange
	Unimplemented
	Internal
	Unavailable
	DataLoss
	Unauthenticated
)

var codeNames = [...]string{"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
	"ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
	"UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"}

// String returns the code's name, "INVALID_ARGUMENT".
func (c Code) String() string {
	if c < 0 || int(c) >= len(codeNames) {
		return fmt.Sprintf("code %d", int32(c))
	}
	return codeNames[c]
}

// Error is what a function behind a custom call fails with.
type Error struct {
	Code Code
	// Message is the function's own text.
	Message string
}

// Error returns the code's name and the message.
func (e *Error) Error() string {
	if e.Message == "" {
		return e.Code.String()
	}
	return e.Code.String() + ": " + e.Message
}

// Errorf returns an *Error.
func Errorf(c Code, format string, args ...any) error { return &Error{c, fmt.Sprintf(format, args...)} }
