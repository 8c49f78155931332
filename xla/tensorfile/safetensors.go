package tensorfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/halo-xla/halo/internal/unsupported"
	"github.com/halo-xla/halo/xla/shape"
)

// maxHeader is the greatest header that the safetensors format allows, in bytes.
const maxHeader = 100_000_000

// safeTypes are the element types by their names in safetensors.
var safeTypes = map[string]shape.ElementType{
	"BOOL": shape.Pred, "U8": shape.U8, "I8": shape.S8, "U16": shape.U16, "I16": shape.S16, "U32": shape.U32,
	"I32": shape.S32, "U64": shape.U64, "I64": shape.S64, "F16": shape.F16, "BF16": shape.BF16, "F32": shape.F32,
	"F64": shape.F64, "C64": shape.C64, "F8_E5M2": shape.F8E5M2, "F8_E4M3": shape.F8E4M3FN,
	"F8_E8M0": shape.F8E8M0FNU, "F8_E4M3FNUZ": shape.F8E4M3FNUZ, "F8_E5M2FNUZ": shape.F8E5M2FNUZ,
}

func readSafetensors(f *File, path string) ([]Stored, error) {
	r, size, err := f.open(path)
	if err != nil {
		return nil, err
	}
	return parseSafetensors(r, size)
}

// parseSafetensors reads the header of a file of size bytes. The arrays read the rest.
func parseSafetensors(r io.ReaderAt, size int64) ([]Stored, error) {
	var head [8]byte
	if size < 8 {
		return nil, fmt.Errorf("offset 0: got %d bytes, want the 8 of the header's length", size)
	}
	if err := readAt(r, head[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n > maxHeader || n > uint64(size-8) {
		return nil, fmt.Errorf("offset 0: header of %d bytes, want at most %d: %s", n, min(maxHeader, size-8), suspect(r, n))
	}
	header := make([]byte, n)
	if err := readAt(r, header, 8); err != nil {
		return nil, err
	}
	arrays, err := safeEntries(header)
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	data := size - 8 - int64(n)
	end := int64(0)
	for i := range arrays {
		a := &arrays[i]
		if err := a.check(end, data); err != nil {
			return nil, fmt.Errorf("array %q: %w", a.Name, err)
		}
		end = a.at.offset + a.at.size
		a.at.r, a.at.offset = r, a.at.offset+8+int64(n)
	}
	if end != data {
		return nil, fmt.Errorf("the arrays end at byte %d of the data, want %d", end, data)
	}
	return arrays, nil
}

// suspect says what is wrong with a file that is shorter than the n bytes of its header.
func suspect(r io.ReaderAt, n uint64) string {
	if n <= maxHeader {
		return "it was cut short"
	}
	head := make([]byte, 24)
	k, _ := r.ReadAt(head, 0)
	return fmt.Sprintf("it begins with %q, as no safetensors file does", head[:k])
}

// readAt fills b with the bytes at an offset.
func readAt(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF:
		return cutShort(int64(n), int64(len(b)), offset)
	}
	return err
}

// cutShort is the error of a file in which n bytes are left of those that were to be read from an offset on.
func cutShort(n, wanted, offset int64) error {
	return fmt.Errorf("the file ends at byte %d, want %d bytes from %d on: it was cut short since it was opened: %w",
		offset+n, wanted, offset, io.ErrUnexpectedEOF)
}

// safeEntries reads the header: a JSON object of entries, each name once, in the order of their data. Where they lie is
// counted from the end of the header.
func safeEntries(header []byte) ([]Stored, error) {
	j := &jsonText{text: header}
	var entries []Stored
	err := j.object(func(name string) error {
		if name == "__metadata__" {
			return j.object(func(string) error {
				_, err := j.str()
				return err
			})
		}
		e, err := safeEntry(j)
		e.Name = name
		entries = append(entries, e)
		return err
	})
	if err != nil {
		return nil, err
	}
	if rest := bytes.TrimLeft(header[j.pos:], " "); len(rest) > 0 {
		return nil, fmt.Errorf("%d bytes after the object", len(rest))
	}
	if err := differ(entries); err != nil {
		return nil, err
	}
	slices.SortStableFunc(entries, func(a, b Stored) int { return cmp.Compare(a.at.offset, b.at.offset) })
	return entries, nil
}

// differ fails if a name stands twice.
func differ(entries []Stored) error {
	order := make([]int32, len(entries))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return strings.Compare(entries[a].Name, entries[b].Name) })
	for i, k := range order[min(1, len(order)):] {
		if name := entries[k].Name; name == entries[order[i]].Name {
			return fmt.Errorf("%q: %w", name, errTwice)
		}
	}
	return nil
}

// safeEntry reads an array's type, shape and place, each once, and passes over other fields.
func safeEntry(j *jsonText) (e Stored, err error) {
	var dtype string
	var offsets []int64
	fields := []struct {
		name string
		seen bool
		read func() error
	}{
		{name: "dtype", read: func() (err error) { dtype, err = j.str(); return }},
		{name: "shape", read: func() (err error) { e.Shape.Dims, err = j.numbers(); return }},
		{name: "data_offsets", read: func() (err error) { offsets, err = j.numbers(); return }},
	}
	err = j.object(func(name string) error {
		for i := range fields {
			switch f := &fields[i]; {
			case f.name != name:
			case f.seen:
				return errTwice
			default:
				f.seen = true
				return f.read()
			}
		}
		return j.pass()
	})
	if err != nil {
		return e, err
	}
	for _, f := range fields {
		if !f.seen {
			return e, fmt.Errorf("the field %q is missing", f.name)
		}
	}
	if len(offsets) != 2 {
		return e, fmt.Errorf("data_offsets are %d numbers, want 2", len(offsets))
	}
	if offsets[0] < 0 || offsets[0] > offsets[1] {
		return e, fmt.Errorf("bytes %d to %d of the data: the end is before the start, or that before the data", offsets[0],
			offsets[1])
	}
	e.at = place{nil, offsets[0], offsets[1] - offsets[0]}
	var ok bool
	if e.Shape.Type, ok = safeTypes[dtype]; !ok {
		err = unsupported.Error(fmt.Errorf("unknown element type %q, want one such as F32 or I64", dtype))
	}
	return e, err
}

// check wants the entry to start where the one before ended and to have the bytes its shape needs; data is how many
// there are.
func (s Stored) check(start, data int64) error {
	from, to := s.at.offset, s.at.offset+s.at.size
	if from != start {
		return fmt.Errorf("bytes %d to %d of the data, want them to start at %d", from, to, start)
	}
	if to > data {
		return fmt.Errorf("bytes %d to %d of the data, and the file has %d of them: it was cut short", from, to, data)
	}
	if i := slices.IndexFunc(s.Shape.Dims, func(d int64) bool { return d < 0 }); i >= 0 {
		return fmt.Errorf("size %d of dimension %d, want 0 or more", s.Shape.Dims[i], i)
	}
	n, ok := s.Shape.CheckedSize()
	if !ok {
		return fmt.Errorf("the number of elements of %v does not fit in 64 bits", s.Shape)
	}
	if each := int64(s.Shape.Type.Bytes()); n > s.at.size/each || n*each != s.at.size {
		return fmt.Errorf("got %d bytes, want those of %v", s.at.size, s.Shape)
	}
	return nil
}
