package exec

import (
	"fmt"
	"syscall"

	"github.com/halo-xla/halo/internal/memory"
)

// newBlock returns n bytes of zeros from the system. Large ones begin at a huge page and ask for such.
func newBlock(n int64) ([]byte, error) {
	n = max(n, 1)
	if n >= memory.HugePage {
		n = alignedTo(n, memory.HugePage)
	}
	b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("allocating %d bytes: %w", n, err)
	}
	memory.AskHuge(b)
	return b, nil
}

// freeBlock gives a block back to the system.
func freeBlock(b []byte) {
	if err := syscall.Munmap(b); err != nil {
		panic("exec: bug: " + err.Error())
	}
}
