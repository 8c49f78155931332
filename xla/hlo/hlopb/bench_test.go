package hlopb

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// BenchmarkOps reads a chain of 20 000 additions; ops/s counts.
func BenchmarkOps(b *testing.B) {
	const n = 20_000
	var text strings.Builder
	text.WriteString("HloModule m\nENTRY e {\n  x0 = f32[2]{0} parameter(0)\n")
	for i := range n {
		fmt.Fprintf(&text, "  x%d = f32[2]{0} add(x%d, x%d)\n", i+1, i, i)
	}
	src := Marshal(parse(b, text.String()+"}"))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(src, "t.pb"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}

// BenchmarkConstant reads a constant of 64 MB; the memory allocated for it, and the speed, count.
func BenchmarkConstant(b *testing.B) {
	l := literal.Zeros(shape.Array(shape.F32, 16<<20))
	builder := hlo.NewBuilder("e")
	entry, err := builder.Build(builder.ConstantLiteral(l))
	if err != nil {
		b.Fatal(err)
	}
	src := Marshal(hlo.NewModule("m", entry))
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(src, "t.pb"); err != nil {
			b.Fatal(err)
		}
	}
}
