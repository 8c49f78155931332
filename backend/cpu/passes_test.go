package cpu

import (
	"context"
	"errors"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
)

func TestPassOrder(t *testing.T) {
	if err := pass.CheckOrder((&machine{}).Passes(), passOrder); err != nil {
		t.Error(err)
	}
}

// Weights of a million elements are converted once, by the kernels, when the program is compiled.
func TestConstantsAreComputedAtCompile(t *testing.T) {
	const n = 1 << 20
	m, err := hlo.Parse([]byte(`ENTRY e { x = f32[1048576] parameter(0)  w = f32[1048576] parameter(1)
  h = bf16[1048576] convert(w)  s = f32[1048576] convert(h)  ROOT r = f32[1048576] add(x, s) }`), "m.hlo")
	if err != nil {
		t.Fatal(err)
	}
	w := make([]float32, n)
	for i := range w {
		w[i] = 1 + float32(i)/n
	}
	weights, err := literal.FromSlice(w, n)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = pass.Bind(m, map[int64]*literal.Literal{1: weights}); err != nil {
		t.Fatal(err)
	}
	if m, err = pass.Run(t.Context(), m, (&machine{threads: 1}).Passes(), pass.Options{Verify: true}); err != nil {
		t.Fatal(err)
	}
	root := m.Entry.Root
	if root.Op != hlo.Add || root.Operands[1].Op != hlo.Constant {
		t.Fatalf("got\n%s, want a sum with a constant", root.Op)
	}
	got, err := literal.View[float32](root.Operands[1].Attrs.(*hlo.ConstantAttrs).Literal)
	if err != nil || got[0] != 1 || got[n/2] != 1.5 || got[1] != 1 {
		t.Errorf("got %v, %v and %v (%v), want 1, 1 and 1.5", got[0], got[1], got[n/2], err)
	}
}

// Who compiles a program gives up: what is computed from its constants is given up, too.
func TestConstantsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := parse(t, `ENTRY e { c = bf16[2] constant({1, 2})  ROOT d = f32[2] convert(c) }`)
	if out, err := (&machine{threads: 1}).constants(ctx, m); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v, want %v", out, err, context.Canceled)
	}
}
