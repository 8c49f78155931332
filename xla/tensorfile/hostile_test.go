package tensorfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
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
		"large":     {24, []byte{0xff, 0xff, 0xff, 0x7f}, "want at most 1024 times the file for all members"},
		"encrypted": {8, []byte{1}, "is encrypted"},
		"cut":       {28, []byte{0xff, 0xff}, "the list of the archive's members"},
	} {
		b := archive(t, 0, "first.npy", member)
		copy(b[bytes.LastIndex(b, []byte("PK\x01\x02"))+c.at:], c.value)
		path := put(t, t.TempDir(), "a.npz", string(b))
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %q, want %q", name, err, c.want)
		}
	}
}
