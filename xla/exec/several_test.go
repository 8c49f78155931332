package exec

import (
	"context"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// TestSeveralRecycle wants the results of each machine to be made in memory of its results before, and what it keeps not
// to grow.
func TestSeveralRecycle(t *testing.T) {
	const devices, rounds, bytes = 3, 20, 40000
	m, err := hlo.Parse([]byte(`HloModule m, replica_count=3
ENTRY e { x = f32[10000] parameter(0)
  ROOT y = f32[10000] negate(x) }`), "m.hlo")
	if err != nil {
		t.Fatal(err)
	}
	b := Several(threaded{1}, threaded{2}, threaded{1}).(*several)
	p, err := b.Compile(context.Background(), m, Options{AllowReference: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	grid := collective.Grid{Replicas: devices}
	for d, machine := range b.backends {
		places, kept := map[*byte]bool{}, int64(0)
		for round := range rounds {
			c := &Call{Args: []*literal.Literal{literal.Zeros(m.Entry.Root.Shape)}, Place: hlo.Place{Grid: grid, Device: d}}
			if err := p.Call(context.Background(), c); err != nil {
				t.Fatal(err)
			}
			places[unsafe.SliceData(c.Results[0].Bytes())] = true
			c.Recycle(c.Results[0])
			n := machine.keeper.bytes.Load()
			if round > 0 && n != kept || n < bytes {
				t.Errorf("round %d: machine %d keeps %d bytes, %d before, want %d or more", round, d, n, kept, bytes)
			}
			kept = n
		}
		if len(places) != 1 {
			t.Errorf("machine %d: the results of %d rounds lie in %d places, want 1", d, rounds, len(places))
		}
	}
}
