// Package tensorfile reads and writes files of arrays: npy, npz and safetensors.
package tensorfile

import (
	"archive/zip"
	"errors"
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

// reader reads a format. load gives the bytes of a file.
type reader func(load loader, path string) ([]Array, error)

type loader func(path string) ([]byte, error)

// readers are the formats by the ends of their files' names.
var readers = map[string]reader{
	".npy":         readNPY,
	".npz":         readNPZ,
	".safetensors": readSafetensors,
}

// Read reads all arrays of a file, in its order; those that an index of safetensors files names; or those of
// all such files in a folder, or of its index. It fails with errors.ErrUnsupported for other files.
func Read(path string) ([]Array, error) { return read(os.ReadFile, path) }

func read(load loader, path string) ([]Array, error) {
	r := readerOf(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		r = readFolder
	}
	if r == nil {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: the name ends in none of .npy, .npz, .safetensors and .safetensors.index.json; "+
			"weights of other kinds, such as PyTorch's pickles, are to be saved as safetensors: %w", path, errors.ErrUnsupported)
	}
	arrays, err := r(load, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return arrays, nil
}

func readNPY(load loader, path string) ([]Array, error) {
	b, err := load(path)
	if err != nil {
		return nil, err
	}
	l, err := literal.ParseNPY(b, shape.Invalid)
	if err != nil {
		return nil, err
	}
	return []Array{{"", l}}, nil
}

// maxExpansion is how many times larger than its archive a npz's content may be: more is a decompression bomb.
const maxExpansion = 1 << 10

func readNPZ(_ loader, path string) ([]Array, error) {
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
	var arrays []Array
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
		arrays = append(arrays, Array{strings.TrimSuffix(f.Name, ".npy"), l})
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
