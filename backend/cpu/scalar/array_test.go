package scalar_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// permuting is how JAX makes a permutation of LU's pivots: round i swaps elements i and pivots[i].
const permuting = `HloModule m
second { a = s32[] parameter(0)
  ROOT b = s32[] parameter(1) }
swap {
  s = (s32[N], s32[], s32[N]) parameter(0)
  pivots = s32[N] get-tuple-element(s), index=0
  i = s32[] get-tuple-element(s), index=1
  p = s32[N] get-tuple-element(s), index=2
  j1 = s32[1] dynamic-slice(pivots, i), dynamic_slice_sizes={1}
  j = s32[] reshape(j1)
  x1 = s32[1] dynamic-slice(p, i), dynamic_slice_sizes={1}
  x = s32[] reshape(x1)
  y1 = s32[1] dynamic-slice(p, j), dynamic_slice_sizes={1}
  y = s32[] reshape(y1)
  ii = s32[1] reshape(i)
  q = s32[N] scatter(p, ii, y), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
    index_vector_dim=0, to_apply=second
  r = s32[N] scatter(q, j1, x), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
    index_vector_dim=0, to_apply=second
  one = s32[] constant(1)
  k = s32[] add(i, one)
  ROOT next = (s32[N], s32[], s32[N]) tuple(pivots, k, r)
}
more {
  s = (s32[N], s32[], s32[N]) parameter(0)
  i = s32[] get-tuple-element(s), index=1
  n = s32[] constant(N)
  ROOT again = pred[] compare(i, n), direction=LT
}
ENTRY e {
  pivots = s32[N] parameter(0)
  i = s32[] parameter(1)
  p = s32[N] parameter(2)
  s = (s32[N], s32[], s32[N]) tuple(pivots, i, p)
  ROOT w = (s32[N], s32[], s32[N]) while(s), condition=more, body=swap
}
`

func TestPermutation(t *testing.T) {
	for _, n := range []int{1, 2, 7, 8, 512} {
		text := strings.NewReplacer("[N]", fmt.Sprintf("[%d]", n), "(N)", fmt.Sprintf("(%d)", n)).Replace(permuting)
		pivots, from := make([]int64, n), make([]int64, n)
		for i := range pivots {
			from[i] = int64(i)
			pivots[i] = int64(i + rand.IntN(n-i))
		}
		pivots[0] = int64(n + 5) // clamped where it is read, left out where it is written
		pivots[n-1] = -3
		p := compileAndRun(t, text, integers(pivots), literal.Scalar(int32(-2)), integers(from))
		if n > 8 && strings.Count(p.String(), "Move") > 2 {
			t.Errorf("arrays of %d elements are copied in the loop:\n%v", n, p)
		}
	}
}

func integers(v []int64) *literal.Literal {
	return literal.FromWide(shape.Array(shape.S32, int64(len(v))), literal.Wide{Class: shape.SignedClass, I: v})
}

// TestWindows reads and writes windows of arrays of all types, at places within and beyond both ends.
func TestWindows(t *testing.T) {
	const text = `HloModule m
ENTRY e {
  x = T[3,14] parameter(0)
  i = I[] parameter(1)
  j = I[] parameter(2)
  d = T[2,3] dynamic-slice(x, i, j), dynamic_slice_sizes={2,3}
  u = T[3,14] dynamic-update-slice(x, d, j, i)
  all = T[3,14] dynamic-slice(u, i, j), dynamic_slice_sizes={3,14}
  row = T[1,14] dynamic-slice(all, j, i), dynamic_slice_sizes={1,14}
  ROOT r = (T[2,3], T[3,14], T[1,14]) tuple(d, u, row)
}
`
	for _, typ := range types() {
		w := literal.MakeWide(shape.ComplexClass, 42)
		for k := range w.C {
			w.C[k] = complex(float64(k%7-3), float64(k%5))
		}
		x, err := literal.FromBytes(shape.Array(typ, 3, 14), cast(w, typ).Bytes())
		if err != nil {
			t.Fatal(err)
		}
		run := strings.NewReplacer("T[", typ.String()+"[", "I[", "s32[").Replace(text)
		for _, at := range [][2]int32{{0, 0}, {1, 2}, {-1, 11}, {-1 << 31, 1<<31 - 1}, {2, 12}} {
			compileAndRun(t, run, x, literal.Scalar(at[0]), literal.Scalar(at[1]))
		}
		unsigned := strings.NewReplacer("T[", typ.String()+"[", "I[", "u64[").Replace(text)
		compileAndRun(t, unsigned, x, literal.Scalar(uint64(1)<<63), literal.Scalar(uint64(1)))
	}
}

// TestEmptyWindows reads and writes windows of no elements, of arrays that have some and that have none.
func TestEmptyWindows(t *testing.T) {
	const text = `HloModule m
ENTRY e {
  x = s32[N,4] parameter(0)
  i = s32[] parameter(1)
  d = s32[0,2] dynamic-slice(x, i, i), dynamic_slice_sizes={0,2}
  u = s32[N,4] dynamic-update-slice(x, d, i, i)
  ROOT r = (s32[0,2], s32[N,4]) tuple(d, u)
}
`
	for _, n := range []int64{0, 2} {
		x := literal.FromWide(shape.Array(shape.S32, n, 4), literal.Wide{Class: shape.SignedClass, I: make([]int64, 4*n)})
		compileAndRun(t, strings.ReplaceAll(text, "[N", fmt.Sprintf("[%d", n)), x, literal.Scalar(int32(1)))
	}
}

// TestScatterOne adds at places of two dimensions, in range and out of it.
func TestScatterOne(t *testing.T) {
	const text = `HloModule m
add { a = c64[] parameter(0)
  b = c64[] parameter(1)
  ROOT c = c64[] add(a, b) }
ENTRY e {
  x = c64[3,4] parameter(0)
  at = s32[2] parameter(1)
  u = c64[1] parameter(2)
  ROOT r = c64[3,4] scatter(x, at, u), update_window_dims={0}, inserted_window_dims={1},
    scatter_dims_to_operand_dims={1,0}, index_vector_dim=0, to_apply=add
}
`
	x := literal.MakeWide(shape.ComplexClass, 12)
	for k := range x.C {
		x.C[k] = complex(float64(k), float64(-k))
	}
	u := literal.Wide{Class: shape.ComplexClass, C: []complex128{100 + 50i}}
	for _, at := range [][]int64{{0, 0}, {3, 2}, {2, 3}, {4, 0}, {-1, 1}, {1, -1}, {1, 1 << 20}} {
		compileAndRun(t, text, literal.FromWide(shape.Array(shape.C64, 3, 4), x), integers(at),
			literal.FromWide(shape.Array(shape.C64, 1), u))
	}
}

// TestScatterRow writes and adds a row, or what lies at one place of another dimension, in range and out of it. The
// second update has names for elements of the array that it is written to, in another order.
func TestScatterRow(t *testing.T) {
	const text = `HloModule m
combine { a = T[] parameter(0)
  b = T[] parameter(1)
  ROOT c = T[] OP }
ENTRY e {
  x = T[3,2,4] parameter(0)
  at = s32[1] parameter(1)
  u = T[ROW] parameter(2)
  y = T[3,2,4] scatter(x, at, u), update_window_dims={WINDOW}, inserted_window_dims={INSERTED},
    scatter_dims_to_operand_dims={D}, index_vector_dim=0, to_apply=combine
  v = T[SLICED] slice(y), slice={FIRST}
  n = T[ROW] reshape(v)
  w = T[ROW] reverse(n), dimensions={0}
  ROOT r = T[3,2,4] scatter(y, at, w), update_window_dims={WINDOW}, inserted_window_dims={INSERTED},
    scatter_dims_to_operand_dims={D}, index_vector_dim=0, to_apply=combine
}
`
	ways := [][]string{
		{"ROW]", "2,4]", "WINDOW", "0,1", "INSERTED", "0", "D}", "0}", "SLICED]", "1,2,4]", "FIRST", "[1:2],[0:2],[0:4]"},
		{"ROW]", "3,1,4]", "WINDOW", "0,1,2", "INSERTED", "", "D}", "1}", "SLICED]", "3,1,4]",
			"FIRST", "[0:3],[1:2],[0:4]"},
		{"ROW]", "3,2]", "WINDOW", "0,1", "INSERTED", "2", "D}", "2}", "SLICED]", "3,2,1]", "FIRST", "[0:3],[0:2],[2:3]"},
	}
	for _, e := range []shape.ElementType{shape.F32, shape.S8, shape.C64} {
		for i, way := range ways {
			for _, op := range []string{"add(a, b)", "subtract(b, a)", "copy(b)"} {
				text := strings.NewReplacer(append(slices.Clone(way), "T[", e.String()+"[", "OP", op)...).Replace(text)
				m, err := hlo.Parse([]byte(text), "test")
				if err != nil {
					t.Fatal(err)
				}
				row := m.Entry.Parameters[2].Shape
				for _, at := range []int64{0, 1, 2, 3, 4, -1, 1 << 20} {
					compileAndRun(t, text, numbered(t, shape.Array(e, 3, 2, 4)), integers([]int64{at}), numbered(t, row))
					if t.Failed() {
						t.Fatalf("%v, way %d, %s at %d", e, i, op, at)
					}
				}
			}
		}
	}
}

// TestScatterRows has a loop whose rounds make a row of another and add it two rows further on, or behind the last.
func TestScatterRows(t *testing.T) {
	compileAndRun(t, `HloModule m
sum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
body {
  s = (s32[], f32[5,3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[5,3] get-tuple-element(s), index=1
  zero = s32[] constant(0)
  row = f32[1,3] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,3}
  turned = f32[1,3] reverse(row), dimensions={1}
  u = f32[3] reshape(turned)
  two = s32[] constant(2)
  k = s32[] add(i, two)
  at = s32[1] reshape(k)
  y = f32[5,3] scatter(x, at, u), update_window_dims={0}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
    index_vector_dim=0, to_apply=sum
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT out = (s32[], f32[5,3]) tuple(next, y)
}
more {
  s = (s32[], f32[5,3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT again = pred[] compare(i, n), direction=LT
}
ENTRY e {
  i = s32[] parameter(0)
  x = f32[5,3] parameter(1)
  s = (s32[], f32[5,3]) tuple(i, x)
  ROOT w = (s32[], f32[5,3]) while(s), condition=more, body=body
}
`, literal.Scalar(int32(-3)), numbered(t, shape.Array(shape.F32, 5, 3)))
}

// numbered has the numbers from 1 on.
func numbered(t *testing.T, s shape.Shape) *literal.Literal {
	n := literal.MakeWide(shape.ComplexClass, int(s.Size()))
	for i := range n.C {
		n.C[i] = complex(float64(i+1), float64(-i))
	}
	l, err := literal.FromBytes(s, cast(n, s.Type).Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestConstantArrays writes to a copy of a constant: the second round has to find it as it was.
func TestConstantArrays(t *testing.T) {
	m, err := hlo.Parse([]byte(`HloModule m
ENTRY e {
  i = s32[] parameter(0)
  table = s32[4] constant({10, 20, 30, 40})
  u = s32[1] reshape(i)
  changed = s32[4] dynamic-update-slice(table, u, i)
  zero = s32[] constant(0)
  ROOT first = s32[1] dynamic-slice(changed, zero), dynamic_slice_sizes={1}
}
`), "test")
	if err != nil {
		t.Fatal(err)
	}
	p, err := scalar.Compile(m.Entry)
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range engines(t, p) {
		got := integers(make([]int64, 3))
		run(3, streamsOf(p, []*literal.Literal{integers([]int64{-7, 1, 2})}, got))
		if want := integers([]int64{-7, 10, 10}); !literal.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// TestRandomArrays compares loops whose rounds do things to arrays, in any order, with the reference: an array that is
// written to may be looked at again later, by the round, the condition or a caller.
func TestRandomArrays(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := []int{3, 40}[seed%2]
		text := randomLoop(r, n)
		m, err := hlo.Parse([]byte(text), fmt.Sprint("seed ", seed))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if _, err := hlo.Evaluate(context.Background(), m, randomArgs(n), hlo.EvalOptions{}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if compileAndRun(t, text, randomArgs(n)...); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func randomArgs(n int) []*literal.Literal {
	a, b := make([]int64, n), make([]int64, n)
	for i := range a {
		a[i], b[i] = int64(i*i%11-2), int64(3-i)
	}
	return []*literal.Literal{integers(a), integers(b), literal.Scalar(int32(1))}
}

// randomLoop returns a program of arrays a and b of n elements and a number x, which a loop of four rounds changes.
func randomLoop(r *rand.Rand, n int) string {
	g := &loopText{Rand: r}
	g.computation("helper", 3, "ROOT out = A[] tuple(%s, %s)")
	g.calls = true
	g.computation("branch", 4, "ROOT out = A[] tuple(%s, %s)")
	g.computation("body", 8, "one = s32[] constant(1)\n  k = s32[] add(i, one)\n  ROOT out = S[] tuple(k, %s, %s, %s)")
	g.calls = false
	g.computation("condition", 4, "e = s32[1] slice(%s), slice={[1:2]}\n  y = s32[] reshape(e)\n  z = s32[] constant(0)\n"+
		"  u = s32[] and(y, z)\n  f = s32[] constant(4)\n  n = s32[] add(f, u)\n  ROOT out = pred[] compare(i, n), direction=LT")
	g.WriteString(`ENTRY e {
  a = V[] parameter(0)
  b = V[] parameter(1)
  x = s32[] parameter(2)
  i = s32[] constant(0)
  s = S[] tuple(i, a, b, x)
  w = S[] while(s), condition=condition, body=body
  ROOT out = (S[], V[]) tuple(w, a)
}
`)
	v := fmt.Sprintf("s32[%d]", n)
	return "HloModule m\nsecond { a = s32[] parameter(0)\n  ROOT b = s32[] parameter(1) }\n" + strings.NewReplacer("V[]", v,
		"S[]", fmt.Sprintf("(s32[], %s, %s, s32[])", v, v), "A[]", fmt.Sprintf("(%s, %s)", v, v)).Replace(g.String())
}

// loopText writes computations of random instructions.
type loopText struct {
	strings.Builder
	*rand.Rand
	calls            bool
	kinds            []int // of instructions; nil: all
	arrays, numbers  []string
	instructionCount int
}

func (g *loopText) array() string  { return g.arrays[g.IntN(len(g.arrays))] }
func (g *loopText) number() string { return g.numbers[g.IntN(len(g.numbers))] }

// computation writes one of n random instructions on a state, or on the arrays and numbers of one, and a root.
func (g *loopText) computation(name string, n int, root string) {
	fmt.Fprintf(g, `%s {
  s = S[] parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = V[] get-tuple-element(s), index=1
  b = V[] get-tuple-element(s), index=2
  x = s32[] get-tuple-element(s), index=3
`, name)
	g.arrays, g.numbers = []string{"a", "b"}, []string{"i", "x"}
	for range n {
		g.instruction()
	}
	var results []any
	for k := range strings.Count(root, "%s") {
		if k < 2 {
			results = append(results, g.array())
		} else {
			results = append(results, g.number())
		}
	}
	fmt.Fprintf(g, "  "+root+"\n}\n", results...)
}

// instruction writes a random instruction and adds its result to those that others may take.
func (g *loopText) instruction() {
	g.instructionCount++
	v := fmt.Sprintf("v%d", g.instructionCount)
	kinds := 6
	if g.calls {
		kinds = 8
	}
	kind := g.IntN(kinds)
	if g.kinds != nil {
		kind = g.kinds[kind%len(g.kinds)]
	}
	switch kind {
	case 0:
		fmt.Fprintf(g, "  %s.1 = s32[1] dynamic-slice(%s, %s), dynamic_slice_sizes={1}\n  %s = s32[] reshape(%s.1)\n", v,
			g.array(), g.number(), v, v)
		g.numbers = append(g.numbers, v)
	case 1:
		fmt.Fprintf(g, "  %s = s32[] subtract(%s, %s)\n", v, g.number(), g.number())
		g.numbers = append(g.numbers, v)
	case 2: // a name for an element
		fmt.Fprintf(g, "  %s.1 = s32[1] slice(%s), slice={[1:2]}\n  %s = s32[] reshape(%s.1)\n", v, g.array(), v, v)
		g.numbers = append(g.numbers, v)
	case 3: // names for elements, put elsewhere
		fmt.Fprintf(g, "  %s.1 = s32[2] slice(%s), slice={[0:2]}\n  %s = V[] dynamic-update-slice(%s, %s.1, %s)\n", v,
			g.array(), v, g.array(), v, g.number())
		g.arrays = append(g.arrays, v)
	case 4:
		fmt.Fprintf(g, "  %s.1 = s32[1] reshape(%s)\n  %s = V[] dynamic-update-slice(%s, %s.1, %s)\n", v, g.number(), v,
			g.array(), v, g.number())
		g.arrays = append(g.arrays, v)
	case 5:
		fmt.Fprintf(g, "  %s.1 = s32[1] reshape(%s)\n  %s = V[] scatter(%s, %s.1, %s), update_window_dims={}, "+
			"inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=second\n", v,
			g.number(), v, g.array(), v, g.number())
		g.arrays = append(g.arrays, v)
	default:
		g.call(v)
	}
}

// call writes a call of the helper, or a branch to it or to the other.
func (g *loopText) call(v string) {
	fmt.Fprintf(g, "  %s.1 = S[] tuple(%s, %s, %s, %s)\n", v, g.number(), g.array(), g.array(), g.number())
	if strings.Contains(g.String(), "body {") && g.IntN(2) == 0 {
		fmt.Fprintf(g, "  %s.2 = A[] conditional(%s, %s.1, %s.1), branch_computations={helper, branch}\n", v, g.number(), v, v)
	} else {
		fmt.Fprintf(g, "  %s.2 = A[] call(%s.1), to_apply=helper\n", v, v)
	}
	fmt.Fprintf(g, "  %s = V[] get-tuple-element(%s.2), index=%d\n", v, v, g.IntN(2))
	g.arrays = append(g.arrays, v)
}
