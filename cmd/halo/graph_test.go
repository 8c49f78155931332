package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

const graphProgram = `HloModule loop
body (p: (s32[], f32[4])) -> (s32[], f32[4]) {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[4] get-tuple-element(p), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[4] multiply(x, x)
  ROOT t = (s32[], f32[4]) tuple(j, y)
}
more (p: (s32[], f32[4])) -> pred[] {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  ten = s32[] constant(10)
  ROOT less = pred[] compare(i, ten), direction=LT
}
ENTRY main (x: f32[4]) -> f32[4] {
  x = f32[4] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[4]) tuple(zero, x)
  loop = (s32[], f32[4]) while(start), condition=more, body=body
  out = f32[4] get-tuple-element(loop), index=1
  ROOT last = f32[4] add(out, x)
}`

// drawn runs halo graph on a program and returns what it prints.
func drawn(t *testing.T, text string, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program.hlo")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	args := append([]string{"graph", path}, flags...)
	if code := realMain(&tool{ctx: t.Context(), stdout: &out, stderr: &errs}, args); code != exitOK {
		t.Fatalf("halo %v: exit %d: %s", args, code, errs.String())
	}
	return out.String()
}

// TestGraphDot wants each instruction, each use and each call in the text.
func TestGraphDot(t *testing.T) {
	got := drawn(t, graphProgram)
	for _, want := range []string{
		`digraph "loop"`, `label="entry main: 6 instructions"`, `p0_0 [label="x\nf32[4]", class="in"]`, "p0_0 -> p0_2;",
		"p0_2 -> p0_3;", "p0_3 -> p1_", "p0_3 -> p2_", "lhead=cluster_1", `"less\npred[]"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %s in\n%s", want, got)
		}
	}
}

// TestGraphNames wants parameters under the names that their producer gave them.
func TestGraphNames(t *testing.T) {
	m, err := hlo.Parse([]byte(graphProgram), "loop.hlo")
	if err != nil {
		t.Fatal(err)
	}
	m.ParameterNames = []string{"dense/kernel"}
	var page bytes.Buffer
	if err := graphWriters["html"](&page, graphOf(m, 10)); err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{"the box": graphOf(m, 10).panels[0].boxes[0].title, "the page": page.String(),
		"a box of several": graphOf(m, 1).panels[0].boxes[0].title} {
		if !strings.Contains(text, "dense/kernel") {
			t.Errorf("%s: got %s, want dense/kernel", form, text)
		}
	}
}

// TestGraphSVG wants well-formed XML in which inputs stand above what uses them.
func TestGraphSVG(t *testing.T) {
	got := drawn(t, graphProgram, "--to", "svg")
	d, ids := xml.NewDecoder(strings.NewReader(got)), 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, got)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			ids++
		}
	}
	if ids != 6+7+4 {
		t.Errorf("got %d boxes, want 17 as there are instructions", ids)
	}
}

// TestGraphLayers wants boxes that do not overlap, below their inputs.
func TestGraphLayers(t *testing.T) {
	m, err := hlo.Parse([]byte(graphProgram), "loop.hlo")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range graphOf(m, 100).panels {
		l := layOut(p.boxes)
		for i, b := range p.boxes {
			for _, k := range b.inputs {
				if l.places[k].y >= l.places[i].y {
					t.Errorf("%s is not above %s", p.boxes[k].title, b.title)
				}
			}
			for k := range i {
				a, b := l.places[k], l.places[i]
				if a.y == b.y && a.x < b.x+b.width && b.x < a.x+a.width {
					t.Errorf("%s and %s overlap", p.boxes[k].title, p.boxes[i].title)
				}
			}
		}
	}
}

// TestGraphLarge draws a program of 100 000 ops within bounds of boxes and bytes.
func TestGraphLarge(t *testing.T) {
	b := hlo.NewBuilder("main")
	x := b.Parameter(0, shape.Array(shape.F32, 4), "x")
	last, before := x, x
	for range 100_000 {
		last, before = b.Add(last, before), last
	}
	entry, err := b.Build(last)
	if err != nil {
		t.Fatal(err)
	}
	m := hlo.NewModule("large", entry)
	for name, write := range graphWriters {
		var out bytes.Buffer
		g := graphOf(m, 2000)
		if err := write(&out, g); err != nil {
			t.Fatal(err)
		}
		if n := len(g.panels[0].boxes); n > 2000 {
			t.Errorf("got %d boxes, want 2000 at most", n)
		}
		if out.Len() > 20<<20 {
			t.Errorf("%s: got %d bytes, want 20 MiB at most", name, out.Len())
		}
	}
}

// TestGraphPage has a browser open the page: a search from the address unfolds the computation and marks the box.
func TestGraphPage(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	testfile.Library(t, "chromium", err)
	page := filepath.Join(t.TempDir(), "graph.html")
	if err := os.WriteFile(page, []byte(drawn(t, graphProgram, "--to", "html")), 0o666); err != nil {
		t.Fatal(err)
	}
	dom := func(query string) string {
		c := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
			"--user-data-dir="+t.TempDir(), "file://"+page+"#"+url.PathEscape(query))
		out, err := c.Output()
		if err != nil {
			t.Fatalf("chromium: %v", err)
		}
		return string(out)
	}
	got := dom("less pred")
	for _, want := range []string{`class="plain mark"`, "less = pred[] compare", "1 found"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %s in\n%s", want, got)
		}
	}
	if fold := `<details id="c%d" open="">`; !strings.Contains(got, fmt.Sprintf(fold, 1)) &&
		!strings.Contains(got, fmt.Sprintf(fold, 2)) {
		t.Errorf("no computation is unfolded in\n%s", got)
	}
	if got := dom("nothing of this name"); !strings.Contains(got, "0 found") || strings.Contains(got, ` mark"`) {
		t.Errorf("a search without a hit:\n%s", got)
	}
}
