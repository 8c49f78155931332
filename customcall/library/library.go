// Package library reads shared libraries without loading them: what they export and need, and why one will not load.
//
// A damaged file can kill the process that loads it, so Check comes before every dlopen of a plug-in.
package library

import (
	"debug/elf"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
)

// File is what a shared library says of itself, and what this machine makes of it.
type File struct {
	// Path is the file, Machine what it is for, as "x86-64", and SoName its own name, "" if it has none.
	Path    string `json:"file"`
	Machine string `json:"machine"`
	SoName  string `json:"soname"`
	// ABIs are the calling conventions that the file shows signs of, each with the sign.
	ABIs []string `json:"abi"`
	// Targets are the functions that a program may call, Types the pairs of functions that describe a type of state.
	Targets []Target `json:"targets"`
	Types   []Type   `json:"types"`
	// Needed are the libraries that it asks for, in its order, Undefined the symbols that others must provide.
	Needed    []Needed `json:"needed"`
	Undefined []Symbol `json:"undefined"`
	// Versions are the highest versions that it needs of each family, as "GLIBC": "2.34".
	Versions map[string]string `json:"versions"`
	// GlibcHere is the version of this machine's C library, "" if it was not found.
	GlibcHere string `json:"glibc_here"`
	CUDA      CUDA   `json:"cuda"`
	// Problems say why it does not load here, Notes what else its author should know.
	Problems []string `json:"problems"`
	Notes    []string `json:"notes"`
	// Loads is whether nothing was found that stops it.
	Loads bool `json:"loads"`
}

// Target is an exported function.
type Target struct {
	Name string `json:"name"`
	// ABI is its calling convention if debug information tells it, else "".
	ABI string `json:"abi"`
}

// Type is a type of state: two functions that return a TypeId* and a TypeInfo*; Info is "" if there is only the first.
type Type struct {
	ID   string `json:"type_id"`
	Info string `json:"type_info"`
}

// Needed is a library that another asks for. Path is where it was found, "" if nowhere.
type Needed struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// Symbol is one that a library lacks. Provider is the library that has it, "halo" if the process that loads plug-ins
// does, "" if nobody was found.
type Symbol struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Weak     bool   `json:"weak"`
	Provider string `json:"provider"`
}

// CUDA is what a library needs of NVIDIA's.
type CUDA struct {
	// Libraries are those that it asks for by name; DeviceCode says that it carries kernels.
	Libraries  []string `json:"libraries"`
	DeviceCode bool     `json:"device_code"`
}

// Check says why a file must not be given to the dynamic loader: it is no library, one for another machine, or shorter
// than it says. A library that passes may still fail to load, but with the loader's own words.
func Check(path string) error {
	_, err := check(path)
	return err
}

// check returns the file's size.
func check(path string) (int64, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would wait for who writes to it
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if err := fits(f, info); err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return info.Size(), nil
}

func fits(f io.ReaderAt, info os.FileInfo) error {
	if info.IsDir() {
		return fmt.Errorf("is a folder, want a shared library")
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("is no regular file, want a shared library")
	}
	start := make([]byte, 512)
	n, err := f.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return err
	}
	h, err := parseHeader(start[:n])
	if err != nil {
		return err
	}
	return h.whole(f, info.Size())
}

// Open reads the file. It fails as Check does; what else stops a library from loading is among the Problems.
func Open(path string) (*File, error) {
	if _, err := check(path); err != nil {
		return nil, err
	}
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: its headers cannot be read: %w", path, err)
	}
	defer f.Close()
	out := &File{
		Path: path, Machine: machines[f.Machine].name, ABIs: []string{}, Targets: []Target{}, Types: []Type{},
		Needed: []Needed{}, Undefined: []Symbol{}, Versions: map[string]string{}, CUDA: CUDA{Libraries: []string{}},
		Problems: []string{}, Notes: []string{},
	}
	if names, err := f.DynString(elf.DT_SONAME); err == nil && len(names) > 0 {
		out.SoName = names[0]
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		out.note("its table of symbols cannot be read (%v), so nothing is known of what it exports and needs", err)
	}
	out.exports(f, symbols)
	out.signs(f, symbols)
	out.resolve(f, symbols)
	out.cuda(f)
	out.Loads = len(out.Problems) == 0
	return out, nil
}

func (f *File) problem(format string, args ...any) {
	f.Problems = append(f.Problems, fmt.Sprintf(format, args...))
}

func (f *File) note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}

// machine is a kind of processor: its name, and Go's for it.
type machine struct{ name, goarch string }

var machines = map[elf.Machine]machine{
	elf.EM_X86_64: {"x86-64", "amd64"}, elf.EM_AARCH64: {"aarch64", "arm64"}, elf.EM_386: {"i386", "386"},
	elf.EM_ARM: {"arm", "arm"}, elf.EM_PPC64: {"ppc64", "ppc64le"}, elf.EM_S390: {"s390x", "s390x"},
	elf.EM_RISCV: {"riscv64", "riscv64"}, elf.EM_MIPS: {"mips", "mips64"}, elf.EM_LOONGARCH: {"loongarch64", "loong64"},
	elf.EM_CUDA: {"CUDA", ""},
}

// nameOf is the machine's name in sentences.
func nameOf(m elf.Machine) string {
	if known, ok := machines[m]; ok {
		return known.name
	}
	return m.String()
}

// here is the machine that runs this program.
func here() elf.Machine {
	for m, known := range machines {
		if known.goarch == runtime.GOARCH {
			return m
		}
	}
	return elf.EM_NONE
}
