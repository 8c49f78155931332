package cpu

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// compiled compiles HLO text on two threads.
func compiled(t testing.TB, text string) exec.Program {
	t.Helper()
	m, err := hlo.Parse([]byte(text), "test.hlo")
	if err == nil {
		err = hlo.Verify(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Options{Threads: 2}).Compile(context.Background(), m, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// chain is a program of n small records that cannot be joined.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("ENTRY e {\n  x0 = f32[2,3] parameter(0)\n")
	for i := range n {
		dims := [2]string{"2,3", "3,2"}[(i+1)%2]
		root := ""
		if i == n-1 {
			root = "ROOT "
		}
		fmt.Fprintf(&b, "  %sx%d = f32[%s] transpose(x%d), dimensions={1,0}\n  ", root, i+1, dims, i)
		b.WriteString("\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// BenchmarkDispatch is one execution of one small record.
func BenchmarkDispatch(b *testing.B) {
	p := compiled(b, chain(1))
	x, ctx := literal.Zeros(shape.Array(shape.F32, 2, 3)), context.Background()
	args := [][]*literal.Literal{{x}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Run(ctx, args, exec.RunOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
