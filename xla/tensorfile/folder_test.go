package tensorfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// put writes a file of a test's folder.
func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// floats writes a safetensors file whose arrays hold one number each.
func floats(t *testing.T, dir, name string, arrays map[string]float32) {
	t.Helper()
	var list []Array
	for n, v := range arrays {
		list = append(list, Array{n, literal.Scalar(v)})
	}
	if err := WriteSafetensors(filepath.Join(dir, name), list); err != nil {
		t.Fatal(err)
	}
}

// texts are the names and values of arrays.
func texts(arrays []Array) []string {
	var list []string
	for _, a := range arrays {
		list = append(list, a.Name+" "+a.Value.String())
	}
	return list
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	floats(t, dir, "b.safetensors", map[string]float32{"w": 2})
	var b bytes.Buffer
	if err := literal.WriteNPY(&b, literal.Scalar(int32(7))); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "a.npy", b.String())
	put(t, dir, "notes.txt", "no array")
	arrays, err := Read(dir)
	if want := []string{"a s32[] 7", "w f32[] 2"}; err != nil || !slices.Equal(texts(arrays), want) || !IsData(dir) {
		t.Errorf("got %q, %v, want %q", texts(arrays), err, want)
	}
	floats(t, dir, "c.safetensors", map[string]float32{"w": 3})
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), `"w" stands in b.safetensors and in c.safetensors`) {
		t.Errorf("got %v, want that w stands twice", err)
	}
	if _, err := Read(t.TempDir()); err == nil {
		t.Error("an empty folder is read")
	}
}

func TestIndex(t *testing.T) {
	dir := t.TempDir()
	floats(t, dir, "m-1.safetensors", map[string]float32{"x": 1, "unlisted": 9})
	floats(t, dir, "m-2.safetensors", map[string]float32{"y": 2})
	index := put(t, dir, "m.safetensors.index.json",
		`{"metadata":{"total_size":8},"weight_map":{"y":"m-2.safetensors","x":"m-1.safetensors"}}`)
	for _, path := range []string{dir, index} {
		arrays, err := Read(path)
		if want := []string{"x f32[] 1", "y f32[] 2"}; err != nil || !slices.Equal(texts(arrays), want) {
			t.Errorf("%s: got %q, %v, want %q", path, texts(arrays), err, want)
		}
	}
	for text, words := range map[string]string{
		`{"weight_map":{"z":"m-1.safetensors"}}`:    `no array "z"`,
		`{"weight_map":{"x":"../m-1.safetensors"}}`: "beside the index",
		`{"weight_map":{"x":"m-3.safetensors"}}`:    "no such file",
		`{}`:                                        "no weight_map",
		`[]`:                                        "want a JSON object",
		`{"weight_map":{"x":"m-1.safetensors","x":"m-2.safetensors"}}`: `"x": the name stands twice`,
		`{"weight_map":{"x":"m-1.safetensors"},"weight_map":{}}`:       `"weight_map": the name stands twice`,
		`{"weight_map":{"x":null}}`:                                    "want a string",
		`{"weight_map":{"x":["m-1.safetensors"]}}`:                     "want a string",
		`{"weight_map":["m-1.safetensors"]}`:                           "want a JSON object",
		`{"weight_map":null}`:                                          "want a JSON object",
		`{"weight_map":{"x":"m-1.safetensors"}} {}`:                    "behind the index",
		`{"weight_map":{"x":"m-1.safetensors"`:                         "the text ends",
	} {
		put(t, dir, "m.safetensors.index.json", text)
		if _, err := Read(index); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: got %v, want %q", text, err, words)
		}
	}
}

func TestOpenIsRead(t *testing.T) {
	dir := t.TempDir()
	floats(t, dir, "a.safetensors", map[string]float32{"x": 1})
	floats(t, dir, "b.safetensors", map[string]float32{"y": 2})
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []Array
	for _, s := range f.Arrays {
		l, err := s.Value()
		if err != nil || !l.Shape().Equal(s.Shape) {
			t.Fatalf("%s: got %v, %v, want %v", s.Name, l, err, s.Shape)
		}
		got = append(got, Array{s.Name, l})
	}
	if got, want := texts(got), []string{"x f32[] 1", "y f32[] 2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := f.Arrays[0].Value(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: got %v, want that the file is closed", err)
	}
	if got, want := texts(got), []string{"x f32[] 1", "y f32[] 2"}; !slices.Equal(got, want) {
		t.Errorf("after Close: got %q, want %q", got, want)
	}
	put(t, dir, "c.safetensors", "")
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "c.safetensors") {
		t.Errorf("got %v, want an error about the empty file", err)
	}
}

func TestSafetensorsRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	var want []Array
	for name, typ := range safeTypes {
		l, err := literal.FromBytes(shape.Array(typ, 3), make([]byte, 3*typ.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		for i := range l.Bytes() {
			l.Bytes()[i] = byte(i % 2)
		}
		want = append(want, Array{name, l})
	}
	if err := WriteSafetensors(path, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadSafetensors(path)
	if err != nil || len(got) != len(want) {
		t.Fatalf("got %d arrays, %v, want %d", len(got), err, len(want))
	}
	for _, w := range want {
		if g := got[w.Name]; !g.Shape().Equal(w.Value.Shape()) || !bytes.Equal(g.Bytes(), w.Value.Bytes()) {
			t.Errorf("%s: got %v, want %v", w.Name, g, w.Value)
		}
	}
	err = WriteSafetensors(path, []Array{{"x", literal.Zeros(shape.Array(shape.S4, 2))}})
	wantUnsupported(t, err, "no elements of type s4")
	pickle := filepath.Join(t.TempDir(), "weights.pt")
	if err := os.WriteFile(pickle, []byte{0x80}, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = Open(pickle)
	wantUnsupported(t, err, "are to be saved as safetensors")
}

// wantUnsupported wants an error that is errors.ErrUnsupported and ends with words, not with that one's text.
func wantUnsupported(t *testing.T, err error, words string) {
	t.Helper()
	if !errors.Is(err, errors.ErrUnsupported) || !strings.HasSuffix(err.Error(), words) {
		t.Errorf("got %v, want errors.ErrUnsupported that ends with %q", err, words)
	}
}

// TestChangedMeanwhile wants an error of arrays that a file has lost since it was opened, and the old ones where
// another file has taken its name.
func TestChangedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	l, err := literal.New(shape.Array(shape.F32, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteSafetensors(path, []Array{{"x", l}, {"y", l}}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x, err := f.Arrays[0].Value()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 5<<20); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Arrays[1].Value(); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "cut short") {
		t.Errorf("got %v, want that the file was cut short", err)
	}
	if !literal.Equal(x, l) {
		t.Error("an array that was read changed with the file")
	}
	floats(t, filepath.Dir(path), "a.safetensors", map[string]float32{"z": 1})
	if x, err = f.Arrays[0].Value(); err != nil || !literal.Equal(x, l) {
		t.Errorf("the file that was opened is not the one read: %v", err)
	}
}

// TestNothingIsReadBefore wants a file of a gigabyte to be opened, and one array of it read, in little memory.
func TestNothingIsReadBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	const size = 1 << 30
	header := fmt.Sprintf(`{"a":{"dtype":"U8","shape":[%d],"data_offsets":[0,%d]},"b":{"dtype":"U8","shape":[2],`+
		`"data_offsets":[%[2]d,%d]}}`, size-2, size-2, size)
	if err := os.WriteFile(path, file(header, nil), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(8+len(header)+size)); err != nil { // a hole
		t.Fatal(err)
	}
	testfile.Bounded(t, len(header), 64, func() {
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if l, err := f.Arrays[1].Value(); err != nil || len(l.Bytes()) != 2 {
			t.Errorf("got %v, %v, want two bytes", l, err)
		}
	})
}
