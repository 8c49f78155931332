// Package tensorfile reads and writes files of arrays: npy, npz and safetensors.
package tensorfile

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"

	"github.com/halo-xla/halo/internal/unsupported"
	"github.com/halo-xla/halo/internal/wholefile"
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
	b, err := wholefile.Read(path)
	if err != nil {
		return nil, err
	}
	l, err := literal.ParseNPY(b, shape.Invalid)
	if err != nil {
		return nil, err
	}
	return []Stored{stored("", l)}, nil
}

// maxExpansion is how many times larger than its archive a npz's content may be: deflate makes 258 bytes of 2 bits at
// best, which an array of zeros comes near, and more is a decompression bomb.
const maxExpansion = 258 * 8 / 2

func readNPZ(_ *File, path string) ([]Stored, error) {
	file, size, err := wholefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	z, err := zip.NewReader(file, size)
	if err != nil {
		return nil, fmt.Errorf("the list of members at the archive's end: %w: is it cut short?", err)
	}
	members, err := npyMembers(z, uint64(size)*maxExpansion)
	if err != nil {
		return nil, err
	}
	arrays := make([]Stored, len(members))
	for i, f := range members {
		l, err := readMember(f)
		if err != nil {
			return nil, fmt.Errorf("the member %q: %w", f.Name, err)
		}
		arrays[i] = stored(strings.TrimSuffix(f.Name, ".npy"), l)
	}
	return arrays, nil
}

// npyMembers are the members to be read, of at most limit bytes in all when unpacked: what is no npy is passed over,
// as numpy does.
func npyMembers(z *zip.Reader, limit uint64) ([]*zip.File, error) {
	var members []*zip.File
	seen := map[string]bool{}
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, ".npy") {
			continue
		}
		switch {
		case seen[f.Name]:
			return nil, fmt.Errorf("the member %q stands twice", f.Name)
		case f.Flags&1 != 0:
			return nil, unsupported.Error(fmt.Errorf("the member %q is encrypted", f.Name))
		case f.UncompressedSize64 > limit:
			return nil, fmt.Errorf("the member %q: %d bytes when unpacked, want at most %d times the file for all members",
				f.Name, f.UncompressedSize64, maxExpansion)
		}
		seen[f.Name] = true
		limit -= f.UncompressedSize64
		members = append(members, f)
	}
	return members, nil
}

// readMember reads an array, and the member to its end, where its checksum is compared.
func readMember(f *zip.File) (*literal.Literal, error) {
	if _, err := f.DataOffset(); err != nil {
		return nil, fmt.Errorf("it is not where the list of members says: %w", err)
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	l, err := literal.ReadNPY(r, shape.Invalid)
	if _, end := io.Copy(io.Discard, r); end != nil {
		return nil, end
	}
	return l, err
}

// ReadSafetensors is Read that returns the arrays by name, as programs want their weights.
func ReadSafetensors(path string) (map[string]*literal.Literal, error) {
	arrays, err := Read(path)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*literal.Literal, len(arrays))
	for _, a := range arrays {
		byName[a.Name] = a.Value
	}
	return byName, nil
}
