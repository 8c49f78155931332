package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

// sharedLibrary compiles C text.
func sharedLibrary(t *testing.T, name, text string, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path+".c", []byte(text))
	cc, err := exec.LookPath("cc")
	testfile.Library(t, "cc", err)
	args := append([]string{"-shared", "-fPIC", "-g", "-o", path, path + ".c"}, flags...)
	if said, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, said)
	}
	return path
}

func TestPluginInspect(t *testing.T) {
	good := sharedLibrary(t, "libgood.so", "void twice(void *out, const void **in) { *(float *)out = 2 * *(float *)in[0]; }")
	code, out, message := halo(t, "", "", "plugin", "inspect", good)
	for _, want := range []string{"shared library for ", "function    twice, original (api_version 1)", "it loads here"} {
		if !strings.Contains(out, want) {
			t.Errorf("got %q, want %q", out, want)
		}
	}
	if code != exitOK || message != "" {
		t.Errorf("got code %d and %q", code, message)
	}
	bad := sharedLibrary(t, "libbad.so", "int nobody(void);\nint f(void) { return nobody(); }")
	if code, out, _ = halo(t, "", "", "plugin", "inspect", bad); code != exitFailure || !strings.Contains(out, "nobody provides nobody") {
		t.Errorf("got code %d and %q, want the missing symbol", code, out)
	}
	code, out, _ = halo(t, "", "", "plugin", "inspect", "--json", bad)
	var said struct {
		Loads    bool
		Problems []string
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil || said.Loads || len(said.Problems) != 1 || code != exitFailure {
		t.Errorf("got code %d, %v and %+v from %s", code, err, said, out)
	}
	text := filepath.Join(t.TempDir(), "x.so")
	if err := os.WriteFile(text, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"plugin", "inspect", text}, exitFailure, "x.so: is no ELF file but text"},
		{[]string{"plugin", "inspect"}, exitUsage, "got 0 files, want one"},
		{[]string{"plugin"}, exitUsage, "halo plugin inspect"},
		{[]string{"plugin", "fly"}, exitUsage, `unknown command "fly"`},
	} {
		if code, _, message := halo(t, "", "", c.args...); code != c.code || !strings.Contains(message, c.want) {
			t.Errorf("%v: got code %d and %q, want %d and %q", c.args, code, message, c.code, c.want)
		}
	}
	if code, out, _ := halo(t, "", "", "plugin", "inspect", "-h"); code != exitOK || !strings.Contains(out, "would not load") {
		t.Errorf("-h: got code %d and %q", code, out)
	}
}
