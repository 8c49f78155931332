//go:build unix

package exec

import (
	"fmt"
	"syscall"
)

// newBlock returns n bytes of zeros from the system, at the start of a page.
func newBlock(n int64) ([]byte, error) {
	b, err := syscall.Mmap(-1, 0, int(max(n, 1)), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("allocating %d bytes: %w", n, err)
	}
	return b, nil
}

// freeBlock gives a block back to the system.
func freeBlock(b []byte) {
	if err := syscall.Munmap(b); err != nil {
		panic("exec: bug: " + err.Error())
	}
}
