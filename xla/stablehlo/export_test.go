package stablehlo

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/opcase"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// exported turns m into text and reads it back.
func exported(m *hlo.Module) (string, *hlo.Module, error) {
	p, err := Export(m)
	if err != nil {
		return "", nil, err
	}
	text := p.String()
	back, err := Parse(Text{Source: text, File: "exported.mlir"})
	if err != nil {
		return text, nil, fmt.Errorf("reading back: %w", err)
	}
	if back.Module == nil {
		return text, nil, errors.New("reading back: no entry")
	}
	return text, back.Module, nil
}

// noForm are the cases of the ops that StableHLO does not have.
var noForm = []string{"ragged-all-to-all.hlo", "rng-get-and-update-state.hlo", "scaled-dot.hlo", "stochastic-convert.hlo"}

// TestExportOps writes the cases of every op and reads them back: they must give what they gave before.
func TestExportOps(t *testing.T) {
	testfile.Run(t, "../../testdata/ops/*.hlo", func(t *testing.T, c *testfile.Case) {
		m, err := hlo.Parse([]byte(c.Source()), c.File)
		if err != nil {
			t.Fatal(err)
		}
		text, back, err := exported(m)
		if want := slices.Contains(noForm, filepath.Base(c.File)); want != errors.Is(err, errors.ErrUnsupported) {
			t.Fatalf("got %v, want that StableHLO has no such op: %v", err, want)
		} else if want {
			return
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		checkFixed(t, back)
		if len(c.All("fails")) > 0 {
			return
		}
		want, err := opcase.Run(t, c, m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := opcase.Run(t, c, back)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if len(got) != len(want) {
			t.Fatalf("got %d arrays, want %d\n%s", len(got), len(want), text)
		}
		for i := range got {
			if d := literal.Compare(got[i].RowMajor(), want[i].RowMajor(), tolerance(text)); d != nil {
				t.Errorf("result %d: %v\n%s", i, d, text)
			}
		}
	})
}

// checkFixed wants m, which was read from what Export wrote, to be written and read without further change. The first
// reading may change something: it takes apart what HLO has no op for.
func checkFixed(t *testing.T, m *hlo.Module) {
	t.Helper()
	want, next, err := exported(m)
	if err != nil {
		t.Fatalf("exported again: %v", err)
	}
	got, _, err := exported(next)
	if err != nil {
		t.Fatalf("exported a third time: %v", err)
	}
	if got != want {
		t.Errorf("exported a third time:\n%swant\n%s", got, want)
	}
}

// tolerance is how far a program read back may stray: what CHLO's ops are made of rounds more than once.
func tolerance(text string) literal.Tolerance {
	if strings.Contains(text, `"chlo.`) {
		return literal.Tolerance{ULP: 8, ATol: 1e-6}
	}
	return literal.Tolerance{}
}

// TestExportCorpus writes every program of the corpora that can be read, and reads it back: the second text is the first.
func TestExportCorpus(t *testing.T) {
	done, refused := 0, 0
	corpus(t, []string{"conformance/stablehlo", "conformance/accept", "conformance/jax", "models"}, func(t *testing.T, path, text string) {
		for i, chunk := range SplitChunks(path, text) {
			p, err := Parse(chunk)
			if err != nil || p.Module == nil {
				continue
			}
			name := fmt.Sprintf("%s (%d)", path, i)
			_, back, err := exported(p.Module)
			if errors.Is(err, errors.ErrUnsupported) {
				refused++
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			t.Run(name, func(t *testing.T) { checkFixed(t, back) })
			done++
		}
	})
	t.Logf("%d programs, %d refused", done, refused)
}

// TestExportBranches wants a short program whose branches have branches, each used twice, to be refused before it takes
// much memory.
func TestExportBranches(t *testing.T) {
	text := "HloModule m\nc0 { ROOT p = f32[] parameter(0) }\n"
	for i := range 60 {
		text += fmt.Sprintf("c%d { p = f32[] parameter(0)\n k = pred[] constant(true)\n"+
			"ROOT a = f32[] conditional(k, p, p), true_computation=c%d, false_computation=c%[2]d }\n", i+1, i)
	}
	m, err := hlo.Parse([]byte(text+"ENTRY e { p = f32[] parameter(0)\n ROOT r = f32[] call(p), to_apply=c60 }\n"), "m.hlo")
	if err != nil {
		t.Fatal(err)
	}
	testfile.Bounded(t, 1<<17, 1<<10, func() {
		if _, err := Export(m); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("got %v, want that it has too many ops", err)
		}
	})
}
