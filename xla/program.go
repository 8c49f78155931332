package xla

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/halo-xla/halo/internal/unsupported"
	"github.com/halo-xla/halo/xla/export"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/hlo/hlopb"
	"github.com/halo-xla/halo/xla/stablehlo"
)

// Program is what Compile takes: the bytes of a file in any format that is understood, or a module.
type Program struct {
	// Name is the file's name, for error positions.
	Name string
	// Line is the line of the file on which Source begins; 0 means 1.
	Line int
	// Source is the program: text, MLIR bytecode, a protocol buffer, or a container of jax.export.
	Source []byte
	// chunk says that Split made the program.
	chunk bool
	// Lenient lets elementwise ops of HLO, text or protos, have operands of several float types, as XLA does: the widest
	// is taken.
	Lenient bool
	// Module is a module that was built or read already; Source is ignored then.
	Module *hlo.Module
}

// Format is a form in which programs are written.
type Format string

// The formats.
const (
	HLOText      Format = "hlo"
	MLIRText     Format = "mlir"
	MLIRBytecode Format = "mlir.bc"
	JAXExport    Format = "jax_export"
	HLOProto     Format = "pb"    // HloModuleProto, HloProto or HloSnapshot
	HLOProtoText Format = "pbtxt" // the same in text
	NoProgram    Format = ""
)

// Detect returns the format of src by its content, NoProgram if it is none that is known.
func Detect(src []byte) Format {
	if f, text := hlopb.Detect(src); f != hlopb.None {
		return map[bool]Format{false: HLOProto, true: HLOProtoText}[text]
	}
	s := skipComments(src)
	switch {
	case stablehlo.IsBytecode(src):
		return MLIRBytecode
	case export.Is(src):
		return JAXExport
	case bytes.IndexByte(src[:min(len(src), 512)], 0) >= 0:
		return NoProgram
	case len(s) == 0:
		return NoProgram
	case jsonKind(s) != "" || hlopb.IsGraph(src) || bytes.HasPrefix(s, []byte("{ lambda")):
		return NoProgram
	case (s[0] == '#' || s[0] == '"') && textKind(s) != "":
		return NoProgram
	case strings.ContainsRune("#!\"{", rune(s[0])):
		return MLIRText
	case s[0] == '%' && !bytes.HasPrefix(s, []byte("%0")):
		return HLOText
	}
	word := string(s[:len(s)-len(bytes.TrimLeft(s, wordBytes))])
	rest := bytes.TrimLeft(s[len(word):], " \t\r\n")
	switch {
	case word == "HloModule" || word == "ENTRY":
		return HLOText
	case word == "module" || word == "func.func" || word == "builtin.module":
		return MLIRText
	case word != "" && len(rest) > 0 && (rest[0] == '{' || rest[0] == '('): // a computation without a module's line
		return HLOText
	}
	return NoProgram
}

// wordBytes are the bytes of names.
const wordBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

// skipComments drops leading white space and // and /* */ comments.
func skipComments(s []byte) []byte {
	for {
		s = bytes.TrimLeft(s, " \t\r\n")
		switch {
		case bytes.HasPrefix(s, []byte("//")):
			if _, rest, ok := bytes.Cut(s, []byte("\n")); ok {
				s = rest
			} else {
				return nil
			}
		case bytes.HasPrefix(s, []byte("/*")):
			if _, rest, ok := bytes.Cut(s, []byte("*/")); ok {
				s = rest
			} else {
				return nil
			}
		default:
			return s
		}
	}
}

// Read parses and verifies a program. A text must hold one module: Split cuts a file of several.
func Read(p Program) (m *hlo.Module, err error) {
	defer guard(&err)
	if m, err = p.parse(); err == nil {
		err = hlo.Verify(m)
	}
	if err != nil {
		return nil, wrap(err, InvalidArgument)
	}
	return m, nil
}

// Snapshot is a program with the arguments and the result of one execution, as a HloSnapshot holds them.
type Snapshot = hlopb.Snapshot

// ReadSnapshot is Read that also returns the arguments and the result that a HloSnapshot has; of other files it returns
// the program alone.
func ReadSnapshot(p Program) (s *Snapshot, err error) {
	defer guard(&err)
	if f := Detect(p.Source); p.Module != nil || f != HLOProto && f != HLOProtoText {
		m, err := Read(p)
		return &Snapshot{Module: m}, err
	}
	if s, err = hlopb.ParseSnapshot(p.Source, p.Name, hlopb.Options{Lenient: p.Lenient}); err == nil {
		err = hlo.Verify(s.Module)
	}
	if err != nil {
		return nil, wrap(err, InvalidArgument)
	}
	return s, nil
}

func (p Program) parse() (*hlo.Module, error) {
	if p.Module != nil {
		return p.Module, nil
	}
	if p.Name == "" {
		p.Name = "program"
	}
	format := Detect(p.Source)
	if p.chunk && format == NoProgram {
		format = MLIRText // which may be empty
	}
	switch format {
	case HLOText:
		above := bytes.Repeat([]byte("\n"), max(p.Line-1, 0)) // so that positions are the file's
		read := hlo.Parse
		if p.Lenient {
			read = hlo.ParseLenient
		}
		return read(append(above, p.Source...), p.Name)
	case MLIRText:
		return p.entryOf(stablehlo.Parse(stablehlo.Text{File: p.Name, Line: max(p.Line, 1), Source: string(p.Source)}))
	case MLIRBytecode:
		return p.entryOf(stablehlo.ParseBytecode(p.Source, p.Name))
	case JAXExport:
		return parseExported(p)
	case HLOProto, HLOProtoText:
		s, err := hlopb.ParseSnapshot(p.Source, p.Name, hlopb.Options{Lenient: p.Lenient})
		if err != nil {
			return nil, err
		}
		return s.Module, nil
	}
	return nil, p.notProgram()
}

// ErrNoEntry is the error of a program that is right but has several functions, of which none is the one to run.
var ErrNoEntry = unsupported.Error(errors.New("none of the functions is called main, and several can be called " +
	"from outside: call the one to run main, or make the others private"))

// entryOf returns the module of what was imported.
func (p Program) entryOf(in *stablehlo.Imported, err error) (*hlo.Module, error) {
	switch {
	case err != nil:
		return nil, err
	case in.Module != nil:
		return in.Module, nil
	case len(in.Functions)+len(in.Unsupported) > 0:
		return nil, fmt.Errorf("%s: %w", p.Name, ErrNoEntry)
	}
	b := hlo.NewBuilder("main") // a text without functions: there is nothing to run
	entry, err := b.Build(b.Tuple())
	if err != nil {
		return nil, err
	}
	return hlo.NewModule("main", entry), nil
}

// Split cuts a text at its lines "// -----" into programs that keep their line numbers. Bytecode and protocol buffers
// are one program.
func Split(p Program) []Program {
	if f := Detect(p.Source); f != HLOText && f != MLIRText && f != NoProgram {
		return []Program{p}
	}
	var out []Program
	for _, t := range stablehlo.SplitChunks(p.Name, string(p.Source)) {
		out = append(out, Program{Name: p.Name, Line: t.Line, Source: []byte(t.Source), chunk: true})
	}
	return out
}

// StableHLO returns m as text of StableHLO and CHLO ops, which Read takes back. It fails with errors.ErrUnsupported for
// what the dialects lack.
func StableHLO(m *hlo.Module) (string, error) {
	p, err := stablehlo.Export(m)
	if err != nil {
		return "", wrap(err, InvalidArgument)
	}
	return p.String(), nil
}

// Bytecode returns m as MLIR bytecode, a portable artifact of VHLO, which Read takes back and JAX reads. Target is the
// version of VHLO, such as "1.0.0"; with "" it is the oldest from 1.0.0 on that can hold the program. It fails with
// errors.ErrUnsupported for what VHLO lacks.
func Bytecode(m *hlo.Module, target string) ([]byte, error) {
	var o stablehlo.BytecodeOptions
	var err error
	if target != "" {
		if o.Target, err = stablehlo.ParseVHLOVersion(target); err != nil {
			return nil, wrap(err, InvalidArgument)
		}
	}
	p, err := stablehlo.Export(m)
	if err != nil {
		return nil, wrap(err, InvalidArgument)
	}
	b, err := stablehlo.WriteBytecode(p, o)
	return b, wrap(err, InvalidArgument)
}

// HLOSnapshot returns a program, its arguments on one device and its result as a HloSnapshot, which ReadSnapshot reads.
func HLOSnapshot(s *Snapshot) []byte { return hlopb.MarshalSnapshot(s) }

// HLOModuleProto returns m as a HloModuleProto of XLA, which Read takes back.
func HLOModuleProto(m *hlo.Module) []byte { return hlopb.Marshal(m) }

// HLOModuleProtoText returns m as a HloModuleProto in the text format of protocol buffers, which Read takes back.
func HLOModuleProtoText(m *hlo.Module) string { return hlopb.MarshalText(m) }
