package runtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

// Level skips a test of kernels of a level that the build or the machine lacks, or fails it if $HALO_NEED names
// "native" or the level.
func Level(t testing.TB, isa run.ISA) {
	t.Helper()
	testfile.Native(t, run.Available())
	if !slices.Contains(run.Levels(), isa) {
		testfile.Library(t, isa.String(), fmt.Errorf("the kernels are those of %v, which this machine lacks", isa))
	}
}
