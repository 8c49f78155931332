// Package tensorfile reads and writes files of arrays: npy, npz and safetensors.
package tensorfile

import (
	"archive/zip"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Array is one array of a file; the name is empty for a npy file.
type Array struct {
	Name  string
	Value *literal.Literal
}

// reader reads what a file of a format says of its arrays.
type reader func(f *File, path string) ([]Stored, error)

// readers are the formats by the ends of their files' names.
var readers = map[string]reader{
	".npy":         readNPY,
	".npz":         readNPZ,
	".safetensors": readSafetensors,
}

// Read reads all arrays of a file, in its order; those that an index of safetensors files names; or those of
// all such files in a folder, or of its index. It fails with errors.ErrUnsupported for other files.
func Read(path string) ([]Array, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	arrays := make([]Array, len(f.Arrays))
	for i, s := range f.Arrays {
		l, err := s.Value()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		arrays[i] = Array{s.Name, l}
	}
	return arrays, nil
}

func readNPY(_ *File, path string) ([]Stored, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	l, err := literal.ParseNPY(b, shape.Invalid)
	if err != nil {
		return nil, err
	}
	return []Stored{stored("", l)}, nil
}

// maxExpansion is how many times larger than its archive a npz's content may be: more is a decompression bomb.
const maxExpansion = 1 << 10

func readNPZ(_ *File, path string) ([]Stored, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	limit := uint64(info.Size()) * maxExpansion
	var arrays []Stored
	seen := map[string]bool{}
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, ".npy") {
			continue // as numpy does
		}
		if seen[f.Name] {
			return nil, fmt.Errorf("the member %q stands twice", f.Name)
		}
		seen[f.Name] = true
		if f.UncompressedSize64 > limit {
			return nil, fmt.Errorf("%s: %d bytes when unpacked, want at most %d times the file", f.Name, f.UncompressedSize64,
				maxExpansion)
		}
		limit -= f.UncompressedSize64
		l, err := readMember(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		arrays = append(arrays, stored(strings.TrimSuffix(f.Name, ".npy"), l))
	}
	return arrays, nil
}

func readMember(f *zip.File) (*literal.Literal, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, int64(f.UncompressedSize64)+1))
	if err != nil {
		return nil, err
	}
	return literal.ParseNPY(b, shape.Invalid)
}

// ReadSafetensors reads the arrays of a file, an index or a folder by name.
func ReadSafetensors(path string) (map[string]*literal.Literal, error) {
	arrays, err := Read(path)
	if err != nil {
		return nil, err
	}
	return maps.Collect(func(yield func(string, *literal.Literal) bool) {
		for a := range slices.Values(arrays) {
			if !yield(a.Name, a.Value) {
				return
			}
		}
	}), nil
}
