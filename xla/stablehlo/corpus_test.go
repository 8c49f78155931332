package stablehlo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

// corpus calls f with every .mlir file under the given folders of $HALO_CONFORMANCE.
func corpus(t *testing.T, folders []string, f func(t *testing.T, path, text string)) {
	root := testfile.Conformance(t)
	n := 0
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".mlir") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			n++
			f(t, path, string(text))
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if n == 0 {
		t.Errorf("no .mlir file under %s", root)
	}
}

// TestCorpusParses wants every program of the corpora to have a tree.
func TestCorpusParses(t *testing.T) {
	folders := []string{"conformance/stablehlo", "conformance/math", "conformance/accept", "conformance/jax",
		"conformance/vhlo", "models", "producers"}
	failures := 0
	corpus(t, folders, func(t *testing.T, path, text string) {
		if strings.Contains(path, "/formats/") { // programs with faults
			return
		}
		for _, chunk := range SplitChunks(path, text) {
			if _, err := ParseAST(chunk); err != nil {
				if failures++; failures < 30 {
					t.Error(err)
				}
			}
		}
	})
}

// TestCorpusRejects wants every program that breaks a rule to be refused, with a place.
func TestCorpusRejects(t *testing.T) {
	corpus(t, []string{"conformance/reject"}, func(t *testing.T, path, text string) {
		for _, chunk := range SplitChunks(path, text) {
			_, err := Parse(chunk)
			if err == nil {
				t.Errorf("%s: no error", path)
			} else if e, ok := err.(*Error); !ok || e.Pos.Line == 0 {
				t.Errorf("%s: error without a place: %v", path, err)
			}
		}
	})
}

// TestCorpusImports wants every right program to be imported, or to be refused as not supported.
func TestCorpusImports(t *testing.T) {
	folders := []string{"conformance/accept", "conformance/stablehlo", "conformance/math", "conformance/jax",
		"models", "producers"}
	imported, unsupported := 0, 0
	corpus(t, folders, func(t *testing.T, path, text string) {
		if strings.Contains(path, "/formats/") { // programs with faults
			return
		}
		for _, chunk := range SplitChunks(path, text) {
			switch _, err := Parse(chunk); {
			case errors.Is(err, errors.ErrUnsupported):
				unsupported++
			case err != nil:
				t.Error(err)
			default:
				imported++
			}
		}
	})
	t.Logf("%d imported, %d not supported", imported, unsupported)
}
