package isolate

import (
	"encoding/gob"
	"errors"
	"sync"

	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/internal/unsupported"
)

// kind is what a request asks for.
type kind uint8

const (
	openKind kind = iota + 1
	instantiateKind
	callKind
	growthKind
)

// request is what a pool asks a process.
type request struct {
	Kind kind
	// Spec is the library to open.
	Spec []byte
	// ID is the instance, Site its call site. Forget are instances that are no longer needed.
	ID     uint64
	Site   *ffi.Site
	Forget []uint64
	// RunID and Device are the call's, Size that of the shared memory, Runs where the arrays lie, once for each call
	// that is made at the same time.
	RunID  int64
	Device int32
	Size   int64
	Runs   []places
	// Traps are parts of the memory that must not be touched; Poison gives the bytes to AddressSanitizer, too.
	Traps  []trap
	Poison bool
	// Times is how often growthKind makes the call, three times over.
	Times int
}

// places are offsets of arrays in the shared memory.
type places struct{ Operands, Results []int64 }

// trap is a range of the shared memory, of whole pages unless it is for AddressSanitizer alone. One that is read-only
// may be read.
type trap struct {
	Offset, Bytes int64
	ReadOnly      bool
}

// reply is what a process answers.
type reply struct {
	Failed      bool
	Code        ffi.Code
	Message     string
	Plain       bool // not an *ffi.Error
	Unsupported bool
	Growth      growth
}

// growth is by how many bytes the heap of C grew in the second and in the third round of calls.
type growth [2]int64

// register names the types of attributes on the wire.
var register = sync.OnceFunc(func() {
	gob.Register(ffi.Scalar{})
	gob.Register(ffi.Array{})
	gob.Register(ffi.Attrs{})
})

// replyOf carries an error.
func replyOf(err error) *reply {
	var known *ffi.Error
	switch {
	case err == nil:
		return &reply{}
	case errors.As(err, &known):
		return &reply{Failed: true, Code: known.Code, Message: known.Message}
	}
	return &reply{Failed: true, Plain: true, Message: err.Error(), Unsupported: errors.Is(err, errors.ErrUnsupported)}
}

// err is the error that was carried.
func (r *reply) err() error {
	switch {
	case !r.Failed:
		return nil
	case !r.Plain:
		return &ffi.Error{Code: r.Code, Message: r.Message}
	case r.Unsupported:
		return unsupported.Error(errors.New(r.Message))
	}
	return errors.New(r.Message)
}
