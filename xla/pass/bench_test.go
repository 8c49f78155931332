package pass

import (
	"errors"
	"fmt"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// largeProgram makes an entry of about n instructions, layer after layer: a product, a bias, an activation, a mean.
func largeProgram(tb testing.TB, n int) *hlo.Module {
	tb.Helper()
	sum := binaryComputation("sum", hlo.Add, shape.F32)
	b := hlo.NewBuilder("e")
	x := b.Parameter(0, shape.Array(shape.F32, 8, 16), "x")
	w := b.Parameter(1, shape.Array(shape.F32, 16, 16), "w")
	bias := b.Parameter(2, shape.Array(shape.F32, 16), "bias")
	for range n / 16 {
		y := b.Dot(x, w)
		y = b.Add(y, b.BroadcastInDim(bias, []int64{8, 16}, []int64{1}))
		y = b.Max(y, b.Broadcast(hlo.ConstantR0(b, float32(0)), []int64{8, 16}))
		mean := b.Reduce([]*hlo.Instruction{y}, []*hlo.Instruction{hlo.ConstantR0(b, float32(0))}, sum, 1)
		mean = b.Div(mean, b.Broadcast(hlo.ConstantR0(b, float32(16)), []int64{8}))
		x = b.Add(x, b.Sub(y, b.BroadcastInDim(mean, []int64{8, 16}, []int64{0})))
	}
	c, err := b.Build(x)
	if err != nil {
		tb.Fatal(err)
	}
	return hlo.NewModule("large", c)
}

// BenchmarkPasses runs each pass on programs of two sizes: ten times the size takes about ten times as long.
func BenchmarkPasses(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		m := largeProgram(b, n)
		for _, p := range everyPass() {
			b.Run(fmt.Sprintf("%s/%d", p.Name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := p.Run(m); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/instruction")
			})
		}
	}
}

// TestDeepProgram runs every pass on a chain of 100000 instructions, which recursion would not survive well.
func TestDeepProgram(t *testing.T) {
	if testing.Short() {
		testfile.Library(t, "large", errors.New("a large program, left out by -short"))
	}
	m := largeProgram(t, 100000)
	if _, err := Run(t.Context(), m, everyPass(), Options{}); err != nil {
		t.Fatal(err)
	}
}
