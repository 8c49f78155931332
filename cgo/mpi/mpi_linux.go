//go:build cgo

package mpi

// #include <stdlib.h>
// #include "mpi.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/halo-xla/halo/cgo/dl"
)

// families are the libraries' names, newest first, by the name that $HALO_MPI has for them.
var families = map[string][]string{
	OpenMPI: {"libmpi.so.80", "libmpi.so.40"},
	MPICH:   {"libmpich.so.12", "libmpi.so.12"},
}

// sonames returns what to open: the file or family that is chosen, by $HALO_MPI, else the family of the launcher that
// has started this process, else either.
func sonames(chosen string) []string {
	if list, ok := families[chosen]; ok {
		return list
	}
	if chosen != "" {
		return []string{chosen}
	}
	if os.Getenv("OMPI_COMM_WORLD_SIZE") == "" && os.Getenv("PMI_SIZE") != "" {
		return slices.Concat(families[MPICH], families[OpenMPI])
	}
	return slices.Concat(families[OpenMPI], families[MPICH])
}

// Load opens MPI once. It fails with errors.ErrUnsupported and what was tried if there is none, or if $HALO_LIBS
// refuses mpi.
var Load = sync.OnceValue(func() error {
	chosen := os.Getenv("HALO_MPI")
	lib, err := dl.OpenGlobal("mpi", sonames(chosen)...)
	if err != nil && chosen != "" && !errors.Is(err, dl.ErrRefused) {
		return fmt.Errorf("%w (HALO_MPI is %q, want %s, %s or the file of a library)", err, chosen, OpenMPI, MPICH)
	}
	if err != nil {
		return advised(err)
	}
	if missing := C.halo_mpi_load(lib.Handle()); missing != nil {
		return fmt.Errorf("mpi: %s lacks %s", lib.Path(), C.GoString(missing))
	}
	path = lib.Path()
	return nil
})

var path string

// Path returns the library's file once Load has succeeded.
func Path() string { return path }

// Family opens MPI as Load does and returns its family.
func Family() (string, error) {
	if err := Load(); err != nil {
		return "", err
	}
	if C.halo_mpi_open() != 0 {
		return OpenMPI, nil
	}
	return MPICH, nil
}

// Find fails as Load does if no MPI of a family can be opened. Start may choose another.
func Find(family string) error {
	_, err := dl.Open("mpi", families[family]...)
	return advised(err)
}

// advised says what to do about an MPI that cannot be opened.
func advised(err error) error {
	if err == nil || errors.Is(err, dl.ErrRefused) {
		return err
	}
	return fmt.Errorf("%w; install Open MPI or MPICH, of whose packages in Debian libmpich12 is enough, or name the file "+
		"in HALO_MPI", err)
}

// Version returns what the library says of itself once Load has succeeded: its first line.
func Version() string {
	text := make([]byte, C.HALO_MPI_TEXT)
	C.halo_mpi_version((*C.char)(unsafe.Pointer(&text[0])))
	line, _, _ := strings.Cut(C.GoString((*C.char)(unsafe.Pointer(&text[0]))), "\n")
	return strings.TrimSpace(line)
}

func failed(code C.int) error {
	if code == 0 {
		return nil
	}
	text := make([]byte, C.HALO_MPI_TEXT)
	C.halo_mpi_error(code, (*C.char)(unsafe.Pointer(&text[0])))
	return &Error{int(code), C.GoString((*C.char)(unsafe.Pointer(&text[0])))}
}

// Job is this process as one of the ranks that were launched together. Calls are made one at a time, by the lock of
// their caller's; where MPI is content with one thread alone, they all run on that one.
type Job struct {
	// Rank is the number of this process, of Ranks.
	Rank, Ranks int

	calls chan func() // to the one thread; nil if any will do
}

// The levels of threads that MPI offers.
const serialized = 2

var started struct {
	sync.Mutex
	job *Job
}

// Start makes this process a rank. It waits for all of the job to start. MPI can be started once in a process: it
// fails if it was, with errors.ErrUnsupported as Load does, and with what MPI says.
func Start() (*Job, error) {
	if err := Load(); err != nil {
		return nil, err
	}
	started.Lock()
	defer started.Unlock()
	if started.job != nil {
		return nil, errors.New("mpi: it can be started once in a process")
	}
	j := &Job{calls: make(chan func())}
	go j.thread()
	var rank, ranks, level C.int
	var err error
	// Open MPI's handlers of faults would stand before Go's.
	with := map[string]string{"OMPI_MCA_opal_signal": ""}
	_ = dl.With(with, func() error {
		j.do(func() { err = failed(C.halo_mpi_start(&rank, &ranks, &level)) })
		return nil
	})
	if err != nil {
		close(j.calls)
		return nil, err
	}
	if level >= serialized {
		close(j.calls)
		j.calls = nil
	}
	j.Rank, j.Ranks = int(rank), int(ranks)
	started.job = j
	return j, nil
}

// thread runs the calls of an MPI that wants them all on one thread.
func (j *Job) thread() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for f := range j.calls {
		f()
	}
}

func (j *Job) do(f func()) {
	if j.calls == nil {
		f()
		return
	}
	done := make(chan struct{})
	j.calls <- func() { defer close(done); f() }
	<-done
}

// Finish ends MPI in this process, for good. It waits for all ranks to do the same, so it hangs if one is gone.
func (j *Job) Finish() error {
	var err error
	j.do(func() { err = failed(C.halo_mpi_finish()) })
	if j.calls != nil {
		close(j.calls)
	}
	return err
}

// Alloc returns n bytes, at most what an int32 counts, or fails if there is no memory.
func Alloc(n int) (Memory, error) {
	if n < 0 || n > math.MaxInt32 {
		return Memory{}, fmt.Errorf("mpi: a message of %d bytes, want 0 to %d", n, math.MaxInt32)
	}
	p := C.malloc(C.size_t(max(n, 1)))
	if p == nil {
		return Memory{}, fmt.Errorf("mpi: no memory for a message of %d bytes", n)
	}
	return Memory{unsafe.Slice((*byte)(p), max(n, 1))[:n]}, nil
}

// Free gives the memory back; no operation may be under way on it.
func (m Memory) Free() { C.free(unsafe.Pointer(unsafe.SliceData(m.bytes))) }

// Operation is a send or receive.
type Operation struct{ c *C.halo_mpi_operation }

// Send begins to send the first n bytes of m, which stay as they are until it is done. Messages to one rank arrive in
// the order in which they were sent.
func (j *Job) Send(m Memory, n, to, tag int) *Operation { return j.send(m, n, to, tag, 0) }

// SendMet is Send of what is done only when its receive has begun.
func (j *Job) SendMet(m Memory, n, to, tag int) *Operation { return j.send(m, n, to, tag, 1) }

func (j *Job) send(m Memory, n, to, tag int, met C.int) *Operation {
	o := &Operation{}
	p := unsafe.Pointer(unsafe.SliceData(m.bytes[:n]))
	j.do(func() { o.c = C.halo_mpi_send(p, C.int(n), C.int(to), C.int(tag), met) })
	return o
}

// Receive begins to receive at most n bytes into m.
func (j *Job) Receive(m Memory, n, from, tag int) *Operation {
	o := &Operation{}
	p := unsafe.Pointer(unsafe.SliceData(m.bytes[:n]))
	j.do(func() { o.c = C.halo_mpi_receive(p, C.int(n), C.int(from), C.int(tag)) })
	return o
}

// Progress lets MPI work, and finds out which operations are done.
func (j *Job) Progress() { j.do(func() { C.halo_mpi_progress() }) }

// Done reports whether the operation was done when Progress looked, or has failed.
func (o *Operation) Done() (bool, error) {
	if o.c == nil {
		return true, errors.New("mpi: no memory")
	}
	var code C.int
	done := C.halo_mpi_done(o.c, &code) != 0
	return done, failed(code)
}

// Free gives up an operation that is done.
func (o *Operation) Free() { C.halo_mpi_free(o.c) }
