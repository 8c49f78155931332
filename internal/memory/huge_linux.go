package memory

import (
	"syscall"
	"unsafe"
)

// HugePage is the size of a huge page in bytes.
const HugePage = 2 << 20

// AskHuge asks for huge pages for the whole ones within b, if there are some: loops over large arrays that lie in small
// pages look for addresses half of their time. What was touched before stays where it is for a while.
func AskHuge(b []byte) {
	if len(b) < 2*HugePage {
		return
	}
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (HugePage - 1)
	_ = syscall.Madvise(b[skip:skip+(len(b)-skip)/HugePage*HugePage], syscall.MADV_HUGEPAGE) // a hint: it may fail
}
