package tensorfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/literal"
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

type safeEntry struct {
	DType   string
	Shape   []int64
	Offsets [2]int64
}

// UnmarshalJSON wants each field once: with two of a name, readers would differ in which they take.
func (e *safeEntry) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if tok, err := d.Token(); err != nil || tok != json.Delim('{') {
		return errors.New("want a JSON object")
	}
	var offsets []int64
	fields := map[string]any{"dtype": &e.DType, "shape": &e.Shape, "data_offsets": &offsets}
	seen := map[string]bool{}
	for d.More() {
		tok, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := tok.(string)
		if seen[name] {
			return fmt.Errorf("the field %q stands twice", name)
		}
		seen[name] = true
		field, ok := fields[name]
		if !ok {
			field = new(any)
		}
		if err := d.Decode(field); err != nil {
			return err
		}
	}
	for _, name := range []string{"dtype", "shape", "data_offsets"} {
		if !seen[name] {
			return fmt.Errorf("the field %q is missing", name)
		}
	}
	if len(offsets) != 2 {
		return fmt.Errorf("data_offsets are %d numbers, want 2", len(offsets))
	}
	e.Offsets = [2]int64(offsets)
	return nil
}

type namedEntry struct {
	name string
	safeEntry
}

func readSafetensors(load loader, path string) ([]Array, error) {
	b, err := load(path)
	if err != nil {
		return nil, err
	}
	return parseSafetensors(b)
}

// parseSafetensors reads a file's bytes, which the arrays go on using.
func parseSafetensors(b []byte) ([]Array, error) {
	if len(b) < 8 {
		return nil, fmt.Errorf("offset 0: got %d bytes, want the 8 of the header's length", len(b))
	}
	n := binary.LittleEndian.Uint64(b)
	if n > maxHeader || n > uint64(len(b)-8) {
		return nil, fmt.Errorf("offset 0: header of %d bytes, want at most %d", n, min(maxHeader, len(b)-8))
	}
	entries, err := safeEntries(b[8 : 8+n])
	if err != nil {
		return nil, err
	}
	data := b[8+n:]
	var arrays []Array
	end := int64(0)
	for _, e := range entries {
		l, err := e.array(data, end)
		if err != nil {
			return nil, fmt.Errorf("array %q: %w", e.name, err)
		}
		end = e.Offsets[1]
		arrays = append(arrays, Array{e.name, l})
	}
	if end != int64(len(data)) {
		return nil, fmt.Errorf("the arrays end at byte %d of the data, want %d", end, len(data))
	}
	return arrays, nil
}

// safeEntries reads the header: a JSON object of entries, each name once, in the order of their data.
func safeEntries(header []byte) ([]namedEntry, error) {
	d := json.NewDecoder(bytes.NewReader(header))
	if tok, err := d.Token(); err != nil || tok != json.Delim('{') {
		return nil, errors.New("header: want a JSON object")
	}
	seen := map[string]bool{}
	var entries []namedEntry
	for d.More() {
		tok, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("header: %w", err)
		}
		name, _ := tok.(string)
		if seen[name] {
			return nil, fmt.Errorf("header: the name %q stands twice", name)
		}
		seen[name] = true
		if name == "__metadata__" {
			err = d.Decode(&map[string]string{})
		} else {
			e := namedEntry{name: name}
			err = d.Decode(&e.safeEntry)
			entries = append(entries, e)
		}
		if err != nil {
			return nil, fmt.Errorf("header: %q: %w", name, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if rest := bytes.TrimLeft(header[d.InputOffset():], " "); len(rest) > 0 {
		return nil, fmt.Errorf("header: %d bytes after the object", len(rest))
	}
	slices.SortStableFunc(entries, func(a, b namedEntry) int { return cmp.Compare(a.Offsets[0], b.Offsets[0]) })
	return entries, nil
}

// array checks that the entry starts where the one before ended and has the bytes its shape needs.
func (e namedEntry) array(data []byte, start int64) (*literal.Literal, error) {
	t, ok := safeTypes[e.DType]
	if !ok {
		return nil, fmt.Errorf("unknown element type %q, want one such as F32 or I64: %w", e.DType, errors.ErrUnsupported)
	}
	from, to := e.Offsets[0], e.Offsets[1]
	if from > to {
		return nil, fmt.Errorf("bytes %d to %d of the data: the end is before the start", from, to)
	}
	if from != start || to > int64(len(data)) {
		return nil, fmt.Errorf("bytes %d to %d of the data, want them to start at %d and end by %d", from, to, start,
			len(data))
	}
	s := shape.Array(t, e.Shape...)
	if i := slices.IndexFunc(s.Dims, func(d int64) bool { return d < 0 }); i >= 0 {
		return nil, fmt.Errorf("size %d of dimension %d, want 0 or more", s.Dims[i], i)
	}
	n, ok := s.CheckedSize()
	if !ok {
		return nil, fmt.Errorf("the number of elements of %v does not fit in 64 bits", s)
	}
	if n > (to-from)/int64(t.Bytes()) || n*int64(t.Bytes()) != to-from {
		return nil, fmt.Errorf("got %d bytes, want those of %v", to-from, s)
	}
	return literal.FromBytes(s, data[from:to:to])
}
