package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
)

// full is a device without room.
type full struct{}

var errFull = errors.New("write: no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

// Output that is lost is a failure, which is told once.
func TestLostOutput(t *testing.T) {
	dir := folder(t)
	for _, args := range []string{
		"run DIR/add.hlo iota ones",
		"run DIR/add.hlo iota ones --report",
		"run -h",
		"ops",
		"check --json DIR/right.mlir",
		"check DIR/wrong.mlir",
		"verify DIR/add.hlo",
		"doctor --json",
		"diff DIR/add.hlo iota ones",
		"version",
		"help",
		"plugin help",
		"inspect DIR/add.hlo --json",
		"convert DIR/add.hlo --to hlo",
	} {
		var errs bytes.Buffer
		tl := &tool{ctx: t.Context(), stdout: full{}, stderr: &errs}
		code := realMain(tl, strings.Fields(strings.ReplaceAll(args, "DIR", dir)))
		if code != exitFailure || strings.Count(errs.String(), errFull.Error()) != 1 {
			t.Errorf("halo %s: got exit %d, %q, want %d and the error once", args, code, errs.String(), exitFailure)
		}
	}
}

// stopsAfter stops a context when so many bytes have been written.
type stopsAfter struct {
	left int
	stop func()
}

func (w *stopsAfter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left <= 0 {
		w.stop()
	}
	return len(b), nil
}

// A tool that is told to stop while it writes much does not write the rest.
func TestStoppable(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	w := &stopsAfter{2 * writtenAtOnce, stop}
	if n, err := (stoppable{ctx, w}).Write(make([]byte, 5*writtenAtOnce)); n != 2*writtenAtOnce ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("got %d bytes and %v, want %d and %v", n, err, 2*writtenAtOnce, context.Canceled)
	}
	if n, err := (stoppable{t.Context(), &bytes.Buffer{}}).Write(make([]byte, 2*writtenAtOnce+1)); n != 2*writtenAtOnce+1 || err != nil {
		t.Errorf("got %d bytes and %v, want all", n, err)
	}
}

// The archive of results is stored as numpy's savez does it, and there is none, nor a part, if the tool is stopped.
func TestResultsInAnArchive(t *testing.T) {
	dir := folder(t)
	wantHalo(t, exitOK, "", "run", filepath.Join(dir, "add.hlo"), "ones", "ones", "--out", filepath.Join(dir, "r.npz"))
	z, err := zip.OpenReader(filepath.Join(dir, "r.npz"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if len(z.File) != 1 || z.File[0].Method != zip.Store {
		t.Errorf("got %d members, the first packed by method %d, want one that is stored", len(z.File), z.File[0].Method)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	empty := t.TempDir()
	err = (&tool{ctx: ctx}).writeArchive(filepath.Join(empty, "r.npz"), nil)
	if left, _ := os.ReadDir(empty); !errors.Is(err, context.Canceled) || len(left) > 0 {
		t.Errorf("got %v and the files %v, want none", err, left)
	}
}

// A folder has no result, nor a part of one, that was not written to its end when the tool was told to stop.
func TestResultsInAFolderStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	dir := t.TempDir()
	err := (&tool{ctx: ctx}).writeResults(dir, [][]*literal.Literal{{literal.Scalar(2.5)}})
	if left, _ := os.ReadDir(dir); !errors.Is(err, context.Canceled) || len(left) > 0 {
		t.Errorf("got %v and the files %v, want none", err, left)
	}
}

// A command that is told to stop asks how its output failed while he who prints goes on: the race detector sees it.
func TestOutputLeftBehind(t *testing.T) {
	o, done := &output{w: full{}}, make(chan struct{})
	go func() {
		defer close(done)
		o.Write([]byte("x"))
	}()
	if err := o.failure(); err != nil && err != errFull {
		t.Errorf("got %v", err)
	}
	<-done
	if err := o.failure(); err != errFull {
		t.Errorf("got %v, want %v", err, errFull)
	}
}

func TestCounted(t *testing.T) {
	if got := counted(0, "case") + ", " + counted(1, "case") + ", " + counted(2, "case"); got != "0 cases, 1 case, 2 cases" {
		t.Errorf("got %q", got)
	}
}
