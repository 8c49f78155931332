package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

// What is in the folders of HALO_PLUGIN_PATH serves run and bench; what does not load there is only told.
func TestPluginPath(t *testing.T) {
	testfile.Native(t, run.Available())
	library := sharedLibrary(t, "libtwice.so",
		"void twice(void *out, const void **in) { *(float *)out = 2 * *(float *)in[0]; }")
	dir := filepath.Dir(library)
	write(t, filepath.Join(dir, "libbroken.so"), []byte("text"))
	write(t, filepath.Join(dir, "broken.json"), []byte("{"))
	program := filepath.Join(dir, "twice.hlo")
	write(t, program, []byte(`ENTRY e {
  x = f32[] parameter(0)
  ROOT r = f32[] custom-call(x), custom_call_target="twice"
}`))
	t.Setenv("HALO_PLUGIN_PATH", dir+string(os.PathListSeparator)+filepath.Join(dir, "nowhere"))
	code, out, message := halo(t, "", "", "run", program, "f32=3")
	if code != exitOK || !strings.Contains(out, "f32[] 6") || !strings.Contains(message, "libbroken.so") ||
		strings.Count(message, "halo: HALO_PLUGIN_PATH: ") != 3 || !strings.Contains(message, dir+"/nowhere: no such file") {
		t.Errorf("run: got code %d, %q and %q", code, out, message)
	}
	if code, out, message = halo(t, "", "", "bench", program, "--runs", "1"); code != exitOK {
		t.Errorf("bench: got code %d, %q and %q", code, out, message)
	}
	if code, _, message = halo(t, "", "", "run", program, "f32=3", "--plugin", "libnowhere.so"); code != exitMissing ||
		!strings.Contains(message, filepath.Join(dir, "libnowhere.so")) {
		t.Errorf("a library that is nowhere: got code %d and %q", code, message)
	}
}

// A library of HALO_PLUGIN_PATH that ends the process while it is opened is named.
func TestPluginPathThatEndsTheProcess(t *testing.T) {
	testfile.Native(t, run.Available())
	library := sharedLibrary(t, "libaborts.so",
		"#include <stdlib.h>\n__attribute__((constructor)) static void begin(void) { abort(); }\nvoid f(void *out, const void **in) {}")
	program := filepath.Join(t.TempDir(), "p.hlo")
	write(t, program, []byte("ENTRY e { ROOT r = f32[] constant(6) }"))
	t.Setenv("HALO_PLUGIN_PATH", filepath.Dir(library))
	said, err := exec.CommandContext(t.Context(), os.Args[0], rankWord, "halo", "run", program).CombinedOutput()
	if err == nil || !strings.Contains(string(said), library+": it ends this process while it is opened") {
		t.Errorf("got %v and %s, want the library's file", err, said)
	}
}

// All commands that compile programs take --plugin, in this process and in others.
func TestPluginFlag(t *testing.T) {
	t.Setenv("HALO_LIBS", "-cuda") // inspect asks for a GPU, once in a process, and TestCommands wants it refused so
	testfile.Native(t, run.Available())
	library := sharedLibrary(t, "libtwice.so",
		"void twice(void *out, const void **in) { *(float *)out = 2 * *(float *)in[0]; }")
	program := filepath.Join(t.TempDir(), "twice.hlo")
	write(t, program, []byte(`ENTRY e {
  x = f32[] parameter(0)
  ROOT r = f32[] custom-call(x), custom_call_target="twice"
}`))
	for _, isolated := range []string{"--isolate=false", "--isolate"} {
		flags := []string{"--plugin", library, isolated}
		wantHalo(t, exitOK, "f32[] 6", append([]string{"run", program, "f32=3"}, flags...)...)
		wantHalo(t, exitOK, "; 3 runs", append([]string{"bench", program, "--runs", "3"}, flags...)...)
		wantHalo(t, exitOK, "cpu and reference agree", append([]string{"diff", program}, flags...)...)
		wantHalo(t, exitOK, "1 custom-call", append([]string{"inspect", program}, flags...)...)
	}
	if _, out, _ := halo(t, "", "", "inspect", program, "--plugin", library); strings.Contains(out, "cpu cannot run") {
		t.Errorf("inspect: got %s, want that cpu can run it", out)
	}
	for _, command := range []string{"bench", "diff", "inspect"} {
		wantHalo(t, exitMissing, "libnowhere.so", command, program, "--plugin", "libnowhere.so")
		if _, out, message := halo(t, "", "", command, program); !strings.Contains(out+message, `"twice"`) {
			t.Errorf("%s: got %s and %s, want the target", command, out, message)
		}
	}
	want := "halo diff: cpu: " + program + ":3:8: custom-call(f32[]): no function is registered for the custom call \"twice\"; "
	if _, _, message := halo(t, "", "", "diff", program); !strings.HasPrefix(message, want) ||
		!strings.HasSuffix(message, "or --plugin of the tool, bring them\n") {
		t.Errorf("got %s, want %s... and how to get it", message, want)
	}
}
