package hlo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

// FuzzParse reads any text. What reads at all prints as a text that reads as the same, byte for byte.
func FuzzParse(f *testing.F) {
	for _, dir := range []string{"ops", "errors", "text"} {
		files, err := filepath.Glob("../../testdata/" + dir + "/*.hlo")
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
	}
	f.Fuzz(func(t *testing.T, text string) {
		var m *Module
		var err error
		testfile.Bounded(t, len(text), 1024, func() { m, err = Parse([]byte(text), "fuzz.hlo") })
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz.hlo:") {
				t.Errorf("error without a place: %v", err)
			}
			return
		}
		checkFixedPoint(t, m, "fuzz.hlo")
	})
}
