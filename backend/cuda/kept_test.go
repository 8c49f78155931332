//go:build cgo && linux

package cuda

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/halo-xla/halo/internal/wholefile"
	"github.com/halo-xla/halo/xla/exec"
)

// strange puts what is no file of ours into the place of one, a pipe, which nobody writes to, a link to a device and a
// file that fills memory, and has each be tried.
func strange(t *testing.T, file string, try func(name string)) {
	for name, put := range map[string]func() error{
		"a pipe":   func() error { return syscall.Mkfifo(file, 0o600) },
		"a device": func() error { return os.Symlink("/dev/zero", file) },
		"huge":     func() error { return errors.Join(os.WriteFile(file, nil, 0o600), os.Truncate(file, 1<<40)) },
	} {
		if err := errors.Join(os.Remove(file), put()); err != nil {
			t.Fatal(name, err)
		}
		try(name)
	}
}

// TestDamagedKernels wants code that was kept and is not what it was to be made anew.
func TestDamagedKernels(t *testing.T) {
	const text = "HloModule m\nENTRY e { x = f32[2] parameter(0)\n ROOT y = f32[2] add(x, x) }"
	folder := t.TempDir()
	run := func() string {
		b := exec.New(&machine{openOne(t, Options{Cache: folder})})
		return answer(t, b, text, exec.Options{}, numbers(t, 2)).String()
	}
	want := run()
	sources, err := filepath.Glob(filepath.Join(folder, "*.cu"))
	if err != nil || len(sources) != 1 {
		t.Fatalf("got sources %v, %v", sources, err)
	}
	file := strings.TrimSuffix(sources[0], ".cu")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Clone(good)
	changed[len(good)/2] ^= 1
	strange(t, file, func(name string) {
		if got := run(); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		if got, err := wholefile.ReadAtMost(file, int64(len(good))); err != nil || len(got) != len(good) {
			t.Errorf("%s: the file was not written anew: %d bytes, %v", name, len(got), err)
		}
	})
	for name, data := range map[string][]byte{"empty": nil, "short": good[:len(good)/2], "changed": changed,
		"long": append(changed, good...), "a few bytes": good[:20]} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := run(); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		if got, err := os.ReadFile(file); err != nil || bytes.Equal(got, data) {
			t.Errorf("%s: the file was not written anew: %v", name, err)
		}
	}
}
