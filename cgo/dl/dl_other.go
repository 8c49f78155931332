//go:build !cgo || !linux

package dl

import (
	"errors"
	"fmt"
	"unsafe"
)

var errNone = errors.New("this build cannot open libraries: it was made without cgo, or not for Linux")

func open(path string) (unsafe.Pointer, error) { return nil, fmt.Errorf("%s: %w", path, errNone) }

func openGlobal(path string) (unsafe.Pointer, error) { return open(path) }

func loaded(string) (unsafe.Pointer, error) { return nil, errNone }

func closeHandle(unsafe.Pointer) {}

func symbol(unsafe.Pointer, string) (unsafe.Pointer, error) { return nil, errNone }

func pathOf(unsafe.Pointer, string) string { return "" }

func where(unsafe.Pointer) (string, uint64) { return "", 0 }

func has(_, _ unsafe.Pointer) bool { return false }
