package cpu_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

const reduceBench = `HloModule m
f { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] %[1]s(x, y) }
ENTRY e {
  x = f32[%[2]s] parameter(0)
  i = f32[] constant(0)
  ROOT r = f32[%[3]s] %[4]s(x, i), %[5]s, to_apply=f
}
`

// BenchmarkReduce has the reductions of the table of benchmarks, on one thread and on two.
func BenchmarkReduce(b *testing.B) {
	for _, c := range []struct {
		name, op, from, to, kind, attr string
		dims                           []int64
	}{
		{"columns", "add", "8192,4096", "4096", "reduce", "dimensions={0}", []int64{8192, 4096}},
		{"rows", "add", "8192,4096", "8192", "reduce", "dimensions={1}", []int64{8192, 4096}},
		{"all", "add", "16777216", "", "reduce", "dimensions={0}", []int64{16777216}},
		{"max", "maximum", "16777216", "", "reduce", "dimensions={0}", []int64{16777216}},
		{"narrow", "add", "1000000,16", "1000000", "reduce", "dimensions={1}", []int64{1000000, 16}},
		{"channels", "add", "1000000,16", "16", "reduce", "dimensions={0}", []int64{1000000, 16}},
		{"maxpool", "maximum", "8,112,112,64", "8,56,56,64", "reduce-window",
			"window={size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_1x1_1x0_0}", []int64{8, 112, 112, 64}},
		{"avgpoolnchw", "add", "8,64,112,112", "8,64,56,56", "reduce-window",
			"window={size=1x1x2x2 stride=1x1x2x2}", []int64{8, 64, 112, 112}},
		{"cumsum", "add", "4194304", "4194304", "reduce-window", "window={size=4194304 pad=4194303_0}", []int64{4194304}},
		{"cumsumrows", "add", "4096,1024", "4096,1024", "reduce-window", "window={size=1x1024 pad=0_0x1023_0}",
			[]int64{4096, 1024}},
	} {
		text := fmt.Sprintf(reduceBench, c.op, c.from, c.to, c.kind, c.attr)
		x := literal.Zeros(shape.Array(shape.F32, c.dims...))
		for i := range x.Bytes() {
			x.Bytes()[i] = byte(i % 7) // small numbers in memory of their own
		}
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprintf("%s/%d", c.name, threads), func(b *testing.B) {
				m, err := hlo.Parse([]byte(text), "bench")
				if err != nil {
					b.Fatal(err)
				}
				p, err := cpu.New(cpu.Options{Threads: threads}).Compile(context.Background(), m, exec.Options{})
				if err != nil {
					b.Fatal(err)
				}
				defer p.Close()
				b.SetBytes(int64(len(x.Bytes())))
				for b.Loop() {
					if _, err := p.Run(context.Background(), [][]*literal.Literal{{x}}, exec.RunOptions{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
