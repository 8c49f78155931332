// Package tensorfile reads and writes files of arrays: npy, npz and safetensors.
package tensorfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
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

// readers are the formats by the ends of their files' names.
var readers = map[string]func(path string) ([]Array, error){
	".npy":         readNPY,
	".npz":         readNPZ,
	".safetensors": readSafetensors,
}

// IsData reports whether the name is that of a file of arrays.
func IsData(path string) bool { return readers[filepath.Ext(path)] != nil }

// Read reads all arrays of a file, in the order of the file. It fails with errors.ErrUnsupported for other files.
func Read(path string) ([]Array, error) {
	read := readers[filepath.Ext(path)]
	if read == nil {
		return nil, fmt.Errorf("%s: not a npy, npz or safetensors file: %w", path, errors.ErrUnsupported)
	}
	arrays, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return arrays, nil
}

func readNPY(path string) ([]Array, error) {
	b, err := os.ReadFile(path)
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

func readNPZ(path string) ([]Array, error) {
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

// WriteNPZ writes the arrays under their names. The file is whole or not there.
func WriteNPZ(path string, names []string, values []*literal.Literal) error {
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for i, l := range values {
		w, err := z.Create(names[i] + ".npy")
		if err != nil {
			return err
		}
		if err := literal.WriteNPY(w, l); err != nil {
			return fmt.Errorf("%s: %w", names[i], err)
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, buf.Bytes(), 0o666)
}

// ReadSafetensors reads the arrays of a safetensors file by name.
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
