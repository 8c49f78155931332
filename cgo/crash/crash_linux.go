//go:build cgo && linux

package crash

// #include <signal.h>
// #include <stdint.h>
// #include <string.h>
//
// typedef struct { uint32_t signal; int32_t code; uint64_t address; } halo_crash;
// static halo_crash *volatile record;
//
// // The default action ends the process when the signal, which is blocked in here, comes again.
// static void dying(int number, siginfo_t *info, void *context) {
//   if (record && !record->signal) {
//     record->code = info->si_code;
//     record->address = (uint64_t)(uintptr_t)info->si_addr;
//     record->signal = (uint32_t)number;
//   }
//   signal(number, SIG_DFL);
//   raise(number);
// }
//
// static int install(void *memory) {
//   static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
//   struct sigaction action;
//   memset(&action, 0, sizeof action);
//   action.sa_sigaction = dying;
//   action.sa_flags = SA_SIGINFO | SA_ONSTACK;
//   record = memory;
//   for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
//     if (sigaction(numbers[i], &action, NULL))
//       return 0;
//   return 1;
// }
//
// typedef void poison_function(const volatile void *, size_t);
// static void poison(void *function, void *memory, size_t bytes) { ((poison_function *)function)(memory, bytes); }
import "C"

import (
	"errors"
	"unsafe"

	"github.com/halo-xla/halo/cgo/dl"
)

// Available says whether this build can write records.
const Available = true

// Install has this process write to memory, which lives as long as the process, what signal ends it. memory has
// RecordBytes, all 0, on an address that is a multiple of 8.
func Install(memory []byte) error {
	if len(memory) < RecordBytes || uintptr(unsafe.Pointer(&memory[0]))%8 != 0 {
		panic("crash: bug: memory is too small or not aligned")
	}
	if C.install(unsafe.Pointer(&memory[0])) == 0 {
		return errors.New("crash: the signals' handlers cannot be set")
	}
	return nil
}

// poisonNames are AddressSanitizer's functions that forbid memory, and that allow it.
var poisonNames = map[bool]string{true: "__asan_poison_memory_region", false: "__asan_unpoison_memory_region"}

// Poison has AddressSanitizer end the process when code that it watches touches memory, or no longer.
func Poison(memory []byte, on bool) {
	if len(memory) == 0 {
		return
	}
	if f, err := dl.Default(poisonNames[on]); err == nil {
		C.poison(f, unsafe.Pointer(&memory[0]), C.size_t(len(memory)))
	}
}
