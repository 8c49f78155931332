package xla_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla"
)

// corpus calls f with every program below $HALO_CONFORMANCE that is read, without StableHLO's own tests if -short is
// given, and wants there to be some.
func corpus(t *testing.T, f func(path string, p xla.Program)) {
	root := testfile.Conformance(t)
	n := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "stablehlo" && testing.Short() {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".npy") || strings.HasSuffix(path, ".json") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil || xla.Detect(src) == xla.NoProgram {
			return err
		}
		for _, p := range xla.Split(xla.Program{Name: path, Source: src}) {
			if m, err := xla.Read(p); err == nil {
				n++
				f(path, xla.Program{Name: path, Module: m})
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Errorf("%d programs below %s: %v", n, root, err)
	}
}

// TestProtoRoundTrip writes every program as HloModuleProto, binary and text, and wants the same text and the same
// bytes again.
func TestProtoRoundTrip(t *testing.T) {
	corpus(t, func(path string, p xla.Program) {
		text, pb := p.Module.Text(), xla.HLOModuleProto(p.Module)
		m, err := xla.Read(xla.Program{Name: path, Source: pb})
		if err != nil {
			t.Errorf("%s as HloModuleProto: %v", path, err)
			return
		}
		if again := m.Text(); again != text {
			t.Errorf("%s as HloModuleProto: %s", path, firstDifference(text, again))
			return
		}
		if again := xla.HLOModuleProto(m); !bytes.Equal(again, pb) {
			t.Errorf("%s: written twice, the HloModuleProto has %d bytes, then %d", path, len(pb), len(again))
		}
		m, err = xla.Read(xla.Program{Name: path, Source: []byte(xla.HLOModuleProtoText(m))})
		if err != nil {
			t.Errorf("%s as HloModuleProto in text: %v", path, err)
			return
		}
		if again := m.Text(); again != text && !strings.Contains(text, "nan") { // whose bits that text does not have
			t.Errorf("%s as HloModuleProto in text: %s", path, firstDifference(text, again))
		}
	})
}

// firstDifference shows the first lines that differ.
func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "got\n" + clip(b[i]) + "\nwant\n" + clip(a[i])
		}
	}
	return "one text has more lines"
}

func clip(s string) string { return s[:min(len(s), 400)] }
