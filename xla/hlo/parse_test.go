package hlo

import (
	"testing"
)

// TestCanonical reads texts in several spellings and prints them in the one.
func TestCanonical(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"shapes, percents and signatures may go", `
HloModule m
id { x = f32[2] parameter(0) /* the
root */ }
ENTRY e { c = f32[2]{0} constant({1, -2.5}) // two
 ROOT r = call(f32[2]{0} %c), to_apply=id }`, `HloModule m

%id (x: f32[2]) -> f32[2] {
  ROOT %x = f32[2] parameter(0)
}

ENTRY %e () -> f32[2] {
  %c = f32[2]{0} constant({1, -2.5})
  ROOT %r = f32[2] call(%c), to_apply=%id
}
`},
	} {
		m, err := Parse([]byte(c.text), "t.hlo")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := m.Text(); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
		checkFixedPoint(t, m, c.name)
	}
}
