package testfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const sample = `// Addition wraps.
// A second line: with prose.
// in: s32[] 2147483647
// in: s32[2] {1,
//     2}
// want: s32[] 0
HloModule m
// not: a directive
ENTRY e
// -----

// Refused.
HloModule n
  x = add(a, b)  // ERROR "sizes \"differ\"" "dim 0"
// ----
golden
`

func parseSample(t *testing.T) []*Case {
	t.Helper()
	cases, err := Parse("sample.hlo", sample)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 2 {
		t.Fatalf("got %d cases, want 2", len(cases))
	}
	return cases
}

func TestParse(t *testing.T) {
	cases := parseSample(t)
	first, second := cases[0], cases[1]
	if want := "Addition wraps.\nA second line: with prose."; first.Comment != want {
		t.Errorf("comment %q, want %q", first.Comment, want)
	}
	if first.Name() != "Addition wraps" {
		t.Errorf("name %q", first.Name())
	}
	want := []Directive{{"in", "s32[] 2147483647", 3}, {"in", "s32[2] {1, 2}", 4}, {"want", "s32[] 0", 6}}
	if !reflect.DeepEqual(first.Directives, want) {
		t.Errorf("directives %v, want %v", first.Directives, want)
	}
	if !strings.HasPrefix(first.Text, "// Addition") || !strings.HasSuffix(first.Text, "ENTRY e\n") {
		t.Errorf("text %q", first.Text)
	}
	if second.Line != 11 || second.Want != "golden\n" {
		t.Errorf("second case at line %d with golden text %q, want 11 and %q", second.Line, second.Want, "golden\n")
	}
	if got := strings.Count(second.Source()[:strings.Index(second.Source(), "x = ")], "\n"); got != 13 {
		t.Errorf("Source has %d lines before line 14", got)
	}
	marks := []Mark{{14, []string{`sizes "differ"`, "dim 0"}}}
	if !reflect.DeepEqual(second.Errors, marks) {
		t.Errorf("marks %v, want %v", second.Errors, marks)
	}
	if got := format(cases); got != sample {
		t.Errorf("format gives\n%s", got)
	}
}

func TestDirectives(t *testing.T) {
	c := parseSample(t)[0]
	if err := c.Only("in", "want"); err != nil {
		t.Error(err)
	}
	if err := c.Only("in"); err == nil || !strings.Contains(err.Error(), `sample.hlo:6: unknown directive "want"`) {
		t.Errorf("Only(in) = %v", err)
	}
	if got, err := c.One("want", ""); got != "s32[] 0" || err != nil {
		t.Errorf("One(want) = %q, %v", got, err)
	}
	if got, err := c.One("seed", "7"); got != "7" || err != nil {
		t.Errorf("One(seed) = %q, %v", got, err)
	}
	if _, err := c.One("in", ""); err == nil {
		t.Error("One(in) with two directives: no error")
	}
}

func TestCompareErrors(t *testing.T) {
	c := parseSample(t)[1]
	at := func(line int, text string) error { return fmt.Errorf("m.hlo:%d:3: %s", line, text) }
	for _, test := range []struct {
		name     string
		errs     []error
		problems int
	}{
		{"as marked", []error{at(14, `sizes "differ": lhs dim 0`)}, 0},
		{"no error", []error{nil}, 1},
		{"wrong line", []error{at(13, `sizes "differ": lhs dim 0`)}, 2},
		{"one string missing", []error{at(14, `sizes "differ"`)}, 2},
		{"no position", []error{errors.New("sizes differ")}, 2},
	} {
		if got := c.compareErrors(test.errs); len(got) != test.problems {
			t.Errorf("%s: got %q, want %d problems", test.name, got, test.problems)
		}
	}
}

func TestBadMark(t *testing.T) {
	for _, text := range []string{"x // ERROR sizes", `x // ERROR "open`, "x // ERROR  "} {
		if _, err := Parse("bad.hlo", text); err == nil || !strings.HasPrefix(err.Error(), "bad.hlo:1: ") {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

func TestRewrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "golden.txt")
	if err := os.WriteFile(path, []byte("in\n// ----\nold\n// -----\nsecond\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	*rewrite = true
	defer func() { *rewrite = false }()
	Run(t, path, func(t *testing.T, c *Case) { c.Golden(t, strings.ToUpper(c.Text[:len("in")])) })
	got, err := os.ReadFile(path)
	if want := "in\n// ----\nIN\n// -----\nsecond\n// ----\nSE\n"; string(got) != want || err != nil {
		t.Errorf("rewritten file %q (%v), want %q", got, err, want)
	}
}

func TestGolden(t *testing.T) {
	Run(t, "testdata/upper.txt", func(t *testing.T, c *Case) {
		c.Golden(t, strings.ToUpper(strings.TrimPrefix(c.Text, "// "+c.Comment+"\n")))
	})
}

func Example() {
	cases, err := Parse("add.hlo", "// One and one.\n// in: s32[] 1\n// want: s32[] 2\nHloModule double\n")
	if err != nil {
		panic(err)
	}
	for _, c := range cases {
		fmt.Printf("%s: in %q, want %q\n", c.Name(), c.All("in"), c.All("want"))
	}
	// Output: One and one: in ["s32[] 1"], want ["s32[] 2"]
}
