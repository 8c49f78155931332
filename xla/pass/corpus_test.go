package pass

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
)

// TestCorpus runs all passes on every HLO text under $HALO_CONFORMANCE that can be read and verified: each stage is
// verified, and its text reads back.
func TestCorpus(t *testing.T) {
	root := testfile.Conformance(t)
	read, before, after := 0, 0, 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".hlo") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		m, err := hlo.Parse(src, filepath.Base(path))
		if err != nil || hlo.Verify(m) != nil {
			return nil // the tests of hlo judge these
		}
		n, err := Run(t.Context(), m, append(everyPass(), everyPass()...), Options{Verify: true})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		if _, err := hlo.Parse([]byte(n.Text()), filepath.Base(path)); err != nil {
			t.Errorf("%s: after all passes: %v", path, err)
		}
		read, before, after = read+1, before+size(m), after+size(n)
		return nil
	})
	if err != nil || read == 0 {
		t.Fatalf("read %d texts: %v", read, err)
	}
	t.Logf("%d texts of %d instructions, %d after the passes", read, before, after)
}

func size(m *hlo.Module) int {
	n := 0
	for _, c := range m.Computations {
		n += len(c.Instructions)
	}
	return n
}
