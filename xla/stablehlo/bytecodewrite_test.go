package stablehlo

import (
	"errors"
	"testing"
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
