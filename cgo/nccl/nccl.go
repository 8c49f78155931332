// Package nccl calls NCCL, NVIDIA's collectives between GPUs, which is opened at run time.
//
// Communicators do not block: who joins one, or enqueues operations, asks Comm.Done until that is so, and ends it with
// Comm.Abort when it has waited too long, so that a rank that never comes is an error and no hang. A group of
// operations is one call. Calls that concern a device are made while its context is current.
package nccl

import (
	"errors"
	"fmt"
	"unsafe"
)

// minVersion is the oldest version that will do, as NCCL tells it: 2.14, the first whose communicators need not block.
const minVersion = 21400

// ID names a communicator that is about to be; one rank makes it, and all join by it.
type ID [128]byte

// Type is the type of elements, by NCCL's number.
type Type uint32

// The types of elements. Others go as bytes, where nothing is computed.
const (
	Int8 Type = iota
	Uint8
	Int32
	Uint32
	Int64
	Uint64
	Float16
	Float32
	Float64
	BFloat16
)

// Reduction is what a reduction computes, by NCCL's number. In which order floats are added is NCCL's to choose.
type Reduction uint32

// The reductions.
const (
	Sum Reduction = iota
	Product
	Max
	Min
)

// Kind is what an operation does.
type Kind int64

// The operations. Count is in elements, of what a rank sends; that of Recv is of what it gets.
const (
	AllReduce Kind = iota
	AllGather
	Send
	Recv
)

var kinds = [...]string{"ncclAllReduce", "ncclAllGather", "ncclSend", "ncclRecv"}

// Op is one operation of a group: of Count elements of a Type, from and to memory of the communicator's device.
type Op struct {
	Kind Kind
	Comm *Comm
	// Stream is the driver's handle of the stream on which it is done.
	Stream unsafe.Pointer
	// From and To are addresses on the device; Send has no To, Recv no From.
	From, To  uint64
	Count     int64
	Type      Type
	Reduction Reduction // AllReduce
	Peer      int       // Send, Recv
}

// Status is what NCCL says of a call.
type Status int

// The statuses.
const (
	Success Status = iota
	UnhandledCudaError
	SystemError
	InternalError
	InvalidArgument
	InvalidUsage
	RemoteError
	InProgress
	Timeout
)

var statuses = [...]string{"ncclSuccess", "ncclUnhandledCudaError", "ncclSystemError", "ncclInternalError",
	"ncclInvalidArgument", "ncclInvalidUsage", "ncclRemoteError", "ncclInProgress", "ncclTimeout"}

// String returns NCCL's name of the status.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statuses) {
		return fmt.Sprintf("status %d", int(s))
	}
	return statuses[s]
}

// Error is a call of NCCL that has failed.
type Error struct {
	// Call is NCCL's function, Text what NCCL says of the status and of the fault.
	Call, Text string
	Status     Status
}

// Error returns the call, the name of the status and its text.
func (e *Error) Error() string { return fmt.Sprintf("nccl: %s: %s: %s", e.Call, e.Status, e.Text) }

// Is makes errors.Is find an Error of the same status.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Status == e.Status
}

// checkVersion fails if a library is too old.
func checkVersion(path string, v int) error {
	if v < minVersion {
		return fmt.Errorf("nccl: %s is version %s, want %s or newer: %w", path, versionText(v), versionText(minVersion),
			errors.ErrUnsupported)
	}
	return nil
}

// versionText writes a version as people do: 21403 is 2.14.3, and up to 2.8 2804 is 2.8.4.
func versionText(v int) string {
	major := 10000
	if v < major {
		major = 1000
	}
	return fmt.Sprintf("%d.%d.%d", v/major, v%major/100, v%100)
}
