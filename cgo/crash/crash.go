// Package crash writes down where a process dies of a signal, for the process that started it.
//
// It is for processes whose only work is to run code that may crash: Go's own handling of these signals is off in them.
package crash

import (
	"encoding/binary"
	"fmt"
	"syscall"
)

// RecordBytes is the size of a record: what a dying process leaves in memory that it shares with another.
const RecordBytes = 24

// Record is what a process died of.
type Record struct {
	// Signal is its number, 0 if the process did not die of one.
	Signal syscall.Signal
	// Address is the memory that could not be used, if that was the cause.
	Address uint64
	// Code says more, as in siginfo_t.
	Code int32
}

// Read reads a record.
func Read(memory []byte) Record {
	order := binary.NativeEndian
	return Record{syscall.Signal(order.Uint32(memory)), order.Uint64(memory[8:]), int32(order.Uint32(memory[4:]))}
}

// String says what happened, "SIGSEGV at address 0x10".
func (r Record) String() string {
	name, ok := names[r.Signal]
	if !ok {
		name = fmt.Sprintf("signal %d", int(r.Signal))
	}
	if r.Faulted() {
		return fmt.Sprintf("%s at address %#x", name, r.Address)
	}
	return name
}

// Faulted says whether the process died because it used memory that it must not use.
func (r Record) Faulted() bool {
	return (r.Signal == syscall.SIGSEGV || r.Signal == syscall.SIGBUS) && r.Code > 0
}

var names = map[syscall.Signal]string{
	syscall.SIGSEGV: "SIGSEGV", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE", syscall.SIGILL: "SIGILL",
	syscall.SIGABRT: "SIGABRT", syscall.SIGKILL: "SIGKILL", syscall.SIGTERM: "SIGTERM", syscall.SIGTRAP: "SIGTRAP",
	syscall.SIGSYS: "SIGSYS", syscall.SIGPIPE: "SIGPIPE", syscall.SIGINT: "SIGINT", syscall.SIGHUP: "SIGHUP",
}
