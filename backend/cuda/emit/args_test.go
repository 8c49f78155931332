package emit

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/xla/hlo"
)

// TestMaxParams wants a sentence about what would take more parameters than a kernel may have.
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
	for text, fits := range map[string]bool{
		concatenate(cuda.MaxParams - 1): true, concatenate(cuda.MaxParams): true, concatenate(1200): true,
		sort(100): true, sort(260): false,
	} {
		m, err := hlo.Parse([]byte(text), "t.hlo")
		if err != nil {
			t.Fatal(err)
		}
		_, err = Lower(m.Entry.Root)
		if fits && err != nil || !fits && (!errors.Is(err, errors.ErrUnsupported) ||
			!strings.Contains(err.Error(), "and a kernel has at most 500 parameters")) {
			t.Errorf("%.60s: got %v", text[max(0, len(text)-60):], err)
		}
	}
}
