package deps

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxFileLines = 500
	maxFuncLines = 60
	maxLineRunes = 120
)

// tables are the files and functions that may be longer, and files with longer lines, because they are tables: a row
// for each of many alike things, that would read worse in pieces. A function is written file:func.
var tables = map[string]string{
	"xla/hlo/optable.go":                       "a row for each op, on one page",
	"xla/hlo/optable.go:init":                  "the same: the table is filled in init",
	"backend/cpu/lower.go:init":                "a row for each op",
	"backend/cpu/scalar/table.go":              "a row for each instruction, some longer than a line should be",
	"xla/stablehlo/export_table.go:exportRows": "a row for each op that is written in a form of its own",
}

// TestSizes holds files, functions and lines to their limits. Tests and tables are exempt.
func TestSizes(t *testing.T) {
	over := map[string]bool{}
	report := func(where, format string, args ...any) {
		over[where] = true
		if tables[where] == "" {
			t.Errorf("%s: %s", where, fmt.Sprintf(format, args...))
		}
	}
	for _, path := range files(t, false, ".go", ".c", ".h", ".def", ".cu", ".py", ".sh") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(read(t, path), "\n"), "\n")
		if len(lines) > maxFileLines {
			report(path, "%d lines, want at most %d", len(lines), maxFileLines)
		}
		for i, line := range lines {
			if n := utf8.RuneCountInString(line); n > maxLineRunes {
				report(path, "line %d has %d characters, want at most %d", i+1, n, maxLineRunes)
			}
		}
	}
	for _, f := range goFiles(t, parser.SkipObjectResolution) {
		if f.test {
			continue
		}
		for name, n := range funcLines(f.fset, f.ast) {
			if n > maxFuncLines {
				report(f.path+":"+name, "%d lines, want at most %d", n, maxFuncLines)
			}
		}
	}
	for where := range tables {
		if !over[where] {
			t.Errorf("tables lists %s, which is not over a limit", where)
		}
	}
}

// funcLines counts the lines of each function from "func" to its last brace; methods are named Type.Method.
func funcLines(fset *token.FileSet, f *ast.File) map[string]int {
	lines := map[string]int{}
	for _, decl := range f.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := fn.Name.Name
		if fn.Recv != nil {
			name = typeName(fn.Recv.List[0].Type) + "." + name
		}
		lines[name] = fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1
	}
	return lines
}

// typeName gives T for T, *T and T[P].
func typeName(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

func TestFuncLines(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "a.go", "package a\n\n// F.\nfunc F() {\n}\n\nfunc (l *List[T]) g() {\n\n}\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	got := funcLines(fset, f)
	if len(got) != 2 || got["F"] != 2 || got["List.g"] != 3 {
		t.Errorf("got %v", got)
	}
}
