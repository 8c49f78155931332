package cpu_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// rowPrograms are computations that go over rows more than once: x are rows, w is as long as a row, v has an element for
// each row. D, R and C stand for the sizes of all, of the rows and of one row, T for the type, Z for the last dimension.
var rowPrograms = map[string]string{
	"softmax": `m = T[R] reduce(x, low), dimensions={K}, to_apply=max mm = T[D] broadcast(m), dimensions={L}
  d = T[D] subtract(x, mm) e = T[D] exponential(d) s = T[R] reduce(e, zero), dimensions={K}, to_apply=add
  ss = T[D] broadcast(s), dimensions={L} ROOT r = T[D] divide(e, ss)`,
	"log-softmax": `m = T[R] reduce(x, low), dimensions={K}, to_apply=max mm = T[D] broadcast(m), dimensions={L}
  d = T[D] subtract(x, mm) e = T[D] exponential(d) s = T[R] reduce(e, zero), dimensions={K}, to_apply=add
  l = T[R] log(s) ll = T[D] broadcast(l), dimensions={L} g = T[D] subtract(d, ll) ROOT t = (T[D], T[R]) tuple(g, m)`,
	"norm": `s = T[R] reduce(x, zero), dimensions={K}, to_apply=add n = T[] constant(0.0078125) nn = T[R] broadcast(n), dimensions={}
  m = T[R] multiply(s, nn) mm = T[D] broadcast(m), dimensions={L} d = T[D] subtract(x, mm) q = T[D] multiply(d, d)
  u = T[R] reduce(q, zero), dimensions={K}, to_apply=add e = T[] constant(0.001) ee = T[R] broadcast(e), dimensions={}
  f = T[R] add(u, ee) g = T[R] rsqrt(f) gg = T[D] broadcast(g), dimensions={L} h = T[D] multiply(d, gg)
  ww = T[D] broadcast(w), dimensions={K} i = T[D] multiply(h, ww) vv = T[D] broadcast(v), dimensions={L} ROOT r = T[D] add(i, vv)`,
	"scaled-softmax": `k = T[] constant(0.3) kk = T[D] broadcast(k), dimensions={} a = T[D] multiply(x, kk)
  m = T[R] reduce(a, low), dimensions={K}, to_apply=max mm = T[D] broadcast(m), dimensions={L}
  d = T[D] subtract(a, mm) e = T[D] exponential(d) s = T[R] reduce(e, zero), dimensions={K}, to_apply=add
  ss = T[D] broadcast(s), dimensions={L} ROOT r = T[D] divide(e, ss)`,
	"layer-norm": `s = T[R] reduce(x, zero), dimensions={K}, to_apply=add n = T[] constant(100) nn = T[R] broadcast(n), dimensions={}
  m = T[R] divide(s, nn) mm = T[D] broadcast(m), dimensions={L} d = T[D] subtract(x, mm) q = T[D] multiply(d, d)
  u = T[R] reduce(q, zero), dimensions={K}, to_apply=add p = T[R] divide(u, nn) e = T[] constant(0.001)
  ee = T[R] broadcast(e), dimensions={} f = T[R] add(p, ee) g = T[R] rsqrt(f) gg = T[D] broadcast(g), dimensions={L}
  h = T[D] multiply(d, gg) ww = T[D] broadcast(w), dimensions={K} i = T[D] multiply(h, ww) ROOT r = T[D] add(i, ww)`,
	"masked": `i = s32[D] iota(), iota_dimension=0 j = s32[D] iota(), iota_dimension=Z p = pred[D] compare(i, j), direction=GE
  k = T[] constant(-1000000) kk = T[D] broadcast(k), dimensions={} a = T[D] select(p, x, kk)
  m = T[R] reduce(a, low), dimensions={K}, to_apply=max mm = T[D] broadcast(m), dimensions={L}
  d = T[D] subtract(a, mm) e = T[D] exponential(d) s = T[R] reduce(e, zero), dimensions={K}, to_apply=add
  ss = T[D] broadcast(s), dimensions={L} q = T[D] divide(e, ss) f = T[D] convert(j) ROOT r = T[D] multiply(q, f)`,
	"spread": `m = T[R] reduce(x, low), dimensions={K}, to_apply=max a = T[R] add(m, v) ROOT r = T[D] broadcast(a), dimensions={L}`,
	"mixed": `y = T[D] sine(x) m = T[R] reduce(y, low), dimensions={K}, to_apply=max mm = T[D] broadcast(m), dimensions={L}
  p = pred[D] compare(y, mm), direction=EQ o = T[] constant(1) oo = T[D] broadcast(o), dimensions={} c = T[D] select(p, oo, y)
  s = T[R] reduce(c, zero), dimensions={K}, to_apply=add i = s32[R] iota(), iota_dimension=0 j = T[R] convert(i)
  k = T[R] add(s, j) kk = T[D] broadcast(k), dimensions={L} z = T[D] negate(kk) ROOT t = (T[D], pred[D], T[R], T[D]) tuple(z, p, k, y)`,
}

// rowLoops are the loops of those that have one.
var rowLoops = map[string]string{"softmax": " softmax", "scaled-softmax": " softmax_scaled", "layer-norm": " norm_div"}

// rowText is a row program of a type for some sizes of rows and of one row.
func rowText(body, et string, rows, row []string) string {
	var lead, inner []string
	for i := range rows {
		lead = append(lead, fmt.Sprint(i))
	}
	for i := range row {
		inner = append(inner, fmt.Sprint(len(rows)+i))
	}
	if len(rows) == 0 {
		body = strings.Replace(body, "i = s32[R] iota(), iota_dimension=0", "i = s32[] constant(7)", 1)
	}
	r, c := strings.Join(rows, ","), strings.Join(row, ",")
	d := strings.Join(append(append([]string(nil), rows...), row...), ",")
	text := strings.NewReplacer("[D]", "["+d+"]", "[R]", "["+r+"]", "[C]", "["+c+"]", "{L}", "{"+strings.Join(lead, ",")+"}",
		"{K}", "{"+strings.Join(inner, ",")+"}", "=Z", fmt.Sprint("=", len(rows)+len(row)-1)).Replace(`HloModule m
max { x = T[] parameter(0) y = T[] parameter(1) ROOT z = T[] maximum(x, y) }
add { x = T[] parameter(0) y = T[] parameter(1) ROOT z = T[] add(x, y) }
ENTRY e { x = T[D] parameter(0) w = T[C] parameter(1) v = T[R] parameter(2) zero = T[] constant(0) low = T[] constant(-inf)
  ` + body + " }")
	return strings.ReplaceAll(text, "T[", et+"[")
}

func sizesOf(texts []string) []int64 {
	var list []int64
	for _, s := range texts {
		var n int64
		fmt.Sscan(s, &n)
		list = append(list, n)
	}
	return list
}

// rowValues returns normal numbers, and in some rows one special value.
func rowValues(r *rand.Rand, s shape.Shape, row int) *literal.Literal {
	l := random(r, s)
	w := l.Wide()
	for i, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1e-40, 80} {
		if at := (2*i+1)*row + r.IntN(row); at < len(w.F) {
			w.F[at] = x
		}
	}
	return literal.FromWide(s, w)
}

// TestRows compares programs over rows with the evaluator, for rows of many lengths, with special values, and wants the
// same bits for any number of threads.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, c := range []struct{ rows, row []string }{{[]string{"30"}, []string{"64"}}, {[]string{"3", "7"}, []string{"129"}},
		{[]string{"17"}, []string{"5", "40"}}, {nil, []string{"300"}}, {[]string{"2", "1", "9"}, []string{"1", "128"}},
		{[]string{"5"}, []string{"4000"}}, {[]string{"2"}, []string{"40001"}}, {[]string{"0"}, []string{"100"}}} {
		rows, row := sizesOf(c.rows), sizesOf(c.row)
		for _, name := range slices.Sorted(maps.Keys(rowPrograms)) {
			body := rowPrograms[name]
			for _, et := range []shape.ElementType{shape.F32, shape.F64} {
				t.Run(fmt.Sprintf("%s/%s%v%v", name, et, c.rows, c.row), func(t *testing.T) {
					n := shape.Array(et, row...).Size()
					near := 1e-4 * max(1, float64(n)/1e4) // what sums round grows with the row
					agree(t, program{text: rowText(body, et.String(), c.rows, c.row), near: near, args: []*literal.Literal{
						rowValues(r, shape.Array(et, append(append([]int64(nil), rows...), row...)...), int(n)),
						random(r, shape.Array(et, row...)), random(r, shape.Array(et, rows...))}})
				})
			}
		}
	}
}

// TestRowsAreOneKernel wants programs over rows to be one step each, by the loop for those that have one.
func TestRowsAreOneKernel(t *testing.T) {
	testfile.Native(t, run.Available())
	for name, body := range rowPrograms {
		_, p := compiled(t, cpu.New(cpu.Options{}), rowText(body, "f32", []string{"30"}, []string{"128"}))
		report := p.Report()
		p.Close()
		if want := "loops rows" + rowLoops[name]; len(report) != 1 || report[0].Kernel != want {
			t.Errorf("%s runs %v", name, report)
		}
	}
}

// TestRowsOfManyTerms adds the squares of 64 differences for each pair of points: a term is added when it is there, since
// there is no room for all of them at once.
func TestRowsOfManyTerms(t *testing.T) {
	testfile.Native(t, run.Available())
	text := `HloModule m
f { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y) }
ENTRY e {
  a = f32[16,64] parameter(0)
  b = f32[128,64] parameter(1)
  p = f32[16,128,64] broadcast(a), dimensions={0,2}
  q = f32[16,128,64] broadcast(b), dimensions={1,2}
  d = f32[16,128,64] subtract(p, q)
  s = f32[16,128,64] multiply(d, d)
  i = f32[] constant(0)
  ROOT r = f32[16,128] reduce(s, i), dimensions={2}, to_apply=f
}
`
	r := newRand(t)
	whole := func(dims ...int64) *literal.Literal {
		w := literal.MakeWide(shape.FloatClass, int(shape.Product(dims)))
		for i := range w.F {
			w.F[i] = float64(r.IntN(17) - 8)
		}
		return literal.FromWide(shape.Array(shape.F32, dims...), w)
	}
	agrees(t, text, within{}, whole(16, 64), whole(128, 64))
	if got := kernels(t, text); slices.Contains(got, "loops pipeline") || !slices.Contains(got, "loops rows") {
		t.Errorf("runs as %q", got)
	}
}

// TestRowsConvert compares what converts elements of a row on their way with the evaluator: A are those of an array, P
// those of the result; a value of each row and one of each column take part.
func TestRowsConvert(t *testing.T) {
	r := newRand(t)
	body := `HloModule m
ENTRY e { x = A[S] parameter(0) v = f32[R] parameter(1) w = f32[C] parameter(2) y = f32[S] convert(x)
  vv = f32[S] broadcast(v), dimensions={0} ww = f32[S] broadcast(w), dimensions={1}
  a = f32[S] multiply(y, vv) b = f32[S] add(a, ww) i = s32[S] iota(), iota_dimension=1 j = s32[R] convert(v)
  jj = s32[S] broadcast(j), dimensions={0} p = pred[S] compare(i, jj), direction=EQ c = f32[S] select(p, vv, b) ` + "\n"
	ends := map[string]string{"pred": "ROOT r = pred[S] compare(c, ww), direction=LT",
		"": "o = B[S] convert(c) q = s8[S] convert(p) ROOT t = (B[S], s8[S], pred[S], f32[S]) tuple(o, q, p, c)"}
	for _, from := range []string{"f32", "bf16", "f16", "s8", "u8", "s16", "pred"} {
		for _, to := range []string{"bf16", "f16", "pred", "s8", "u16", "f64"} {
			for _, row := range []int64{64, 100, 129, 512, 1003} {
				end := ends[to]
				if end == "" {
					end = ends[""]
				}
				text := strings.NewReplacer("A[", from+"[", "B[", to+"[", "S]", fmt.Sprintf("13,%d]", row), "R]", "13]",
					"C]", fmt.Sprintf("%d]", row)).Replace(body + end + " }")
				et, _ := shape.TypeByName(from)
				v := literal.MakeWide(shape.FloatClass, 13)
				for i := range v.F {
					v.F[i] = float64(5*i - 3)
				}
				agree(t, program{text: text, args: []*literal.Literal{random(r, shape.Array(et, 13, row)),
					literal.FromWide(shape.Array(shape.F32, 13), v), random(r, shape.Array(shape.F32, row))}})
			}
		}
	}
}

// TestNarrowSoftmaxes wants softmaxes of rows of bf16 and f16 to be one loop, and within a unit of those of the
// evaluator.
func TestNarrowSoftmaxes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	for _, types := range [][2]string{{"bf16", "bf16"}, {"f16", "f32"}, {"f32", "f16"}, {"bf16", "f16"}} {
		for _, row := range []int64{64, 100, 1000, 4000} {
			text := strings.NewReplacer("X[", types[0]+"[", "Y[", types[1]+"[", "C", fmt.Sprint(row)).Replace(`HloModule m
max { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] maximum(x, y) }
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
ENTRY e { p = X[13,C] parameter(0) x = f32[13,C] convert(p) zero = f32[] constant(0) low = f32[] constant(-inf)
  m = f32[13] reduce(x, low), dimensions={1}, to_apply=max b = f32[13,C] broadcast(m), dimensions={0}
  d = f32[13,C] subtract(x, b) e = f32[13,C] exponential(d) s = f32[13] reduce(e, zero), dimensions={1}, to_apply=add
  t = f32[13,C] broadcast(s), dimensions={0} q = f32[13,C] divide(e, t) ROOT y = Y[13,C] convert(q) }`)
			from, _ := shape.TypeByName(types[0])
			ulp := int64(1)
			if types[1] == "f32" {
				ulp = 64
			}
			both(t, text, 2, ulp, rowValues(r, shape.Array(from, 13, row), int(row)))
			if row < 4000 { // lanes of so many are near
				oneLoop(t, text, "loops rows softmax")
			}
		}
	}
}

// TestRowsPastCaches has large results of rows of 80 bytes, which are no whole lines, beside others that do not go past
// the caches: one of half bytes, one that lies where the operand did.
func TestRowsPastCaches(t *testing.T) {
	body := `max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
ENTRY e { x = f32[27000,80] parameter(0) i = f32[] constant(-inf) m = f32[27000] reduce(x, i), dimensions={1}, to_apply=max
  mb = f32[27000,80] broadcast(m), dimensions={0} y = f32[27000,80] subtract(mb, x) `
	x := random(newRand(t), shape.Array(shape.F32, 27000, 80))
	for _, text := range []string{
		"HloModule m\n" + body + "u = u8[27000,80] convert(y) p = s4[27000,80] convert(y) " +
			"ROOT t = (u8[27000,80], s4[27000,80]) tuple(u, p) }",
		"HloModule m, input_output_alias={ {1}: (0, {}, may-alias) }\n" + body + "c = f32[] constant(1) " +
			"cb = f32[27000,80] broadcast(c), dimensions={} p = pred[27000,80] compare(y, cb), direction=LT " +
			"ROOT t = (pred[27000,80], f32[27000,80]) tuple(p, y) }"} {
		agree(t, program{text: text, args: []*literal.Literal{x}})
	}
}
