package deps

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// goFile is a parsed Go file of the module.
type goFile struct {
	path string // from the module's root, with slashes
	pkg  string // its folder, "." for the root
	test bool   // named *_test.go
	ast  *ast.File
	fset *token.FileSet
}

// root finds the folder of go.mod and the module path it gives.
func root(t *testing.T) (dir, module string) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			line, _, _ := strings.Cut(string(data), "\n")
			return dir, strings.TrimSpace(strings.TrimPrefix(line, "module "))
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// files lists the project's files with one of the extensions, from its root with slashes. Hidden folders and what git
// ignores are left out; so is testdata unless all is set.
func files(t *testing.T, all bool, extensions ...string) []string {
	t.Helper()
	dir, _ := root(t)
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			skip := path != dir && strings.HasPrefix(name, ".") || name == "build" || !all && name == "testdata"
			if skip {
				return filepath.SkipDir
			}
			return nil
		}
		for _, extension := range extensions {
			if strings.HasSuffix(name, extension) {
				rel, err := filepath.Rel(dir, path)
				list = append(list, filepath.ToSlash(rel))
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatalf("no files %v under %s", extensions, dir)
	}
	return list
}

// read returns the text of a file named from the root.
func read(t *testing.T, path string) string {
	t.Helper()
	dir, _ := root(t)
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// goFiles parses every Go file of the module.
func goFiles(t *testing.T, mode parser.Mode) []goFile {
	t.Helper()
	var list []goFile
	for _, path := range files(t, false, ".go") {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, read(t, path), mode)
		if err != nil {
			t.Error(err)
			continue
		}
		pkg := "."
		if i := strings.LastIndex(path, "/"); i >= 0 {
			pkg = path[:i]
		}
		list = append(list, goFile{path, pkg, strings.HasSuffix(path, "_test.go"), f, fset})
	}
	return list
}
