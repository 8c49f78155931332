//go:build !cgo || !linux

package ffi

import (
	"context"
	"errors"
	"fmt"
	"unsafe"
)

// errNone is why functions in C cannot be called.
var errNone = fmt.Errorf("this build cannot call functions of libraries: it was made without cgo, or not for Linux: %w",
	errors.ErrUnsupported)

// Native is a site that functions in C serve. It is safe for concurrent use.
type Native struct{}

// Frame is the memory of one call at a time.
type Frame struct {
	// Addresses are set before a call: where the operands and then the results lie.
	Addresses []uintptr
}

// RegisterType fails: there is no C in this build.
func RegisterType(name string, id, info unsafe.Pointer) (int64, error) { return 0, errNone }

// Pointer returns nil: there is no C in this build.
func Pointer(function, library unsafe.Pointer) unsafe.Pointer { return nil }

// Registration is a target that functions have asked to serve.
type Registration struct {
	Target string
	Functions
}

// Registrations returns 0: there is no C in this build.
func Registrations() int64 { return 0 }

// Registered returns nothing: there is no C in this build.
func Registered(int64) []Registration { return nil }

// Lives returns false: there is no C in this build.
func Lives(int32) bool { return false }

// Pending returns 0: there is no C in this build.
func Pending() int { return 0 }

// NewNative fails: there is no C in this build.
func NewNative(*Site, Functions, []User) (*Native, error) { return nil, errNone }

// Close calls last.
func (*Native) Close(last func([]int32, bool)) { last(nil, false) }

// Frame returns a frame of no use.
func (*Native) Frame() *Frame { return &Frame{} }

// Release does nothing.
func (*Native) Release(*Frame) {}

// Staged returns false.
func (*Native) Staged() bool { return false }

// ScratchBytes returns 0.
func (*Native) ScratchBytes() int64 { return 0 }

// Scratch does nothing.
func (*Frame) Scratch(uintptr) {}

// On does nothing.
func (*Frame) On(uintptr) {}

// Begin fails: there is no C in this build.
func (*Frame) Begin(int64, int32) (bool, error) { return false, errNone }

// Finish fails: there is no C in this build.
func (*Frame) Finish(context.Context) error { return errNone }

// Call fails: there is no C in this build.
func (*Frame) Call(context.Context, int64, int32) error { return errNone }

// Call fails: there is no C in this build.
func (*Native) Call(context.Context, *Call) error { return errNone }
