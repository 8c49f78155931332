package xla

import (
	"bytes"
	"errors"
	"fmt"
)

// foreign are files that users take for programs, by what is at a place of theirs, and what to do instead.
var foreign = []struct {
	at          int
	magic, what string
}{
	{0, "\x93NUMPY", "an array in numpy's format, which is an input and no program"},
	{8, "{\"", "a safetensors file: weights, which come beside a program"},
	{0, "PK\x03\x04", "a zip archive, as PyTorch and numpy write: export the program, save weights as safetensors"},
	{0, "\x80", "a Python pickle, which halo never reads: export the program, and save weights as safetensors"},
	{0, "\x89HDF", "an HDF5 file, as Keras writes models: export the program with tf.function and jit_compile"},
	{4, "TFL3", "a TensorFlow Lite model: export the program with tf.function and jit_compile"},
	{0, "GGUF", "a GGUF file: weights without a program"},
	{0, "\x7fELF", "a library or an executable: libraries of custom calls go with a program"},
	{0, "\x1f\x8b", "compressed by gzip: unpack it first"},
}

// notProgram says what the source, whose format is not known, is instead.
func (p Program) notProgram() error {
	src := p.Source
	const want = "want HLO or StableHLO text, MLIR bytecode, a HloModuleProto or a container of jax.export"
	for _, f := range foreign {
		if len(src) > f.at && bytes.HasPrefix(src[f.at:], []byte(f.magic)) {
			return fmt.Errorf("%s: %s; %s: %w", p.Name, f.what, want, errors.ErrUnsupported)
		}
	}
	switch {
	case len(src) == 0:
		return fmt.Errorf("%s: the file is empty, %s", p.Name, want)
	case isONNX(src):
		return fmt.Errorf("%s: an ONNX model: scripts/export/from_onnx.py turns it into a program; %s: %w", p.Name, want,
			errors.ErrUnsupported)
	case bytes.IndexByte(src, 0) >= 0:
		return fmt.Errorf("%s: binary data, %s: %w", p.Name, want, errors.ErrUnsupported)
	}
	return fmt.Errorf("%s:1:1: no program, %s", p.Name, want)
}

// isONNX says whether src begins as a ModelProto does: with the version of its format, 3 or more, then the producer's
// name, the graph or the operator sets.
func isONNX(src []byte) bool {
	const next = "\x12\x3a\x42"
	return len(src) > 3 && src[0] == 8 && src[1] >= 3 && src[1] < 64 && bytes.IndexByte([]byte(next), src[2]) >= 0
}
