package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/halo-xla/halo/internal/testfile"
)

// producerMissing is what the recipes exit with if a package of theirs is not installed.
const producerMissing = 3

// recipe runs a script of scripts/export with $HALO_PYTHON and returns the folder that it wrote. The test is skipped
// where the producer is not installed, unless $HALO_NEED names it.
func recipe(t *testing.T, producer, script string) string {
	t.Helper()
	python, err := exec.LookPath(cmp.Or(os.Getenv("HALO_PYTHON"), "python3"))
	testfile.Library(t, producer, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	dir := t.TempDir()
	c := exec.CommandContext(ctx, python, filepath.Join("..", "..", "scripts", "export", script), dir)
	c.Env = append(os.Environ(), "JAX_PLATFORMS=cpu", "PYTHONDONTWRITEBYTECODE=1")
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == producerMissing {
		testfile.Library(t, producer, fmt.Errorf("%s: %s", script, bytes.TrimSpace(out)))
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return dir
}

// TestRecipes runs what the recipes of docs/import.md export, in every form, and compares with the producers' answers.
func TestRecipes(t *testing.T) {
	for producer, script := range map[string]string{
		"jax": "from_jax.py", "torch": "from_torch.py", "onnx": "from_onnx.py", "tensorflow": "from_tensorflow.py",
	} {
		t.Run(producer, func(t *testing.T) {
			dir := recipe(t, producer, script)
			for _, backend := range []string{"reference", "cpu"} {
				code, stdout, stderr := halo(t, dir, "", "check", "--backend", backend, "DIR")
				if code != exitOK || strings.HasPrefix(stdout, "0 passed") {
					t.Errorf("%s: exit %d\n%s%s", backend, code, stdout, stderr)
				}
			}
		})
	}
}

// TestSymbolicShapes runs JAX's programs with symbolic dimensions at three sizes each, and on arguments that their
// assertions refuse.
func TestSymbolicShapes(t *testing.T) {
	dir := recipe(t, "jax", "dynamic.py")
	_, stdout, stderr := halo(t, dir, "", "check", "--json", "DIR")
	passed := 0
	for line := range strings.Lines(stdout) {
		var r outcome
		if json.Unmarshal([]byte(line), &r) != nil {
			continue
		}
		switch refused := strings.Contains(r.File, "_refused"); {
		case !refused && r.Status == statusPass:
			passed++
		case !refused:
			t.Errorf("%s: %s: %s", r.File, r.Status, r.Message)
		case r.Status != statusError || !strings.Contains(r.Message, "shape assertion failed: Input shapes do not match"):
			t.Errorf("%s: got %s: %s, want the error of a shape assertion", r.File, r.Status, r.Message)
		}
	}
	if passed < 60 {
		t.Errorf("%d passed, want 60 or more\n%s%s", passed, stdout, stderr)
	}
}
