package tensorfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/halo-xla/halo/internal/memory"
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
	var offsets numberList
	fields := map[string]any{"dtype": &e.DType, "shape": (*numberList)(&e.Shape), "data_offsets": &offsets}
	seen, err := object(d, func(name string) error {
		field, ok := fields[name]
		if !ok {
			field = new(json.RawMessage)
		}
		return d.Decode(field)
	})
	if err != nil {
		return err
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

// numberList is a list of whole numbers in which null is none.
type numberList []int64

// UnmarshalJSON fails for null, which Go takes for no list and for 0, and for more numbers than a shape has.
func (l *numberList) UnmarshalJSON(text []byte) error {
	if n := bytes.Count(text, []byte(",")); n >= shape.MaxRank {
		return fmt.Errorf("got %d commas, want a list of at most %d numbers", n, shape.MaxRank)
	}
	var list []*int64
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	if list == nil || slices.Contains(list, nil) {
		return fmt.Errorf("got %s, want a list of numbers", text)
	}
	*l = make([]int64, len(list))
	for i := range list {
		(*l)[i] = *list[i]
	}
	return nil
}

// object reads a JSON object, whose fields value reads, and returns their names. It fails if a name is there twice.
func object(d *json.Decoder, value func(name string) error) (map[string]bool, error) {
	if tok, err := d.Token(); err != nil || tok != json.Delim('{') {
		return nil, errors.New("want a JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		tok, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := tok.(string)
		if seen[name] {
			return nil, fmt.Errorf("the name %q stands twice", name)
		}
		seen[name] = true
		if err := value(name); err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
	}
	_, err := d.Token()
	return seen, err
}

type namedEntry struct {
	name string
	safeEntry
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
		return nil, fmt.Errorf("offset 0: header of %d bytes, want at most %d", n, min(maxHeader, size-8))
	}
	header := make([]byte, n)
	if err := readAt(r, header, 8); err != nil {
		return nil, err
	}
	entries, err := safeEntries(header)
	if err != nil {
		return nil, err
	}
	data := size - 8 - int64(n)
	var arrays []Stored
	end := int64(0)
	for _, e := range entries {
		s, err := e.shape(end, data)
		if err != nil {
			return nil, fmt.Errorf("array %q: %w", e.name, err)
		}
		end = e.Offsets[1]
		arrays = append(arrays, e.stored(r, s, 8+int64(n)))
	}
	if end != data {
		return nil, fmt.Errorf("the arrays end at byte %d of the data, want %d", end, data)
	}
	return arrays, nil
}

// stored is the array of shape s that an entry describes; the data begin at an offset of the file.
func (e namedEntry) stored(r io.ReaderAt, s shape.Shape, offset int64) Stored {
	n := e.Offsets[1] - e.Offsets[0]
	return Stored{e.name, s, func() (*literal.Literal, error) {
		if err := memory.Check(n); err != nil {
			return nil, err
		}
		b := make([]byte, n)
		if err := readAt(r, b, offset+e.Offsets[0]); err != nil {
			return nil, err
		}
		return literal.FromBytes(s, b)
	}, io.NewSectionReader(r, offset+e.Offsets[0], n)}
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

// safeEntries reads the header: a JSON object of entries, each name once, in the order of their data.
func safeEntries(header []byte) ([]namedEntry, error) {
	d := json.NewDecoder(bytes.NewReader(header))
	var entries []namedEntry
	_, err := object(d, func(name string) error {
		if name == "__metadata__" {
			return d.Decode(&map[string]string{})
		}
		e := namedEntry{name: name}
		err := d.Decode(&e.safeEntry)
		entries = append(entries, e)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if rest := bytes.TrimLeft(header[d.InputOffset():], " "); len(rest) > 0 {
		return nil, fmt.Errorf("header: %d bytes after the object", len(rest))
	}
	slices.SortStableFunc(entries, func(a, b namedEntry) int { return cmp.Compare(a.Offsets[0], b.Offsets[0]) })
	return entries, nil
}

// shape checks that the entry starts where the one before ended and has the bytes its shape needs; data is how many
// there are.
func (e namedEntry) shape(start, data int64) (none shape.Shape, err error) {
	t, ok := safeTypes[e.DType]
	if !ok {
		return none, fmt.Errorf("unknown element type %q, want one such as F32 or I64: %w", e.DType, errors.ErrUnsupported)
	}
	from, to := e.Offsets[0], e.Offsets[1]
	if from > to {
		return none, fmt.Errorf("bytes %d to %d of the data: the end is before the start", from, to)
	}
	if from != start || to > data {
		return none, fmt.Errorf("bytes %d to %d of the data, want them to start at %d and end by %d", from, to, start, data)
	}
	s := shape.Array(t, e.Shape...)
	if i := slices.IndexFunc(s.Dims, func(d int64) bool { return d < 0 }); i >= 0 {
		return none, fmt.Errorf("size %d of dimension %d, want 0 or more", s.Dims[i], i)
	}
	n, ok := s.CheckedSize()
	if !ok {
		return none, fmt.Errorf("the number of elements of %v does not fit in 64 bits", s)
	}
	if n > (to-from)/int64(t.Bytes()) || n*int64(t.Bytes()) != to-from {
		return none, fmt.Errorf("got %d bytes, want those of %v", to-from, s)
	}
	return s, nil
}
