package hlo

import (
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

// TestText prints the programs of testdata/text, and what it printed again.
func TestText(t *testing.T) {
	testfile.Run(t, "../../testdata/text/*.hlo", func(t *testing.T, c *testfile.Case) {
		m, err := Parse([]byte(c.Source()), c.File)
		if err != nil {
			t.Fatal(err)
		}
		c.Golden(t, m.Text())
		checkFixedPoint(t, m, c.File)
	})
}
