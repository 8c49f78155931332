package hlo_test

import (
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
)

// TestErrors refuses the cases of testdata/errors, where and for the reason they say.
func TestErrors(t *testing.T) {
	testfile.Run(t, "../../testdata/errors/*.hlo", func(t *testing.T, c *testfile.Case) {
		m, err := hlo.Parse([]byte(c.Source()), c.File)
		if err == nil {
			err = hlo.Verify(m)
		}
		c.CheckErrors(t, err)
	})
}
