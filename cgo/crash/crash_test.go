package crash

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"testing"
)

// A record names the signal, and the address if there is one.
func ExampleRead() {
	memory := make([]byte, RecordBytes)
	binary.NativeEndian.PutUint32(memory, uint32(syscall.SIGSEGV))
	binary.NativeEndian.PutUint32(memory[4:], 1)
	binary.NativeEndian.PutUint64(memory[8:], 16)
	fmt.Println(Read(memory))
	// Output: SIGSEGV at address 0x10
}

func TestRecord(t *testing.T) {
	for r, want := range map[Record]string{
		{syscall.SIGABRT, 0, -6}: "SIGABRT", {syscall.SIGSEGV, 0, 0}: "SIGSEGV", {60, 0, 0}: "signal 60",
		{syscall.SIGBUS, 4096, 2}: "SIGBUS at address 0x1000",
	} {
		if got := r.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
