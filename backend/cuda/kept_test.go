//go:build cgo && linux

package cuda

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
)

// TestDamagedKernels wants code that was kept and is not what it was to be made anew.
func TestDamagedKernels(t *testing.T) {
	const text = "HloModule m\nENTRY e { x = f32[2] parameter(0)\n ROOT y = f32[2] add(x, x) }"
	folder := t.TempDir()
	run := func() string {
		b := exec.New(&machine{openOne(t, Options{Cache: folder})})
		return answer(t, b, text, exec.Options{}, numbers(t, 2)).String()
	}
	want := run()
	sources, err := filepath.Glob(filepath.Join(folder, "*.cu"))
	if err != nil || len(sources) != 1 {
		t.Fatalf("got sources %v, %v", sources, err)
	}
	file := strings.TrimSuffix(sources[0], ".cu")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Clone(good)
	changed[len(good)/2] ^= 1
	for name, data := range map[string][]byte{"empty": nil, "short": good[:len(good)/2], "changed": changed,
		"long": append(changed, good...), "a few bytes": good[:20]} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := run(); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		if got, err := os.ReadFile(file); err != nil || bytes.Equal(got, data) {
			t.Errorf("%s: the file was not written anew: %v", name, err)
		}
	}
}
