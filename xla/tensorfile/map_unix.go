//go:build unix

package tensorfile

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

// mapFile returns a file's bytes and whether they are a mapping, which only empty files are not.
func mapFile(path string) (b []byte, mapped bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, false, err
	case !info.Mode().IsRegular():
		return nil, false, fmt.Errorf("%s is no regular file", path)
	case info.Size() == 0:
		return nil, false, nil
	case info.Size() > math.MaxInt:
		return nil, false, fmt.Errorf("%s has %d bytes, more than the address space", path, info.Size())
	}
	b, err = syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, false, os.NewSyscallError("mmap "+path, err)
	}
	return b, true, nil
}

func unmap(b []byte) error { return os.NewSyscallError("munmap", syscall.Munmap(b)) }
