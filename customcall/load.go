package customcall

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/customcall/library"
	"github.com/halo-xla/halo/ffi"
)

// Manifest says which functions of a shared library serve which targets. As JSON it is a file beside a library.
type Manifest struct {
	// Library is the file, relative to the manifest's folder.
	Library string `json:"library"`
	// Symbols are the functions by target. nil: every exported function serves the target of its name.
	Symbols map[string]Symbols `json:"symbols"`
	// Types are the types of state and user data by name, which are registered before any function is called.
	Types map[string]TypeSymbols `json:"types"`
	// UserData is attached to every execution.
	UserData []UserData `json:"user_data"`
}

// Symbols are the functions that serve a target in the stages of an executable's life; in JSON the name of Execute may
// stand alone. "" is none; the old conventions have Execute only.
type Symbols struct {
	Instantiate string `json:"instantiate"`
	Prepare     string `json:"prepare"`
	Initialize  string `json:"initialize"`
	Execute     string `json:"execute"`
}

// UnmarshalJSON reads an object, or a string that is Execute.
func (s *Symbols) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &s.Execute) == nil {
		return nil
	}
	type plain Symbols
	return strict(data, (*plain)(s))
}

// strict reads JSON whose keys are all known.
func strict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// TypeSymbols are functions without arguments that return the XLA_FFI_TypeId* and the XLA_FFI_TypeInfo* of a type; Info
// may be "".
type TypeSymbols struct {
	ID   string `json:"type_id"`
	Info string `json:"type_info"`
}

// UserData is a pointer that functions find under the identity of a type: Create is a function without arguments that
// returns it.
type UserData struct {
	Type   string `json:"type"`
	Create string `json:"create"`
}

// ReadManifest reads a manifest and returns it with the path of its library.
func ReadManifest(path string) (*Manifest, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := strict(data, m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.Library == "" {
		return nil, fmt.Errorf("%s: \"library\" is missing", path)
	}
	if !filepath.IsAbs(m.Library) {
		m.Library = filepath.Join(filepath.Dir(path), m.Library)
	}
	return m, nil
}

// Load opens the library at path and has its functions serve targets, as m says; m may be nil. A path without a slash
// that is no file is looked for in the folders of $HALO_PLUGIN_PATH. It fails with path and reason if the file is no
// library or not whole, lacks a symbol or what it needs, or wants a target that is taken; then nothing of it is kept.
func (r *Registry) Load(path string, m *Manifest) error {
	file, err := find(path)
	if err != nil {
		return err
	}
	if err := library.Check(file); err != nil {
		return fmt.Errorf("custom-call library %w", err)
	}
	open, err := dl.Load(file)
	if err != nil {
		return fmt.Errorf("custom-call library %s: it does not load: %w", file, err)
	}
	l := &loaded{path: file, file: open}
	if m == nil {
		m = &Manifest{}
	}
	if err := r.add(l, m); err != nil {
		l.close()
		return fmt.Errorf("custom-call library %w", err)
	}
	return nil
}

// LoadProcess has functions of the process serve the targets of their names: those of the program itself, and of
// libraries that it was linked with or that somebody has opened for all.
func (r *Registry) LoadProcess() error {
	return r.add(&loaded{path: "the process"}, &Manifest{})
}

// LoadManifest reads a manifest and loads its library.
func (r *Registry) LoadManifest(path string) error {
	m, err := ReadManifest(path)
	if err != nil {
		return err
	}
	return r.Load(m.Library, m)
}

// LoadFolders loads what is in a list of folders, as in $PATH: manifests, which are files *.json, and libraries, *.so,
// that no manifest names; what serves already is left as it is. It goes on after a failure, such as a folder that is
// not there, and returns all of them.
func (r *Registry) LoadFolders(list string) error {
	var faults []error
	for _, folder := range filepath.SplitList(list) {
		if _, err := os.ReadDir(folder); err != nil {
			faults = append(faults, fmt.Errorf("folder of custom-call libraries: %w", err))
			continue
		}
		manifests, _ := filepath.Glob(filepath.Join(folder, "*.json"))
		named := map[string]bool{}
		for _, path := range manifests {
			m, err := ReadManifest(path)
			if err == nil {
				named[filepath.Clean(m.Library)] = true
				err = r.loadNew(m.Library, m)
			}
			faults = append(faults, err)
		}
		libraries, _ := filepath.Glob(filepath.Join(folder, "*.so"))
		for _, path := range libraries {
			if !named[filepath.Clean(path)] {
				faults = append(faults, r.loadNew(path, nil))
			}
		}
	}
	return errors.Join(faults...)
}

// loadNew is Load of a library that does not serve yet.
func (r *Registry) loadNew(path string, m *Manifest) error {
	if file, err := filepath.Abs(path); err == nil && r.serves(file) {
		return nil
	}
	return r.Load(path, m)
}

// serves reports whether functions of a library serve, in this process or in others.
func (r *Registry) serves(file string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.handlers {
		if e.from == file {
			return true
		}
	}
	return slices.ContainsFunc(r.open, func(l *loaded) bool { return l.path == file })
}

// find returns the file that path means.
func find(path string) (string, error) {
	if _, err := os.Stat(path); err == nil {
		return filepath.Abs(path)
	}
	tried := []string{path}
	if !strings.ContainsRune(path, filepath.Separator) {
		for _, folder := range filepath.SplitList(os.Getenv("HALO_PLUGIN_PATH")) {
			file := filepath.Join(folder, path)
			if _, err := os.Stat(file); err == nil {
				return filepath.Abs(file)
			}
			tried = append(tried, file)
		}
	}
	return "", fmt.Errorf("custom-call library %s: %w: tried %s", path, os.ErrNotExist, strings.Join(tried, ", "))
}

// add registers the types and targets of m.
func (r *Registry) add(l *loaded, m *Manifest) error {
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
	for _, x := range ffi.Registered() {
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

// named returns a handler for target if functions of that name are in libraries without a manifest.
func (r *Registry) named(target string) (Handler, bool) {
	var found []native
	var paths []string
	for _, l := range r.open {
		if f, err := l.symbol(target); err == nil {
			found = append(found, native{l, ffi.Functions{Execute: f, Library: l.handle()}})
			paths = append(paths, l.path)
		}
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
