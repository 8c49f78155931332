package xla

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/internal/spelling"
	"github.com/halo-xla/halo/internal/unsupported"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/hlo/hlopb"
)

// What to do with models of other frameworks. The recipes stand in docs/import.md.
const (
	doTensorFlow = "export the program with tf.function(jit_compile=True), as scripts/export/from_tensorflow.py does"
	doTorch      = "export the program as scripts/export/from_torch.py does, and save weights as safetensors"
	doUnpack     = "unpack it first"
)

// foreign are files that users take for programs or arrays, by what is at a place of theirs, and what to do instead.
var foreign = []struct {
	at          int
	magic, what string
}{
	{0, "\x93NUMPY", "an array in numpy's format, which is an input and no program"},
	{8, "{\"", "a safetensors file: weights, which come beside a program"},
	{0, "\x80", "a Python pickle, which halo never reads: " + doTorch},
	{0, "\x89HDF", "an HDF5 file, as Keras writes models: " + doTensorFlow},
	{4, "TFL3", "a TensorFlow Lite model: " + doTensorFlow},
	{0, "GGUF", "a GGUF file: weights without a program"},
	{0, "\x7fELF", "a library or an executable: libraries of custom calls go with a program"},
	{0, "\x1f\x8b", "compressed by gzip: " + doUnpack},
	{0, "BZh", "compressed by bzip2: " + doUnpack},
	{0, "\xfd7zXZ", "compressed by xz: " + doUnpack},
	{0, "\x28\xb5\x2f\xfd", "compressed by zstd: " + doUnpack},
	{257, "ustar", "a tar archive: " + doUnpack},
	{0, "version https://git-lfs", "a pointer of Git LFS in the place of a file: git lfs pull fetches that"},
	{0, "\xef\xbb\xbf", "text behind a byte order mark: save it as UTF-8 without one"},
	{0, "\xff\xfe", "text in UTF-16: save it as UTF-8"},
	{0, "\xfe\xff", "text in UTF-16: save it as UTF-8"},
	{0, "<!DOCTYPE", "a web page, perhaps in the place of a download"},
	{0, "<html", "a web page, perhaps in the place of a download"},
	{0, "<?xml", "XML, a description and no program"},
	{0, "{ lambda", "a jaxpr: jax.jit(f).lower(...).as_text() gives the program"},
	{0, "; ModuleID", "LLVM's code, which a program was compiled to: dump the program with --xla_dump_hlo_as_proto"},
}

// kinds look closer than at a mark. Each returns "" for files of other kinds.
var kinds = []func(src []byte) string{zipKind, jsonKind, tensorFlowKind, onnxKind, exportKind, textKind}

// Foreign says what a file seems to be whose beginning is src, and what to do with it, if it is neither a program nor
// in a format of arrays; "" if it looks like nothing that is known.
func Foreign(src []byte) string {
	for _, f := range foreign {
		if len(src) > f.at && bytes.HasPrefix(src[f.at:], []byte(f.magic)) {
			return f.what
		}
	}
	for _, kind := range kinds {
		if what := kind(src); what != "" {
			return what
		}
	}
	return ""
}

// notProgram says what the source, whose format is not known, is instead.
func (p Program) notProgram() error {
	src := p.Source
	const want = "want HLO or StableHLO text, MLIR bytecode, a HloModuleProto or a container of jax.export"
	switch what := Foreign(src); {
	case what != "" && what == textKind(src): // of no format that could be read one day
		return fmt.Errorf("%s: %s; %s", p.Name, what, want)
	case what != "":
		return unsupported.Error(fmt.Errorf("%s: %s; %s", p.Name, what, want))
	case len(src) == 0:
		return fmt.Errorf("%s: the file is empty, %s", p.Name, want)
	case bytes.IndexByte(src, 0) >= 0:
		return unsupported.Error(fmt.Errorf("%s: binary data, %s", p.Name, want))
	}
	return &hlo.SyntaxError{Pos: hlo.Pos{File: p.Name, Line: 1, Col: 1},
		Err: fmt.Errorf("no program%s, %s", meantWord(src), want)}
}

// meantWord is a hint at the word that a program would begin with.
func meantWord(src []byte) string {
	words := bytes.Fields(src[:min(len(src), 1000)])
	if len(words) == 0 {
		return ""
	}
	return spelling.Meant(string(words[0]), []string{"HloModule", "ENTRY", "module", "builtin.module", "func.func"})
}

// zipKind tells the archives of PyTorch and numpy by the name of their first member.
func zipKind(src []byte) string {
	const head = 30
	if !bytes.HasPrefix(src, []byte("PK\x03\x04")) {
		return ""
	}
	name := src[min(head, len(src)):]
	if len(src) > head {
		name = name[:min(len(name), int(binary.LittleEndian.Uint16(src[26:])))]
	}
	switch {
	case bytes.HasSuffix(name, []byte(".npy")):
		return "a npz archive: arrays, which come beside a program"
	case bytes.HasSuffix(name, []byte(".pkl")), bytes.HasPrefix(name, []byte("archive/")):
		return "a file of PyTorch, whose pickles halo never reads: " + doTorch
	}
	return "a zip archive: " + doUnpack + ", or " + doTensorFlow + " if Keras wrote it"
}

// pythonStarts are the words that lines of Python begin with, as far as no program's text does.
var pythonStarts = []string{"import ", "from ", "def ", "class ", "@", "if ", "print("}

// textKind tells source code and prose by the first line that is no comment: programs have no "# ".
func textKind(src []byte) string {
	const python = "Python's source and no program: run it, and export what it computes as scripts/export/from_jax.py does"
	text := bytes.TrimLeft(src, " \t\r\n")
	if bytes.HasPrefix(text, []byte("#!")) && !bytes.Contains(text[:min(len(text), 80)], []byte("python")) {
		return "a script and no program"
	}
	marked := bytes.HasPrefix(text, []byte("# ")) || bytes.HasPrefix(text, []byte("##"))
	for bytes.HasPrefix(text, []byte("#")) {
		_, text, _ = bytes.Cut(text, []byte("\n"))
		text = bytes.TrimLeft(text, " \t\r\n")
	}
	starts := func(with string) bool { return bytes.HasPrefix(text, []byte(with)) }
	switch {
	case bytes.IndexByte(src, 0) >= 0: // no text: a container of jax.export may begin with @
	case starts(`"""`) || slices.ContainsFunc(pythonStarts, starts):
		return python
	case marked:
		return "Markdown or another text with comments after \"#\", and no program"
	}
	return ""
}

// jsonKind tells indices of weights from other JSON: an object whose first key is followed by a colon, or a list.
func jsonKind(src []byte) string {
	text := bytes.TrimLeft(src, " \t\r\n")
	switch {
	case len(text) > 1 && text[0] == '[' && bytes.IndexByte([]byte("{[\"]-0123456789 \n\t"), text[1]) >= 0:
	case len(text) > 0 && text[0] == '{':
		key := bytes.TrimLeft(text[1:], " \t\r\n")
		if bytes.HasPrefix(key, []byte("}")) {
			break
		}
		_, rest, ok := bytes.Cut(bytes.TrimPrefix(key, []byte("\"")), []byte("\""))
		if !ok || key[0] != '"' || !bytes.HasPrefix(bytes.TrimLeft(rest, " "), []byte(":")) {
			return ""
		}
	default:
		return ""
	}
	if bytes.Contains(src, []byte("\"weight_map\"")) {
		return "an index of safetensors files: weights, which come beside a program"
	}
	return "JSON, a description and no program: name the file of the program that it stands beside"
}

// tensorFlowKind tells graphs: SavedModel and GraphDef, binary and text.
func tensorFlowKind(src []byte) string {
	switch {
	case bytes.HasPrefix(src, []byte("\x08\x01\x12")), bytes.HasPrefix(src, []byte("saved_model_schema_version")):
		return "a SavedModel of TensorFlow: " + doTensorFlow
	case hlopb.IsGraph(src):
		return "a graph of TensorFlow: " + doTensorFlow
	}
	return ""
}

// onnxKind says whether src begins as a ModelProto does: with the version of its format, 3 or more, then the producer's
// name, the graph or the operator sets.
func onnxKind(src []byte) string {
	const next = "\x12\x3a\x42"
	if len(src) > 3 && src[0] == 8 && src[1] >= 3 && src[1] < 64 && bytes.IndexByte([]byte(next), src[2]) >= 0 {
		return "an ONNX model: scripts/export/from_onnx.py turns it into a program"
	}
	return ""
}

// exportKind looks for the table that begins a container of jax.export, of some twenty fields of at most eight bytes.
func exportKind(src []byte) string {
	const fewest, most = 16, 40
	if len(src) < 16 {
		return ""
	}
	root := uint64(binary.LittleEndian.Uint32(src))
	if root+4 > uint64(len(src)) {
		return ""
	}
	at := int64(root) - int64(int32(binary.LittleEndian.Uint32(src[root:])))
	if at < 4 || at+4 > int64(len(src)) {
		return ""
	}
	fields := (int(binary.LittleEndian.Uint16(src[at:])) - 4) / 2
	if size := int(binary.LittleEndian.Uint16(src[at+2:])); fields < fewest || fields > most || size < 4 || size > 8*most {
		return ""
	}
	return "a container of jax.export that was cut short or damaged: write or fetch it once more"
}
