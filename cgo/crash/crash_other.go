//go:build !cgo || !linux

package crash

// Available says whether this build can write records.
const Available = false

// Install does nothing: this build runs no code that may crash.
func Install([]byte) error { return nil }

// Poison does nothing.
func Poison([]byte, bool) {}
