package stablehlo

import (
	"strings"
	"testing"
)

// TestEntry wants main for the entry, else the only function that others may call, else the only one.
func TestEntry(t *testing.T) {
	const one = `func.func %s @%s(%%x: tensor<f32>) -> tensor<f32> {
  return %%x : tensor<f32>
}
`
	text := func(functions ...string) string {
		var b strings.Builder
		for _, f := range functions {
			visibility, name, found := strings.Cut(f, " ")
			if !found {
				visibility, name = "", f
			}
			b.WriteString(strings.NewReplacer("%s @%s", visibility+" @"+name, "%%", "%").Replace(one))
		}
		return b.String()
	}
	for _, c := range []struct {
		functions []string
		want      string
	}{
		{[]string{"relu", "main"}, "main"}, {[]string{"private relu", "forward"}, "forward"},
		{[]string{"public forward", "private a", "private b"}, "forward"}, {[]string{"private only"}, "only"},
		{[]string{"a", "b"}, ""}, {[]string{"private a", "private b"}, ""},
	} {
		in, err := Parse(Text{Source: text(c.functions...)})
		if err != nil {
			t.Fatalf("%q: %v", c.functions, err)
		}
		got := ""
		if in.Module != nil {
			got = in.Module.Entry.Name
		}
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%q: got the entry %q, want %q", c.functions, got, c.want)
		}
	}
}

// TestSharedFrontend wants ops with one dictionary to share its entries: a short text of many would take much memory.
func TestSharedFrontend(t *testing.T) {
	m, err := importText(`#d = {x = "1", y = "2"}
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %b = "stablehlo.abs"(%a) {mhlo.frontend_attributes = #d} : (tensor<f32>) -> tensor<f32>
  %c = "stablehlo.abs"(%b) {mhlo.frontend_attributes = #d} : (tensor<f32>) -> tensor<f32>
  return %c : tensor<f32>
}`)
	if err != nil {
		t.Fatal(err)
	}
	c := m.Entry.Root
	one, two := c.Common.Frontend, c.Operands[0].Common.Frontend
	if len(one) != 2 || len(two) != 2 || one[1].Value != "2" || &one[0] != &two[0] {
		t.Errorf("got %v and %v, want the same two entries", one, two)
	}
}
