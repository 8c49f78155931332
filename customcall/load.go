package customcall

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	return json.Unmarshal(data, (*plain)(s))
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
	if err := json.Unmarshal(data, m); err != nil {
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

// Load opens the library at path and has its functions serve targets, as m says; m may be nil. It fails with path
// and reason if the file is no library or not whole, lacks a symbol or what it needs, or wants a target that is taken.
func (r *Registry) Load(path string, m *Manifest) error {
	return fmt.Errorf("%s: %w", path, errors.ErrUnsupported)
}
