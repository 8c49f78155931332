package main

import (
	"os"
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
	program := filepath.Join(dir, "twice.hlo")
	write(t, program, []byte(`ENTRY e {
  x = f32[] parameter(0)
  ROOT r = f32[] custom-call(x), custom_call_target="twice"
}`))
	t.Setenv("HALO_PLUGIN_PATH", dir+string(os.PathListSeparator)+filepath.Join(dir, "nowhere"))
	code, out, message := halo(t, "", "", "run", program, "f32=3")
	if code != exitOK || !strings.Contains(out, "f32[] 6") || !strings.Contains(message, "libbroken.so") ||
		!strings.Contains(message, "halo: HALO_PLUGIN_PATH: ") || !strings.Contains(message, dir+"/nowhere: no such file") {
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
