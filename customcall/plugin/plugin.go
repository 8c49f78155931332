// Package plugin is the kit of those who write functions behind custom calls: projects to begin with, and trials that
// find what a function does wrong.
package plugin

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla/literal"
)

//go:embed all:templates include
var files embed.FS

// languages are the folders of templates, with what their projects have of the headers.
var languages = map[string][]string{
	"c":    {"include/halo/ffi.h"},
	"cc":   {"include/halo/ffi.h", "include/halo/ffi.hpp"},
	"cuda": {"include/halo/ffi.h"},
	"rust": nil,
}

// Languages are those that New has projects in.
func Languages() []string { return slices.Sorted(maps.Keys(languages)) }

var goodName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// New writes a project into the folder dir, which it makes: a function called name in a language, a Makefile, and cases
// for halo plugin test. It fails if dir is there already, unless it is empty, and for a name that no function may have;
// with a *fs.PathError if it cannot write.
func New(dir, name, language string) error {
	headers, ok := languages[language]
	switch {
	case language == "go":
		return errors.New("a function in Go needs no project: docs/plugins.md has one, which a program registers itself")
	case !ok:
		return fmt.Errorf("language %q, want one of %s", language, strings.Join(Languages(), ", "))
	}
	if !goodName.MatchString(name) {
		return fmt.Errorf("name %q, want lower-case letters, digits and _, a letter first", name)
	}
	if isKeyword(name, language) {
		return fmt.Errorf("name %q, want one that is no word of the language's own, such as my_%[1]s", name)
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is there already, and not empty", dir)
	}
	folders := []string{"common", language}
	if headers != nil {
		folders = append(folders, "headers")
		if err := write(filepath.Join(dir, "include/xla/ffi/api/c_api.h"), []byte(ffi.Header)); err != nil {
			return err
		}
	}
	for _, folder := range folders {
		if err := expand(dir, project{name, language}, "templates/"+folder); err != nil {
			return err
		}
	}
	for _, h := range headers {
		text, err := files.ReadFile(h)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(dir, h), text); err != nil {
			return err
		}
	}
	return cases(filepath.Join(dir, "cases"), project{name, language})
}

// project is what templates know.
type project struct{ Name, Language string }

// expand writes the templates of a folder; NAME in their names is the project's.
func expand(dir string, p project, folder string) error {
	return fs.WalkDir(files, folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		t, err := template.New(path).Parse(string(text))
		if err != nil {
			return err
		}
		var out bytes.Buffer
		if err := t.Execute(&out, p); err != nil {
			return err
		}
		file := strings.TrimSuffix(strings.TrimPrefix(path, folder+"/"), ".tmpl")
		return write(filepath.Join(dir, strings.ReplaceAll(file, "NAME", p.Name)), out.Bytes())
	})
}

func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

const module = `func.func @main(%%x: tensor<%[2]s>) -> tensor<%[2]s> {
  %%y = stablehlo.custom_call @%[1]s(%%x) {
    api_version = 4 : i32,
    backend_config = {factor = 2.5 : f32}
  } : (tensor<%[2]s>) -> tensor<%[2]s>
  return %%y : tensor<%[2]s>
}
`

// cases writes a case with its answer, and one that must be refused.
func cases(dir string, p project) error {
	basic, refused := filepath.Join(dir, "basic"), filepath.Join(dir, "refuses_integers")
	meta := fmt.Sprintf("{\n  \"library\": \"lib%[1]s.so\",\n  \"symbols\": {\"%[1]s\": \"%[1]s\"},\n", p.Name)
	if p.Language == "cuda" {
		meta += "  \"platform\": \"CUDA\",\n"
	}
	texts := map[string]string{
		filepath.Join(basic, "module.mlir"): fmt.Sprintf(module, p.Name, "2x3xf32"),
		filepath.Join(basic, "meta.json"): meta + "  \"expect\": \"ok\",\n" +
			"  \"tolerance\": {\"rtol\": 0, \"atol\": 0}\n}\n",
		filepath.Join(refused, "module.mlir"): fmt.Sprintf(module, p.Name, "3xi32"),
		filepath.Join(refused, "meta.json"): meta + "  \"expect\": \"error\",\n  \"error_code\": \"INVALID_ARGUMENT\",\n" +
			"  \"error_contains\": \"operand\"\n}\n",
	}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		if err := write(path, []byte(texts[path])); err != nil {
			return err
		}
	}
	x, y := []float32{1, -2, 0.5, 0, 3, 100}, []float32{2.5, -5, 1.25, 0, 7.5, 250}
	if err := writeNPY(filepath.Join(basic, "input_0.npy"), x, 2, 3); err != nil {
		return err
	}
	if err := writeNPY(filepath.Join(basic, "expected_0.npy"), y, 2, 3); err != nil {
		return err
	}
	return writeNPY(filepath.Join(refused, "input_0.npy"), []int32{1, 2, 3}, 3)
}

func writeNPY[T int32 | float32](path string, v []T, dims ...int64) error {
	l, err := literal.FromSlice(v, dims...)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := literal.WriteNPY(&b, l); err != nil {
		return err
	}
	return write(path, b.Bytes())
}
