package exec

import (
	"fmt"
	"syscall"
	"unsafe"
)

// hugePage is the size of a huge page in bytes.
const hugePage = 2 << 20

// newBlock returns n bytes of zeros from the system. Large ones begin at a huge page and ask for such.
func newBlock(n int64) ([]byte, error) {
	n = max(n, 1)
	if n >= hugePage {
		n = (n + hugePage - 1) / hugePage * hugePage
	}
	b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("allocating %d bytes: %w", n, err)
	}
	adviseHuge(b)
	return b, nil
}

// freeBlock gives a block back to the system.
func freeBlock(b []byte) {
	if err := syscall.Munmap(b); err != nil {
		panic("exec: bug: " + err.Error())
	}
}

// adviseHuge asks for huge pages for the whole ones within b, if there are some.
func adviseHuge(b []byte) {
	if len(b) < 2*hugePage {
		return
	}
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (hugePage - 1)
	_ = syscall.Madvise(b[skip:skip+(len(b)-skip)/hugePage*hugePage], syscall.MADV_HUGEPAGE) // a hint: it may fail
}
