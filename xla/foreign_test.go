package xla_test

import (
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla"
)

// Files of other kinds are called by their names.
func TestForeignFiles(t *testing.T) {
	for src, want := range map[string]string{
		"":                       "the file is empty",
		"\x93NUMPY\x01\x00v\x00": "an array in numpy's format",
		"\x10\x00\x00\x00\x00\x00\x00\x00{\"a\":{}}": "a safetensors file",
		"PK\x03\x04\x00\x00":                         "a zip archive",
		"\x80\x04\x95\x10\x00\x00\x00":               "a Python pickle",
		"\x89HDF\r\n\x1a\n\x00":                      "an HDF5 file",
		"\x1c\x00\x00\x00TFL3\x00":                   "a TensorFlow Lite model",
		"GGUF\x03\x00\x00\x00":                       "a GGUF file",
		"\x7fELF\x02\x01\x01\x00":                    "a library or an executable",
		"\x1f\x8b\x08\x00":                           "compressed by gzip",
		"\x08\x0b\x12\x07pytorch:\x00":               "an ONNX model: scripts/export/from_onnx.py",
		"\x08\x0d:\x20\x0a\x0a\x0a\x01x":             "an ONNX model",
		"\x01\x02\x00":                               "binary data",
		"Dear halo":                                  "file:1:1: no program",
	} {
		_, err := xla.Read(xla.Program{Name: "file", Source: []byte(src)})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "want HLO or StableHLO text") {
			t.Errorf("%q: got %v, want %q in it", src, err, want)
		}
	}
}
