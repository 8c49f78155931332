// Package dl opens shared libraries at run time, so that one binary serves machines with and without them.
//
// Two variables steer it. $HALO_LIBS is a list with commas of libraries that are not to be opened, each with a minus
// before its name: "-onednn,-fftw"; "-all" refuses every one. $HALO_LIBRARY_PATH is a list of folders, as in $PATH,
// that are tried before the loader's own.
package dl

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/halo-xla/halo/internal/unsupported"
)

// Library is an open shared library. It stays open unless it is closed: code that was called once may have threads or
// tables that live on.
type Library struct {
	name   string
	path   string
	handle unsafe.Pointer
}

// Open loads the first of sonames, newest version first, that can be loaded. The name is what $HALO_LIBS calls the
// library. It fails with errors.ErrUnsupported if $HALO_LIBS refuses the library, or with what was tried and what the
// loader said of each.
func Open(name string, sonames ...string) (*Library, error) { return first(name, sonames, open) }

// OpenGlobal is Open for a library whose own plug-ins look for its symbols in the process, as those of Open MPI do.
func OpenGlobal(name string, sonames ...string) (*Library, error) {
	return first(name, sonames, openGlobal)
}

func first(name string, sonames []string, open func(string) (unsafe.Pointer, error)) (*Library, error) {
	if list := os.Getenv("HALO_LIBS"); refuses(list, name) {
		return nil, Missing(fmt.Errorf("%s: %w, HALO_LIBS is %q", name, ErrRefused, list))
	}
	path := os.Getenv("HALO_LIBRARY_PATH")
	said := noFolders(path)
	for _, file := range candidates(path, sonames) {
		handle, err := open(file)
		if err == nil {
			return &Library{name, pathOf(handle, file), handle}, nil
		}
		said = append(said, err.Error())
	}
	return nil, Missing(fmt.Errorf("%s: cannot be opened: %s", name, strings.Join(said, "; ")))
}

// ErrRefused is in the errors about libraries that $HALO_LIBS refuses.
var ErrRefused = errors.New("refused")

// Missing makes err, about a library that cannot be had, an errors.ErrUnsupported. Its text stays, which says more than
// that the operation is unsupported.
func Missing(err error) error { return unsupported.Error(err) }

// Loaded returns the library with a soname that this process has open already, by whomever. It fails with
// errors.ErrUnsupported if there is none.
func Loaded(soname string) (*Library, error) {
	handle, err := loaded(soname)
	if err != nil {
		return nil, Missing(err)
	}
	return &Library{soname, pathOf(handle, soname), handle}, nil
}

// Load loads the file at path, and nothing else: neither variable is looked at. It fails with what the loader said.
func Load(path string) (*Library, error) {
	handle, err := open(path)
	if err != nil {
		return nil, err
	}
	return &Library{path, path, handle}, nil
}

// Close gives up a library that Load has opened. Its code must not run any more.
func (l *Library) Close() { closeHandle(l.handle) }

// Default returns the address of a function or variable of the process: of the program, or of a library that was opened
// for all. It fails if there is none of that name.
func Default(name string) (unsafe.Pointer, error) { return symbol(nil, name) }

// Where returns the file that a function or variable of this process was loaded from, and how many bytes it lies behind
// the file's first; "" if nobody knows.
func Where(p unsafe.Pointer) (file string, offset uint64) { return where(p) }

// Path returns the file that was opened.
func (l *Library) Path() string { return l.path }

// Handle returns what dlopen gave, for C code that looks up a table of symbols.
func (l *Library) Handle() unsafe.Pointer { return l.handle }

// Symbol returns the address of a function or variable. It fails if the library has none of that name.
func (l *Library) Symbol(name string) (unsafe.Pointer, error) {
	p, err := symbol(l.handle, name)
	if err == nil {
		return p, nil
	}
	why := strings.TrimPrefix(err.Error(), l.path+": ")
	if l.name == l.path {
		return nil, fmt.Errorf("%s lacks %s: %s", l.path, name, why)
	}
	return nil, fmt.Errorf("%s: %s lacks %s: %s", l.name, l.path, name, why)
}

// Has reports whether a function or variable of this process is the library's own, and not of one that it needs.
func (l *Library) Has(p unsafe.Pointer) bool { return has(l.handle, p) }

// refuses says whether list, the value of $HALO_LIBS, forbids the library.
func refuses(list, name string) bool {
	parts := strings.Split(list, ",")
	return slices.Contains(parts, "-"+name) || slices.Contains(parts, "-all")
}

// noFolders says which folders of path there are not.
func noFolders(path string) (said []string) {
	for _, folder := range filepath.SplitList(path) {
		if info, err := os.Stat(folder); folder != "" && (err != nil || !info.IsDir()) {
			said = append(said, fmt.Sprintf("there is no folder %s, which HALO_LIBRARY_PATH names", folder))
		}
	}
	return said
}

// candidates lists the files to try: each soname in each folder of path that has it, then each as the loader finds it.
func candidates(path string, sonames []string) []string {
	var files []string
	for _, folder := range filepath.SplitList(path) {
		for _, soname := range sonames {
			file := filepath.Join(folder, soname)
			if _, err := os.Stat(file); err == nil {
				files = append(files, file)
			}
		}
	}
	return append(files, sonames...)
}

// With sets variables of the environment while f runs. Libraries read theirs when they are opened, and a process that
// this one starts later should not inherit what was meant for them. A variable that the user has set is left as it is.
func With(variables map[string]string, f func() error) error {
	for name, value := range variables {
		if _, set := os.LookupEnv(name); set {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return err
		}
		defer os.Unsetenv(name)
	}
	return f()
}
