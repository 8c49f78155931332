package library

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// header is the part of a 64-bit ELF header that says where the rest of the file is.
type header struct {
	order        binary.ByteOrder
	programs     uint64 // where the program headers begin
	sections     uint64
	programSize  uint64 // bytes of one
	programCount uint64
	sectionSize  uint64
	sectionCount uint64
}

const headerSize = 64

// wrongOrder is the other order of bytes than this machine's.
var wrongOrder = map[bool]elf.Data{true: elf.ELFDATA2MSB, false: elf.ELFDATA2LSB}[littleEndian()]

func littleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

// parseHeader reads the first bytes of a file and refuses what is no shared library for this machine.
func parseHeader(b []byte) (*header, error) {
	switch {
	case len(b) == 0:
		return nil, errors.New("is empty, want a shared library")
	case !bytes.HasPrefix(b, []byte(elf.ELFMAG)):
		return nil, fmt.Errorf("is no ELF file but %s, want a shared library", kindOf(b))
	case len(b) < headerSize:
		return nil, fmt.Errorf("is cut short: it has %d bytes, and an ELF header alone takes %d", len(b), headerSize)
	case elf.Data(b[elf.EI_DATA]) == wrongOrder:
		return nil, fmt.Errorf("is for a machine with another order of bytes than this one's, %s", nameOf(here()))
	}
	h := &header{order: binary.NativeEndian}
	m := elf.Machine(h.order.Uint16(b[18:]))
	switch {
	case elf.Class(b[elf.EI_CLASS]) != elf.ELFCLASS64:
		return nil, fmt.Errorf("is a 32-bit library (%s), want a 64-bit one for %s", nameOf(m), nameOf(here()))
	case m != here():
		return nil, fmt.Errorf("is for %s, and this machine is %s", nameOf(m), nameOf(here()))
	}
	if err := checkType(elf.Type(h.order.Uint16(b[16:]))); err != nil {
		return nil, err
	}
	h.programs, h.sections = h.order.Uint64(b[32:]), h.order.Uint64(b[40:])
	h.programSize, h.programCount = uint64(h.order.Uint16(b[54:])), uint64(h.order.Uint16(b[56:]))
	h.sectionSize, h.sectionCount = uint64(h.order.Uint16(b[58:])), uint64(h.order.Uint16(b[60:]))
	return h, nil
}

func checkType(t elf.Type) error {
	switch t {
	case elf.ET_DYN:
		return nil
	case elf.ET_EXEC:
		return errors.New("is a program, want a shared library (link it with -shared)")
	case elf.ET_REL:
		return errors.New("is an object file of a compiler, want a shared library (link it with -shared)")
	case elf.ET_CORE:
		return errors.New("is the memory of a program that crashed, want a shared library")
	}
	return fmt.Errorf("is an ELF file of type %v, want a shared library", t)
}

// kinds are files that people take for libraries, by their first bytes.
var kinds = []struct{ start, what string }{
	{"!<arch>\n", "a static library (an archive of object files; link it into a shared one with -shared)"},
	{"\xcf\xfa\xed\xfe", "a library of macOS"}, {"\xca\xfe\xba\xbe", "a library of macOS"}, {"MZ", "a library of Windows"},
	{"PK\x03\x04", "a zip archive (a Python wheel, perhaps: unpack it)"}, {"\x1f\x8b", "a gzip archive"},
	{"\x00asm", "a WebAssembly module"}, {"BC\xc0\xde", "LLVM bitcode"}, {"ML\xefR", "MLIR bytecode"},
	{"version https://git-lfs", "a pointer of Git LFS to a file that was not fetched (git lfs pull)"},
	{"#!", "a script"}, {"<!DOCTYPE", "a web page"}, {"<html", "a web page"},
}

// kindOf says what a file is that is not ELF.
func kindOf(b []byte) string {
	for _, k := range kinds {
		if bytes.HasPrefix(b, []byte(k.start)) {
			return k.what
		}
	}
	if !text(b) {
		return "binary data of another kind"
	}
	s := string(b)
	if strings.Contains(s, "GNU ld script") || strings.Contains(s, "INPUT") || strings.Contains(s, "GROUP") {
		return "a script for the linker that stands for a library (it names the real one)"
	}
	return "text"
}

func text(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}

// whole fails if the file is shorter than its headers say, or has nothing to load.
func (h *header) whole(f io.ReaderAt, size int64) error {
	if h.programCount == 0 {
		return errors.New("has no program headers, so there is nothing to load")
	}
	if h.programSize != 56 {
		return fmt.Errorf("is damaged: its program headers have %d bytes each, want 56", h.programSize)
	}
	if err := within("its program headers end", h.programs, h.programSize*h.programCount, size); err != nil {
		return err
	}
	programs := make([]byte, h.programSize*h.programCount)
	if _, err := f.ReadAt(programs, int64(h.programs)); err != nil {
		return err
	}
	if err := h.segments(programs, f, size); err != nil {
		return err
	}
	if h.sections == 0 {
		return nil
	}
	return within("its section headers end", h.sections, h.sectionSize*h.sectionCount, size)
}

// maxDynamic is how many bytes the dynamic section of a library may have: large ones have a thousand.
const maxDynamic = 1 << 20

// segments checks each program header. A library has one for its dynamic section, and none for an interpreter that is
// flagged as a program.
func (h *header) segments(programs []byte, f io.ReaderAt, size int64) error {
	dynamic, loads := []byte(nil), 0
	for p := programs; len(p) > 0; p = p[h.programSize:] {
		kind, offset, bytes := elf.ProgType(h.order.Uint32(p)), h.order.Uint64(p[8:]), h.order.Uint64(p[32:])
		if kind == elf.PT_GNU_STACK || kind == elf.PT_NULL {
			continue
		}
		if err := within("a segment of it ends", offset, bytes, size); err != nil {
			return err
		}
		switch kind {
		case elf.PT_LOAD:
			loads++
		case elf.PT_DYNAMIC:
			if bytes > maxDynamic {
				return fmt.Errorf("is damaged: its dynamic section has %d bytes, want at most %d", bytes, maxDynamic)
			}
			dynamic = make([]byte, bytes)
			if _, err := f.ReadAt(dynamic, int64(offset)); err != nil {
				return err
			}
		}
	}
	switch {
	case loads == 0:
		return errors.New("has no segment to load")
	case len(dynamic) == 0:
		return errors.New("has no dynamic section, so it was not linked as a shared library (link it with -shared)")
	}
	return h.flags(dynamic)
}

// flags refuses a position independent program, which looks like a library but for a flag.
func (h *header) flags(dynamic []byte) error {
	for ; len(dynamic) >= 16; dynamic = dynamic[16:] {
		tag, value := elf.DynTag(h.order.Uint64(dynamic)), h.order.Uint64(dynamic[8:])
		if tag == elf.DT_FLAGS_1 && elf.DynFlag1(value)&elf.DF_1_PIE != 0 {
			return errors.New("is a program, want a shared library (link it with -shared)")
		}
	}
	return nil
}

// within fails if the bytes from offset on go beyond the file.
func within(what string, offset, bytes uint64, size int64) error {
	if end := offset + bytes; end < offset || end > uint64(size) {
		return fmt.Errorf("is cut short: %s at byte %d, and the file has %d (copy or download it again)", what, end, size)
	}
	return nil
}
