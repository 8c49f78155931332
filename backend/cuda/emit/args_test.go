package emit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/xla/hlo"
)

// TestMaxParams wants what takes more parameters than a kernel may have to get them by tables.
func TestMaxParams(t *testing.T) {
	list := func(n int, text string) string { return strings.TrimSuffix(strings.Repeat(text+", ", n), ", ") }
	sort := func(n int) string {
		text, parameters := list(n, "f32[2]"), ""
		for i := range 2 * n {
			parameters += fmt.Sprintf("a%d = f32[] parameter(%d)\n", i, i)
		}
		return "c { " + parameters + "ROOT lt = pred[] compare(a0, a1), direction=LT }\nENTRY e { p = f32[2] parameter(0)\n" +
			"ROOT r = (" + text + ") sort(" + list(n, "p") + "), dimensions={0}, to_apply=c }"
	}
	concatenate := func(n int) string {
		parameters, names := "", ""
		for i := range n {
			parameters += fmt.Sprintf("p%d = f32[2] parameter(%d)\n", i, i)
			names += fmt.Sprintf(", p%d", i)
		}
		return fmt.Sprintf("ENTRY e { %sROOT r = f32[%d] concatenate(%s), dimensions={0} }", parameters, 2*n, names[2:])
	}
	for text, tables := range map[string]int{
		concatenate(cuda.MaxParams - 1): 0, concatenate(cuda.MaxParams): 0, concatenate(1200): 0,
		sort(100): 0, sort(260): 1, sort(600): 1,
	} {
		m, err := hlo.Parse([]byte(text), "t.hlo")
		if err != nil {
			t.Fatal(err)
		}
		e, err := Lower(m.Entry.Root)
		if err != nil {
			t.Fatal(err)
		}
		pointers := 0
		for _, s := range e.Steps {
			if len(s.Kernel.Args) > cuda.MaxParams {
				t.Errorf("%s has %d parameters", s.Kernel.Name, len(s.Kernel.Args))
			}
			if strings.Contains(s.Kernel.Source, "table[") {
				pointers++
			}
		}
		if pointers != tables {
			t.Errorf("%.60s: %d kernels have a table, want %d", text[max(0, len(text)-60):], pointers, tables)
		}
	}
}
