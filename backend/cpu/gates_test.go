package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
)

// TestGates wants of a cell with gates what the reference gives, to the bit, for 1 and 3 threads, with weights that are
// known and with others; and that it is one step, if there are kernels for it.
func TestGates(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 1))
	for _, s := range [][3]int{{3, 7, 5}, {8, 64, 96}, {5, 40, 256}, {13, 260, 300}, {1, 8, 8}, {100, 64, 288},
		{8, 300, 320}, {40, 100, 640}, {27, 64, 300}, {96, 100, 130}, {8, 250, 256}, {7, 300, 256}} {
		text := cellProgram(s[0], s[1], s[2])
		m, reference := compile(t, exec.Reference(), text)
		args := smallArguments(r, m)
		sprinkle(r, args[2])
		sprinkle(r, args[3])
		want := executeAll(t, reference, args...)
		for _, threads := range []int{1, 3} {
			_, p := compile(t, New(Options{Threads: threads}), text)
			alike(t, text, executeAll(t, p, args...), want)
			p = compileBound(t, New(Options{Threads: threads}), m, map[int64]*literal.Literal{1: args[1]})
			alike(t, text, executeAll(t, p, append(args[:1:1], args[2:]...)...), want)
			if n := len(p.Report()); run.Available() && n != 1 {
				t.Errorf("%v: got %d steps, want 1", s, n)
			}
		}
	}
}

// TestGateRows wants of cells with few weights that pieces have whole rows of the state, also with more weights if those
// are a tile each, and of others that they have columns of it; elsewhere than at AVX2 all have columns, 128 at least.
func TestGateRows(t *testing.T) {
	for _, s := range []struct{ m, k, units, rows, columns int }{{32, 128, 128, 16, 128}, {27, 64, 128, 16, 128},
		{16, 128, 128, 16, 64}, {32, 128, 256, 32, 64}, {64, 64, 64, 32, 64}, {8, 256, 256, 4, 256},
		{7, 256, 256, 7, 128}, {9, 256, 256, 9, 128}, {8, 512, 512, 4, 128},
		{8, 513, 512, 8, 64}} {
		k := known{matrices: matrices{m: s.m, n: 4 * s.units, k: s.k}, gates: 4, rows: gemm.NearRows}
		if run.Level() != run.AVX2 {
			s.rows, s.columns = s.m, min(s.units, leastColumns)
		}
		if rows, columns := k.blocks(s.units); rows != s.rows || columns != s.columns {
			t.Errorf("%v: got %d rows and %d columns", s, rows, columns)
		}
	}
}

// cellProgram is a cell of m rows, k terms and so many units, whose gates are computed by what is exact.
func cellProgram(m, k, units int) string {
	return strings.NewReplacer("M", fmt.Sprint(m), "K", fmt.Sprint(k), "U", fmt.Sprint(units), "2W", fmt.Sprint(2*units),
		"3W", fmt.Sprint(3*units)).Replace(`ENTRY e {
  h = f32[M,K] parameter(0)  w = f32[K,3W] parameter(1)  x = f32[M,3W] parameter(2)  c = f32[M,U] parameter(3)
  y = f32[M,3W] dot(h, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  s = f32[M,3W] add(x, y)
  i = f32[M,U] slice(s), slice={[0:M], [0:U]}  f = f32[M,U] slice(s), slice={[0:M], [U:2W]}
  o = f32[M,U] slice(s), slice={[0:M], [2W:3W]}
  z = f32[] constant(0)  n = f32[] constant(3)
  g = f32[M,U] clamp(z, i, n)  p = f32[M,U] multiply(f, c)  q = f32[M,U] add(p, g)
  v = f32[M,U] maximum(o, q)
  ROOT r = (f32[M,U], f32[M,U]) tuple(q, v) }`)
}

// TestGateAlone wants of a cell that reads one gate of a product, of one row too, what the reference gives, and that
// nothing is written behind the result, which is smaller than the product.
func TestGateAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 2))
	for _, s := range [][3]int{{1, 1, 304}, {1, 7, 1}, {1, 64, 32}, {2, 7, 1}, {3, 40, 32}} {
		for gate := range 2 {
			m, k, units := s[0], s[1], s[2]
			text := fmt.Sprintf(`ENTRY e {
  h = f32[%d,%d] parameter(0)  w = f32[%[2]d,%[3]d] parameter(1)  c = f32[%[1]d,%[4]d] parameter(2)
  y = f32[%[1]d,%[3]d] dot(h, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  g = f32[%[1]d,%[4]d] slice(y), slice={[0:%[1]d], [%[5]d:%[6]d]}
  ROOT r = f32[%[1]d,%[4]d] subtract(g, c) }`, m, k, 2*units, units, gate*units, (gate+1)*units)
			module, reference := compile(t, exec.Reference(), text)
			args := smallArguments(r, module)
			p := compileBound(t, New(Options{Threads: 3}), module, nil)
			alike(t, text, []*literal.Literal{execute(t, p, args...)}, []*literal.Literal{execute(t, reference, args...)})
			p = compileBound(t, New(Options{Threads: 3}), module, map[int64]*literal.Literal{1: args[1]})
			alike(t, text, []*literal.Literal{execute(t, p, args[0], args[2])}, []*literal.Literal{execute(t, reference, args...)})
		}
	}
}

// executeAll runs a program with several results.
func executeAll(t *testing.T, p exec.Program, args ...*literal.Literal) []*literal.Literal {
	t.Helper()
	out, err := p.Run(t.Context(), [][]*literal.Literal{args}, exec.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out[0].Elems()
}

func alike(t *testing.T, text string, got, want []*literal.Literal) {
	t.Helper()
	for i, g := range got {
		if d := literal.Compare(g, want[i], literal.Tolerance{}); d != nil {
			t.Fatalf("result %d: %v\n%s", i, d, text)
		}
	}
}

// TestGatesInLoop runs a cell whose results are the state of the next round: one is written over what it is made of, the
// other, which the product reads, is not.
func TestGatesInLoop(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 1))
	text := `cond { s = (s32[], f32[7,256], f32[7,256], f32[256,512]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)  ROOT again = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[7,256], f32[7,256], f32[256,512]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  h = f32[7,256] get-tuple-element(s), index=1  c = f32[7,256] get-tuple-element(s), index=2
  w = f32[256,512] get-tuple-element(s), index=3
  y = f32[7,512] dot(h, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  a = f32[7,256] slice(y), slice={[0:7], [0:256]}  b = f32[7,256] slice(y), slice={[0:7], [256:512]}
  low = f32[] constant(-2)  high = f32[] constant(2)
  d = f32[7,256] clamp(low, a, high)  p = f32[7,256] add(c, d)
  e = f32[7,256] subtract(b, p)  q = f32[7,256] clamp(low, e, high)
  one = s32[] constant(1)  j = s32[] add(i, one)
  ROOT r = (s32[], f32[7,256], f32[7,256], f32[256,512]) tuple(j, q, p, w) }
ENTRY e { h = f32[7,256] parameter(0)  w = f32[256,512] parameter(1)  c = f32[7,256] parameter(2)
  z = s32[] constant(0)  s = (s32[], f32[7,256], f32[7,256], f32[256,512]) tuple(z, h, c, w)
  v = (s32[], f32[7,256], f32[7,256], f32[256,512]) while(s), condition=cond, body=body
  q = f32[7,256] get-tuple-element(v), index=1  p = f32[7,256] get-tuple-element(v), index=2
  ROOT r = (f32[7,256], f32[7,256]) tuple(q, p) }`
	m, reference := compile(t, exec.Reference(), text)
	args := []*literal.Literal{small(r, m.Entry.Parameters[0].Shape), small(r, m.Entry.Parameters[1].Shape),
		small(r, m.Entry.Parameters[2].Shape)}
	want := executeAll(t, reference, args...)
	for _, threads := range []int{1, 3} {
		_, p := compile(t, New(Options{Threads: threads}), text)
		alike(t, text, executeAll(t, p, args...), want)
		p = compileBound(t, New(Options{Threads: threads}), m, map[int64]*literal.Literal{1: args[1]})
		alike(t, text, executeAll(t, p, args[0], args[2]), want)
	}
}

// TestGatesAndSums wants of gates with each of some arrays added at their own places, at another gate's, of another
// array, or nothing, what the reference gives.
func TestGatesAndSums(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 1))
	added := []string{"add(a, xa)", "add(xb, b)", "add(c, xc)"}
	for i, other := range []string{"", "negate(a)", "add(a, xb)", "add(za, a)", "add(a, a)", "add(a, wide)",
		"maximum(a, zero)"} {
		list := slices.Clone(added)
		if i > 0 {
			list[0] = other
		}
		text := fmt.Sprintf(`ENTRY e {
  h = f32[9,40] parameter(0)  w = f32[40,288] parameter(1)  x = f32[9,288] parameter(2)  z = f32[9,288] parameter(3)
  v = f32[18,288] parameter(4)
  y = f32[9,288] dot(h, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  a = f32[9,96] slice(y), slice={[0:9], [0:96]}  b = f32[9,96] slice(y), slice={[0:9], [96:192]}
  c = f32[9,96] slice(y), slice={[0:9], [192:288]}
  xa = f32[9,96] slice(x), slice={[0:9], [0:96]}  xb = f32[9,96] slice(x), slice={[0:9], [96:192]}
  xc = f32[9,96] slice(x), slice={[0:9], [192:288]}  za = f32[9,96] slice(z), slice={[0:9], [0:96]}
  wide = f32[9,96] slice(v), slice={[0:9], [0:96]}  none = f32[] constant(0)
  zero = f32[9,96] broadcast(none), dimensions={}
  i = f32[9,96] %s  j = f32[9,96] %s  k = f32[9,96] %s
  p = f32[9,96] subtract(i, j)  q = f32[9,96] maximum(p, k)
  ROOT r = (f32[9,96], f32[9,96]) tuple(p, q) }`, list[0], list[1], list[2])
		m, reference := compile(t, exec.Reference(), text)
		args := smallArguments(r, m)
		sprinkle(r, args[2])
		want := executeAll(t, reference, args...)
		p := compileBound(t, New(Options{Threads: 3}), m, map[int64]*literal.Literal{1: args[1]})
		alike(t, text, executeAll(t, p, append(args[:1:1], args[2:]...)...), want)
	}
}
