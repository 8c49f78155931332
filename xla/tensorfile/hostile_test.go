package tensorfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestNoRegularFile wants pipes, which may have no writer, and devices, which do not end, to be refused in every format.
func TestNoRegularFile(t *testing.T) {
	dir := t.TempDir()
	for _, end := range []string{".npy", ".npz", ".safetensors", indexEnd} {
		pipe, zero := filepath.Join(dir, "pipe"+end), filepath.Join(dir, "zero"+end)
		if err := errors.Join(syscall.Mkfifo(pipe, 0o666), os.Symlink("/dev/zero", zero)); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{pipe, zero} {
			if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "no regular file") {
				t.Errorf("%s: got %v, want that it is no regular file", path, err)
			}
		}
	}
}

// TestPassedOver wants fields that nobody reads to cost no more than their text, and lists no more than a shape's.
func TestPassedOver(t *testing.T) {
	objects := "[" + strings.Repeat("{},", 100_000) + "{}]"
	entry := `{"dtype":"U8","shape":[0],"data_offsets":[0,0],"more":` + objects + "}"
	text := file(`{"x":`+entry+`}`, nil)
	testfile.Bounded(t, len(text), 16, func() {
		if _, err := parsed(text); err != nil {
			t.Error(err)
		}
	})
	index := []byte(`{"more":` + objects + `,"weight_map":{"x":"w.safetensors"}}`)
	testfile.Bounded(t, len(index), 16, func() {
		if _, err := weightMap(index); err != nil {
			t.Error(err)
		}
	})
	long := file(`{"x":{"dtype":"U8","shape":[`+strings.Repeat("1,", 100_000)+`1],"data_offsets":[0,1]}}`, []byte{1})
	testfile.Bounded(t, len(long), 16, func() {
		if _, err := parsed(long); err == nil || !strings.Contains(err.Error(), "a list of at most 1024 numbers") {
			t.Errorf("got %v, want that the list is too long", err)
		}
	})
}

// TestManyArrays wants an array that a header describes to cost no more than a small multiple of what it takes there.
func TestManyArrays(t *testing.T) {
	var header strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&header, `%c"%x":{"dtype":"U8","shape":[],"data_offsets":[%d,%d]}`, "{,"[min(i, 1)], i, i, i+1)
	}
	header.WriteByte('}')
	text := file(header.String(), make([]byte, 20_000))
	testfile.Bounded(t, len(text), 24, func() {
		if list, err := parseSafetensors(bytes.NewReader(text), int64(len(text))); err != nil || len(list) != 20_000 {
			t.Errorf("got %d arrays (%v), want 20000", len(list), err)
		}
	})
	list, err := parseSafetensors(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	testfile.Bounded(t, len(text), 8, func() {
		for _, s := range list {
			if _, err := s.WriteTo(writerFunc(func(b []byte) (int, error) { return len(b), nil })); err != nil {
				t.Fatal(err)
			}
		}
	})
	metadata := file(`{"__metadata__":{"":""`+strings.Repeat(`,"key":"value"`, 100_000)+"}}", nil)
	testfile.Bounded(t, len(metadata), 8, func() {
		if _, err := parsed(metadata); err != nil {
			t.Error(err)
		}
	})
}

// TestIndexFirstMissing wants the same sentence each time from an index whose files are all missing.
func TestIndexFirstMissing(t *testing.T) {
	index := put(t, t.TempDir(), "m"+indexEnd,
		`{"weight_map":{"x":"c.safetensors","y":"a.safetensors","z":"b\nforged.safetensors"}}`)
	for range 8 {
		if _, err := Read(index); err == nil || !strings.Contains(err.Error(), `"a.safetensors": `) {
			t.Fatalf("got %v, want the first in the order of names", err)
		}
	}
}

// TestNPZRefusedUnread wants members that are too large together, or encrypted, to be refused before one is unpacked,
// and a name to make no line of its own.
func TestNPZRefusedUnread(t *testing.T) {
	const member = "a\nforged.npy"
	for name, c := range map[string]struct {
		at    int // in the list of members
		value []byte
		want  string
	}{
		"large":     {24, []byte{0xff, 0xff, 0xff, 0x7f}, "want at most 1032 times the file for all members"},
		"encrypted": {8, []byte{1}, "is encrypted"},
		"cut":       {28, []byte{0xff, 0xff}, "the list of members at the archive's end"},
		"elsewhere": {42, []byte{0xff, 0xff, 0xff, 0x7f}, "it is not where the list of members says"},
	} {
		b := archive(t, 0, "first.npy", member)
		copy(b[bytes.LastIndex(b, []byte("PK\x01\x02"))+c.at:], c.value)
		path := put(t, t.TempDir(), "a.npz", string(b))
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %q, want %q", name, err, c.want)
		}
	}
}

// sparse writes a file of a header and size bytes of data, which take no room on the disk.
func sparse(t *testing.T, name, header string, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	head := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	if err := os.WriteFile(path, head, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(len(head))+size); err != nil {
		testfile.Library(t, "sparse", err) // this file system has no files with holes
	}
	return path
}

// TestSparse opens files that are larger than any machine's memory: what is wanted of them is read, in pieces if it is
// to be written on, and an array that does not fit is refused.
func TestSparse(t *testing.T) {
	path := sparse(t, "a.safetensors", `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},`+
		`"w":{"dtype":"U8","shape":[2199023255544],"data_offsets":[8,2199023255552]}}`, 1<<41)
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if l, err := f.Arrays[0].Value(); err != nil || l.Shape().String() != "f32[2]" {
		t.Errorf("the small array: got %v (%v)", l, err)
	}
	if _, err := f.Arrays[1].Value(); err == nil || !strings.Contains(err.Error(), `"w": 2199023255544 bytes do not fit`) {
		t.Errorf("the large array: got %v, want that it does not fit", err)
	}
	full := errors.New("full")
	var got int64
	testfile.Bounded(t, 0, 0, func() {
		got = 0
		_, err = f.Arrays[1].WriteTo(writerFunc(func(b []byte) (int, error) {
			if got += int64(len(b)); got > 64<<20 {
				return 0, full
			}
			return len(b), nil
		}))
	})
	if !errors.Is(err, full) || got <= 64<<20 {
		t.Errorf("written on: got %d bytes (%v), want more than 64 MiB of the array", got, err)
	}
	if _, err := Open(sparse(t, "a.npy", "", 1<<41)); err == nil || !strings.Contains(err.Error(), "do not fit") {
		t.Errorf("npy: got %v, want that it does not fit", err)
	}
}

type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestWriteTo writes the elements of each format as they are in memory.
func TestWriteTo(t *testing.T) {
	l, err := literal.FromBytes(shape.Array(shape.S16, 2, 2), []byte{1, 0, 2, 0, 3, 0, 4, 0})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := errors.Join(WriteNPZ(filepath.Join(dir, "a.npz"), []Array{{"x", l}}),
		WriteSafetensors(filepath.Join(dir, "a.safetensors"), []Array{{"x", l}})); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.npz", "a.safetensors"} {
		path := filepath.Join(dir, name)
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if n, err := f.Arrays[0].WriteTo(&b); err != nil || n != 8 || !bytes.Equal(b.Bytes(), l.Bytes()) {
			t.Errorf("%s: got %d bytes %v (%v), want %v", name, n, b.Bytes(), err, l.Bytes())
		}
		if err := os.Truncate(path, 40); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Arrays[0].WriteTo(&b); name == "a.safetensors" && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s cut short: got %v, want an unexpected end", name, err)
		}
		f.Close()
	}
}
