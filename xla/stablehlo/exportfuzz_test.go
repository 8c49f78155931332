package stablehlo

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
)

// FuzzExport writes any HLO that can be read, and reads that back. Either it is refused as unsupported, or what comes
// back is a program whose text stays as it is.
func FuzzExport(f *testing.F) {
	files, err := filepath.Glob("../../testdata/ops/*.hlo")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "// -----\n") {
			f.Add(part)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := hlo.Parse([]byte(text), "fuzz.hlo")
		if err != nil || hlo.Verify(m) != nil {
			return
		}
		written, back, err := exported(m)
		if errors.Is(err, errors.ErrUnsupported) {
			return
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		checkFixed(t, back)
	})
}
