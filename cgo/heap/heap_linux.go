//go:build cgo && linux

package heap

// #include <stddef.h>
//
// typedef struct {
//   size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
// } info;
// static size_t used(void *mallinfo2) {
//   info i = ((info(*)(void))mallinfo2)();
//   return i.uordblks + i.hblkhd;
// }
// static size_t asked(void *function) { return ((size_t(*)(void))function)(); }
import "C"

import "github.com/halo-xla/halo/cgo/dl"

// Bytes returns how many bytes are allocated, with what the allocator keeps for threads to use again; AddressSanitizer
// is asked if the process has it. ok is false where nobody knows, as with a glibc before 2.33.
func Bytes() (n int64, ok bool) {
	if f, err := dl.Default("__sanitizer_get_current_allocated_bytes"); err == nil {
		return int64(C.asked(f)), true
	}
	if f, err := dl.Default("mallinfo2"); err == nil {
		return int64(C.used(f)), true
	}
	return 0, false
}
