package tensorfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/halo-xla/halo/internal/unsupported"
	"github.com/halo-xla/halo/internal/wholefile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// WriteNPZ writes the arrays under their names, which must differ. The file is whole or not there.
func WriteNPZ(path string, arrays []Array) error {
	return wholefile.WriteFrom(path, func(w io.Writer) error { return EncodeNPZ(w, arrays) })
}

// EncodeNPZ writes the arrays under their names, which must differ.
// They are not packed, as with numpy's savez. What stops the writer stops it.
func EncodeNPZ(to io.Writer, arrays []Array) error {
	z := zip.NewWriter(to)
	seen := map[string]bool{}
	for _, a := range arrays {
		if seen[a.Name] {
			return fmt.Errorf("the name %q stands twice", a.Name)
		}
		seen[a.Name] = true
		w, err := z.CreateHeader(&zip.FileHeader{Name: a.Name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if err := literal.WriteNPY(w, a.Value); err != nil {
			return fmt.Errorf("array %q: %w", a.Name, err)
		}
	}
	return z.Close()
}

// WriteSafetensors writes the arrays under their names, which must differ. The file is whole or not there. It fails
// with errors.ErrUnsupported if an element type has no name in the format.
func WriteSafetensors(path string, arrays []Array) error {
	header, err := safeHeader(arrays)
	if err != nil {
		return err
	}
	parts := [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header}
	for _, a := range arrays {
		parts = append(parts, a.Value.RowMajor().Bytes())
	}
	return wholefile.Write(path, parts...)
}

// safeHeader is the JSON of the arrays' places, padded so that the data begin at a multiple of 8.
func safeHeader(arrays []Array) ([]byte, error) {
	entries := make(map[string]any, len(arrays))
	at := int64(0)
	for _, a := range arrays {
		s := a.Value.Shape()
		name, ok := safeNames[s.Type]
		if !ok {
			return nil, unsupported.Error(fmt.Errorf("array %q: safetensors has no elements of type %v", a.Name, s.Type))
		}
		if _, twice := entries[a.Name]; twice || a.Name == "__metadata__" {
			return nil, fmt.Errorf("the name %q stands twice or has a meaning of its own", a.Name)
		}
		n := int64(len(a.Value.RowMajor().Bytes()))
		entries[a.Name] = map[string]any{"dtype": name, "shape": append([]int64{}, s.Dims...),
			"data_offsets": []int64{at, at + n}}
		at += n
	}
	header, err := json.Marshal(entries)
	if err != nil {
		return nil, err
	}
	return append(header, bytes.Repeat([]byte(" "), -len(header)&7)...), nil
}

// safeNames are the names of the element types in safetensors.
var safeNames = func() map[shape.ElementType]string {
	m := make(map[shape.ElementType]string, len(safeTypes))
	for name, t := range safeTypes {
		m[t] = name
	}
	return m
}()
