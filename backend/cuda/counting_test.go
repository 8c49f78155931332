//go:build cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
)

// countingLoop goes round as often as limit says, over an array that is too large for a loop in one kernel; the count
// has a type, begins somewhere, and is an argument of what each round does.
func countingLoop(typ, init, step, direction, limit string) string {
	text := `HloModule counting
cond { s = (f32[4100], TYPE[]) parameter(0)
  i = TYPE[] get-tuple-element(s), index=1
  n = TYPE[] constant(LIMIT)
  ROOT more = pred[] compare(i, n), direction=DIRECTION }
body { s = (f32[4100], TYPE[]) parameter(0)
  x = f32[4100] get-tuple-element(s), index=0
  i = TYPE[] get-tuple-element(s), index=1
  step = TYPE[] constant(STEP)
  j = TYPE[] add(i, step)
  f = f32[] convert(i)
  k = f32[] constant(0.01)
  g = f32[] multiply(f, k)
  fs = f32[4100] broadcast(g), dimensions={}
  y = f32[4100] add(x, fs)
  z = f32[4100] sine(y)
  r = f32[4100] reverse(z), dimensions={0}
  ROOT t = (f32[4100], TYPE[]) tuple(r, j) }
ENTRY e { x = f32[4100] parameter(0)
  init = TYPE[] constant(INIT)
  s = (f32[4100], TYPE[]) tuple(x, init)
  w = (f32[4100], TYPE[]) while(s), condition=cond, body=body
  r = f32[4100] get-tuple-element(w), index=0
  n = f32[4100] negate(r)
  WANTED }`
	wanted := "i = " + typ + "[] get-tuple-element(w), index=1\n  ROOT q = (f32[4100], " + typ + "[]) tuple(n, i)"
	if typ == "s32" {
		wanted = "ROOT q = f32[4100] copy(n)"
	}
	return strings.NewReplacer("TYPE", typ, "INIT", init, "STEP", step, "DIRECTION", direction, "LIMIT", limit,
		"WANTED", wanted).Replace(text)
}

// nestedCounts is a loop that counts in one that does: its body has both counts.
const nestedCounts = `HloModule nested
inner_cond { s = (s32[], s16[], f32[4100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(INNER)
  ROOT more = pred[] compare(i, n), direction=LT }
inner_body { s = (s32[], s16[], f32[4100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  o = s16[] get-tuple-element(s), index=1
  x = f32[4100] get-tuple-element(s), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  c = f32[] convert(o)
  d = f32[] convert(i)
  e = f32[] divide(d, c)
  es = f32[4100] broadcast(e), dimensions={}
  y = f32[4100] add(x, es)
  r = f32[4100] reverse(y), dimensions={0}
  z = f32[4100] cosine(r)
  ROOT t = (s32[], s16[], f32[4100]) tuple(j, o, z) }
cond { s = (s16[], f32[4100]) parameter(0)
  i = s16[] get-tuple-element(s), index=0
  n = s16[] constant(6)
  ROOT more = pred[] compare(i, n), direction=GE }
body { s = (s16[], f32[4100]) parameter(0)
  i = s16[] get-tuple-element(s), index=0
  x = f32[4100] get-tuple-element(s), index=1
  zero = s32[] constant(0)
  in = (s32[], s16[], f32[4100]) tuple(zero, i, x)
  out = (s32[], s16[], f32[4100]) while(in), condition=inner_cond, body=inner_body
  y = f32[4100] get-tuple-element(out), index=2
  less = s16[] constant(-2)
  j = s16[] add(i, less)
  z = f32[4100] sine(y)
  ROOT t = (s16[], f32[4100]) tuple(j, z) }
ENTRY e { x = f32[4100] parameter(0)
  nine = s16[] constant(9)
  s = (s16[], f32[4100]) tuple(nine, x)
  ROOT w = (s16[], f32[4100]) while(s), condition=cond, body=body }`

var countingLoops = map[string]string{
	"none":           countingLoop("s32", "7", "1", "LT", "7"),
	"one":            countingLoop("s32", "7", "1", "LT", "8"),
	"some":           countingLoop("s32", "0", "3", "LT", "100"),
	"down":           countingLoop("s8", "100", "-3", "GT", "-20"),
	"many":           countingLoop("u16", "5", "1", "NE", "520"),
	"many and a few": countingLoop("s64", "-300", "1", "LE", "221"),
	"nested":         strings.ReplaceAll(nestedCounts, "INNER", "5"),
	"nested, many":   strings.ReplaceAll(nestedCounts, "INNER", "270"),
}

// TestCounting runs loops whose rounds are known, with few and with more than a graph has one after the other, on
// drivers with conditional nodes and without: each of some runs has the reference's answer.
func TestCounting(t *testing.T) {
	for version := range drivers {
		t.Setenv("HALO_CUDA_EMU_VERSION", version)
		b := either(t)
		for name, text := range countingLoops {
			m := parsed(t, text)
			x := numbers(t, m.Entry.Parameters[0].Shape.Dims...)
			p := compiled(t, b, m, exec.Options{})
			want := outcome(t, compiled(t, exec.Reference(), m, exec.Options{}), x)
			for run := range 3 {
				got := outcome(t, p, x)
				for k, l := range want.Leaves() {
					if d := literal.Compare(got.Leaves()[k], l, literal.Tolerance{ULP: 64, ATol: 1e-5}); d != nil {
						t.Errorf("%s, driver of %s, run %d: %v", name, version, run, d)
					}
				}
			}
		}
	}
}

// TestCountingCommands wants a loop that counts to be what its rounds do to elements, and nothing that counts.
func TestCountingCommands(t *testing.T) {
	d, b := onEmulator(t)
	for rounds, most := range map[int]int{100: 210, 1000: 2050} {
		m := parsed(t, countingLoop("s32", "0", "1", "LT", fmt.Sprint(rounds)))
		p, x := compiled(t, b, m, exec.Options{}), numbers(t, 4100)
		var blocks int
		for range 3 {
			_, before := count(t, d)
			outcome(t, p, x)
			_, now := count(t, d)
			blocks = now - before
		}
		if each := 17; blocks > most*each {
			t.Errorf("%d rounds take %d blocks, want at most %d", rounds, blocks, most*each)
		}
	}
}

// TestEndlessCounting ends a loop of billions of rounds that are known.
func TestEndlessCounting(t *testing.T) {
	b := either(t)
	m := parsed(t, countingLoop("s32", "0", "1", "LT", "2000000000"))
	p, x := compiled(t, b, m, exec.Options{}), numbers(t, 4100)
	for run := range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		start := time.Now()
		_, err := p.Run(ctx, [][]*literal.Literal{{x}}, exec.RunOptions{})
		cancel()
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > 10*time.Second {
			t.Errorf("run %d: got %v after %v", run, err, took)
		}
	}
}

// TestDeeplyNestedCounts wants loops within each other to be reckoned once, not twice for each level.
func TestDeeplyNestedCounts(t *testing.T) {
	m := &machine{&device{}}
	var body []exec.Thunk
	for range 200 {
		body = []exec.Thunk{m.Count(exec.Count{Trips: 2, At: exec.Slice{Size: 4}}, body)}
	}
	if n := weight(parts(body)); n < 200 || n > 10*mostCommands {
		t.Errorf("the loops have %d commands, want some hundred", n)
	}
}
