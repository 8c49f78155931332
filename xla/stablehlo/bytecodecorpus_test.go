package stablehlo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
)

// bytecodeCorpus calls f with every file of MLIR bytecode under the given folders of $HALO_CONFORMANCE.
func bytecodeCorpus(t *testing.T, folders []string, f func(t *testing.T, path string, data []byte)) {
	root := testfile.Conformance(t)
	n := 0
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".bc") {
				return err
			}
			data, err := os.ReadFile(path)
			if err == nil {
				n++
				f(t, path, data)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if n == 0 {
		t.Errorf("no bytecode under %s", root)
	}
}

var bytecodeFolders = []string{"conformance/vhlo", "conformance/jax", "models", "producers"}

// TestCorpusBytecode wants the bytecode of every program to be what its text is, or to be imported where it is not made
// from the same: where CHLO was expanded, and where the producer went its own way to each.
func TestCorpusBytecode(t *testing.T) {
	equal, imported, unsupported := 0, 0, 0
	bytecodeCorpus(t, bytecodeFolders, func(t *testing.T, path string, data []byte) {
		prog, err := ReadBytecode(data, path)
		if err != nil {
			t.Error(err)
			return
		}
		got, gotErr := Import(prog)
		wantSameBodies(t, path, data, got, gotErr)
		text, err := os.ReadFile(strings.TrimSuffix(path, ".bc"))
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
		want, wantErr := Parse(Text{File: path, Source: string(text)})
		if gotErr != nil || wantErr != nil {
			if unsupported++; message(gotErr) != message(wantErr) {
				t.Errorf("%s: got %v, want %v", path, gotErr, wantErr)
			}
			return
		}
		if strings.Contains(string(text), "chlo.") || differentText.MatchString(path) {
			imported++
			return
		}
		equal++
		if difference := differ(bareText(got.Module), bareText(want.Module)); difference != "" {
			t.Errorf("%s: %s", path, difference)
		}
	})
	t.Logf("%d are what their text is, %d were imported, %d are refused as their text is", equal, imported, unsupported)
}

// differentText are the programs whose text was not made from the same as their bytecode: one lost an op that nobody
// uses, those of other producers went different ways.
var differentText = regexp.MustCompile("/producers/|/ctc_loss/")

// message is an error without its place.
func message(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Msg
	}
	return ""
}

var (
	metadata = regexp.MustCompile(`, metadata=\{[^}]*\}`)
	// The names of a text are not in bytecode.
	names = regexp.MustCompile(`%[-\w.]+|[-\w.]+(: )`)
)

// bareText is the text of a module without names and places, and its lines in order.
func bareText(m *hlo.Module) string {
	if m == nil {
		return ""
	}
	text := names.ReplaceAllString(metadata.ReplaceAllString(m.Text(), ""), "%$1")
	return strings.Join(slices.Compact(slices.Sorted(strings.SplitSeq(text, "\n"))), "\n")
}

// differ returns the first line in which two texts differ.
func differ(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got " + g[i] + "\nwant " + w[i]
		}
	}
	if len(g) != len(w) {
		return "texts differ in length"
	}
	return ""
}
