package wholefile_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/wholefile"
)

// wantText wants a file to hold text.
func wantText(t *testing.T, path, text string) {
	t.Helper()
	if b, err := wholefile.Read(path); err != nil || string(b) != text {
		t.Errorf("%s: got %q, %v, want %q", path, b, err, text)
	}
}

// TestWrite wants a file to be replaced where it is, behind its links, with its permissions, and no other to be left.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "blobs", "a"), filepath.Join(dir, "a")
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o777), wholefile.Write(path, []byte("old"))); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(path, 0o640), os.Symlink("blobs/a", link)); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.Write(link, []byte("ne"), nil, []byte("w")); err != nil {
		t.Fatal(err)
	}
	wantText(t, path, "new")
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is one no more: %v, %v", info, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("got %v, %v, want the permissions that the file had", info, err)
	}
	if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 1 {
		t.Errorf("got %v, %v, want one file", list, err)
	}
}

// TestWriteInPlace wants a device to stay one, a link to nothing to lead to something, and a folder that is not there
// to be named by the path that was given.
func TestWriteInPlace(t *testing.T) {
	dir := t.TempDir()
	if err := wholefile.Write(os.DevNull, []byte("x")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("the device is %v, %v", info, err)
	}
	link := filepath.Join(dir, "link")
	if err := errors.Join(os.Symlink("new", link), wholefile.Write(link, []byte("x"))); err != nil {
		t.Error(err)
	}
	wantText(t, filepath.Join(dir, "new"), "x")
	absent := filepath.Join(dir, "none", "a")
	if err := wholefile.Write(absent, nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), absent+":") {
		t.Errorf("got %v, want that %s is not there", err, absent)
	}
}

// TestWriteFailed wants nothing to be left of what could not be filled, and a file that was there to stay, behind links
// that lead up and down, too.
func TestWriteFailed(t *testing.T) {
	dir, fault := t.TempDir(), errors.New("no more")
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "a", "b"), 0o777), os.Symlink("a/b", filepath.Join(dir, "l")),
		os.Symlink("../new", filepath.Join(dir, "a", "b", "up")), os.Symlink(filepath.Join(dir, "l", "up"), filepath.Join(dir, "abs")),
		os.Symlink("round", filepath.Join(dir, "round")), os.WriteFile(filepath.Join(dir, "old"), []byte("old"), 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plain", "l/up", "abs", "old"} {
		err := wholefile.WriteFrom(filepath.Join(dir, name), func(w io.Writer) error {
			w.Write([]byte("a part"))
			return fault
		})
		if !errors.Is(err, fault) {
			t.Errorf("%s: got %v, want %v", name, err, fault)
		}
	}
	wantText(t, filepath.Join(dir, "old"), "old")
	for folder, want := range map[string]int{".": 5, "a": 1, "l": 1} {
		if list, err := os.ReadDir(filepath.Join(dir, folder)); err != nil || len(list) != want {
			t.Errorf("%s: got %v, %v, want %d", folder, list, err, want)
		}
	}
	if err := wholefile.Write(filepath.Join(dir, "abs"), []byte("whole")); err != nil {
		t.Error(err)
	}
	wantText(t, filepath.Join(dir, "a", "new"), "whole")
	if err := wholefile.Write(filepath.Join(dir, "round"), nil); err == nil {
		t.Error("a link to itself was written")
	}
}

// TestCheckPlace wants places to be refused that Write refuses, with its words, and nothing to be changed or left.
func TestCheckPlace(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o666), os.Symlink("none", link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, link, filepath.Join(dir, "new"), os.DevNull} {
		if err := wholefile.CheckPlace(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "none", "b"), filepath.Join(file, "b")} {
		err, want := wholefile.CheckPlace(path), wholefile.Write(path, nil)
		if err == nil || err.Error() != want.Error() {
			t.Errorf("%s: got %v, want %v", path, err, want)
		}
	}
	wantText(t, file, "old")
	if list, err := os.ReadDir(dir); err != nil || len(list) != 2 {
		t.Errorf("got %v, %v, want the file and the link", list, err)
	}
}

// TestRead wants what is no regular file to be refused.
func TestRead(t *testing.T) {
	for path, want := range map[string]string{os.DevNull: "no regular file", t.TempDir(): "no regular file",
		filepath.Join(t.TempDir(), "a"): "no such file"} {
		if _, err := wholefile.Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "a")
	fmt.Println(wholefile.Write(path, []byte("head, "), []byte("data")))
	b, err := wholefile.Read(path)
	fmt.Println(string(b), err)
	// Output:
	// <nil>
	// head, data <nil>
}
