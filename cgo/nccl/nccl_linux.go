//go:build cgo

package nccl

// #include <stdlib.h>
// #include "nccl.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/halo-xla/halo/cgo/dl"
)

// Library is an opened NCCL.
type Library struct {
	t       *C.nccl_table
	path    string
	version int
}

// Open makes a Library of lib. It fails with errors.ErrUnsupported and a sentence if that is too old.
func Open(lib *dl.Library) (*Library, error) {
	var missing *C.char
	l := &Library{t: C.halo_nccl_load(lib.Handle(), &missing), path: lib.Path()}
	if l.t == nil {
		return nil, fmt.Errorf("nccl: %s lacks %s, want version %s or newer: %w", lib.Path(), C.GoString(missing),
			versionText(minVersion), errors.ErrUnsupported)
	}
	var v C.int
	if err := l.check("ncclGetVersion", nil, C.halo_ncclGetVersion(l.t, &v)); err != nil {
		return nil, err
	}
	l.version = int(v)
	return l, checkVersion(l.path, l.version)
}

// Path returns the library's file.
func (l *Library) Path() string { return l.path }

// Version returns its version as people write it: 2.21.5.
func (l *Library) Version() string { return versionText(l.version) }

// check makes an error of a status that is a fault, with what NCCL says of it.
func (l *Library) check(call string, comm C.halo_nccl_comm, status C.uint) error {
	if s := Status(status); s == Success || s == InProgress {
		return nil
	}
	e := &Error{Call: call, Status: Status(status), Text: C.GoString(C.halo_ncclGetErrorString(l.t, status))}
	if said := C.GoString(C.halo_ncclGetLastError(l.t, comm)); said != "" {
		e.Text += ": " + said
	}
	return e
}

// NewID returns the name of a communicator to be.
func (l *Library) NewID() (ID, error) {
	var id ID
	err := l.check("ncclGetUniqueId", nil, C.halo_ncclGetUniqueId(l.t, (*C.halo_nccl_id)(unsafe.Pointer(&id))))
	return id, err
}

// Comm is a rank of a communicator: a device among others, in this process or in others. One goroutine uses it at a
// time. It must be ended with Abort.
type Comm struct {
	l *Library
	c C.halo_nccl_comm
}

// Join begins to make the device whose context is current rank number rank of the communicator id. It is a rank once
// Done says so.
func (l *Library) Join(id ID, rank, ranks int) (*Comm, error) {
	c := &Comm{l: l}
	status := C.halo_nccl_join(l.t, &c.c, C.int(ranks), (*C.halo_nccl_id)(unsafe.Pointer(&id)), C.int(rank))
	if err := l.check("ncclCommInitRankConfig", nil, status); err != nil {
		if c.c != nil {
			err = errors.Join(err, c.Abort())
		}
		return nil, err
	}
	return c, nil
}

// Done reports whether what was begun is done, or enqueued if it is a group; it fails with a fault of this rank or of
// another, after which only Abort is left.
func (c *Comm) Done() (bool, error) {
	var status C.uint
	if err := c.l.check("ncclCommGetAsyncError", c.c, C.halo_ncclCommGetAsyncError(c.l.t, c.c, &status)); err != nil {
		return false, err
	}
	return Status(status) == Success, c.l.check("a call before ncclCommGetAsyncError", c.c, status)
}

// Abort ends what is under way on this rank, also on the device, and frees the communicator. Other ranks wait until
// they abort it themselves.
func (c *Comm) Abort() error {
	return c.l.check("ncclCommAbort", nil, C.halo_ncclCommAbort(c.l.t, c.c))
}

// Group enqueues operations that are done together; each communicator's Done says when they are enqueued, and only then
// may more be enqueued on their streams. It fails with what NCCL says of the first that it refuses.
func (l *Library) Group(list []Op) error {
	ops := make([]C.halo_nccl_op, len(list))
	for i, o := range list {
		if o.Count < 0 {
			return fmt.Errorf("nccl: %s of %d elements, want 0 or more", kinds[o.Kind], o.Count)
		}
		ops[i] = C.halo_nccl_op{
			kind: C.int64_t(o.Kind), comm: o.Comm.c, stream: C.halo_nccl_stream(o.Stream), send: C.uint64_t(o.From),
			recv: C.uint64_t(o.To), count: C.uint64_t(o.Count), _type: C.uint32_t(o.Type), op: C.uint32_t(o.Reduction),
			peer: C.int64_t(o.Peer),
		}
	}
	if len(ops) == 0 {
		return nil
	}
	var failed C.int64_t
	status := C.halo_nccl_group(l.t, &ops[0], C.int64_t(len(ops)), &failed)
	if failed < 0 {
		return l.check("ncclGroupEnd", ops[0].comm, status)
	}
	return l.check(kinds[ops[failed].kind], ops[failed].comm, status)
}
