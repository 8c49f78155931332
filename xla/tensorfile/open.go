package tensorfile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/halo-xla/halo/internal/memory"
	"github.com/halo-xla/halo/internal/unsupported"
	"github.com/halo-xla/halo/internal/wholefile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// File is an open file of arrays, an index or a folder of such.
type File struct {
	// Arrays are in the order of Read. Those of safetensors files are not read before their Value is called.
	Arrays []Stored
	files  []*os.File
}

// Stored is an array of an open file.
type Stored struct {
	Name  string
	Shape shape.Shape
	value *literal.Literal // nil: it has not been read
	at    place
}

// place is where the elements of an array lie, row-major.
type place struct {
	r            io.ReaderAt
	offset, size int64
}

// Value reads the array into memory of its own, which has nothing to do with the file any more. It fails if the file is
// closed, or was cut short since it was opened. It may be called by several goroutines.
func (s Stored) Value() (*literal.Literal, error) {
	if s.value != nil {
		return s.value, nil
	}
	b, err := s.at.read()
	if err != nil {
		return nil, fmt.Errorf("array %q: %w", s.Name, err)
	}
	return literal.FromBytes(s.Shape, b)
}

func (p place) read() ([]byte, error) {
	if err := memory.Check(p.size); err != nil {
		return nil, err
	}
	b := memory.Zeros(p.size)
	return b, readAt(p.r, b, p.offset)
}

// WriteTo writes the elements, row-major and little-endian, one byte for an element narrower than that. Those of
// safetensors files are not held in memory. It fails as Value does, or as w does.
func (s Stored) WriteTo(w io.Writer) (int64, error) {
	if s.value != nil {
		n, err := w.Write(s.value.RowMajor().Bytes())
		return int64(n), err
	}
	section := io.NewSectionReader(s.at.r, s.at.offset, s.at.size)
	n, err := io.Copy(w, io.LimitReader(section, s.at.size)) // the limit makes the buffer of a small array small
	if err == nil && n < s.at.size {
		err = cutShort(n, s.at.size, s.at.offset)
	}
	if err != nil {
		err = fmt.Errorf("array %q: %w", s.Name, err)
	}
	return n, err
}

// stored is an array that is in memory already.
func stored(name string, l *literal.Literal) Stored {
	return Stored{Name: name, Shape: l.Shape(), value: l}
}

// Open reads what a file of arrays, an index or a folder says of its arrays; the elements of safetensors files stay
// where they are until they are asked for. It fails as Read does.
func Open(path string) (*File, error) {
	f := &File{}
	r := readerOf(path)
	info, err := wholefile.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		r = readFolder
	case r == nil:
		return nil, unknown(path)
	}
	if f.Arrays, err = r(f, path); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return f, nil
}

// unknown says what is wrong with a file whose name tells no format.
func unknown(path string) error {
	return unsupported.Error(fmt.Errorf("%s: the name ends in none of .npy, .npz, .safetensors and "+
		".safetensors.index.json; weights of other kinds, such as PyTorch's pickles, are to be saved as safetensors", path))
}

// open opens a file that stays open until Close, and returns its size.
func (f *File) open(path string) (r io.ReaderAt, size int64, err error) {
	file, size, err := wholefile.Open(path)
	if err != nil {
		return nil, 0, err
	}
	f.files = append(f.files, file)
	return file, size, nil
}

// Close closes the file. Arrays that were read stay as they are; no more can be read.
func (f *File) Close() error {
	var errs []error
	for _, file := range f.files {
		if err := file.Close(); !errors.Is(err, os.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
