package tensorfile

import (
	"errors"
	"sync"
)

// File is a file of arrays, an index or a folder of such, whose arrays may lie in the file's own memory.
type File struct {
	// Arrays are as Read gives them; those of safetensors files are not read before they are used.
	Arrays []Array
	mu     sync.Mutex
	maps   [][]byte
}

// Open is Read without a copy: safetensors files are mapped into memory, which their arrays use until Close. So do
// buffers made of them, and executables that bind those: close the file after them. It must not be cut short meanwhile.
func Open(path string) (*File, error) {
	f := &File{}
	arrays, err := read(f.load, path)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	f.Arrays = arrays
	return f, nil
}

func (f *File) load(path string) ([]byte, error) {
	b, mapped, err := mapFile(path)
	if mapped {
		f.maps = append(f.maps, b)
	}
	return b, err
}

// Close gives the memory back. Nothing may use the arrays any more.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, m := range f.maps {
		errs = append(errs, unmap(m))
	}
	f.maps, f.Arrays = nil, nil
	return errors.Join(errs...)
}
