package library

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
)

// A file that is no library is refused before the dynamic loader sees it.
func ExampleCheck() {
	fmt.Println(Check("library_test.go"))
	// Output: library_test.go: is no ELF file but text, want a shared library
}

// compile makes a file of C text with the C compiler.
func compile(t testing.TB, dir, name, text string, flags ...string) string {
	t.Helper()
	source, out := filepath.Join(dir, name+".c"), filepath.Join(dir, name)
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	cc, err := exec.LookPath("cc")
	testfile.Library(t, "cc", err)
	said, err := exec.Command(cc, append([]string{source, "-o", out}, flags...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("cc %v: %v\n%s", flags, err, said)
	}
	return out
}

const good = `void scale(void *out, const void **in) { *(float *)out = 2 * *(const float *)in[0]; }`

func shared(t testing.TB, dir, name, text string, flags ...string) string {
	t.Helper()
	return compile(t, dir, name, text, append([]string{"-shared", "-fPIC"}, flags...)...)
}

// change writes a copy of a file, changed by f.
func change(t *testing.T, path, name string, f func([]byte) []byte) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(filepath.Dir(path), name)
	if err := os.WriteFile(out, f(b), 0o777); err != nil {
		t.Fatal(err)
	}
	return out
}

func put16(at int, v uint16) func([]byte) []byte {
	return func(b []byte) []byte { binary.LittleEndian.PutUint16(b[at:], v); return b }
}

func put(at int, v byte) func([]byte) []byte {
	return func(b []byte) []byte { b[at] = v; return b }
}

func cut(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:n] } }

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBrokenFilesAreExplained(t *testing.T) {
	dir := t.TempDir()
	whole := shared(t, dir, "libwhole.so", good)
	if err := Check(whole); err != nil {
		t.Fatal(err)
	}
	size, err := os.Stat(whole)
	if err != nil {
		t.Fatal(err)
	}
	const program = "int main(void) { return 0; }"
	other := uint16(elf.EM_AARCH64)
	if here() == elf.EM_AARCH64 {
		other = uint16(elf.EM_X86_64)
	}
	pipe := filepath.Join(dir, "pipe.so") // nobody writes to it
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ path, want string }{
		"pipe":                  {pipe, "is no regular file"},
		"large dynamic section": {change(t, whole, "dynamic.so", largeDynamic), "its dynamic section has 2097152 bytes"},
		"missing":               {filepath.Join(dir, "nowhere.so"), "no such file"},
		"folder":                {dir, "is a folder"},
		"empty":                 {write(t, dir, "empty.so", ""), "is empty"},
		"text":                  {write(t, dir, "text.so", "this is text\n"), "is no ELF file but text"},
		"linker script":         {write(t, dir, "script.so", "/* GNU ld script */\nINPUT(libx.so.1)\n"), "a script for the linker"},
		"archive":               {write(t, dir, "libx.a", "!<arch>\nx.o/  "), "a static library"},
		"git lfs":               {write(t, dir, "lfs.so", "version https://git-lfs.github.com/spec/v1\n"), "git lfs pull"},
		"windows":               {write(t, dir, "x.dll", "MZ\x90\x00\x03"), "a library of Windows"},
		"header cut":            {change(t, whole, "cut40.so", cut(40)), "is cut short: it has 40 bytes"},
		"programs cut":          {change(t, whole, "cut100.so", cut(100)), "is cut short: its program headers end at byte"},
		"contents cut":          {change(t, whole, "cut3000.so", cut(3000)), "is cut short: a segment of it ends at byte"},
		"end cut": {change(t, whole, "cutend.so", cut(int(size.Size())-1)),
			fmt.Sprintf("is cut short: its section headers end at byte %d, and the file has %d", size.Size(), size.Size()-1)},
		"32 bit":          {change(t, whole, "bits32.so", put(elf.EI_CLASS, byte(elf.ELFCLASS32))), "is a 32-bit library"},
		"other machine":   {change(t, whole, "machine.so", put16(18, other)), "and this machine is"},
		"unknown machine": {change(t, whole, "unknown.so", put16(18, 0x1234)), "is for EM"},
		"other order":     {change(t, whole, "order.so", put(elf.EI_DATA, byte(wrongOrder))), "another order of bytes"},
		"program":         {compile(t, dir, "program", program, "-no-pie"), "is a program, want a shared library"},
		"pie program":     {compile(t, dir, "pie", program, "-pie", "-fPIE"), "is a program, want a shared library"},
		"object":          {compile(t, dir, "object.o", good, "-c"), "is an object file of a compiler"},
		"core":            {change(t, whole, "core", put16(16, uint16(elf.ET_CORE))), "a program that crashed"},
		"no programs":     {change(t, whole, "nothing.so", put16(56, 0)), "has no program headers"},
	} {
		err := Check(c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), filepath.Base(c.path)) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		if _, opened := Open(c.path); opened == nil || opened.Error() != err.Error() {
			t.Errorf("%s: Open: got %v, want %v", name, opened, err)
		}
	}
}

// largeDynamic has the program header of the dynamic section, and the file, say that it is large.
func largeDynamic(b []byte) []byte {
	programs, n := binary.LittleEndian.Uint64(b[32:]), int(binary.LittleEndian.Uint16(b[56:]))
	for p := b[programs:]; n > 0; n, p = n-1, p[56:] {
		if elf.ProgType(binary.LittleEndian.Uint32(p)) == elf.PT_DYNAMIC {
			binary.LittleEndian.PutUint64(p[32:], 2<<20)
		}
	}
	return append(b, make([]byte, 4<<20)...)
}

// Libraries that are whole and yet do not load, or load and are of no use.
func TestLibrariesThatDoNotLoad(t *testing.T) {
	dir := t.TempDir()
	needed := shared(t, dir, "libgone.so", "int gone(void) { return 1; }", "-Wl,-soname,libgone.so.7")
	cases := map[string]struct {
		path          string
		problem, note string
	}{
		"missing symbol": {path: shared(t, dir, "libsym.so", "int nobody(int);\nint f(int x) { return nobody(x); }"),
			problem: "nobody provides nobody"},
		"part of XLA": {path: shared(t, dir, "libxla.so", "int _ZN3xla5thingEv(void);\nint f(void) { return _ZN3xla5thingEv(); }"),
			problem: "(a part of XLA itself)"},
		"missing library": {path: shared(t, dir, "libneeds.so", "int gone(void);\nint f(void) { return gone(); }", needed),
			problem: "it needs libgone.so.7, which is not found"},
		"hidden": {path: shared(t, dir, "libhidden.so", "void scale(void *o, const void **i) { }", "-fvisibility=hidden"),
			note: "scale is static or hidden"},
		"static": {path: shared(t, dir, "libstatic.so", "__attribute__((used)) static void scale(void) { }"),
			note: "it exports no function that a program could call: scale is static or hidden"},
		"C++ name": {path: shared(t, dir, "libcxx.so", "void _Z5scalePv(void *o) { }"), note: "_Z5scalePv is a C++ function"},
	}
	for name, c := range cases {
		f, err := Open(c.path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !oneHas(f.Problems, c.problem) || c.note != "" && !oneHas(f.Notes, c.note) || f.Loads != (c.problem == "") {
			t.Errorf("%s: got problems %q, notes %q, loads %v; want %q and %q", name, f.Problems, f.Notes, f.Loads, c.problem,
				c.note)
		}
	}
}

// oneHas says whether the list is empty as wanted, or one of its sentences has the text.
func oneHas(list []string, text string) bool {
	if text == "" {
		return len(list) == 0
	}
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, text) })
}

// A version of the C library that is not out yet: the name of one that is needed is changed in the table of strings.
func TestNewGlibcIsExplained(t *testing.T) {
	dir := t.TempDir()
	path := shared(t, dir, "libc.so", "#include <math.h>\n#include <stdlib.h>\ndouble f(double x) { return pow(x, atof(\"2\")); }",
		"-lm", "-Wl,--hash-style=gnu")
	old := versionOf(t, path, "pow")
	fake := "GLIBC_9." + strings.Repeat("9", len(old)-len("GLIBC_9."))
	changed := change(t, path, "libnew.so", func(b []byte) []byte {
		b = []byte(strings.Replace(string(b), "\x00"+old+"\x00", "\x00"+fake+"\x00", 1))
		return b
	})
	f, err := Open(changed)
	if err != nil {
		t.Fatal(err)
	}
	want := "it needs " + fake + " of libm.so.6, and the newest here is GLIBC_2."
	if !oneHas(f.Problems, want) || !oneHas(f.Problems, "(for pow): build it on an older system") || f.Versions["GLIBC"] != fake[6:] {
		t.Errorf("got %q and versions %v, want %q", f.Problems, f.Versions, want)
	}
	if f.GlibcHere == "" {
		t.Error("this machine's glibc was not found")
	}
}

func versionOf(t *testing.T, path, symbol string) string {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.ImportedSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == symbol {
			return s.Version
		}
	}
	t.Fatalf("%s does not import %s", path, symbol)
	return ""
}

func TestGoodLibrary(t *testing.T) {
	const text = `#include <math.h>
typedef struct XLA_FFI_CallFrame XLA_FFI_CallFrame;
typedef struct XLA_FFI_Error XLA_FFI_Error;
typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;
typedef unsigned long size;
void XlaCustomCallStatusSetFailure(XlaCustomCallStatus *, const char *, size);
__attribute__((weak)) int perhaps(void);
XLA_FFI_Error *typed(XLA_FFI_CallFrame *f) { return 0; }
void one(void *out, const void **in) { *(double *)out = pow(2, *(double *)in[0]); }
void two(void *out, const void **in, XlaCustomCallStatus *s) { if (perhaps) XlaCustomCallStatusSetFailure(s, "no", 2); }
void three(void *out, const void **in, const char *text, size n, XlaCustomCallStatus *s) { }
void *GainTypeId(void) { return 0; }
void *GainTypeInfo(void) { return 0; }
`
	f, err := Open(shared(t, t.TempDir(), "libgood.so", text, "-g", "-lm", "-Wl,-soname,libgood.so.1"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Target{{"one", abiOriginal}, {"three", abiUnified}, {"two", abiStatus}, {"typed", abiFFI}}
	if !slices.Equal(f.Targets, want) || !slices.Equal(f.Types, []Type{{"GainTypeId", "GainTypeInfo"}}) {
		t.Errorf("got targets %v and types %v, want %v", f.Targets, f.Types, want)
	}
	if !f.Loads || len(f.Problems) > 0 || f.SoName != "libgood.so.1" || len(f.ABIs) != 4 {
		t.Errorf("got %+v, want it to load", f)
	}
	providers := map[string]string{}
	for _, u := range f.Undefined {
		providers[u.Name] = u.Provider
	}
	if providers["pow"] != "libm.so.6" || providers["XlaCustomCallStatusSetFailure"] != "halo" || providers["perhaps"] != "" {
		t.Errorf("got providers %v", providers)
	}
}

// selfPointer is debug information of a function f whose parameter has a pointer type that points to itself.
const selfPointer = `__asm__(".pushsection .debug_abbrev,\"\",@progbits\n"
  ".byte 1,0x11,1,0,0, 2,0x2e,1,3,8,0x3f,0x0c,0,0, 3,5,0,0x49,0x13,0,0, 4,0x0f,0,0x49,0x13,0,0, 0\n"
  ".popsection\n.pushsection .debug_info,\"\",@progbits\n"
  "0: .long 2f-1f\n1: .value 4\n.long 0\n.byte 8, 1, 2\n.asciz \"f\"\n.byte 1, 3\n.long 3f-0b\n.byte 0\n"
  "3: .byte 4\n.long 3b-0b\n.byte 0\n2:\n.popsection");
void f(void *out) { (void)out; }`

// A file that describes a type by itself is read to the end.
func TestTypeThatPointsToItself(t *testing.T) {
	f, err := Open(shared(t, t.TempDir(), "libself.so", selfPointer))
	if err != nil || len(f.Targets) != 1 || f.Targets[0].Name != "f" {
		t.Errorf("got %+v, %v, want the function f", f, err)
	}
}

func TestCache(t *testing.T) {
	dir := t.TempDir()
	lib := shared(t, dir, "liba.so.1", good)
	b := []byte(cacheMagic)
	b = binary.NativeEndian.AppendUint32(b, 3) // one more than there are
	b = append(b, make([]byte, 24)...)
	names := len(b) + 2*24
	for _, place := range []int{names, names + len("liba.so.1") + 1} {
		b = binary.NativeEndian.AppendUint32(b, 0x303)
		b = binary.NativeEndian.AppendUint32(b, uint32(names))
		b = binary.NativeEndian.AppendUint32(b, uint32(place)) // the first is no library
		b = append(b, make([]byte, 12)...)
	}
	b = append(b, "liba.so.1\x00"+lib+"\x00"...)
	if got := parseCache(b); len(got) != 1 || got["liba.so.1"] != lib {
		t.Errorf("got %v, want %s", got, lib)
	}
	for n := range b {
		parseCache(b[:n]) // must not panic
	}
}

// FuzzCheck holds that no file makes the reader panic.
func FuzzCheck(f *testing.F) {
	f.Add([]byte("\x7fELF"))
	for _, flags := range [][]string{nil, {"-nostdlib", "-s"}} {
		b, err := os.ReadFile(shared(f, f.TempDir(), "lib.so", good, flags...))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "lib.so")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		testfile.Bounded(t, len(b), 64, func() {
			if lib, err := Open(path); err == nil && lib.Path != path {
				t.Errorf("got %+v", lib)
			}
		})
	})
}
