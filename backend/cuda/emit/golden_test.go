package emit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/backendtest"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
)

// TestGolden compares the kernels of a few programs with what they were.
func TestGolden(t *testing.T) {
	testfile.Run(t, "testdata/kernels.txt", func(t *testing.T, c *testfile.Case) {
		m, err := hlo.Parse([]byte(c.Source()), c.File)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, in := range backendtest.Fused(t, m, Fusible()).Entry.Instructions {
			if hosts[in.Op] {
				continue
			}
			e, err := Lower(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range e.Steps {
				fmt.Fprintf(&b, "%d blocks of %d threads: %v\n%s", s.Kernel.Grid[0], s.Kernel.Block[0], s.Kernel.Args,
					s.Kernel.Source)
			}
		}
		c.Golden(t, b.String())
	})
}
