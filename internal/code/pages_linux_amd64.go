package code

import (
	"fmt"
	"sync"
	"syscall"
	"unsafe"
)

// Room is how many bytes of code there are at most in a process. Functions stay, since equal code is one function and
// those on elements differ in few ways: most have 200 to 500 bytes. Programs with loops have some thousands, and hardly
// two are equal: code takes at most a part of what room is left, one of so many, so that there is some for short code
// when programs no longer have any.
const (
	Room      = 16 << 20
	leastLeft = 256
)

// arena is memory for code: a file without a name, mapped to be executed. What is written goes through another mapping
// that is gone when the code runs, so that no page is ever both.
type arena struct {
	sync.Mutex
	file int
	at   []byte
	used int
	made map[string]unsafe.Pointer
	err  error // why there is none
}

var room = sync.OnceValue(func() *arena {
	a := &arena{made: map[string]unsafe.Pointer{}}
	file, err := nameless()
	if err != nil {
		a.err = fmt.Errorf("making a file for code: %w", err)
		return a
	}
	at, err := syscall.Mmap(file, 0, Room, syscall.PROT_READ|syscall.PROT_EXEC, syscall.MAP_SHARED)
	if err != nil {
		_ = syscall.Close(file)
		a.err = fmt.Errorf("mapping a file to be executed: %w", err)
		return a
	}
	a.file, a.at = file, at
	return a
})

const (
	memfdCreate = 319 // a system call
	closeOnExec = 1
	executed    = 0x10 // asked for by systems from 6.3 on, unknown to others
)

// nameless makes a file that may be executed and has so much room, which takes no memory before it is written.
func nameless() (file int, err error) {
	name := [...]byte{'h', 'a', 'l', 'o', 0}
	for _, flags := range []uintptr{closeOnExec | executed, closeOnExec} {
		fd, _, errno := syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(&name)), flags, 0)
		if err = errno; errno != 0 {
			continue
		}
		if err = syscall.Ftruncate(int(fd), Room); err == nil {
			return int(fd), nil
		}
		_ = syscall.Close(int(fd))
	}
	return 0, err
}

// Memory returns why the system gives no memory for code, or nil if it does.
func Memory() error { return room().err }

// Place returns where code can be called, or nil where the system gives no memory that is executed, or there is no more
// room.
func Place(code []byte) unsafe.Pointer {
	a := room()
	a.Lock()
	defer a.Unlock()
	if at, ok := a.made[string(code)]; ok {
		return at
	}
	if !a.takes(len(code)) || !a.write(code) {
		return nil
	}
	at := unsafe.Pointer(&a.at[a.used])
	a.made[string(code)] = at
	a.used = (a.used + len(code) + alignment - 1) / alignment * alignment
	return at
}

// takes reports whether there is room for n more bytes.
func (a *arena) takes(n int) bool { return n <= (len(a.at)-a.used)/leastLeft }

// alignment is that of functions: the machine fetches so many bytes at once.
const alignment = 64

// write puts code behind what there is.
func (a *arena) write(code []byte) bool {
	page := syscall.Getpagesize()
	first := a.used / page * page
	m, err := syscall.Mmap(a.file, int64(first), a.used-first+len(code), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED)
	if err != nil {
		return false
	}
	copy(m[a.used-first:], code)
	return syscall.Munmap(m) == nil
}
