package exec

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
)

var errNoKernel = fmt.Errorf("no kernel: %w", errors.ErrUnsupported)

// bare is a machine without kernels: all runs by the reference, and exec's part is tested alone.
type bare struct{}

func (bare) Name() string                   { return "bare" }
func (bare) Threads() int                   { return 2 }
func (bare) Passes() []pass.Pass            { return nil }
func (bare) Lower(*Lowering) (Thunk, error) { return nil, errNoKernel }

// programs are pieces of control flow with what they give for the argument 5.
var programs = []struct{ name, text, want string }{
	{"the state's parts change places", `
HloModule m
body { s = (s32[], s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = s32[] get-tuple-element(s), index=1
  b = s32[] get-tuple-element(s), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT r = (s32[], s32[], s32[]) tuple(j, b, a) }
cond { s = (s32[], s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT r = pred[] compare(i, n), direction=LT }
ENTRY e { x = s32[] parameter(0)
  zero = s32[] constant(0)
  y = s32[] negate(x)
  init = (s32[], s32[], s32[]) tuple(zero, x, y)
  ROOT w = (s32[], s32[], s32[]) while(init), condition=cond, body=body }`,
		"(s32[], s32[], s32[]) ( 3, -5, 5 )"},
	{"the body reads the state after the next one is made", `
HloModule m
body { s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = s32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  b = s32[] add(a, i)
  ROOT r = (s32[], s32[]) tuple(j, b) }
cond { s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4)
  ROOT r = pred[] compare(i, n), direction=LT }
ENTRY e { x = s32[] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], s32[]) tuple(zero, x)
  w = (s32[], s32[]) while(init), condition=cond, body=body
  v = s32[] get-tuple-element(w), index=1
  ROOT r = (s32[], s32[]) tuple(v, x) }`,
		"(s32[], s32[]) ( 11, 5 )"},
	{"a loop that does not run leaves its state, which is an argument, as it is", `
HloModule m
body { s = s32[] parameter(0)
  ROOT r = s32[] add(s, s) }
cond { s = s32[] parameter(0)
  n = s32[] constant(5)
  ROOT r = pred[] compare(s, n), direction=LT }
ENTRY e { x = s32[] parameter(0)
  ROOT w = s32[] while(x), condition=cond, body=body }`,
		"s32[] 5"},
	{"a part that the body hands on is used in it and behind it", `
HloModule m
body { s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = s32[] get-tuple-element(s), index=1
  j = s32[] add(i, a)
  ROOT r = (s32[], s32[]) tuple(j, a) }
cond { s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(20)
  ROOT r = pred[] compare(i, n), direction=LT }
ENTRY e { x = s32[] parameter(0)
  y = s32[] negate(x)
  z = s32[] negate(y)
  init = (s32[], s32[]) tuple(y, z)
  w = (s32[], s32[]) while(init), condition=cond, body=body
  i = s32[] get-tuple-element(w), index=0
  a = s32[] get-tuple-element(w), index=1
  ROOT r = (s32[], s32[], s32[]) tuple(i, a, y) }`,
		"(s32[], s32[], s32[]) ( 20, 5, -5 )"},
	{"branches in a loop, and a branch that gives what it is given", `
HloModule m
same { p = s32[] parameter(0)
  ROOT r = s32[] add(p, p) }
less { ROOT p = s32[] parameter(0) }
body { s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = s32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  k = s32[] and(i, one)
  c = s32[] conditional(k, a, a), branch_computations={same, less}
  ROOT r = (s32[], s32[]) tuple(j, c) }
cond { s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4)
  ROOT r = pred[] compare(i, n), direction=LT }
ENTRY e { x = s32[] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], s32[]) tuple(zero, x)
  ROOT w = (s32[], s32[]) while(init), condition=cond, body=body }`,
		"(s32[], s32[]) ( 4, 20 )"},
	{"one value twice in the result, an argument and a constant", `
HloModule m
ENTRY e { x = s32[] parameter(0)
  y = s32[] add(x, x)
  c = s32[] constant(7)
  ROOT r = (s32[], s32[], s32[], s32[]) tuple(y, y, x, c) }`,
		"(s32[], s32[], s32[], s32[]) ( 10, 10, 5, 7 )"},
}

func TestControlFlow(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			m, err := hlo.Parse([]byte(p.text), "test.hlo")
			if err == nil {
				err = hlo.Verify(m)
			}
			if err != nil {
				t.Fatal(err)
			}
			x, err := New(bare{}).Compile(context.Background(), m, Options{AllowReference: true, Verify: true})
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			for range 2 { // the second time in the memory of the first
				args := [][]*literal.Literal{{literal.Scalar(int32(5))}}
				got, err := x.Run(context.Background(), args, RunOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if got[0].String() != p.want {
					t.Errorf("got %v, want %v", got[0], p.want)
				}
			}
		})
	}
}

// TestOddPred wants a byte that is neither 0 nor 1 to be true where a branch is chosen: in Go as in C.
func TestOddPred(t *testing.T) {
	b := &branch{isPred: true, branches: make([]*block, 2)}
	for value, want := range map[byte]int{0: 1, 1: 0, 2: 0, 255: 0} {
		if got := b.choose([]byte{value}); got != want {
			t.Errorf("byte %d: got branch %d, want %d", value, got, want)
		}
	}
}
