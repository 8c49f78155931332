//go:build !cgo || !linux

package mpi

import (
	"errors"
	"fmt"
)

var errNone = fmt.Errorf("mpi: this build calls no C: %w", errors.ErrUnsupported)

// Job is this process as one of the ranks that were launched together: none, in this build.
type Job struct{ Rank, Ranks int }

// Operation is a send or receive.
type Operation struct{}

// Load fails: this build calls no C.
func Load() error { return errNone }

// Path returns "": no library is open.
func Path() string { return "" }

// Family fails: this build calls no C.
func Family() (string, error) { return "", errNone }

// Find fails: this build calls no C.
func Find(string) error { return errNone }

// Version returns "": no library is open.
func Version() string { return "" }

// Start fails: this build calls no C.
func Start() (*Job, error) { return nil, errNone }

// Alloc fails: this build calls no C.
func Alloc(int) (Memory, error) { return Memory{}, errNone }

// Free does nothing.
func (Memory) Free() {}

// Finish fails: this build calls no C.
func (*Job) Finish() error { return errNone }

// Send returns an operation that fails.
func (*Job) Send(Memory, int, int, int) *Operation { return nil }

// SendMet returns an operation that fails.
func (*Job) SendMet(Memory, int, int, int) *Operation { return nil }

// Receive returns an operation that fails.
func (*Job) Receive(Memory, int, int, int) *Operation { return nil }

// Progress does nothing.
func (*Job) Progress() {}

// Done fails: this build calls no C.
func (*Operation) Done() (bool, error) { return true, errNone }

// Free does nothing.
func (*Operation) Free() {}
