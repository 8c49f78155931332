package deps

import (
	_ "embed"
	"fmt"
	"go/parser"
	"strconv"
	"strings"
	"testing"
)

//go:embed rules.txt
var rulesText string

// rules maps a left side of rules.txt to what stands right of its arrow.
type rules map[string][]string

func parseRules(text string) (rules, error) {
	r := rules{}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		left, right, ok := strings.Cut(line, "<-")
		left = strings.Trim(strings.TrimSpace(left), `"`)
		if _, twice := r[left]; !ok || left == "" || twice {
			return nil, fmt.Errorf("rules.txt:%d: bad or second rule: %s", i+1, line)
		}
		r[left] = strings.Fields(right)
	}
	return r, nil
}

// rule finds the line of a package: its own, or that of its parent with "/*".
func (r rules) rule(pkg string) (left string, ok bool) {
	if _, ok := r[pkg]; ok {
		return pkg, true
	}
	i := strings.LastIndex(pkg, "/")
	if i < 0 {
		return "", false
	}
	left = pkg[:i] + "/*"
	_, ok = r[left]
	return left, ok
}

// match says whether pkg is the package that pattern names, or one below the folder if it ends in "/*".
func match(pattern, pkg string) bool {
	folder, wild := strings.CutSuffix(pattern, "/*")
	if !wild {
		return pattern == pkg
	}
	name, below := strings.CutPrefix(pkg, folder+"/")
	return below && !strings.Contains(name, "/")
}

// allows says whether the rule left lets its package import pkg, directly or through what it may import.
func (r rules) allows(left, pkg string) bool {
	seen := map[string]bool{}
	var walk func(left string) bool
	walk = func(left string) bool {
		if seen[left] {
			return false
		}
		seen[left] = true
		for _, right := range r[left] {
			if match(right, pkg) {
				return true
			}
			if next, ok := r.rule(right); ok && walk(next) {
				return true
			}
		}
		return false
	}
	return walk(left)
}

// check returns what is wrong with an import of path by a file of package pkg, "" if nothing is. module is the module's
// path.
func (r rules) check(module, pkg string, test bool, path string) string {
	if inside, ok := strings.CutPrefix(path, module+"/"); ok {
		return r.checkInside(pkg, test, inside)
	}
	if path != "C" && !strings.Contains(strings.SplitN(path, "/", 2)[0], ".") {
		return "" // the standard library
	}
	for left, right := range r {
		if path != left && !strings.HasPrefix(path, left+"/") {
			continue
		}
		for _, pattern := range right {
			if match(pattern, pkg) {
				return ""
			}
		}
	}
	return "not in the list of rules.txt for this import"
}

func (r rules) checkInside(pkg string, test bool, inside string) string {
	left, ok := r.rule(pkg)
	switch {
	case !ok:
		return "package without a line in rules.txt"
	case r.allows(left, inside), test && (inside == pkg || r.allows("_test", inside)):
		return ""
	}
	return fmt.Sprintf("rules.txt has %s <- %s", left, strings.Join(r[left], " "))
}

func TestImports(t *testing.T) {
	r, err := parseRules(rulesText)
	if err != nil {
		t.Fatal(err)
	}
	_, module := root(t)
	for _, f := range goFiles(t, parser.ImportsOnly) {
		if _, ok := r.rule(f.pkg); !ok {
			t.Errorf("%s: package %s has no line in internal/deps/rules.txt", f.path, f.pkg)
			continue
		}
		for _, spec := range f.ast.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if problem := r.check(module, f.pkg, f.test, path); problem != "" {
				t.Errorf("%s: import %q: %s", f.fset.Position(spec.Pos()), path, problem)
			}
		}
	}
}

func TestRules(t *testing.T) {
	r, err := parseRules(rulesText)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		pkg  string
		test bool
		path string
		ok   bool
	}{
		{"xla/hlo", false, "m/xla/literal", true},
		{"xla/hlo", false, "m/xla/shape", true}, // through literal
		{"xla/hlo", false, "fmt", true},
		{"xla/hlo", false, "m/backend/cpu", false},
		{"xla/hlo", false, "m/internal/testfile", false},
		{"xla/hlo", true, "m/internal/testfile", true},
		{"xla/hlo", true, "m/xla/hlo", true},
		{"xla/hlo", false, "C", false},
		{"xla/shape", false, "m/xla/literal", false},
		{"xla", false, "m/backend/cpu", false},
		{"xla", false, "m/xla/shape", true},
		{"cgo/openblas", false, "C", true},
		{"cgo/openblas", false, "m/cgo/dl", true},
		{"cgo/openblas", false, "m/cgo/cublas", false},
		{"cgo/openblas", false, "gonum.org/v1/gonum/blas", true},
		{"backend/cpu", false, "m/cgo/openblas", true},
		{"backend/cpu", false, "gonum.org/v1/gonum/blas", false},
		{"cmd/halo", false, "m/backend/cuda", true},
		{"cmd/halo", false, "github.com/spf13/cobra", false},
		{"nowhere", false, "m/xla", false},
	} {
		if problem := r.check("m", test.pkg, test.test, test.path); (problem == "") != test.ok {
			t.Errorf("%s (test %v) imports %s: got %q, want allowed %v", test.pkg, test.test, test.path, problem, test.ok)
		}
	}
}
