package pass

import (
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
)

func TestCut(t *testing.T) {
	m, err := hlo.Parse([]byte(`HloModule m
ENTRY e {
  p = f32[2] parameter(0)
  q = f32[2] parameter(1)
  a = f32[2] add(p, q)
  b = f32[2] multiply(a, a)
  ROOT c = f32[2] subtract(b, q)
}`), "m.hlo")
	if err != nil {
		t.Fatal(err)
	}
	before := m.Text()
	n := Cut(m, m.Entry.Instructions[3])
	if err := hlo.Verify(n); err != nil {
		t.Fatal(err)
	}
	text := n.Text()
	if n.Entry.Root.Op != hlo.Multiply || strings.Contains(text, "subtract") || len(n.Entry.Parameters) != 2 {
		t.Errorf("got\n%s\nwant p, q, a and the root b", text)
	}
	if m.Text() != before {
		t.Errorf("the module changed:\n%s", m.Text())
	}
}
