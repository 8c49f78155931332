package stablehlo

import (
	"errors"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
)

// TestCorpusBytecodeWritten wants every program of the corpus to be the same after it was written and read again.
func TestCorpusBytecodeWritten(t *testing.T) {
	same, unsupported := 0, 0
	bytecodeCorpus(t, bytecodeFolders, func(t *testing.T, path string, data []byte) {
		prog, err := ReadBytecode(data, path)
		if err != nil {
			t.Error(err)
			return
		}
		written, err := WriteBytecode(prog, BytecodeOptions{})
		if errors.Is(err, errors.ErrUnsupported) {
			unsupported++
			t.Log(err)
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
		again, err := ReadBytecode(written, path)
		if err != nil {
			t.Error(err)
			return
		}
		same++
		if d := differ(again.String(), prog.String()); d != "" && !sameHLO(again, prog) {
			t.Errorf("%s: %.2000s", path, d)
		}
	})
	t.Logf("%d are the same, %d cannot be written", same, unsupported)
}

// sameHLO reports whether two programs, which may spell defaults in different ways, are one in HLO.
func sameHLO(a, b *Program) bool {
	x, errX := Import(a)
	y, errY := Import(b)
	return errX == nil && errY == nil && x.Module.Text() == y.Module.Text()
}

// TestCorpusRoundTrip wants bytecode to text to bytecode to give equal programs, and to stay as it is from then on.
func TestCorpusRoundTrip(t *testing.T) {
	var r roundTrips
	bytecodeCorpus(t, bytecodeFolders, func(t *testing.T, path string, data []byte) {
		if im, err := ParseBytecode(data, path); err == nil && im.Module != nil { // else TestCorpusBytecode says why
			r.check(t, path, im)
		}
	})
	corpus(t, []string{"conformance/accept", "conformance/stablehlo/interpret", "conformance/math", "conformance/jax", "models",
		"producers"}, func(t *testing.T, path, text string) {
		for _, chunk := range SplitChunks(path, text) {
			if im, err := Parse(chunk); err == nil && im.Module != nil {
				r.check(t, path, im)
			}
		}
	})
	t.Logf("%d come back, %d of them after they were written once, %d cannot be written", r.equal, r.settled, r.unsupported)
}

// roundTrips counts programs that came back, those of them that were another text once, and those that could not be
// written.
type roundTrips struct{ equal, settled, unsupported int }

func (r *roundTrips) check(t *testing.T, path string, im *Imported) {
	tree, err := Export(im.Module)
	if errors.Is(err, errors.ErrUnsupported) {
		r.unsupported++
		return
	}
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	want := tree.String()
	got, err := throughBytecode(path, want)
	if err == nil && got != want { // it spells a number in another way than MLIR, or has an op that VHLO lacks
		r.settled++
		want = got
		got, err = throughBytecode(path, want)
	}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		r.unsupported++
		t.Logf("%s: %v", path, err)
	case err != nil:
		t.Errorf("%s: %v", path, err)
	case got != want:
		t.Errorf("%s: %.1000s", path, differ(got, want))
	default:
		r.equal++
	}
}

// throughBytecode writes the program of a text as bytecode, reads that, and writes it as text.
func throughBytecode(path, text string) (string, error) {
	im, err := Parse(Text{File: path, Source: text})
	if err != nil {
		return "", err
	}
	tree, err := Export(im.Module)
	if err != nil {
		return "", err
	}
	data, err := WriteBytecode(tree, BytecodeOptions{})
	if err != nil {
		return "", err
	}
	if im, err = ParseBytecode(data, path); err != nil {
		return "", err
	}
	if tree, err = Export(im.Module); err != nil {
		return "", err
	}
	return tree.String(), nil
}

// TestMetadata wants names and places to come through bytecode.
func TestMetadata(t *testing.T) {
	const want = `metadata={op_name="jit(f)/add" source_file="model \"a\".py" source_line=12}`
	m, err := hlo.Parse([]byte("ENTRY e { a = f32[2] parameter(0)\n ROOT r = f32[2] add(a, a), "+want+" }"), "t.hlo")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Export(m)
	if err != nil {
		t.Fatal(err)
	}
	data, err := WriteBytecode(tree, BytecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	im, err := ParseBytecode(data, "t.bc")
	if err != nil {
		t.Fatal(err)
	}
	if text := im.Module.Text(); !strings.Contains(text, want) {
		t.Errorf("got %s, want %s", text, want)
	}
}
