package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/internal/testfile"
)

// TestConformanceEmulated runs self-checking programs on the emulated device, without passes that compute constants:
// every tenth file, or all if $HALO_EMU is all.
func TestConformanceEmulated(t *testing.T) {
	dir := testfile.Conformance(t)
	_, err := emu.Build()
	testfile.Library(t, "cuda-emu", err)
	t.Setenv("HALO_CUDA_EMU_PLAIN", "1")
	args := []string{"check", "--backend", "cuda-emu"}
	for _, part := range []string{"interpret", "testdata"} {
		files, err := filepath.Glob(filepath.Join(dir, "conformance", "stablehlo", part, "*.mlir"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no file of %s (%v)", part, err)
		}
		for i, f := range files {
			if os.Getenv("HALO_EMU") == "all" || i%10 == 0 {
				args = append(args, f)
			}
		}
	}
	code, stdout, stderr := halo(t, dir, "", args...)
	if code != exitOK || strings.HasPrefix(stdout, "0 passed") {
		t.Errorf("exit %d\n%s%s", code, notPassed(stdout, "pass"), stderr)
	}
}
