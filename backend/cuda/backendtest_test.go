package cuda_test

import (
	"cmp"
	"os"
	"testing"

	"github.com/halo-xla/halo/backend/backendtest"
	"github.com/halo-xla/halo/backend/cuda"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
)

// emulator returns the backend on the emulator, or on a GPU if $HALO_GPU is set; or skips the test.
func emulator(t *testing.T) exec.Backend {
	t.Helper()
	emulated, name := true, "cuda-emu"
	if os.Getenv("HALO_GPU") != "" {
		emulated, name = false, "cuda"
	}
	b, err := cuda.New(cuda.Options{Emulated: emulated, Plain: emulated})
	testfile.Library(t, name, err)
	return b
}

// TestOps runs the cases of some operations, of all if $HALO_EMU is all, or those of the pattern $HALO_OP: g++ takes a
// while for each.
func TestOps(t *testing.T) {
	pattern := cmp.Or(os.Getenv("HALO_OP"), "re*") + ".hlo"
	if os.Getenv("HALO_EMU") == "all" {
		pattern = "*.hlo"
	}
	backendtest.Ops(t, emulator(t), "../../testdata/ops/"+pattern, backendtest.Options{AllowReference: true})
}

// TestRandomPrograms holds the backend to the reference.
func TestRandomPrograms(t *testing.T) {
	backendtest.Random(t, emulator(t), backendtest.Options{Programs: 20, AllowReference: true})
}
