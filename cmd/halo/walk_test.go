package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

// TestEachProgram wants files themselves, programs in folders and in folders behind links, folders that are whole once,
// and nothing that a walk should not open.
func TestEachProgram(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/one.hlo", "a/two.txt", "a/three.mlir/x", "b/case/module.hlo", "b/four.hlo"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	links := map[string]string{"l": "a", "a/five.hlo": "../b/four.hlo", "a/six.hlo": "../b", "a/seven.hlo": "nowhere"}
	for link, to := range links {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			testfile.Library(t, "links", err) // this file system has none
		}
	}
	for _, test := range []struct{ path, want []string }{
		{[]string{"-"}, []string{"-"}},
		{[]string{"a"}, []string{"a/five.hlo", "a/one.hlo"}},
		{[]string{"l"}, []string{"l/five.hlo", "l/one.hlo"}},
		{[]string{"a/two.txt", "b"}, []string{"a/two.txt", "b/case!", "b/four.hlo"}},
		{[]string{"b/case"}, []string{"b/case!"}},
	} {
		var paths, got []string
		for _, p := range test.path {
			if p != "-" {
				p = filepath.Join(dir, p)
			}
			paths = append(paths, p)
		}
		err := eachProgram(paths, isCase, func(path string, isWhole bool) {
			if rest, err := filepath.Rel(dir, path); err == nil {
				path = filepath.ToSlash(rest)
			}
			if isWhole {
				path += "!"
			}
			got = append(got, path)
		})
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%q: got %q, %v, want %q", test.path, got, err, test.want)
		}
	}
	if err := eachProgram([]string{filepath.Join(dir, "none")}, isCase, nil); err == nil {
		t.Error("a folder that is not there was walked")
	}
}
