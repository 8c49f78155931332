package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// siblingOps are reductions of a program with an init value and the op of each: T stands for the type.
var siblingOps = map[string][]string{
	"f32": {"add 0", "maximum -inf", "minimum inf", "multiply 1"}, "f64": {"add 0.5", "maximum -inf", "minimum 0"},
	"bf16": {"add 0", "maximum -inf", "minimum inf"}, "f16": {"add 1", "maximum 0", "minimum inf"},
	"s32": {"add 3", "maximum -9", "and -1", "xor 5"}, "s8": {"add 0", "minimum 127", "multiply 1", "or 0"},
	"u16": {"add 0", "maximum 1", "minimum 65535"}, "u64": {"add 0", "or 8", "minimum 77"},
	"pred": {"and true", "or false", "xor false"},
}

// siblingText is a program that reduces x, and y, which is made of it, along some lists of dimensions in turns.
func siblingText(et string, dims []int64, lists ...[]int) string {
	var computations, body, types, names strings.Builder
	for i, op := range siblingOps[et] {
		name, init, _ := strings.Cut(op, " ")
		fmt.Fprintf(&computations, "c%d { a = T[] parameter(0) b = T[] parameter(1) ROOT r = T[] %s(a, b) }\n", i, name)
		for k, from := range []string{"x", "y"} {
			along := lists[(i+k)%len(lists)]
			fmt.Fprintf(&body, "i%d%s = T[] constant(%s) r%d%s = T[%s] reduce(%s, i%d%s), dimensions={%s}, to_apply=c%d\n",
				i, from, init, i, from, without(dims, along), from, i, from, list(along), i)
			fmt.Fprintf(&types, ", T[%s]", without(dims, along))
			fmt.Fprintf(&names, ", r%d%s", i, from)
		}
	}
	made := "y = T[D] multiply(x, x)"
	if et == "pred" {
		made = "y = T[D] not(x)"
	}
	text := "HloModule m\n" + computations.String() + "ENTRY e { x = T[D] parameter(0)\n" + made + "\n" + body.String() +
		"ROOT t = (T[D]" + types.String() + ") tuple(y" + names.String() + ") }"
	return strings.NewReplacer("T[", et+"[", "D", list(dims)).Replace(text)
}

func list[T any](values []T) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ","), "[]")
}

// without are the dimensions that a reduction keeps.
func without(dims []int64, along []int) string {
	var kept []int64
	for d, n := range dims {
		if !slices.Contains(along, d) {
			kept = append(kept, n)
		}
	}
	return list(kept)
}

// units is an array of -1, 0 and 1, and of ends, too: sums of so many are exact.
func units(r *rand.Rand, et string, dims []int64, ends bool) *literal.Literal {
	t, _ := shape.TypeByName(et)
	s := shape.Array(t, dims...)
	w := literal.MakeWide(t.Class(), int(s.Size()))
	for i := range w.F {
		if w.F[i] = float64(r.IntN(3) - 1); ends && r.IntN(40) == 0 {
			w.F[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}[r.IntN(4)]
		}
	}
	for i := range w.C {
		w.C[i] = complex(float64(r.IntN(3)-1), float64(r.IntN(3)-1))
	}
	for i := range w.I {
		w.I[i] = int64(r.IntN(9) - 4)
	}
	for i := range w.U {
		w.U[i] = uint64(r.IntN(9))
	}
	for i := range w.B {
		w.B[i] = r.IntN(2) == 1
	}
	return literal.FromWide(s, w)
}

// TestSiblings reduces one space along several dimensions in one pass.
func TestSiblings(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(7, 9))
	for et := range siblingOps {
		for _, c := range []struct {
			dims  []int64
			lists [][]int
		}{
			{[]int64{37, 53}, [][]int{{0}}}, {[]int64{37, 53}, [][]int{{0}, {1}}}, {[]int64{129, 3}, [][]int{{0}}},
			{[]int64{1000, 20}, [][]int{{0}, {1}}}, {[]int64{2, 9, 17, 21}, [][]int{{0, 2}, {1, 3}, {3, 2}}},
			{[]int64{5, 40, 1, 64}, [][]int{{1}, {1, 2}, {0, 1}}}, {[]int64{18, 33, 20}, [][]int{{0, 1, 2}, {1}, {0}}},
			{[]int64{1, 19, 1100}, [][]int{{0, 1}, {2}}}, {[]int64{0, 40}, [][]int{{1}, {0}}}, {[]int64{40, 0}, [][]int{{0}}},
			{[]int64{20, 3, 40}, [][]int{{2}, {0, 2}}}, {[]int64{2, 70, 6, 8}, [][]int{{1, 3}}},
			{[]int64{50, 5, 3}, [][]int{{0, 2}}}, {[]int64{3, 17, 9, 1, 127}, [][]int{{0, 1, 4}, {1, 4}}},
		} {
			text := siblingText(et, c.dims, c.lists...)
			agrees(t, text, within{}, units(r, et, c.dims, false))
			if shape.Product(c.dims) > 0 && !slices.Contains(kernels(t, text), "loops siblings") {
				t.Errorf("not in one pass: %q\n%s", kernels(t, text), text)
			}
		}
	}
}

// TestSiblingsInParts is for programs of several chunks and strips.
func TestSiblingsInParts(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(7, 10))
	for _, c := range []struct {
		et    string
		dims  []int64
		lists [][]int
	}{
		{"f32", []int64{1999, 701}, [][]int{{0}, {1}}}, {"s8", []int64{33, 100003}, [][]int{{0}, {1}, {0, 1}}},
		{"bf16", []int64{40, 37, 1001}, [][]int{{0, 2}, {1}}}, {"bf16", []int64{2200003}, [][]int{{0}}},
		{"f64", []int64{70, 18001}, [][]int{{0}}}, {"f32", []int64{17, 200, 500}, [][]int{{1}}},
		{"f32", []int64{2, 301, 50, 48}, [][]int{{1, 3}}}, {"f16", []int64{40, 3001, 20}, [][]int{{0, 2}}},
	} {
		agrees(t, siblingText(c.et, c.dims, c.lists...), within{}, units(r, c.et, c.dims, false))
	}
}

// TestSiblingsOfEnds has NaN, infinities, -0 and what is sub-normal among the elements.
func TestSiblingsOfEnds(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(7, 11))
	for _, et := range []string{"f32", "f64", "bf16", "f16"} {
		for _, lists := range [][][]int{{{0}}, {{0}, {1}}} {
			agrees(t, siblingText(et, []int64{45, 77}, lists...), within{}, units(r, et, []int64{45, 77}, true))
		}
	}
}

// TestSiblingsReadOnce holds programs to how many passes they take.
func TestSiblingsReadOnce(t *testing.T) {
	testfile.Native(t, run.Available())
	const head = `HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
ENTRY e { x = f32[99,88] parameter(0) i = f32[] parameter(1) o = f32[] constant(0)
`
	for _, c := range []struct {
		name, body string
		siblings   int
	}{
		{"columns and rows", `s = f32[88] reduce(x, o), dimensions={0}, to_apply=add m = f32[88] reduce(x, i), dimensions={0}, to_apply=max
  w = f32[99] reduce(x, o), dimensions={1}, to_apply=add ROOT t = (f32[88], f32[88], f32[99]) tuple(s, m, w) }`, 1},
		{"norms", `a = f32[99,88] abs(x) s = f32[88] reduce(a, o), dimensions={0}, to_apply=add
  m = f32[88] reduce(a, i), dimensions={0}, to_apply=max q = f32[99,88] multiply(x, x) w = f32[88] reduce(q, o), dimensions={0}, to_apply=add
  ROOT t = (f32[88], f32[88], f32[88]) tuple(s, m, w) }`, 1},
		{"variance", `s = f32[88] reduce(x, o), dimensions={0}, to_apply=add n = f32[] constant(99) nn = f32[88] broadcast(n), dimensions={}
  u = f32[88] divide(s, nn) uu = f32[99,88] broadcast(u), dimensions={1} d = f32[99,88] subtract(x, uu)
  q = f32[99,88] multiply(d, d) w = f32[88] reduce(q, i), dimensions={0}, to_apply=add ROOT v = f32[88] divide(w, nn) }`, 1},
		{"one reduction", `ROOT s = f32[88] reduce(x, o), dimensions={0}, to_apply=add }`, 0},
	} {
		names := kernels(t, head+c.body)
		n := len(names) - len(slices.DeleteFunc(slices.Clone(names), func(k string) bool { return k == "loops siblings" }))
		if n != c.siblings {
			t.Errorf("%s: got %d passes of siblings in %q, want %d", c.name, n, names, c.siblings)
		}
		r := rand.New(rand.NewPCG(7, 12))
		agrees(t, head+c.body, within{terms: 300}, random(r, shape.Array(shape.F32, 99, 88)), literal.Scalar(float32(0)))
	}
}

// TestSiblingsOfComplex stores complex numbers and reduces their parts.
func TestSiblingsOfComplex(t *testing.T) {
	testfile.Native(t, run.Available())
	const text = `HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e { x = c64[70,45] parameter(0) o = f32[] constant(0) y = c64[70,45] multiply(x, x) u = f32[70,45] real(y)
  v = f32[70,45] imag(y) s = f32[45] reduce(u, o), dimensions={0}, to_apply=add
  w = f32[70] reduce(v, o), dimensions={1}, to_apply=add ROOT t = (c64[70,45], f32[45], f32[70]) tuple(y, s, w) }`
	r := rand.New(rand.NewPCG(7, 13))
	agrees(t, text, within{}, units(r, "c64", []int64{70, 45}, false))
	if names := kernels(t, text); !slices.Contains(names, "loops siblings") {
		t.Errorf("not in one pass: %q", names)
	}
}
