package hlo

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/halo-xla/halo/internal/testfile"
)

// corpusRefused are the reasons for which a text of the corpus may be refused.
var corpusRefused = []string{
	"constant is elided",
	"a second module begins here", // several programs with "// -----" between
	"is defined twice",            // the same without modules
}

// TestCorpus reads every HLO text under $HALO_CONFORMANCE, prints it, reads that and prints it again: the two prints
// are the same bytes. Texts may be refused only for the reasons above, or if their case says that they are broken.
func TestCorpus(t *testing.T) {
	root := testfile.Conformance(t)
	refused := map[string]int{}
	read, size := 0, 0
	start := time.Now()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".hlo") || isBroken(path) {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		m, err := Parse(src, name)
		if err != nil {
			for _, reason := range corpusRefused {
				if strings.Contains(err.Error(), reason) {
					refused[reason]++
					return nil
				}
			}
			t.Error(err)
			return nil
		}
		read, size = read+1, size+len(src)
		checkFixedPoint(t, m, name)
		return nil
	})
	if err != nil || read == 0 {
		t.Fatalf("read %d texts: %v", read, err)
	}
	t.Logf("read %d texts, %d bytes, in %v; refused: %v", read, size, time.Since(start), refused)
}

// isBroken reports whether a file of the corpus is there to be refused.
func isBroken(path string) bool {
	return strings.Contains(path, "formats/text") || filepath.Base(path) == "invalid_concat.hlo"
}

// checkFixedPoint prints m, reads that and prints it again.
func checkFixedPoint(t *testing.T, m *Module, name string) {
	t.Helper()
	text := m.Text()
	again, err := Parse([]byte(text), name+" printed")
	if err != nil {
		t.Error(err)
		return
	}
	if second := again.Text(); second != text {
		t.Errorf("%s: printed twice, first difference:\n%s", name, firstDifference(text, second))
	}
}

func firstDifference(a, b string) string {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range la {
		if i >= len(lb) || la[i] != lb[i] {
			return la[i] + "\n" + strings.Join(lb[min(i, len(lb)-1):min(i+1, len(lb))], "")
		}
	}
	return "the second is longer"
}
