package customcall

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halo-xla/halo/customcall/library"
	"github.com/halo-xla/halo/ffi"
)

// Load opens the library at path and has its functions serve targets, as m says; m may be nil. A path without a slash
// that is no file is looked for in the folders of $HALO_PLUGIN_PATH. It fails with path and reason if the file is no
// library or not whole, lacks a symbol or what it needs, or wants a target that is taken; then nothing of it is kept.
// The library's own code runs meanwhile: if that ends the process, its path is on the standard error.
func (r *Registry) Load(path string, m *Manifest) error {
	if m == nil {
		m = &Manifest{}
	}
	if err := m.check(); err != nil {
		return fmt.Errorf("custom-call library %s: %w", path, err)
	}
	file, err := find(path)
	if err != nil {
		return err
	}
	if err := library.Check(file); err != nil {
		return fmt.Errorf("custom-call library %w", err)
	}
	open, registered, err := openLibrary(file)
	if err != nil {
		return fmt.Errorf("custom-call library %s: it does not load: %w", file, err)
	}
	l := &loaded{path: file, file: open, onStream: m.onStream()}
	if err := r.add(l, m, registered); err != nil {
		l.close()
		return fmt.Errorf("custom-call library %w", err)
	}
	return nil
}

// LoadProcess has functions of the process serve the targets of their names: those of the program itself, and of
// libraries that it was linked with or that somebody has opened for all.
func (r *Registry) LoadProcess() error {
	return r.add(&loaded{path: "the process"}, &Manifest{}, registeredInProcess())
}

// LoadManifest reads a manifest and loads its library.
func (r *Registry) LoadManifest(path string) error {
	m, err := ReadManifest(path)
	if err != nil {
		return err
	}
	if err := r.Load(m.Library, m); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// LoadFolders loads what is in a list of folders, as in $PATH: manifests, which are files *.json, and libraries, *.so,
// that no manifest names; what serves already, by whatever link, is left as it is. It goes on after a failure, such as
// a folder that is not there, and returns all of them.
func (r *Registry) LoadFolders(list string) error {
	var faults []error
	for _, folder := range filepath.SplitList(list) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			faults = append(faults, fmt.Errorf("folder of custom-call libraries: %w", err))
			continue
		}
		named := map[string]bool{}
		for _, path := range ending(entries, folder, ".json") {
			m, err := ReadManifest(path)
			if err == nil {
				named[real(m.Library)] = true
				if err = r.loadNew(m.Library, m); err != nil {
					err = fmt.Errorf("%s: %w", path, err)
				}
			}
			faults = append(faults, err)
		}
		for _, path := range ending(entries, folder, ".so") {
			if !named[real(path)] {
				faults = append(faults, r.loadNew(path, nil))
			}
		}
	}
	return errors.Join(faults...)
}

// ending returns the paths of the entries of a folder whose names have an ending.
func ending(entries []os.DirEntry, folder, end string) (paths []string) {
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), end) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths
}

// real is the file that a path leads to, without links; of one that is not there, the path.
func real(path string) string {
	if file, err := filepath.EvalSymlinks(path); err == nil {
		path = file
	}
	if file, err := filepath.Abs(path); err == nil {
		path = file
	}
	return path
}

// loadNew is Load of a library that does not serve yet.
func (r *Registry) loadNew(path string, m *Manifest) error {
	if r.serves(real(path)) {
		return nil
	}
	return r.Load(path, m)
}

// serves reports whether functions of a library serve, in this process or in others.
func (r *Registry) serves(file string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.handlers {
		if e.from != goCode && real(e.from) == file {
			return true
		}
	}
	return slices.ContainsFunc(r.open, func(l *loaded) bool { return real(l.path) == file })
}

// find returns the file that path means.
func find(path string) (string, error) {
	if _, err := os.Stat(path); err == nil {
		return filepath.Abs(path)
	}
	var tried []string
	if !strings.ContainsRune(path, filepath.Separator) {
		for _, folder := range filepath.SplitList(os.Getenv("HALO_PLUGIN_PATH")) {
			file := filepath.Join(folder, path)
			if _, err := os.Stat(file); err == nil {
				return filepath.Abs(file)
			}
			tried = append(tried, file)
		}
	}
	if len(tried) == 0 {
		return "", fmt.Errorf("custom-call library %s: %w", path, os.ErrNotExist)
	}
	return "", fmt.Errorf("custom-call library %s: %w, nor is there %s", path, os.ErrNotExist, strings.Join(tried, ", "))
}

// add registers the types and targets of m, and the targets that functions have registered.
func (r *Registry) add(l *loaded, m *Manifest, registered []ffi.Registration) error {
	if err := l.types(m); err != nil {
		return err
	}
	handlers := map[string]native{}
	for target, names := range m.Symbols {
		f, err := l.functions(names)
		if err != nil {
			return fmt.Errorf("%w, wanted for the target %q", err, target)
		}
		handlers[target] = native{l, f}
	}
	for _, x := range registered {
		x.Functions.Library = l.handle()
		handlers[x.Target] = native{l, x.Functions}
	}
	return r.addLibrary(l, handlers, m.Symbols == nil)
}

// addLibrary takes a library with all its targets, or nothing of it. If it is open, its other functions serve the
// targets of their names.
func (r *Registry) addLibrary(l *loaded, handlers map[string]native, isOpen bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return fmt.Errorf("%s: %w", l.path, ErrClosed)
	}
	for target := range handlers {
		if err := r.taken(target, l.path); err != nil {
			return err
		}
	}
	for target, h := range handlers {
		r.handlers[target] = entry{h, l.path}
	}
	r.libraries = append(r.libraries, l)
	if isOpen {
		r.open = append(r.open, l)
	}
	return nil
}

// named returns a handler for target if functions of that name are in libraries without a manifest. One function by
// several names of its library is one.
func (r *Registry) named(target string) (Handler, bool) {
	var found []native
	var paths []string
	for _, l := range r.open {
		f, err := l.functions(Symbols{Execute: target})
		if err != nil || slices.ContainsFunc(found, func(n native) bool { return n.functions.Execute == f.Execute }) {
			continue
		}
		found, paths = append(found, native{l, f}), append(paths, l.path)
	}
	switch len(found) {
	case 0:
		return nil, false
	case 1:
		return found[0], true
	}
	return clash(fmt.Sprintf("%s have a function %s each: say which in a manifest", strings.Join(paths, " and "), target)),
		true
}

// clash is the handler of a target that several libraries would serve.
type clash string

func (c clash) Instantiate(context.Context, *ffi.Site) (Instance, error) {
	return nil, errors.New(string(c))
}
