package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// TestSnapshot runs and checks snapshots on the arguments they have: one with the right result, one with a wrong one.
func TestSnapshot(t *testing.T) {
	m, err := hlo.Parse([]byte("HloModule m\nENTRY e { a = f32[2] parameter(0)  ROOT b = f32[2] add(a, a) }"), "m.hlo")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	argument, _ := literal.FromSlice([]float32{1, 2})
	for name, values := range map[string][]float32{"right": {2, 4}, "wrong": {2, 5}} {
		result, _ := literal.FromSlice(values)
		b := xla.HLOSnapshot(&xla.Snapshot{Module: m, Arguments: [][]*literal.Literal{{argument}}, Result: result})
		if err := os.WriteFile(filepath.Join(dir, name+".snapshot.pb"), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		command string
		code    int
		want    string
	}{
		{"check DIR/right.snapshot.pb", exitOK, "1 passed, 0 failed"},
		{"check DIR/wrong.snapshot.pb", exitFailure, "result 0 of the snapshot: "},
		{"run DIR/right.snapshot.pb", exitOK, "f32[2] {2, 4}"},
		{"run DIR/right.snapshot.pb 2xf32=3,4", exitOK, "f32[2] {6, 8}"},
		{"bench DIR/right.snapshot.pb --runs 3", exitOK, "p50"},
		{"run DIR/right.snapshot.pb 2xf32=3,4 --snapshot DIR/again.pb", exitOK, "f32[2] {6, 8}"},
		{"check DIR/again.pb", exitOK, "1 passed, 0 failed"},
		{"run DIR/again.pb", exitOK, "f32[2] {6, 8}"},
		{"diff DIR/wrong.snapshot.pb", exitOK, "cpu and reference agree"},
		{"verify DIR/right.snapshot.pb", exitOK, "accept"},
		{"inspect DIR/right.snapshot.pb", exitOK, "1 add"},
	} {
		code, stdout, stderr := halo(t, dir, "", strings.Fields(c.command)...)
		if code != c.code || !strings.Contains(stdout, c.want) {
			t.Errorf("halo %s: got exit %d, stdout %q, stderr %q, want exit %d, %q", c.command, code, stdout, stderr, c.code, c.want)
		}
	}
}
