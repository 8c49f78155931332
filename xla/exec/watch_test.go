package exec

import (
	"context"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
)

// whole is a machine that has a kernel for everything, fusions among them.
type whole struct{ bare }

func (whole) Lower(l *Lowering) (Thunk, error) { return writing(Writes(l.Results()...)), nil }

// writing is a thunk that does nothing with its uses.
type writing []Use

func (w writing) Run(*Run) error { return nil }
func (w writing) Uses() []Use    { return w }

// TestBrief wants programs to be watched that take long, though they may touch few bytes: a fusion makes what it
// reduces.
func TestBrief(t *testing.T) {
	for n, want := range map[string]bool{"100": true, "1000000": false, "1099511627776": false} {
		m, err := hlo.Parse([]byte(`add { a = u8[] parameter(0)
  b = u8[] parameter(1)
  ROOT c = u8[] add(a, b) }
fused { one = u8[] constant(1)
  x = u8[`+n+`] broadcast(one), dimensions={}
  zero = u8[] constant(0)
  ROOT y = u8[] reduce(x, zero), dimensions={0}, to_apply=add }
ENTRY e { y = u8[] fusion(), kind=kInput, calls=fused
  z = u8[] fusion(), kind=kInput, calls=fused
  ROOT r = u8[] add(y, z) }`), "brief.hlo")
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(whole{}).Compile(context.Background(), m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.(*program).brief; got != want {
			t.Errorf("%s elements: got brief %v, want %v", n, got, want)
		}
		p.Close()
	}
}
