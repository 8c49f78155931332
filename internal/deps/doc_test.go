package deps

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocComments wants a comment on every package and on everything a package exports. A constant or variable may have
// that of its group, or one on its line.
func TestDocComments(t *testing.T) {
	packages := map[string]bool{} // folder -> has a package comment
	for _, f := range goFiles(t, parser.ParseComments|parser.SkipObjectResolution) {
		if f.test {
			continue
		}
		packages[f.pkg] = packages[f.pkg] || f.ast.Doc != nil
		if f.ast.Name.Name == "main" {
			continue
		}
		for _, name := range undocumented(f.ast) {
			t.Errorf("%s: %s is exported and has no doc comment", f.path, name)
		}
	}
	for pkg, ok := range packages {
		if !ok {
			t.Errorf("%s: no file has a package comment", pkg)
		}
	}
}

// undocumented names the exported declarations of a file without a comment.
func undocumented(f *ast.File) []string {
	var names []string
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			hidden := d.Recv != nil && !ast.IsExported(typeName(d.Recv.List[0].Type))
			if d.Name.IsExported() && !hidden && d.Doc == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			names = append(names, undocumentedSpecs(d)...)
		}
	}
	return names
}

func undocumentedSpecs(d *ast.GenDecl) []string {
	var names []string
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
				names = append(names, s.Name.Name)
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

func TestUndocumented(t *testing.T) {
	const src = `package a
func F() {}
// G.
func G() {}
func (t T) M() {}
func (u u) N() {}
type T int
// K.
type K int
const A = 1
const (
	B = 1 // b
	C = 2
)
`
	f, err := parser.ParseFile(token.NewFileSet(), "a.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(undocumented(f), " "); got != "F M T A C" {
		t.Errorf("got %s, want F M T A C", got)
	}
}

// TestExamples wants an example with output for every library package.
func TestExamples(t *testing.T) {
	has := map[string]bool{}
	for _, f := range goFiles(t, parser.ParseComments|parser.SkipObjectResolution) {
		library := !strings.HasPrefix(f.pkg, "internal/") && f.ast.Name.Name != "main"
		if library && !has[f.pkg] {
			has[f.pkg] = f.test && hasExample(f.ast)
		}
	}
	for pkg, ok := range has {
		if !ok {
			t.Errorf("%s: no test file has an Example function with an Output comment", pkg)
		}
	}
}

func hasExample(f *ast.File) bool {
	for _, decl := range f.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(fn.Name.Name, "Example") {
			continue
		}
		for _, c := range f.Comments {
			if c.Pos() > fn.Pos() && c.End() < fn.End() && strings.HasPrefix(c.Text(), "Output:") {
				return true
			}
		}
	}
	return false
}

var (
	code = regexp.MustCompile("(?s)```.*?```|`[^`]*`")
	link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
)

// TestLinks wants every relative link of a document to point at a file of the project.
func TestLinks(t *testing.T) {
	dir, _ := root(t)
	for _, path := range files(t, true, ".md") {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(read(t, path), ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			target := filepath.Join(dir, filepath.Dir(filepath.FromSlash(path)), filepath.FromSlash(m[1]))
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: link to %s: %v", path, m[1], err)
			}
		}
	}
}
