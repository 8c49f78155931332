package scalar_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// runLoop compiles the while loop that is the root of text's entry, runs it on state and compares with the reference. It
// returns nil if there is no program.
func runLoop(t *testing.T, text string, state *literal.Literal) *scalar.Program {
	t.Helper()
	m, err := hlo.Parse([]byte(text), "test")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := scalar.CompileLoop(m.Entry.Root, nil)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	want, fault := hlo.Evaluate(context.Background(), m, []*literal.Literal{state}, hlo.EvalOptions{})
	if err != nil || fault != nil {
		t.Fatal(err, fault)
	}
	for name, run := range engines(t, p) {
		got, before := zerosLike(want), fmt.Sprint(state)
		run(1, streamsOf(p, []*literal.Literal{state}, got))
		if d := literal.Compare(got, want, literal.Tolerance{}); d != nil {
			t.Errorf("%s: %v\n%s\n%v", name, d, text, p)
		}
		if fmt.Sprint(state) != before {
			t.Errorf("%s: the program has written to its parameters", name)
		}
	}
	return p
}

// windowsFar reads a window of x and writes it to y at places that go beyond both ends.
const windowsFar = `HloModule m
body {
  s = (I[], I[], T[5,9001], T[9001,5]) parameter(0)
  i = I[] get-tuple-element(s), index=0
  j = I[] get-tuple-element(s), index=1
  x = T[5,9001] get-tuple-element(s), index=2
  y = T[9001,5] get-tuple-element(s), index=3
  d = T[2,3] dynamic-slice(x, i, j), dynamic_slice_sizes={2,3}
  old = T[2,3] dynamic-slice(y, j, i), dynamic_slice_sizes={2,3}
  z = T[9001,5] dynamic-update-slice(y, d, j, i)
  w = T[5,9001] dynamic-update-slice(x, old, i, j)
  step = I[] constant(2999)
  k = I[] add(j, step)
  one = I[] constant(1)
  n = I[] add(i, one)
  ROOT next = (I[], I[], T[5,9001], T[9001,5]) tuple(n, k, w, z)
}
more {
  s = (I[], I[], T[5,9001], T[9001,5]) parameter(0)
  i = I[] get-tuple-element(s), index=0
  n = I[] constant(7)
  ROOT again = pred[] compare(i, n), direction=LT
}
ENTRY e {
  s = (I[], I[], T[5,9001], T[9001,5]) parameter(0)
  ROOT w = (I[], I[], T[5,9001], T[9001,5]) while(s), condition=more, body=body
}
`

// TestWindowsInMemory reads and writes windows of arrays of all types that stay in memory.
func TestWindowsInMemory(t *testing.T) {
	const n = 5 * 9001
	for _, typ := range types() {
		a, b := literal.MakeWide(shape.ComplexClass, n), literal.MakeWide(shape.ComplexClass, n)
		for k := range a.C {
			a.C[k], b.C[k] = complex(specials[k%len(specials)], float64(k%5)), complex(float64(k%7-3), float64(k%3))
		}
		x, err := literal.FromBytes(shape.Array(typ, 5, 9001), cast(a, typ).Bytes())
		if err != nil {
			t.Fatal(err)
		}
		y, _ := literal.FromBytes(shape.Array(typ, 9001, 5), cast(b, typ).Bytes())
		text := strings.ReplaceAll(windowsFar, "T[", typ.String()+"[")
		signed := literal.NewTuple(literal.Scalar(int32(-3)), literal.Scalar(int32(-2)), x, y)
		unsigned := literal.NewTuple(literal.Scalar(uint64(0)), literal.Scalar(uint64(1)<<63), x, y)
		if runLoop(t, strings.ReplaceAll(text, "I[", "s32["), signed) == nil ||
			runLoop(t, strings.ReplaceAll(text, "I[", "u64["), unsigned) == nil {
			t.Errorf("%v: no program", typ)
		}
	}
}

// TestRandomArraysInMemory is TestRandomArrays for arrays beyond what registers hold. Loops that need an array as it was
// before a write have no program; all others must.
func TestRandomArraysInMemory(t *testing.T) {
	const n = 40000
	args := randomArgs(n)
	state := literal.NewTuple(literal.Scalar(int32(0)), args[0], args[1], args[2])
	programs := 0
	for seed := range uint64(150) {
		if runLoop(t, randomLoopInMemory(rand.New(rand.NewPCG(seed, 7)), n), state) != nil {
			programs++
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if programs < 20 {
		t.Errorf("%d of 150 loops have programs", programs)
	}
}

func randomLoopInMemory(r *rand.Rand, n int) string {
	g := &loopText{Rand: r, kinds: []int{0, 0, 1, 4}}
	g.computation("body", 3+r.IntN(5), "one = s32[] constant(1)\n  k = s32[] add(i, one)\n"+
		"  ROOT out = S[] tuple(k, %s, %s, %s)")
	g.computation("condition", 2, "e = s32[1] dynamic-slice(%s, i), dynamic_slice_sizes={1}\n  y = s32[] reshape(e)\n"+
		"  z = s32[] constant(1)\n  u = s32[] and(y, z)\n  f = s32[] constant(4)\n  n = s32[] add(f, u)\n"+
		"  ROOT out = pred[] compare(i, n), direction=LT")
	g.WriteString("ENTRY e {\n  s = S[] parameter(0)\n  ROOT w = S[] while(s), condition=condition, body=body\n}\n")
	v := fmt.Sprintf("s32[%d]", n)
	return "HloModule m\n" + strings.NewReplacer("V[]", v, "S[]", fmt.Sprintf("(s32[], %s, %s, s32[])", v, v)).Replace(g.String())
}
