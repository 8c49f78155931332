package isolate

import (
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"github.com/halo-xla/halo/cgo/crash"
	"github.com/halo-xla/halo/cgo/heap"
	"github.com/halo-xla/halo/ffi"
)

// hello is the byte that comes with the shared memory, socket the number of the socket.
const (
	hello  = 1
	socket = 3
)

// baseAt is where in the first page of the memory, which begins with the record of a crash, the process says where its
// view of the memory begins.
const baseAt = 64

// server is the other side of a process.
type server struct {
	open        Opener
	instantiate Instantiator
	instances   map[uint64]instance
	memory      *memory
	first       []byte // the first page, mapped once for all
	growth      growth
}

type instance struct {
	Server
	site *ffi.Site
}

// serveSocket answers requests until the socket is closed; then it ends the process, even if a function hangs.
func serveSocket(open Opener) error {
	register()
	syscall.CloseOnExec(socket)
	s := &server{open: open, instances: map[uint64]instance{}}
	if err := s.greet(); err != nil {
		return err
	}
	syscall.SetNonblock(socket, true)
	conn := os.NewFile(socket, "socket")
	requests := make(chan *request)
	go func() {
		for in := gob.NewDecoder(conn); ; {
			r := &request{}
			if in.Decode(r) != nil {
				os.Exit(0)
			}
			requests <- r
		}
	}()
	out := gob.NewEncoder(conn)
	for r := range requests {
		answer := replyOf(s.answer(r))
		answer.Growth = s.growth
		if err := out.Encode(answer); err != nil {
			return err
		}
	}
	return nil
}

// greet receives the shared memory.
func (s *server) greet() error {
	b, rights := make([]byte, 1), make([]byte, syscall.CmsgSpace(4))
	n, m, _, _, err := syscall.Recvmsg(socket, b, rights, syscall.MSG_CMSG_CLOEXEC)
	if err != nil || n != 1 || b[0] != hello {
		return fmt.Errorf("%s is set, but no pool speaks: %v", variable, err)
	}
	messages, err := syscall.ParseSocketControlMessage(rights[:m])
	if err != nil || len(messages) != 1 {
		return fmt.Errorf("the shared memory did not come: %v", err)
	}
	files, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(files) != 1 {
		return fmt.Errorf("the shared memory did not come: %v", err)
	}
	s.memory = &memory{file: os.NewFile(uintptr(files[0]), "halo")}
	s.first, err = syscall.Mmap(files[0], 0, page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	return crash.Install(s.first[:crash.RecordBytes])
}

var errNotOpen = errors.New("isolate: bug: no library is open")

// answer does what a request asks for.
func (s *server) answer(r *request) (err error) {
	for _, id := range r.Forget {
		if i, ok := s.instances[id]; ok {
			delete(s.instances, id)
			i.Close()
		}
	}
	switch {
	case r.Kind == openKind:
		s.instantiate, err = s.open(r.Spec)
		return err
	case s.instantiate == nil:
		return errNotOpen
	case r.Kind == instantiateKind:
		made, err := s.instantiate(context.Background(), r.Site)
		if err == nil {
			s.instances[r.ID] = instance{made, r.Site}
		}
		return err
	}
	i, ok := s.instances[r.ID]
	if !ok {
		return fmt.Errorf("isolate: bug: there is no instance %d", r.ID)
	}
	if r.Kind == growthKind {
		return s.grow(i, r)
	}
	return s.call(i, r)
}

// grow makes the call of a request often and takes the growth of the heap: the first round is for what is made once. On
// one thread, since the allocator keeps memory for each.
func (s *server) grow(i instance, r *request) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := s.show(r.Size); err != nil {
		return err
	}
	var used [3]int64
	for round := range used {
		for range r.Times {
			if err := run(i, s.memory.data[:r.Size], r, 0); err != nil {
				return err
			}
		}
		used[round], _ = heap.Bytes()
	}
	s.growth = growth{used[1] - used[0], used[2] - used[1]}
	return nil
}

// call makes the calls of a request, at the same time if there are several.
func (s *server) call(i instance, r *request) error {
	if err := s.show(r.Size); err != nil {
		return err
	}
	data := s.memory.data[:r.Size]
	binary.NativeEndian.PutUint64(s.first[baseAt:], uint64(uintptr(unsafe.Pointer(&data[0]))))
	if err := set(data, r, true); err != nil {
		return err
	}
	errs := make([]error, len(r.Runs))
	var done sync.WaitGroup
	for n := range r.Runs[1:] {
		done.Go(func() { errs[n+1] = run(i, data, r, n+1) })
	}
	errs[0] = run(i, data, r, 0)
	done.Wait()
	if err := set(data, r, false); err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// show maps as much of the memory as the other side has made it. What lies before the arrays and after them must not be
// touched: a function that goes far beyond an array ends its process, and spoils nothing.
func (s *server) show(size int64) error {
	if size+page <= int64(len(s.memory.data)) {
		return nil
	}
	if err := s.memory.view(size + page); err != nil {
		return err
	}
	if err := protect(s.memory.data[:page], false, false); err != nil {
		return err
	}
	return protect(s.memory.data[size:], false, false)
}

func run(i instance, data []byte, r *request, n int) error {
	c := &ffi.Call{Site: i.site, RunID: r.RunID + int64(n), Device: r.Device}
	c.Operands, c.Results = r.Runs[n].buffers(data, i.site)
	return i.Call(context.Background(), c)
}

// set sets the traps of a request, or takes them away.
func set(data []byte, r *request, on bool) error {
	for _, t := range r.Traps {
		part := data[t.Offset : t.Offset+t.Bytes]
		if r.Poison && !t.ReadOnly {
			crash.Poison(part, on)
		}
		if t.Bytes == 0 || t.Offset%page != 0 || t.Bytes%page != 0 {
			continue
		}
		if err := protect(part, !on, !on || t.ReadOnly); err != nil {
			return err
		}
	}
	return nil
}
