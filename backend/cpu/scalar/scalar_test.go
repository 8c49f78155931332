package scalar_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/cgo/loops/run"
	native "github.com/halo-xla/halo/cgo/loops/scalar"
	"github.com/halo-xla/halo/internal/runtest"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// types are all element types.
func types() (list []shape.ElementType) {
	for t := range shape.NumElementTypes {
		if t.IsArray() {
			list = append(list, t)
		}
	}
	return list
}

var specials = []float64{0, math.Copysign(0, -1), 1, -1, 2, 0.5, -1.5, 2.5, 3, 7, -7.25, 31, 63, 64, 100, 300, -129,
	1e-3, 1e-40, -1e-40, 6e-8, 1e10, -3e9, 1e19, 65504, 3.5e38, 1e-310, math.Pi, math.Inf(1), math.Inf(-1), math.NaN()}

// samples returns values of type t in all pairs, as two arrays of one size.
func samples(t shape.ElementType) (x, y *literal.Literal) {
	r := rand.New(rand.NewPCG(1, uint64(t)))
	vals := append([]float64(nil), specials...)
	for range 16 {
		vals = append(vals, r.NormFloat64()*math.Exp2(float64(r.IntN(20)-5)))
	}
	n := len(vals)
	a, b := literal.MakeWide(shape.ComplexClass, n*n), literal.MakeWide(shape.ComplexClass, n*n)
	for i := range vals {
		for j := range vals {
			a.C[i*n+j] = complex(vals[i], vals[(i*7+3)%n])
			b.C[i*n+j] = complex(vals[j], vals[(j*5+1)%n])
		}
	}
	return cast(a, t), cast(b, t)
}

func cast(w literal.Wide, t shape.ElementType) *literal.Literal {
	if !t.IsComplex() {
		f := literal.MakeWide(shape.FloatClass, w.Len())
		for i, c := range w.C {
			f.F[i] = real(c)
		}
		w = f
		if t.IsInteger() { // random bits too
			r := rand.New(rand.NewPCG(2, 3))
			ints := literal.MakeWide(shape.SignedClass, w.Len())
			for i, v := range f.F {
				if ints.I[i] = literal.SaturateSigned(v, 64); v > 30 && v < 40 {
					ints.I[i] = int64(r.Uint64())
				}
			}
			return literal.FromWide(shape.Array(t, int64(ints.Len())), literal.ConvertWide(ints, shape.S64, t))
		}
		return literal.FromWide(shape.Array(t, int64(w.Len())), literal.ConvertWide(w, shape.F64, t))
	}
	return literal.FromWide(shape.Array(t, int64(w.Len())), literal.ConvertWide(w, shape.C128, t))
}

// check compiles the op whose text is given for scalars, runs it over the arrays args and compares with the reference on
// the arrays. It reports whether there is such an op.
func check(t *testing.T, op string, result shape.ElementType, args ...*literal.Literal) bool {
	t.Helper()
	text := func(dims string) string {
		var b, names strings.Builder
		for i, a := range args {
			fmt.Fprintf(&b, "  p%d = %v[%s] parameter(%d)\n", i, a.Shape().Type, dims, i)
			if names.WriteString(fmt.Sprintf("p%d", i)); i < len(args)-1 {
				names.WriteString(", ")
			}
		}
		name, attrs, _ := strings.Cut(op, ",")
		if attrs != "" {
			attrs = "," + attrs
		}
		return fmt.Sprintf("HloModule m\nENTRY e {\n%s  ROOT r = %v[%s] %s(%s)%s\n}\n", b.String(), result, dims, name,
			names.String(), attrs)
	}
	size := args[0].Shape().Size()
	whole, err := hlo.Parse([]byte(text(fmt.Sprint(size))), "whole")
	if err != nil {
		return false
	}
	one, err := hlo.Parse([]byte(text("")), "one")
	if err != nil {
		return false
	}
	want, err := hlo.Evaluate(context.Background(), whole, args, hlo.EvalOptions{})
	if err != nil {
		return false
	}
	p, err := scalar.Compile(one.Entry)
	if err != nil {
		t.Errorf("%s of %v to %v: %v", op, args[0].Shape(), result, err)
		return true
	}
	for name, run := range engines(t, p) {
		got := literal.Zeros(want.Shape())
		streams := streamsOf(p, args, got)
		run(size, streams)
		tol := literal.Tolerance{ULP: one.Entry.Root.Op.Info().ULPOf(want.Shape().Type)}
		if d := literal.Compare(got, want, tol); d != nil {
			at := d.First.Index[0]
			t.Errorf("%s: %s of %v to %v: %v of %v", name, op, args[0].Shape(), result, d, elements(args, at))
		}
	}
	return true
}

func elements(args []*literal.Literal, at int64) (s []string) {
	for _, a := range args {
		n := int64(a.Shape().Type.Bytes())
		l, _ := literal.FromBytes(shape.Array(a.Shape().Type), a.Bytes()[at*n:][:n])
		s = append(s, l.String())
	}
	return s
}

func streamsOf(p *scalar.Program, args []*literal.Literal, results ...*literal.Literal) []scalar.Stream {
	var s []scalar.Stream
	for _, l := range append(append([]*literal.Literal(nil), args...), results...) {
		for _, leaf := range l.Leaves() {
			s = append(s, scalar.Stream{Data: leaf.Bytes(), Stride: int64(leaf.Shape().Type.Bytes())})
		}
	}
	return s
}

// engines are the ways to run p.
func engines(t testing.TB, p *scalar.Program) map[string]func(n int64, s []scalar.Stream) {
	m := map[string]func(n int64, s []scalar.Stream){"go": func(n int64, s []scalar.Stream) {
		if err := p.Machine(context.Background()).Apply(n, s); err != nil {
			t.Fatal(err)
		}
	}}
	if run.Available() && p.Native() {
		m["C"] = func(n int64, s []scalar.Stream) { runNative(t, p.PackInterpreted(), n, n, s, 1) }
		m["C in pieces"] = func(n int64, s []scalar.Stream) { runNative(t, p.PackInterpreted(), n, 100, s, 3) }
		if packed := p.PackMachine(); packed != nil {
			m["machine code"] = func(n int64, s []scalar.Stream) { runNative(t, packed, n, 100, s, 1) }
		}
	}
	return m
}

// runNative runs a record of a packed program over the streams.
func runNative(t testing.TB, packed []byte, n, grain int64, s []scalar.Stream, threads int) {
	t.Helper()
	slots, streams := make([]unsafe.Pointer, len(s)), make([]native.Stream, len(s))
	for i, x := range s {
		slots[i] = unsafe.Pointer(unsafe.SliceData(x.Data))
		streams[i] = native.Stream{At: run.Ref{Slot: int32(i), Offset: x.At}, Stride: x.Stride}
	}
	runtest.Execute(t, threads, slots, native.Apply(packed, n, grain, streams))
}

func TestElementwiseOps(t *testing.T) {
	for op := range hlo.NumOps {
		info := op.Info()
		if info.Traits&hlo.Elementwise == 0 && op != hlo.Clamp || info.Attrs != nil || op == hlo.StochasticConvert {
			continue
		}
		n, _ := info.Arity()
		defined := 0
		for _, typ := range types() {
			x, y := samples(typ)
			args := []*literal.Literal{x, y, x}[:n]
			result := typ
			switch op {
			case hlo.Select:
				b, _ := samples(shape.Pred)
				args = []*literal.Literal{b, x, y}
			case hlo.IsFinite:
				result = shape.Pred
			case hlo.Abs, hlo.Real, hlo.Imag:
				result = typ.Component()
			case hlo.Complex:
				if result = shape.C64; typ == shape.F64 {
					result = shape.C128
				}
			}
			if op == hlo.Convert || op == hlo.BitcastConvert {
				for _, to := range types() {
					if op == hlo.BitcastConvert && to.Bits() != typ.Bits() {
						continue
					}
					if op == hlo.BitcastConvert && to != typ && (to == shape.Pred || typ == shape.Pred) {
						continue
					}
					if check(t, info.Name, to, args...) {
						defined++
					}
				}
				continue
			}
			if check(t, info.Name, result, args...) {
				defined++
			}
		}
		if defined == 0 {
			t.Errorf("%s is defined on no type", info.Name)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, typ := range types() {
		x, y := samples(typ)
		for _, dir := range []string{"EQ", "NE", "GE", "GT", "LE", "LT"} {
			check(t, "compare, direction="+dir, shape.Pred, x, y)
			if typ.IsFloat() {
				check(t, "compare, direction="+dir+", type=TOTALORDER", shape.Pred, x, y)
			}
		}
	}
}

func TestReducePrecision(t *testing.T) {
	n := 0
	for _, typ := range types() {
		x, _ := samples(typ)
		for _, format := range [][2]int{{5, 10}, {8, 7}, {8, 23}, {2, 0}, {11, 52}, {4, 3}, {1, 2}} {
			if check(t, fmt.Sprintf("reduce-precision, exponent_bits=%d, mantissa_bits=%d", format[0], format[1]), typ, x) {
				n++
			}
		}
	}
	if n == 0 {
		t.Error("no type")
	}
}

// compileAndRun compiles the entry of the text and checks it against the reference on args.
func compileAndRun(t *testing.T, text string, args ...*literal.Literal) *scalar.Program {
	t.Helper()
	m, err := hlo.Parse([]byte(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	p, err := scalar.Compile(m.Entry)
	if err != nil {
		t.Fatal(err)
	}
	want, err := hlo.Evaluate(context.Background(), m, args, hlo.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range engines(t, p) {
		got := zerosLike(want)
		run(1, streamsOf(p, args, got))
		if d := literal.Compare(got, want, literal.Tolerance{ULP: 16}); d != nil {
			t.Errorf("%s: %v\n%s\n%v", name, d, text, p)
		}
	}
	return p
}

// Angles that are many turns and near a quarter of one have all places of their functions.
func TestFarAngles(t *testing.T) {
	a, err := literal.FromSlice([]float64{-1.2853022199154463e+174})
	if err != nil {
		t.Fatal(err)
	}
	b, err := literal.FromSlice([]float64{6.426511099577231e+173})
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []string{"sine", "cosine", "tan"} {
		compileAndRun(t, fmt.Sprintf(`
ENTRY e {
  a = f64[1] parameter(0)
  b = f64[1] parameter(1)
  x = f64[] reshape(a)
  y = f64[] reshape(b)
  v = f64[] %[1]s(x)
  w = f64[] %[1]s(y)
  ROOT r = (f64[], f64[]) tuple(v, w)
}`, op), a, b)
	}
}

// zerosLike returns zeros of l's shape with bytes of their own.
func zerosLike(l *literal.Literal) *literal.Literal {
	if !l.Shape().IsTuple() {
		return literal.Zeros(l.Shape())
	}
	var elems []*literal.Literal
	for _, e := range l.Elems() {
		elems = append(elems, zerosLike(e))
	}
	return literal.NewTuple(elems...)
}

const loop = `HloModule m
body {
  s = (f32[], s32[]) parameter(0)
  x = f32[] get-tuple-element(s), index=0
  i = s32[] get-tuple-element(s), index=1
  a = f32[] constant(0.999)
  b = f32[] constant(0.01)
  one = s32[] constant(1)
  ax = f32[] multiply(x, a)
  y = f32[] add(ax, b)
  j = s32[] add(i, one)
  ROOT r = (f32[], s32[]) tuple(y, j)
}
condition {
  s = (f32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=1
  n = s32[] constant(1000)
  ROOT again = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[] parameter(0)
  i = s32[] parameter(1)
  s = (f32[], s32[]) tuple(x, i)
  ROOT w = (f32[], s32[]) while(s), condition=condition, body=body
}
`

// shifting keeps the value of the round before, and swaps two.
const shifting = `HloModule m
body {
  s = (f32[], s32[], f32[], f32[], f32[]) parameter(0)
  x = f32[] get-tuple-element(s), index=0
  i = s32[] get-tuple-element(s), index=1
  old = f32[] get-tuple-element(s), index=2
  p = f32[] get-tuple-element(s), index=3
  q = f32[] get-tuple-element(s), index=4
  a = f32[] constant(0.999)
  b = f32[] constant(0.01)
  one = s32[] constant(1)
  ax = f32[] multiply(x, a)
  y = f32[] add(ax, b)
  j = s32[] add(i, one)
  ROOT r = (f32[], s32[], f32[], f32[], f32[]) tuple(y, j, x, q, p)
}
condition {
  s = (f32[], s32[], f32[], f32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=1
  n = s32[] constant(1000)
  ROOT again = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] constant(2)
  c = f32[] constant(3)
  s = (f32[], s32[], f32[], f32[], f32[]) tuple(x, i, x, b, c)
  ROOT w = (f32[], s32[], f32[], f32[], f32[]) while(s), condition=condition, body=body
}
`

func TestLoop(t *testing.T) {
	p := compileAndRun(t, loop, literal.Scalar(float32(1)), literal.Scalar(int32(0)))
	compileAndRun(t, loop, literal.Scalar(float32(1)), literal.Scalar(int32(1000)))
	compileAndRun(t, shifting, literal.Scalar(float32(1)), literal.Scalar(int32(990)))
	if !p.Loops() || !p.Native() {
		t.Errorf("loops %v, native %v, want both", p.Loops(), p.Native())
	}
}

func TestNestedControl(t *testing.T) {
	const text = `HloModule m
inner {
  s = (s64[], s64[], c128[]) parameter(0)
  i = s64[] get-tuple-element(s), index=0
  j = s64[] get-tuple-element(s), index=1
  z = c128[] get-tuple-element(s), index=2
  one = s64[] constant(1)
  k = s64[] add(i, one)
  zz = c128[] multiply(z, z)
  w = c128[] sqrt(zz)
  ROOT r = (s64[], s64[], c128[]) tuple(k, i, w)
}
less {
  s = (s64[], s64[], c128[]) parameter(0)
  i = s64[] get-tuple-element(s), index=0
  n = s64[] constant(5)
  ROOT p = pred[] compare(i, n), direction=NE
}
swap {
  s = (s64[], s64[], c128[]) parameter(0)
  i = s64[] get-tuple-element(s), index=0
  j = s64[] get-tuple-element(s), index=1
  z = c128[] get-tuple-element(s), index=2
  k = s64[] subtract(j, i)
  ROOT r = (s64[], s64[], c128[]) tuple(k, i, z)
}
b0 { s = (s64[], s64[], c128[]) parameter(0)
  ROOT r = (s64[], s64[], c128[]) while(s), condition=less, body=inner }
b1 { s = (s64[], s64[], c128[]) parameter(0)
  ROOT r = (s64[], s64[], c128[]) call(s), to_apply=swap }
b2 { ROOT s = (s64[], s64[], c128[]) parameter(0) }
ENTRY e {
  which = s32[] parameter(0)
  i = s64[] parameter(1)
  z = c128[] parameter(2)
  j = s64[] constant(3)
  s = (s64[], s64[], c128[]) tuple(i, j, z)
  c = (s64[], s64[], c128[]) conditional(which, s, s, s), branch_computations={b0, b1, b2}
  p = pred[] is-finite(f32[] constant(1))
  ROOT d = (s64[], s64[], c128[]) conditional(p, c, c), branch_computations={b1, b2}
}
`
	for which := int32(-1); which < 4; which++ {
		compileAndRun(t, text, literal.Scalar(which), literal.Scalar(int64(-3)), literal.Scalar(complex(1.5, -2)))
	}
}

func TestSmallArrays(t *testing.T) {
	const text = `HloModule m
add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y) }
twice { x = f32[] parameter(0)
  ROOT z = f32[] add(x, x) }
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[] parameter(1)
  b = f32[3,2] broadcast(y), dimensions={}
  t = f32[3,2] transpose(x), dimensions={1,0}
  s = f32[3,2] add(t, b)
  r = f32[3,2] reverse(s), dimensions={0}
  p = f32[4,4] pad(r, y), padding=1_0x-1_2_1
  l = f32[2,2] slice(p), slice={[0:4:2], [1:3]}
  c = f32[2,4] concatenate(l, l), dimensions={1}
  i = f32[2,4] iota(), iota_dimension=1
  m = f32[2,4] multiply(c, i)
  mm = f32[2,4] map(m), dimensions={0,1}, to_apply=twice
  k = f32[2,4] clamp(y, mm, f32[] constant(9))
  z = f32[] constant(0)
  d = f32[2] reduce(k, z), dimensions={1}, to_apply=add
  bd = f32[2,3] broadcast(d), dimensions={0}
  n = s32[] get-dimension-size(bd), dimensions={1}
  q = f32[6] reshape(bd)
  ROOT out = (f32[6], s32[], f32[2,3]) tuple(q, n, x)
}
`
	x := literal.FromWide(shape.Array(shape.F32, 2, 3), literal.Wide{Class: shape.FloatClass, F: []float64{1, 2, 3, 4, 5, 6}})
	compileAndRun(t, text, x, literal.Scalar(float32(0.5)))
}

func TestRefused(t *testing.T) {
	for _, text := range []string{
		"HloModule m\nENTRY e { ROOT x = f32[100000] parameter(0) }\n",
		"HloModule m\nENTRY e { a = f32[] constant(0)\n b = f32[] constant(1)\n ROOT x = f32[] rng(a, b), distribution=rng_uniform }\n",
		scattering("s32[1]", "s32[4,1]", "0,1", "", "0"), // as many as a row, but a column
		scattering("s32[1]", "s32[1,2]", "0,1", "", "0"),
		scattering("s32[2,1]", "s32[2,4]", "1", "0", "0"),
		scattering("s32[2,0]", "s32[2,4,4]", "1,2", "", ""),
	} {
		m, err := hlo.Parse([]byte(text), "test")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := scalar.Compile(m.Entry); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// scattering is a scatter to a matrix.
func scattering(at, update, window, inserted, dims string) string {
	return fmt.Sprintf(`HloModule m
second { a = s32[] parameter(0)
  ROOT b = s32[] parameter(1) }
ENTRY e { x = s32[4,4] parameter(0)
  i = %s parameter(1)
  u = %s parameter(2)
  ROOT y = s32[4,4] scatter(x, i, u), update_window_dims={%s}, inserted_window_dims={%s},
    scatter_dims_to_operand_dims={%s}, index_vector_dim=%d, to_apply=second }
`, at, update, window, inserted, dims, strings.Count(at, ","))
}

// TestRefusedLoop says what was wrong with each way to compile a loop.
func TestRefusedLoop(t *testing.T) {
	m, err := hlo.Parse([]byte(`HloModule m
body {
  x = f32[16] parameter(0)
  a = f32[] constant(0)
  b = f32[] constant(1)
  ROOT y = f32[16] rng(a, b), distribution=rng_uniform
}
more {
  x = f32[16] parameter(0)
  ROOT c = pred[] constant(true)
}
ENTRY e {
  x = f32[16] parameter(0)
  ROOT w = f32[16] while(x), condition=more, body=body
}
`), "test")
	if err != nil {
		t.Fatal(err)
	}
	_, err = scalar.CompileLoop(m.Entry.Root, nil)
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Fatalf("got %v", err)
	}
	for _, way := range []string{"with vectors: y:", "without vectors: y:", "all in registers: y:"} {
		if !strings.Contains(err.Error(), way) {
			t.Errorf("got %v, want %q in it", err, way)
		}
	}
}

// BenchmarkLoop runs a loop of 1000 rounds of two flops, counter and compare.
func BenchmarkLoop(b *testing.B) {
	m, err := hlo.Parse([]byte(loop), "loop")
	if err != nil {
		b.Fatal(err)
	}
	p, err := scalar.Compile(m.Entry)
	if err != nil {
		b.Fatal(err)
	}
	args := []*literal.Literal{literal.Scalar(float32(1)), literal.Scalar(int32(0))}
	streams := streamsOf(p, args, zerosLike(literal.NewTuple(args...)))
	for i := range streams {
		streams[i].Stride = 0
	}
	for name, run := range engines(b, p) {
		if name == "C in pieces" {
			continue
		}
		b.Run(name, func(b *testing.B) {
			run(int64(b.N), streams)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/round")
		})
	}
	if testing.Verbose() {
		b.Log(p)
	}
}
