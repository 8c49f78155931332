package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
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
