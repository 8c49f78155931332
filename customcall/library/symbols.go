package library

import (
	"debug/elf"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// process are the symbols that the program which loads plug-ins provides to them.
var process = map[string]bool{
	"XlaCustomCallStatusSetSuccess": true, "XlaCustomCallStatusSetFailure": true, "XLA_FFI_GetApi": true,
}

// provider is a library among those that another needs, directly or through others.
type provider struct {
	name     string
	symbols  map[string]bool
	versions map[string]bool // that it defines; empty: it has none
}

// resolve finds the libraries that f needs, who provides its undefined symbols, and what is missing.
func (f *File) resolve(e *elf.File, symbols []elf.Symbol) {
	closure, order := map[string]*provider{}, []*provider{}
	f.Needed = f.gather(e, f.Path, &order, closure)
	f.missing()
	f.versions(e, closure)
	f.undefined(symbols, order)
}

// gather reads what e needs, and what that needs in turn, into order: those that e names come first.
func (f *File) gather(e *elf.File, path string, order *[]*provider, seen map[string]*provider) []Needed {
	names, _ := e.ImportedLibraries() // a file without a dynamic section was refused before
	where, needed := searchOf(e, path), []Needed{}
	var next []string
	for _, name := range names {
		at := where.find(name)
		needed = append(needed, Needed{name, at})
		if seen[name] != nil || at == "" {
			continue
		}
		p, err := provides(name, at)
		if err != nil {
			f.note("%s, which it needs, cannot be read: %v", at, err)
			continue
		}
		seen[name], *order, next = p, append(*order, p), append(next, at)
	}
	for _, at := range next {
		lib, err := elf.Open(at)
		if err != nil {
			continue // said above
		}
		for _, n := range f.gather(lib, at, order, seen) {
			if n.Path == "" {
				f.problem("%s, which it needs, needs %s, which is not found%s", at, n.Name, advice(n.Name))
			}
		}
		lib.Close()
	}
	return needed
}

// provides reads what a library exports.
func provides(name, path string) (*provider, error) {
	e, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	symbols, err := e.DynamicSymbols()
	if err != nil {
		return nil, err
	}
	p := &provider{name, map[string]bool{}, map[string]bool{}}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			p.symbols[s.Name] = true
		}
	}
	versions, _ := e.DynamicVersions() // none
	for _, v := range versions {
		p.versions[v.Name] = true
	}
	return p, nil
}

func (f *File) missing() {
	for _, n := range f.Needed {
		if n.Path == "" {
			f.problem("it needs %s, which is not found%s", n.Name, advice(n.Name))
		}
	}
}

// advices are what helps with libraries that are often missing, by the start of the name.
var advices = []struct{ start, what string }{
	{"libc.musl-", "it was built for Alpine Linux (musl): build it on a system with glibc"},
	{"libcuda.so", "it comes with NVIDIA's driver"},
	{"libcudart.so", "link with -cudart static, or install the CUDA runtime of that version"},
	{"libasan.so", "it was built with -fsanitize=address: run it by halo plugin check --asan"},
	{"libxla_extension", "it was linked against XLA itself: a plug-in needs only the header"},
	{"libtensorflow", "it was linked against TensorFlow: a plug-in needs only the header"},
}

func advice(name string) string {
	for _, a := range advices {
		if strings.HasPrefix(name, a.start) {
			return ": " + a.what
		}
	}
	return " in the folders of its RUNPATH, in LD_LIBRARY_PATH, or where the loader looks"
}

// versions compares the versions that e needs with those that the libraries define, as the loader does.
func (f *File) versions(e *elf.File, closure map[string]*provider) {
	needs, _ := e.DynamicVersionNeeds() // none
	for _, need := range needs {
		p := closure[need.Name]
		for _, d := range need.Needs {
			family, version, ok := strings.Cut(d.Dep, "_")
			if ok && newer(version, f.Versions[family]) {
				f.Versions[family] = version
			}
			weak := elf.DynamicVersionFlag(d.Flags)&elf.VER_FLG_WEAK != 0
			if p == nil || len(p.versions) == 0 || p.versions[d.Dep] || weak {
				continue
			}
			f.problem("it needs %s of %s, and the newest here is %s%s", d.Dep, need.Name, newest(p.versions, family),
				f.users(e, d.Dep))
		}
	}
	if libc := closure["libc.so.6"]; libc != nil {
		f.GlibcHere = strings.TrimPrefix(newest(libc.versions, "GLIBC"), "GLIBC_")
	} else if p, err := provides("libc.so.6", (search{}).find("libc.so.6")); err == nil {
		f.GlibcHere = strings.TrimPrefix(newest(p.versions, "GLIBC"), "GLIBC_")
	}
}

// users names the symbols that make a version needed.
func (f *File) users(e *elf.File, version string) string {
	imported, _ := e.ImportedSymbols() // the versions came from there
	var names []string
	for _, s := range imported {
		if s.Version == version {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return ": build it on an older system"
	}
	more := ""
	if len(names) > 3 {
		names, more = names[:3], " and others"
	}
	return fmt.Sprintf(" (for %s%s): build it on an older system", strings.Join(names, ", "), more)
}

// newest is the highest version of a family, with its name.
func newest(versions map[string]bool, family string) string {
	best := ""
	for _, v := range slices.Sorted(maps.Keys(versions)) {
		if rest, ok := strings.CutPrefix(v, family+"_"); ok && newer(rest, best) {
			best = rest
		}
	}
	if best == "" {
		return "none"
	}
	return family + "_" + best
}

// newer compares versions such as 2.34 and 3.4.29 by their numbers; what has none is older than all.
func newer(a, b string) bool {
	x, y := numbers(a), numbers(b)
	return slices.Compare(x, y) > 0
}

func numbers(version string) []int {
	var out []int
	for _, part := range strings.Split(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// undefined says who provides each symbol that the library lacks.
func (f *File) undefined(symbols []elf.Symbol, order []*provider) {
	complete := !slices.ContainsFunc(f.Needed, func(n Needed) bool { return n.Path == "" })
	for _, s := range symbols {
		bind := elf.ST_BIND(s.Info)
		if s.Section != elf.SHN_UNDEF || s.Name == "" || bind == elf.STB_LOCAL {
			continue
		}
		u := Symbol{Name: s.Name, Version: s.Version, Weak: bind == elf.STB_WEAK}
		u.Provider = providerOf(s.Name, order)
		f.Undefined = append(f.Undefined, u)
		if u.Provider == "" && !u.Weak && complete {
			f.problem("nobody provides %s: none of the libraries that it needs has it%s", s.Name, hint(s.Name))
		}
	}
}

func providerOf(name string, order []*provider) string {
	for _, p := range order {
		if p.symbols[name] {
			return filepath.Base(p.name)
		}
	}
	if process[name] {
		return "halo"
	}
	return ""
}

// hints are for symbols that are often missing, by the start of the name.
var hints = []struct{ start, what string }{
	{"_ZN3tsl", "a part of XLA itself"}, {"_ZN3xla", "a part of XLA itself"}, {"_ZN4absl", "a part of Abseil"},
	{"_ZN10tensorflow", "a part of TensorFlow"}, {"_ZN6google8protobuf", "a part of protobuf"},
	{"XLA_FFI_", "handlers take XLA's functions from the call frame's api table, not by name"},
	{"_Z", "a C++ function that was declared and not defined, or whose library is not linked"},
	{"__asan_", "AddressSanitizer: with clang, link with -shared-libsan"},
	{"Py", "a part of Python's interpreter, which is not here"},
}

func hint(name string) string {
	for _, h := range hints {
		if strings.HasPrefix(name, h.start) {
			return " (" + h.what + ")"
		}
	}
	return " (is a -l missing when it is linked?)"
}
