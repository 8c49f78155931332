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
