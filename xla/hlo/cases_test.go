package hlo_test

import (
	"testing"

	"github.com/halo-xla/halo/internal/opcase"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
)

// TestOps runs the cases of every op.
func TestOps(t *testing.T) {
	testfile.Run(t, "../../testdata/ops/*.hlo", func(t *testing.T, c *testfile.Case) {
		m, err := hlo.Parse([]byte(c.Source()), c.File)
		if err != nil {
			t.Fatal(err)
		}
		opcase.Check(t, c, m)
	})
}
