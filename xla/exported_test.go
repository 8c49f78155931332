package xla

import (
	"context"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// TestOnPlatform: a program for several platforms takes the CPU's branch, and has no parameter for it any more.
func TestOnPlatform(t *testing.T) {
	text := `HloModule m
ENTRY e {
  p = s32[] parameter(0)
  x = s32[] parameter(1)
  ROOT r = s32[] add(p, x)
}`
	for _, c := range []struct {
		platforms []string
		want      int32
	}{{[]string{"cuda", "tpu", "cpu"}, 12}, {[]string{"cpu", "cuda"}, 10}, {[]string{"cuda", "rocm"}, 10}} {
		m, err := hlo.Parse([]byte(text), "m.hlo")
		if err != nil {
			t.Fatal(err)
		}
		if m, err = onPlatform(m, c.platforms); err != nil {
			t.Fatal(err)
		}
		out, err := hlo.Evaluate(context.Background(), m, []*literal.Literal{literal.Scalar(int32(10))}, hlo.EvalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !literal.Equal(out, literal.Scalar(c.want)) {
			t.Errorf("%v: got %v, want %d", c.platforms, out, c.want)
		}
	}
	m, err := hlo.Parse([]byte(text), "m.hlo")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := onPlatform(m, []string{"cpu"}); err != nil || n != m {
		t.Errorf("one platform: got %v, %v, want the module itself", n, err)
	}
}
