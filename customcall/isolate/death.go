package isolate

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"github.com/halo-xla/halo/cgo/crash"
	"github.com/halo-xla/halo/ffi"
)

// Death is the error of a call whose process ended. It wraps an *ffi.Error with the code Internal.
type Death struct {
	// Library is the file, Doing what the process did, as `served "target"`.
	Library, Doing string
	// Signal is what it died of, 0 if it ended by itself with the status Exit.
	Signal syscall.Signal
	Exit   int
	// Output is the end of what it printed.
	Output string
	// Place says which array was left, if Try found it; "" if not.
	Place string

	record crash.Record
	base   uint64 // where the process had the shared memory
}

// offset is where in the shared memory the process died, or where AddressSanitizer says that it used memory wrongly.
func (d *Death) offset() (at int64, ok bool) {
	if d.record.Signal == d.Signal && d.record.Faulted() {
		return int64(d.record.Address - d.base), true
	}
	_, rest, found := strings.Cut(d.Output, "AddressSanitizer: use-after-poison on address 0x")
	digits, _, _ := strings.Cut(rest, " ")
	address, err := strconv.ParseUint(digits, 16, 64)
	return int64(address - d.base), found && err == nil
}

// Error says what the process died of.
func (d *Death) Error() string { return d.Unwrap().Error() }

// Unwrap returns the error as one of a function.
func (d *Death) Unwrap() error {
	text := fmt.Sprintf("%s: the process that %s ended with exit status %d", d.Library, d.Doing, d.Exit)
	if d.Signal != 0 {
		record := d.record
		if record.Signal != d.Signal {
			record = crash.Record{Signal: d.Signal}
		}
		text = fmt.Sprintf("%s: the process that %s died of %v", d.Library, d.Doing, record)
	}
	if d.Place != "" {
		text += ", " + d.Place
	}
	if d.Output != "" {
		text += "; it had said: " + d.Output
	}
	return &ffi.Error{Code: ffi.Internal, Message: text}
}
