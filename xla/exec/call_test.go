package exec

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
)

// TestCallInto wants the results of a Call into memory that is there to be those of Run: results that are made in
// place, staged, arguments, parts of arguments, constants, twice the same, and memory at odd addresses.
func TestCallInto(t *testing.T) {
	const text = `ENTRY e { x = f32[300] parameter(0) s = f32[] parameter(1)
  k = s32[3] constant({7,8,9})
  b = f32[300] broadcast(s), dimensions={}
  y = f32[300] add(x, b)
  z = f32[300] multiply(y, y)
  w = f32[] negate(s)
  ROOT r = (f32[300], f32[300], f32[], s32[3], f32[300], f32[300], f32[]) tuple(y, x, w, k, z, z, s) }`
	x := make([]float32, 300)
	for i := range x {
		x[i] = float32(i) / 8
	}
	in, err := literal.FromSlice(x)
	if err != nil {
		t.Fatal(err)
	}
	for _, verify := range []bool{false, true} {
		p := mustCompile(t, text, Options{AllowReference: true, Verify: verify})
		args := []*literal.Literal{in, literal.Scalar(float32(3))}
		want, err := p.Run(context.Background(), [][]*literal.Literal{args}, RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		leaves := want[0].Leaves()
		for _, odd := range []int{0, 4} {
			c := &Call{Args: args, Into: make([][]byte, len(leaves))}
			for i, l := range leaves {
				c.Into[i] = make([]byte, len(l.Bytes())+8)[odd : odd+len(l.Bytes())]
			}
			for range 2 {
				if err := p.Call(context.Background(), c); err != nil {
					t.Fatal(err)
				}
				for i, l := range leaves {
					if !bytes.Equal(c.Into[i], l.Bytes()) {
						t.Errorf("verify %t, odd %d: result %d differs from Run's", verify, odd, i)
					}
				}
			}
			c.Into[3] = c.Into[3][:8]
			if err := p.Call(context.Background(), c); err == nil || !strings.Contains(err.Error(), "result 3 takes 12 bytes") {
				t.Errorf("got %v, want an error about result 3", err)
			}
		}
	}
}
