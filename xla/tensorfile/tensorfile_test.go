package tensorfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// file makes the bytes of a safetensors file.
func file(header string, data []byte) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), data...)
}

// parsed reads all arrays of a file's bytes.
func parsed(b []byte) ([]Array, error) {
	list, err := parseSafetensors(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	arrays := make([]Array, len(list))
	for i, s := range list {
		l, err := s.Value()
		if err != nil {
			return nil, err
		}
		arrays[i] = Array{s.Name, l}
	}
	return arrays, nil
}

func TestSafetensors(t *testing.T) {
	header := `{"b":{"dtype":"F32","shape":[2],"data_offsets":[2,10]},"a":{"dtype":"I16","shape":[],"data_offsets":[0,2]},"__metadata__":{"k":"v"}}  `
	arrays, err := parsed(file(header, []byte{5, 0, 0, 0, 128, 63, 0, 0, 0, 64}))
	if err != nil {
		t.Fatal(err)
	}
	got := []string{arrays[0].Name, fmt.Sprint(arrays[0].Value), arrays[1].Name, fmt.Sprint(arrays[1].Value)}
	want := []string{"a", "s16[] 5", "b", "f32[2] {1, 2}"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSafetensorsRefuses(t *testing.T) {
	entry := func(dtype, shape string, from, to int) string {
		return fmt.Sprintf(`{"x":{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]}}`, dtype, shape, from, to)
	}
	eight := make([]byte, 8)
	cases := map[string]struct {
		file  []byte
		words string
	}{
		"short":            {[]byte{1, 2}, "want the 8"},
		"long header":      {file("{}", nil)[:9], "header of 2 bytes, want at most 1"},
		"no object":        {file("[]", nil), "want a JSON object"},
		"unknown type":     {file(entry("X9", "[2]", 0, 8), eight), `element type "X9"`},
		"size and bytes":   {file(entry("F32", "[3]", 0, 8), eight), "got 8 bytes, want those of f32[3]"},
		"overflow":         {file(entry("F32", "[4611686018427387904,8]", 0, 8), eight), "does not fit in 64 bits"},
		"negative":         {file(entry("F32", "[-2]", 0, 8), eight), "size -2 of dimension 0"},
		"past the end":     {file(entry("F32", "[4]", 0, 16), eight), "bytes 0 to 16 of the data, and the file has 8 of them: it was cut short"},
		"2^63":             {file(`{"x":{"dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,9223372036854775807]}}`, eight), "it was cut short"},
		"2^64":             {file(`{"x":{"dtype":"U8","shape":[1],"data_offsets":[0,18446744073709551616]}}`, eight), `got "18446744073709551616]}}", want a whole number below 2^63`},
		"before the data":  {file(entry("U8", "[9]", -1, 8), eight), "before the data"},
		"overlap":          {file(`{"x":{"dtype":"U8","shape":[5],"data_offsets":[0,5]},"y":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}}`, eight), `"y": bytes 4 to 8 of the data, want them to start at 5`},
		"twice, escaped":   {file(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"\u0061":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, nil), `"a": the name stands twice`},
		"a pointer":        {[]byte("version https://git-lfs.github.com/spec/v1\n"), `it begins with "version https://git-lfs."`},
		"metadata":         {file(`{"__metadata__":{"a":1}}`, nil), `"__metadata__": "a": byte 21: got "1}}", want a string`},
		"hole":             {file(entry("F32", "[1]", 4, 8), eight), "want them to start at 0"},
		"rest":             {file(entry("F32", "[1]", 0, 4), eight), "the arrays end at byte 4"},
		"twice":            {file(`{"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, nil), "stands twice"},
		"backwards":        {file(entry("F32", "[2]", 8, 0), eight), "the end is before the start"},
		"field twice":      {file(`{"x":{"dtype":"U8","dtype":"I8","shape":[0],"data_offsets":[0,0]}}`, nil), `"dtype": the name stands twice`},
		"no offsets":       {file(`{"x":{"dtype":"U8","shape":[0]}}`, nil), `"data_offsets" is missing`},
		"three offsets":    {file(`{"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0,0]}}`, nil), "3 numbers, want 2"},
		"no shape":         {file(entry("U8", "null", 0, 8), eight), `got "null,`},
		"no size":          {file(entry("U8", "[null]", 0, 0), nil), `got "null`},
		"no offset":        {file(`{"x":{"dtype":"U8","shape":[0],"data_offsets":[null,0]}}`, nil), `got "null`},
		"no type":          {file(`{"x":{"dtype":null,"shape":[0],"data_offsets":[0,0]}}`, nil), "byte 14: got"},
		"a fraction":       {file(entry("U8", "[8.5]", 0, 8), eight), "8.5"},
		"a zero before":    {file(entry("U8", "[08]", 0, 8), eight), `got "08]`},
		"comma at the end": {file(`{"x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},}`, nil), "want a string"},
		"no comma":         {file(`{"__metadata__":{} "x":1}`, nil), `want "," or "}"`},
		"no colon":         {file(`{"x" 1}`, nil), `want ":"`},
		"in a string":      {file("{\"x\n\":1}", nil), "invalid character"},
		"no end":           {file(`{"x":{"dtype":"U8\`, nil), "the text ends"},
		"more":             {file(`{"x":{"more":[{]}}`, nil), "want a JSON value"},
		"more, no end":     {file(`{"x":{"more":[`, nil), "want a JSON value"},
		"NUL":              {file("{\"x\":\x00{}}", nil), "want a JSON object"},
		"after the object": {file("{} x", nil), "after the object"},
	}
	for name, tc := range cases {
		if _, err := parsed(tc.file); err == nil || !strings.Contains(err.Error(), tc.words) {
			t.Errorf("%s: got %v, want %q", name, err, tc.words)
		}
	}
}

func TestNPZRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	a, err := literal.FromSlice([]int32{1, 2, 3, 4}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	b := literal.Scalar(2.5)
	if err := WriteNPZ(path, []Array{{"a", a}, {"b", b}}); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Name != "a" || !slices.Equal(got[0].Value.Bytes(), a.Bytes()) || got[1].Value.Wide().F[0] != 2.5 {
		t.Errorf("got %v, want a and b", got)
	}
}

// TestNamesTwice wants no file to be written that no reader takes.
func TestNamesTwice(t *testing.T) {
	twice := []Array{{"x", literal.Scalar(1.5)}, {"x", literal.Scalar(2.5)}}
	for end, write := range map[string]func(path string, arrays []Array) error{".npz": WriteNPZ, ".safetensors": WriteSafetensors} {
		path := filepath.Join(t.TempDir(), "a"+end)
		if err := write(path, twice); err == nil || !strings.Contains(err.Error(), `"x" stands twice`) {
			t.Errorf("%s: got %v, want that x stands twice", end, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want no file", end, err)
		}
	}
}

// TestNPZMembers: what is no npy is passed over, a name that stands twice is refused.
func TestNPZMembers(t *testing.T) {
	var array bytes.Buffer
	if err := literal.WriteNPY(&array, literal.Scalar(2.5)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.npz")
	members := func(names ...string) ([]Array, error) {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			w, err := z.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			w.Write(array.Bytes())
		}
		z.Close()
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return Read(path)
	}
	if got, err := members("README", "a.npy"); err != nil || len(got) != 1 || got[0].Name != "a" {
		t.Errorf("got %v, %v, want a alone", got, err)
	}
	if _, err := members("a.npy", "a.npy"); err == nil || !strings.Contains(err.Error(), "stands twice") {
		t.Errorf("got %v, want that a.npy stands twice", err)
	}
}

// TestZerosPacked reads an array of zeros as savez_compressed leaves it, which deflate makes a thousandth of.
func TestZerosPacked(t *testing.T) {
	zeros := literal.Zeros(shape.Array(shape.F32, 16<<20))
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("x.npy")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(literal.WriteNPY(w, zeros), z.Close()); err != nil {
		t.Fatal(err)
	}
	got, err := Read(put(t, t.TempDir(), "a.npz", b.String()))
	if err != nil || len(got) != 1 || !bytes.Equal(got[0].Value.Bytes(), zeros.Bytes()) {
		t.Errorf("got %d arrays, %v, want the zeros", len(got), err)
	}
}

func TestUnknownFile(t *testing.T) {
	if _, err := Read("x.pickle"); err == nil || IsData("x.pickle") {
		t.Errorf("got %v, want an error", err)
	}
	if _, err := Read(filepath.Join(t.TempDir(), "absent.npy")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that the file does not exist", err)
	}
}

func FuzzSafetensors(f *testing.F) {
	f.Add(file(`{"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, []byte{1, 2}))
	f.Add(file(`{"__metadata__":{}}`, nil))
	testfile.Seeds(f, "testdata/*.safetensors")
	f.Fuzz(func(t *testing.T, b []byte) {
		var arrays []Array
		var err error
		testfile.Bounded(t, len(b), 64, func() { arrays, err = parsed(b) })
		if err != nil {
			return
		}
		total := 0
		for _, a := range arrays {
			total += len(a.Value.Bytes())
		}
		if total > len(b) {
			t.Errorf("%d bytes of arrays from a file of %d", total, len(b))
		}
	})
}

func Example() {
	arrays, err := parsed(file(`{"bias":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, []byte{0, 0, 0, 63}))
	fmt.Println(arrays[0].Name, arrays[0].Value, err)
	// Output: bias f32[1] {0.5} <nil>
}
