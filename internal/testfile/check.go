package testfile

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "replace golden text in testdata by what the code gives")

// Run runs f as a subtest for each case of each file that matches pattern (as filepath.Glob has it). It fails the test
// if nothing matches, so that a moved folder is not a test that passes.
func Run(t *testing.T, pattern string, f func(t *testing.T, c *Case)) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no file matches %s (%v)", pattern, err)
	}
	for _, file := range files {
		cases, err := Read(file)
		if err != nil {
			t.Error(err)
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, c := range cases {
				t.Run(c.Name(), func(t *testing.T) { f(t, c) })
			}
			if *rewrite {
				if err := rewriteFile(file, cases); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// CheckErrors compares errors with the marks of the case. An error's text begins "name:line:" or "name:line:col:" with
// the line in the file, as it does when the code under test was given Case.Source. Every mark must be met by an error
// on its line that contains all its strings, and every error must be asked for by a mark.
func (c *Case) CheckErrors(t *testing.T, errs ...error) {
	t.Helper()
	for _, problem := range c.compareErrors(errs) {
		t.Error(problem)
	}
}

var position = regexp.MustCompile(`^[^:]*:(\d+):`)

// compareErrors returns a line for each mark that is not met and each error that is not asked for.
func (c *Case) compareErrors(errs []error) []string {
	var problems []string
	met := make([]bool, len(c.Errors))
	for _, err := range errs {
		if err == nil {
			continue
		}
		line := 0
		if m := position.FindStringSubmatch(err.Error()); m != nil {
			line, _ = strconv.Atoi(m[1])
		}
		wanted := false
		for i, mark := range c.Errors {
			if mark.Line == line && containsAll(err.Error(), mark.Contains) {
				met[i], wanted = true, true
			}
		}
		if !wanted {
			problems = append(problems, fmt.Sprintf("%s:%d: error not marked: %v", c.File, line, err))
		}
	}
	for i, mark := range c.Errors {
		if !met[i] {
			problems = append(problems, fmt.Sprintf("%s:%d: want an error with %q", c.File, mark.Line, mark.Contains))
		}
	}
	return problems
}

func containsAll(s string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(s, part) {
			return false
		}
	}
	return true
}

// Golden compares got with the case's golden text. With -rewrite it takes got as the golden text instead, and Run
// writes the file when all its cases have run. Lines that look like the separators of a file cannot be golden text.
func (c *Case) Golden(t *testing.T, got string) {
	t.Helper()
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	if *rewrite {
		c.Want = got
		return
	}
	if got != c.Want {
		t.Errorf("%s:%d: got\n%swant\n%s(run the test with -rewrite, then review the change)", c.File, c.Line, got, c.Want)
	}
}

// rewriteFile writes the cases back with the golden text they now have.
func rewriteFile(path string, cases []*Case) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := format(cases)
	if text == string(old) {
		return nil
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// format is the inverse of Parse.
func format(cases []*Case) string {
	var out strings.Builder
	for i, c := range cases {
		if i > 0 {
			out.WriteString(caseLine + "\n")
		}
		out.WriteString(c.Text)
		if c.golden >= 0 || c.Want != "" {
			out.WriteString(goldenLine + "\n" + c.Want)
		}
	}
	return out.String()
}
