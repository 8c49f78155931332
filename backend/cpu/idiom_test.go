package cpu

import (
	"context"
	"math"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestIdioms runs the operations of each idiom on numbers from all over their range: the stage is no further from the
// evaluator than the rounding of squares makes in an exponential.
func TestIdioms(t *testing.T) {
	const count = 1 << 15
	x := make([]float32, count)
	for i := range x {
		if x[i] = math.Float32frombits(uint32(i) * (math.MaxUint32 / count)); i%2 == 0 {
			x[i] = float32(i-count/2) / (count / 24)
		}
	}
	a, err := literal.FromSlice(x)
	if err != nil {
		t.Fatal(err)
	}
	for _, idiom := range idioms() {
		b := hlo.NewBuilder("e")
		c, err := b.Build(b.Map([]*hlo.Instruction{b.Parameter(0, a.Shape(), "x")}, idiom.pattern, []int64{0}))
		if err != nil {
			t.Fatal(err)
		}
		m := hlo.NewModule("m", c)
		var results []*literal.Literal
		for _, b := range []exec.Backend{exec.Reference(), New(Options{})} {
			p, err := b.Compile(context.Background(), m, exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			out, err := p.Run(context.Background(), [][]*literal.Literal{{a}}, exec.RunOptions{})
			p.Close()
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, out[0])
		}
		if d := literal.Compare(results[1], results[0], literal.Tolerance{ULP: 150}); d != nil {
			t.Errorf("%s: %v at %v", idiom.stage, d, x[d.First.Index[0]])
		}
	}
}

// TestIdiomsAreFound wants each pattern to become its stage.
func TestIdiomsAreFound(t *testing.T) {
	for _, idiom := range idioms() {
		f := &fused{nodes: []node{{op: hlo.Parameter, t: shape.F32}}}
		n, err := f.inline(idiom.pattern, []int{0})
		if err != nil {
			t.Fatal(err)
		}
		f.roots = []int{n}
		f.useIdioms()
		if last := f.nodes[len(f.nodes)-1]; last.stage != idiom.stage {
			t.Errorf("%s is not found", idiom.stage)
		}
	}
}
