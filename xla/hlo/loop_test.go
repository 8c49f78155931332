package hlo

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func parseModule(t testing.TB, text string) *Module {
	t.Helper()
	m, err := Parse([]byte(text), "loop.hlo")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// counting is a loop of n rounds whose body has five ops on x, of the given sizes, besides taking its tuple apart.
func counting(t testing.TB, n int, sizes string) *Module {
	text := fmt.Sprintf(`HloModule loop
cond {
  s = (s32[], f32[SIZES]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(%d)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[SIZES]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[SIZES] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  f = f32[] convert(i)
  b = f32[SIZES] broadcast(f), dimensions={}
  h = f32[] constant(0.5)
  half = f32[SIZES] broadcast(h), dimensions={}
  y = f32[SIZES] multiply(x, half)
  z = f32[SIZES] add(y, b)
  w = f32[SIZES] maximum(z, half)
  ROOT r = (s32[], f32[SIZES]) tuple(j, w)
}
ENTRY main {
  i = s32[] constant(0)
  o = f32[] constant(1)
  x = f32[SIZES] broadcast(o), dimensions={}
  s = (s32[], f32[SIZES]) tuple(i, x)
  ROOT w = (s32[], f32[SIZES]) while(s), condition=cond, body=body
}`, n)
	return parseModule(t, strings.ReplaceAll(text, "SIZES", sizes))
}

// The rounds of a small loop cost what its ops cost.
func BenchmarkWhile(b *testing.B) {
	for _, sizes := range []string{"", "4"} {
		b.Run("["+sizes+"]", func(b *testing.B) {
			const rounds = 20_000
			m := counting(b, rounds, sizes)
			for b.Loop() {
				if _, err := Evaluate(context.Background(), m, nil, EvalOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rounds, "ns/round")
		})
	}
}

// Loops shorter and longer than the one at which scalars are compiled, and the same on arrays.
func TestLoopCounts(t *testing.T) {
	for _, n := range []int{0, 1, compileAfter - 1, compileAfter, compileAfter + 1, 100} {
		x := float32(1)
		for i := range n {
			x = max(x*0.5+float32(i), 0.5)
		}
		for _, sizes := range []string{"", "1", "2"} {
			out, err := Evaluate(context.Background(), counting(t, n, sizes), nil, EvalOptions{})
			if err != nil {
				t.Fatal(err)
			}
			wantElems(t, "rounds", out.Elems()[0], int32(n))
			if got := elems[float32](t, out.Elems()[1]); got[0] != x {
				t.Errorf("%d rounds on [%s]: got %v, want %v", n, sizes, got, x)
			}
		}
	}
}

func TestScalarLoopIsStopped(t *testing.T) {
	m := counting(t, 1<<30, "")
	_, err := Evaluate(context.Background(), m, nil, EvalOptions{MaxSteps: 10_000})
	if err == nil || !strings.Contains(err.Error(), "more than 10000 steps") {
		t.Errorf("got %v, want the limit of steps", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Evaluate(ctx, m, nil, EvalOptions{}); err == nil {
		t.Error("a cancelled loop ended well")
	}
}

// writing is a loop of 3 rounds over (i, a, b), which begin as (0, init, init); a and b are s32[4].
func writing(body string) string {
	return `HloModule loop
cond {
  s = (s32[], s32[4], s32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], s32[4], s32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = s32[4] get-tuple-element(s), index=1
  b = s32[4] get-tuple-element(s), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  v = s32[1] reshape(j)
` + body + `
}
ENTRY main {
  zero = s32[] constant(0)
  init = s32[4] constant({9, 8, 7, 6})
  s = (s32[], s32[4], s32[4]) tuple(zero, init, init)
  w = (s32[], s32[4], s32[4]) while(s), condition=cond, body=body
  again = (s32[], s32[4], s32[4]) while(s), condition=cond, body=body
  x = s32[4] get-tuple-element(w), index=1
  y = s32[4] get-tuple-element(w), index=2
  z = s32[4] get-tuple-element(again), index=1
  ROOT r = (s32[4], s32[4], s32[4], s32[4]) tuple(x, y, z, init)
}`
}

// Whatever a loop writes in place, nobody sees a difference.
func TestLoopsThatWrite(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		in         int // how many elements of the state are written in place
		a, b       []int32
	}{
		{"one array", `u = s32[4] dynamic-update-slice(a, v, i)
  ROOT r = (s32[], s32[4], s32[4]) tuple(j, u, b)`, 1, []int32{1, 2, 3, 6}, []int32{9, 8, 7, 6}},
		{"both", `u = s32[4] dynamic-update-slice(a, v, i)
  w = s32[4] dynamic-update-slice(b, v, j)
  ROOT r = (s32[], s32[4], s32[4]) tuple(j, u, w)`, 2, []int32{1, 2, 3, 6}, []int32{9, 1, 2, 3}},
		{"read before", `d = s32[1] dynamic-slice(a, j), dynamic_slice_sizes={1}
  u = s32[4] dynamic-update-slice(a, d, i)
  ROOT r = (s32[], s32[4], s32[4]) tuple(j, u, b)`, 1, []int32{8, 7, 6, 6}, []int32{9, 8, 7, 6}},
		{"read after", `u = s32[4] dynamic-update-slice(a, v, i)
  d = s32[1] dynamic-slice(a, i), dynamic_slice_sizes={1}
  w = s32[4] dynamic-update-slice(b, d, j)
  ROOT r = (s32[], s32[4], s32[4]) tuple(j, u, w)`, 1, []int32{1, 2, 3, 6}, []int32{9, 9, 8, 7}},
		{"kept too", `u = s32[4] dynamic-update-slice(a, v, i)
  ROOT r = (s32[], s32[4], s32[4]) tuple(j, u, a)`, 0, []int32{1, 2, 3, 6}, []int32{1, 2, 7, 6}},
		{"result kept too", `u = s32[4] dynamic-update-slice(a, v, i)
  ROOT r = (s32[], s32[4], s32[4]) tuple(j, u, u)`, 0, []int32{1, 2, 3, 6}, []int32{1, 2, 3, 6}},
		{"crossed", `u = s32[4] dynamic-update-slice(a, v, i)
  ROOT r = (s32[], s32[4], s32[4]) tuple(j, b, u)`, 0, []int32{9, 2, 7, 6}, []int32{1, 8, 3, 6}},
		{"taken twice", `c = s32[4] get-tuple-element(s), index=1
  u = s32[4] dynamic-update-slice(a, v, i)
  ROOT r = (s32[], s32[4], s32[4]) tuple(j, u, c)`, 0, []int32{1, 2, 3, 6}, []int32{1, 2, 7, 6}},
		{"written in itself", `u = s32[4] dynamic-update-slice(a, a, i)
  ROOT r = (s32[], s32[4], s32[4]) tuple(j, u, b)`, 0, []int32{9, 8, 7, 6}, []int32{9, 8, 7, 6}},
		{"the state is used whole", `u = s32[4] dynamic-update-slice(a, v, i)
  k = (s32[], s32[4], s32[4]) copy(s)
  c = s32[4] get-tuple-element(k), index=1
  ROOT r = (s32[], s32[4], s32[4]) tuple(j, u, c)`, 0, []int32{1, 2, 3, 6}, []int32{1, 2, 7, 6}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := parseModule(t, writing(tc.body))
			var loop *WhileAttrs
			for _, in := range m.Entry.Instructions {
				if in.Op == While {
					loop = in.Attrs.(*WhileAttrs)
				}
			}
			if elements, _ := carried(loop.Body); len(elements) != tc.in {
				t.Errorf("%d elements are written in place, want %d", len(elements), tc.in)
			}
			out, err := Evaluate(context.Background(), m, nil, EvalOptions{})
			if err != nil {
				t.Fatal(err)
			}
			wantElems(t, "a", out.Elems()[0], tc.a...)
			wantElems(t, "b", out.Elems()[1], tc.b...)
			wantElems(t, "the second loop", out.Elems()[2], tc.a...)
			wantElems(t, "init", out.Elems()[3], 9, 8, 7, int32(6))
		})
	}
}

// A body that is also called by the condition writes to a copy there.
func TestBodyCalledElsewhere(t *testing.T) {
	text := writing(`u = s32[4] dynamic-update-slice(a, v, i)
  ROOT r = (s32[], s32[4], s32[4]) tuple(j, u, b)`)
	text = strings.Replace(text, "cond {", "body2 {", 1)
	head, rest, _ := strings.Cut(text, "body2 {")
	cond, rest, _ := strings.Cut(rest, "body {")
	cond = strings.Replace(cond, "ROOT r = pred[]",
		"c = (s32[], s32[4], s32[4]) call(s), to_apply=body\n  ROOT r = pred[]", 1)
	body, entry, _ := strings.Cut(rest, "ENTRY")
	m := parseModule(t, head+"body {"+body+"cond {"+cond+"ENTRY"+entry)
	out, err := Evaluate(context.Background(), m, nil, EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wantElems(t, "a", out.Elems()[0], 1, 2, 3, int32(6))
}

// A loop that fills a long array does not copy it each round.
func BenchmarkScan(b *testing.B) {
	m := parseModule(b, `HloModule scan
cond {
  s = (s32[], f32[4096,256]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4096)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[4096,256]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[4096,256] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  f = f32[] convert(j)
  v = f32[1,256] broadcast(f), dimensions={}
  z = s32[] constant(0)
  u = f32[4096,256] dynamic-update-slice(a, v, i, z)
  ROOT r = (s32[], f32[4096,256]) tuple(j, u)
}
ENTRY main {
  zero = s32[] constant(0)
  z = f32[] constant(0)
  init = f32[4096,256] broadcast(z), dimensions={}
  s = (s32[], f32[4096,256]) tuple(zero, init)
  ROOT w = (s32[], f32[4096,256]) while(s), condition=cond, body=body
}`)
	for b.Loop() {
		if _, err := Evaluate(context.Background(), m, nil, EvalOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
