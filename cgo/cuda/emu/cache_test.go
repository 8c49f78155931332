//go:build linux

package emu

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCache wants the user's folder, then one among the temporary files, and none that others may have filled.
func TestCache(t *testing.T) {
	user, tmp := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", user)
	t.Setenv("TMPDIR", tmp)
	if got, err := Cache("x"); err != nil || got != filepath.Join(user, "halo", "x") {
		t.Fatalf("got %s, %v", got, err)
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	got, err := Cache("x")
	if err != nil || !strings.HasPrefix(got, filepath.Join(tmp, "halo-cache-")) {
		t.Fatalf("got %s, %v", got, err)
	}
	top := filepath.Dir(got)
	if info, err := os.Stat(top); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v, %v", top, info, err)
	}
	if err := os.Chmod(top, 0o770); err != nil {
		t.Fatal(err)
	}
	if got, err := Cache("x"); err == nil {
		t.Errorf("got %s, into which others write", got)
	}
	if err := os.Rename(top, top+"-moved"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(user, top); err != nil {
		t.Fatal(err)
	}
	if got, err := Cache("x"); err == nil {
		t.Errorf("got %s through a link", got)
	}
}

func TestOwned(t *testing.T) {
	info, err := os.Stat("/")
	if err != nil {
		t.Fatal(err)
	}
	if got := owned(info); got != (os.Getuid() == 0) {
		t.Errorf("/ is this user's: %v", got)
	}
}
