package customcall

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
)

// Manifest says which functions of a shared library serve which targets. As JSON it is a file beside a library.
type Manifest struct {
	// Library is the file, relative to the manifest's folder.
	Library string `json:"library"`
	// Platform is what the functions run on, by XLA's names: Host, which "" is, too, or CUDA: these get the stream of a
	// GPU, and arrays in its memory.
	Platform string `json:"platform"`
	// Symbols are the functions by target. nil: every exported function serves the target of its name.
	Symbols map[string]Symbols `json:"symbols"`
	// Types are the types of state and user data by name, which are registered before any function is called.
	Types map[string]TypeSymbols `json:"types"`
	// UserData is attached to every execution.
	UserData []UserData `json:"user_data"`
}

// The platforms of manifests.
const (
	Host = "Host"
	CUDA = "CUDA"
)

// onStream reports whether the functions are for a GPU. m may be nil.
func (m *Manifest) onStream() bool { return m != nil && m.Platform == CUDA }

// check fails if nobody knows the platform.
func (m *Manifest) check() error {
	switch m.Platform {
	case "", Host, CUDA:
		return nil
	}
	return fmt.Errorf("platform %q, want %s or %s", m.Platform, Host, CUDA)
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

// strict reads JSON whose keys are all known, and nothing behind it.
func strict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if _, key, unknown := strings.Cut(err.Error(), "json: unknown field "); unknown {
			return fmt.Errorf("there is no key %s here, want one of %s", key, strings.Join(keys(v), ", "))
		}
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			article := "a"
			if strings.HasPrefix(wrong.Value, "array") || strings.HasPrefix(wrong.Value, "object") {
				article = "an"
			}
			return fmt.Errorf("%sgot %s %s, want %s", strings.TrimPrefix(wrong.Field+": ", ": "), article, wrong.Value,
				jsonKinds[wrong.Type.Kind()])
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("it ends early, want an object of JSON")
		}
		return err
	}
	end := d.InputOffset()
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("at byte %d: there is more, want one object", end)
	}
	return nil
}

// jsonKinds are what JSON calls the kinds of values that manifests have.
var jsonKinds = map[reflect.Kind]string{reflect.String: "a string", reflect.Slice: "a list", reflect.Map: "an object",
	reflect.Struct: "an object, or the name of a function"}

// keys returns what JSON calls the fields of the structure that v points at.
func keys(v any) []string {
	t := reflect.TypeOf(v).Elem()
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = t.Field(i).Tag.Get("json")
	}
	return names
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

// place returns the path of a text that is no JSON, with the line and the column where it ceases to be.
func place(path string, data []byte, err error) string {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) || syntax.Offset < 1 || syntax.Offset > int64(len(data)) {
		return path
	}
	before := data[:syntax.Offset-1]
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%s:%d:%d", path, bytes.Count(before, []byte("\n"))+1, column)
}

// ReadManifest reads a manifest and returns it with the path of its library. It fails if the file is no regular one, is
// larger than a MiB, is not JSON with the keys of a Manifest, or names no library.
func ReadManifest(path string) (*Manifest, error) {
	data, err := readSmall(path)
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := strict(data, m); err != nil {
		return nil, fmt.Errorf("%s: %w", place(path, data, err), err)
	}
	if m.Library == "" {
		return nil, fmt.Errorf("%s: \"library\" is missing", path)
	}
	if !filepath.IsAbs(m.Library) {
		m.Library = filepath.Join(filepath.Dir(path), m.Library)
	}
	return m, nil
}

// maxManifest is how many bytes a manifest may have.
const maxManifest = 1 << 20

// readSmall reads a file of at most maxManifest bytes. A pipe would wait for somebody who writes, so it is not waited
// for.
func readSmall(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is no regular file, want a manifest", path)
	case info.Size() > maxManifest:
		return nil, fmt.Errorf("%s: has %d bytes, want a manifest of at most %d", path, info.Size(), maxManifest)
	}
	return io.ReadAll(io.LimitReader(f, maxManifest))
}
