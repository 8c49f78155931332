package xla_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
)

// sampled says that one file in so many is taken of the outside programs, unless HALO_ROUNDTRIPS=all. A folder has one
// program in several forms.
const sampled = 7

// programsBelow calls f with every program below root that is read, and returns how many these are.
func programsBelow(t *testing.T, root string, f func(path string, m *hlo.Module)) int {
	n, files := 0, 0
	every := sampled
	if root == "../testdata" || os.Getenv("HALO_ROUNDTRIPS") == "all" {
		every = 1
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".npy") || strings.HasSuffix(path, ".json") {
			return err
		}
		if files++; files%every != 0 {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil || xla.Detect(src) == xla.NoProgram {
			return err
		}
		for _, p := range xla.Split(xla.Program{Name: path, Source: src}) {
			if m, err := xla.Read(p); err == nil {
				n++
				f(path, m)
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Errorf("%d programs below %s: %v", n, root, err)
	}
	return n
}

// TestRoundTrips wants every form that is written of a program to be read as the same program: text of HLO, protos,
// text of StableHLO, bytecode.
func TestRoundTrips(t *testing.T) {
	r := roundTrips{T: t}
	n := programsBelow(t, "../testdata", r.check)
	if os.Getenv("HALO_CONFORMANCE") != "" {
		n += programsBelow(t, testfile.Conformance(t), r.check)
	}
	t.Logf("%d programs, %d of them written as StableHLO, %d as bytecode", n, r.stablehlo, r.bytecode)
}

// roundTrips counts what was written.
type roundTrips struct {
	*testing.T
	stablehlo, bytecode int
}

func (t *roundTrips) check(path string, m *hlo.Module) {
	t.hlo(path, m)
	t.mlir(path, m)
}

// read reads a form of a program; nil if it cannot be read.
func (t *roundTrips) read(path, form string, src []byte) *hlo.Module {
	m, err := xla.Read(xla.Program{Name: path, Source: src})
	if err != nil {
		t.Errorf("%s as %s: %v", path, form, err)
		return nil
	}
	return m
}

// same compares two texts.
func (t *roundTrips) same(path, form, want, got string) bool {
	if want != got {
		t.Errorf("%s as %s: %s", path, form, firstDifference(want, got))
	}
	return want == got
}

// hlo writes a program as text of HLO and as HloModuleProto, binary and text.
func (t *roundTrips) hlo(path string, m *hlo.Module) {
	text, pb := m.Text(), xla.HLOModuleProto(m)
	if n := t.read(path, "HLO", []byte(text)); n != nil {
		t.same(path, "HLO", text, n.Text())
	}
	n := t.read(path, "HloModuleProto", pb)
	if n == nil || !t.same(path, "HloModuleProto", text, n.Text()) {
		return
	}
	if again := xla.HLOModuleProto(n); !bytes.Equal(again, pb) {
		t.Errorf("%s: written twice, the HloModuleProto has %d bytes, then %d", path, len(pb), len(again))
	}
	n = t.read(path, "HloModuleProto in text", []byte(xla.HLOModuleProtoText(n)))
	if n != nil && !strings.Contains(text, "nan") { // whose bits that text does not have
		t.same(path, "HloModuleProto in text", text, n.Text())
	}
}

// respelled is what bytecode says in another way than text: VHLO has neither ops of CHLO nor lists that are no tensors,
// and for names of functions strings.
var respelled = regexp.MustCompile(`"chlo\.|array<[iuf]\d+|interpreter.run_parallel`)

// mlir writes a program as text of StableHLO and as bytecode, and the bytecode's program again.
func (t *roundTrips) mlir(path string, m *hlo.Module) {
	text, err := xla.StableHLO(m)
	if err != nil {
		t.unsupported(path, err)
		return // HLO that has no form in StableHLO, which export's own tests are about
	}
	t.stablehlo++
	if m = t.read(path, "StableHLO", []byte(text)); m == nil {
		return
	}
	if strings.Contains(text, `"chlo.`) { // which the importer writes out, for some types
		if text, err = xla.StableHLO(m); err == nil {
			m = t.read(path, "StableHLO without CHLO", []byte(text))
		}
		if m == nil {
			return
		}
	}
	again, err := xla.StableHLO(m)
	if err != nil || !t.same(path, "StableHLO", text, again) {
		t.unsupported(path, err)
		return
	}
	code, err := xla.Bytecode(m, "")
	if err != nil {
		t.unsupported(path, err)
		return // what no version of VHLO has
	}
	t.bytecode++
	if m = t.read(path, "bytecode", code); m == nil {
		return
	}
	if again, err = xla.StableHLO(m); err != nil {
		t.Errorf("%s as bytecode: %v", path, err)
		return
	}
	if !respelled.MatchString(text) && !t.same(path, "bytecode", text, again) {
		return
	}
	if m = t.read(path, "bytecode and StableHLO", []byte(again)); m == nil {
		return
	}
	if twice, err := xla.Bytecode(m, ""); err != nil || !bytes.Equal(twice, code) {
		t.Errorf("%s: written twice, the bytecode has %d bytes, then %d (%v)", path, len(code), len(twice), err)
	}
}

// unsupported wants an error to be of what a form lacks.
func (t *roundTrips) unsupported(path string, err error) {
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%s: %v", path, err)
	}
}

// firstDifference shows the first lines that differ, from shortly before they do.
func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		n := 0
		for n < min(len(a[i]), len(b[i])) && a[i][n] == b[i][n] {
			n++
		}
		n = max(n-40, 0)
		return "got\n" + clip(b[i][n:]) + "\nwant\n" + clip(a[i][n:])
	}
	return "one text has more lines"
}

func clip(s string) string { return s[:min(len(s), 200)] }
