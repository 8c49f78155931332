//go:build !cgo || !linux

package dl

import (
	"errors"
	"unsafe"
)

var errNone = errors.New("this build cannot open libraries: it was made without cgo, or not for Linux")

func open(string) (unsafe.Pointer, error) { return nil, errNone }

func openGlobal(string) (unsafe.Pointer, error) { return nil, errNone }

func loaded(string) (unsafe.Pointer, error) { return nil, errNone }

func closeHandle(unsafe.Pointer) {}

func symbol(unsafe.Pointer, string) (unsafe.Pointer, error) { return nil, errNone }

func pathOf(unsafe.Pointer, string) string { return "" }
