package dl

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

// A library that is missing is a sentence.
func ExampleOpen() {
	_, err := Open("nonesuch", "libnonesuch.so.2", "libnonesuch.so.1")
	fmt.Println(errors.Is(err, errors.ErrUnsupported))
	// Output: true
}

func TestRefuses(t *testing.T) {
	for _, test := range []struct {
		list, name string
		want       bool
	}{
		{"", "fftw", false},
		{"-fftw", "fftw", true},
		{"-onednn,-fftw", "fftw", true},
		{"-onednn", "fftw", false},
		{"fftw", "fftw", false},
		{"-fftw3", "fftw", false},
		{"-all", "fftw", true},
	} {
		if got := refuses(test.list, test.name); got != test.want {
			t.Errorf("HALO_LIBS=%s, library %s: got %v, want %v", test.list, test.name, got, test.want)
		}
	}
}

func TestOpenRefused(t *testing.T) {
	t.Setenv("HALO_LIBS", "-m")
	_, err := Open("m", "libm.so.6")
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), `HALO_LIBS is "-m"`) {
		t.Errorf("got %v", err)
	}
}

func TestNoFolder(t *testing.T) {
	t.Setenv("HALO_LIBRARY_PATH", "/nowhere:"+t.TempDir())
	_, err := Open("m", "libnone.so.6")
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "no folder /nowhere, which HALO_LIBRARY_PATH") {
		t.Errorf("got %v", err)
	}
}

// libm opens the C library's mathematics, which every Linux with glibc has.
func libm(t *testing.T) *Library {
	t.Helper()
	l, err := Open("m", "libm.so.6")
	testfile.Library(t, "dl", err)
	return l
}

func TestOpen(t *testing.T) {
	l := libm(t)
	if !filepath.IsAbs(l.Path()) || l.Handle() == nil {
		t.Errorf("path %q, handle %v", l.Path(), l.Handle())
	}
	if p, err := l.Symbol("cos"); err != nil || p == nil {
		t.Errorf("cos: got %v, %v", p, err)
	}
	if _, err := l.Symbol("no_such_function"); err == nil || !strings.Contains(err.Error(), "lacks no_such_function: undefined symbol") {
		t.Errorf("no_such_function: got %v", err)
	}
	if again, err := Loaded("libm.so.6"); err != nil || again.Path() != l.Path() {
		t.Errorf("loaded: got %v, %v, want the library at %s", again, err, l.Path())
	}
	if _, err := Loaded("libnonesuch.so.1"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("not loaded: got %v", err)
	}
}

// TestOpenSays wants the error to have the loader's word on every file.
func TestOpenSays(t *testing.T) {
	libm(t)
	text := filepath.Join(t.TempDir(), "libtext.so")
	if err := os.WriteFile(text, []byte("no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Open("text", text, "libnonesuch.so.1")
	for _, want := range []string{"text: ", "libtext.so", "file too short", "libnonesuch.so.1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to contain %q", err, want)
		}
	}
}

func TestCandidates(t *testing.T) {
	folder, empty := t.TempDir(), t.TempDir()
	file := filepath.Join(folder, "liba.so.1")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got := candidates(empty+string(os.PathListSeparator)+folder, []string{"liba.so.2", "liba.so.1"})
	if want := []string{file, "liba.so.2", "liba.so.1"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWith(t *testing.T) {
	t.Setenv("DL_TEST_SET", "user")
	os.Unsetenv("DL_TEST_UNSET")
	var during []string
	err := With(map[string]string{"DL_TEST_SET": "ours", "DL_TEST_UNSET": "ours"}, func() error {
		during = append(during, os.Getenv("DL_TEST_SET"), os.Getenv("DL_TEST_UNSET"))
		return errors.ErrUnsupported
	})
	if _, left := os.LookupEnv("DL_TEST_UNSET"); left || err != errors.ErrUnsupported {
		t.Errorf("left %v, error %v", left, err)
	}
	if want := []string{"user", "ours"}; !slices.Equal(during, want) {
		t.Errorf("got %v, want %v", during, want)
	}
}
