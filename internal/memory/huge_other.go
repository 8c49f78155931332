//go:build !linux

package memory

// AskHuge does nothing: this system has no such advice.
func AskHuge([]byte) {}
