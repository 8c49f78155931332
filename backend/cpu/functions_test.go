package cpu_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// TestFunctionsOfMixedBlocks has ordinary numbers beside such that a function takes another way for: these change no
// bit of those, at any place of a block.
func TestFunctionsOfMixedBlocks(t *testing.T) {
	const count = 4096
	odd := []float32{0, 1e-30, 6, -7, 70000, 1e30, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	plain, mixed := make([]float32, count), make([]float32, count)
	for i := range plain {
		plain[i] = float32(i%997)/996*3 + 0.01
		if mixed[i] = plain[i]; i%5 == 0 || i/64%3 == 0 && i%2 == 1 {
			mixed[i] = odd[i%len(odd)]
		}
	}
	tested := 0
	for op := range hlo.NumOps {
		info := op.Info()
		if info.Scalar == nil || info.Scalar.Float == nil || info.Operands != "operand" {
			continue
		}
		tested++
		text := fmt.Sprintf("ENTRY e { p = f32[%[1]d] parameter(0) ROOT y = f32[%[1]d] %[2]s(p) }", count, op)
		want, got := floats(t, text, plain), floats(t, text, mixed)
		for i := range got {
			if mixed[i] == plain[i] && math.Float32bits(got[i]) != math.Float32bits(want[i]) {
				t.Fatalf("%s(%v) at %d is %v among ordinary numbers, %v among others", op, plain[i], i, want[i], got[i])
			}
		}
	}
	if tested < 20 {
		t.Errorf("got %d functions, want 20 or more", tested)
	}
}

// floats runs a program of one array of f32.
func floats(t *testing.T, text string, x []float32) []float32 {
	t.Helper()
	a, err := literal.FromSlice(x)
	if err != nil {
		t.Fatal(err)
	}
	_, p := compiled(t, cpu.New(cpu.Options{}), text)
	defer p.Close()
	got, err := literal.View[float32](results(t, p, text, []*literal.Literal{a}))
	if err != nil {
		t.Fatal(err)
	}
	return got
}
