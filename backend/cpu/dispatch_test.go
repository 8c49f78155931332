package cpu

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// compiled compiles HLO text on two threads.
func compiled(t testing.TB, text string) exec.Program {
	t.Helper()
	p, err := New(Options{Threads: 2}).Compile(context.Background(), parse(t, text), exec.Options{})
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

// endless are programs that never end by themselves.
var endless = map[string]string{
	"scalars": `
HloModule m
body { s = s32[] parameter(0)
  ROOT r = s32[] xor(s, s) }
cond { s = s32[] parameter(0)
  zero = s32[] constant(0)
  ROOT r = pred[] compare(s, zero), direction=GE }
ENTRY e { zero = s32[] constant(0)
  ROOT w = s32[] while(zero), condition=cond, body=body }`,
	"arrays": `
HloModule m
body { s = (s32[], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[64,64] get-tuple-element(s), index=1
  b = f32[64,64] transpose(a), dimensions={1,0}
  c = f32[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = (s32[], f32[64,64]) tuple(i, c) }
cond { s = (s32[], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  zero = s32[] constant(0)
  ROOT r = pred[] compare(i, zero), direction=GE }
ENTRY e { x = s32[] parameter(0)
  z = f32[] constant(0)
  a = f32[64,64] broadcast(z), dimensions={}
  init = (s32[], f32[64,64]) tuple(x, a)
  w = (s32[], f32[64,64]) while(init), condition=cond, body=body
  ROOT r = f32[64,64] get-tuple-element(w), index=1 }`,
}

// TestCancel wants an execution to end after its context, out of loops of every kind that end no other way.
func TestCancel(t *testing.T) {
	for name, text := range endless {
		t.Run(name, func(t *testing.T) {
			p := compiled(t, text)
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(50*time.Millisecond, cancel)
			var args []*literal.Literal
			if strings.Contains(text, "x = s32[] parameter") {
				args = append(args, literal.Scalar(int32(0)))
			}
			_, err := p.Run(ctx, [][]*literal.Literal{args}, exec.RunOptions{})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v, want %v", err, context.Canceled)
			}
		})
	}
}
