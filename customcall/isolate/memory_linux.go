package isolate

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

// memory is a file without a name that two processes map.
type memory struct {
	file *os.File
	data []byte
}

// createNumber is the system call memfd_create, which package syscall does not name everywhere.
var createNumber = map[string]uintptr{"amd64": 319, "arm64": 279}[runtime.GOARCH]

// What package syscall does not name: flags of memfd_create, and of fcntl the command that adds seals and the seals
// against other seals and against shrinking.
const (
	closeOnExec  = 1
	allowSealing = 2
	addSeals     = 1033
	sealSeal     = 1
	sealShrink   = 2
)

// newMemory makes memory that nobody can make smaller: who uses pages of a file that are gone dies of SIGBUS.
func newMemory() (*memory, error) {
	name := []byte("halo\x00")
	fd, _, errno := syscall.Syscall(createNumber, uintptr(unsafe.Pointer(&name[0])), closeOnExec|allowSealing, 0)
	if createNumber == 0 || errno != 0 {
		return nil, fmt.Errorf("isolate: memory to share cannot be made: %w", errno)
	}
	m := &memory{file: os.NewFile(fd, "halo")}
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, addSeals, sealSeal|sealShrink); errno != 0 {
		m.close()
		return nil, fmt.Errorf("isolate: memory to share cannot be sealed: %w", errno)
	}
	if err := m.grow(page); err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// grow makes the memory at least so big. What was in it is kept; its address may change.
func (m *memory) grow(size int64) error {
	if size += page; size <= int64(len(m.data)) { // one page is for the end, that nobody uses
		return nil
	}
	info, err := m.file.Stat()
	if err == nil && info.Size() < size { // the other side may have made it larger
		err = m.file.Truncate(size)
	}
	if err != nil {
		return fmt.Errorf("isolate: %d bytes to share: %w", size, err)
	}
	return m.view(size)
}

// view maps the file anew.
func (m *memory) view(size int64) error {
	data, err := syscall.Mmap(int(m.file.Fd()), 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("isolate: %d bytes to share: %w", size, err)
	}
	if m.data != nil {
		syscall.Munmap(m.data)
	}
	m.data = data
	return nil
}

func (m *memory) close() {
	if m.data != nil {
		syscall.Munmap(m.data)
		m.data = nil
	}
	m.file.Close()
}

// protect forbids or allows the use of pages, to this process alone.
func protect(data []byte, write, read bool) error {
	flags := syscall.PROT_NONE
	if read {
		flags |= syscall.PROT_READ
	}
	if write {
		flags |= syscall.PROT_WRITE
	}
	return syscall.Mprotect(data, flags)
}
