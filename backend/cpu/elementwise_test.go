package cpu_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// arrays lists all element types of arrays but those of one bit, which are rare.
func arrays() []shape.ElementType {
	var list []shape.ElementType
	for t := range shape.NumElementTypes {
		if t.IsArray() && t.Bits() > 1 {
			list = append(list, t)
		}
	}
	return list
}

// specials are values at which functions differ.
var specials = []float64{0, math.Copysign(0, -1), 1, -1, 2, -2, 0.5, -0.5, 3, 1.5, -2.5, 10, 1e-3, math.Inf(1), math.Inf(-1),
	math.NaN(), math.MaxFloat32, -math.MaxFloat32, math.MaxFloat64, 5e-324, 1e-40, -1e-40, 1.1754944e-38, math.Pi, 88.7, -87.3,
	-103.9, 127, -128, 255, 65504, 2147483647, -2147483648, 4294967296, 9.3e18, 1.9e19, 709.7, 1e10, 1e22}

// randomElements returns an array of n elements of type t: specials and their like first, then random values of all sizes.
func randomElements(r *rand.Rand, t shape.ElementType, dims ...int64) *literal.Literal {
	l := literal.Zeros(shape.Array(t, dims...))
	w := literal.MakeWide(t.Class(), int(l.Shape().Size()))
	float := func(i int) float64 {
		switch k := r.IntN(8); {
		case i%3 == 0 && k < 6, i%7 == 0:
			return specials[r.IntN(len(specials))]
		case k < 3:
			return r.NormFloat64()
		case k < 5:
			return r.NormFloat64() * 30
		case k < 6:
			return float64(r.IntN(40) - 20)
		}
		return t.Component().ToFloat64(r.Uint64())
	}
	for i := range w.F {
		w.F[i] = float(i)
	}
	for i := range w.C {
		w.C[i] = complex(float(2*i), float(2*i+1))
	}
	whole := func() uint64 {
		switch r.IntN(4) {
		case 0:
			return uint64(r.IntN(9) - 4)
		case 1:
			return uint64(int64(-1) << r.IntN(64))
		case 2:
			return uint64(1)<<r.IntN(64) - uint64(r.IntN(2))
		}
		return r.Uint64()
	}
	for i := range w.I {
		w.I[i] = int64(whole())
	}
	for i := range w.U {
		w.U[i] = whole()
	}
	for i := range w.B {
		w.B[i] = r.IntN(2) == 1
	}
	return literal.FromWide(l.Shape(), w)
}

// both runs a program on backend cpu and on the reference and compares within ulp, which is a bound of cpu's errors.
func both(t *testing.T, text string, threads int, ulp int64, args ...*literal.Literal) {
	t.Helper()
	m, err := hlo.Parse([]byte(text), "test.hlo")
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	ctx := context.Background()
	var results []*literal.Literal
	for _, b := range []exec.Backend{exec.Reference(), cpu.New(cpu.Options{Threads: threads})} {
		p, err := b.Compile(ctx, m, exec.Options{})
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		out, err := p.Run(ctx, [][]*literal.Literal{args}, exec.RunOptions{})
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		p.Close()
		results = append(results, out[0])
	}
	if d := literal.Compare(results[1], results[0], literal.Tolerance{ULP: ulp}); d != nil {
		t.Errorf("%s\n%v\n%s", text, d, arguments(d, args))
	}
}

// arguments prints the operands' elements where a difference is.
func arguments(d *literal.Difference, args []*literal.Literal) string {
	var b strings.Builder
	for _, a := range args {
		if a.Shape().Rank() == 1 && len(d.First.Index) == 1 {
			i, n := d.First.Index[0], int64(a.Shape().Type.Bytes())
			one, _ := literal.FromBytes(shape.Array(a.Shape().Type), a.Bytes()[i*n:(i+1)*n])
			fmt.Fprintf(&b, "  %v", one)
			if a.Shape().Type == shape.F32 {
				fmt.Fprintf(&b, " (%#x)", binary.LittleEndian.Uint32(one.Bytes()))
			}
		}
	}
	return b.String()
}

// sizes are lengths around those of vectors, blocks and tiles.
var sizes = []int64{0, 1, 2, 7, 63, 64, 65, 127, 129, 130, 513, 1000, 3001}

// size returns one of the sizes; tests take another one for each program.
func size(i int) int64 { return sizes[i%len(sizes)] }

// TestElementwiseScalar runs each op that is defined by its Scalar on each type that it is defined for.
func TestElementwiseScalar(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	k := 0
	for op := range hlo.NumOps {
		info := op.Info()
		if info.Scalar == nil {
			continue
		}
		for _, et := range arrays() {
			if !defined(info.Scalar, et.Class()) {
				continue
			}
			operands := strings.Fields(info.Operands)
			for range 2 {
				k++
				n := size(k)
				var params, names []string
				var args []*literal.Literal
				for i := range operands {
					params = append(params, fmt.Sprintf("p%d = %s[%d] parameter(%d)", i, et, n, i))
					names = append(names, fmt.Sprintf("p%d", i))
					args = append(args, randomElements(r, et, n))
				}
				text := fmt.Sprintf("ENTRY e { %s ROOT y = %s[%d] %s(%s) }", strings.Join(params, " "), et, n, op,
					strings.Join(names, ", "))
				both(t, text, 1+k%3, info.ULPOf(et), args...)
			}
		}
	}
}

func defined(s *hlo.Scalar, c shape.Class) bool {
	switch c {
	case shape.PredClass:
		return s.Pred != nil
	case shape.SignedClass:
		return s.Signed != nil
	case shape.UnsignedClass:
		return s.Unsigned != nil
	case shape.FloatClass:
		return s.Float != nil
	}
	return s.Complex != nil
}

// TestComplexEquality compares numbers that are equal with other bits, and such that are not with the same.
func TestComplexEquality(t *testing.T) {
	zero, minus, nan := 0.0, math.Copysign(0, -1), math.NaN()
	var a, b []complex128
	values := []complex128{complex(zero, zero), complex(zero, minus), complex(minus, minus), complex(nan, 1), complex(1, nan), 1}
	for _, x := range values {
		for _, y := range values {
			a, b = append(a, x), append(b, y)
		}
	}
	for _, et := range []shape.ElementType{shape.C64, shape.C128} {
		s := shape.Array(et, int64(len(a)))
		x, y := literal.MakeWide(et.Class(), len(a)), literal.MakeWide(et.Class(), len(a))
		copy(x.C, a)
		copy(y.C, b)
		for _, dir := range []string{"EQ", "NE"} {
			both(t, fmt.Sprintf(`ENTRY e { a = %[1]v parameter(0) b = %[1]v parameter(1)
				ROOT y = pred[%[2]d] compare(a, b), direction=%[3]s }`, s, len(a), dir), 1, 0,
				literal.FromWide(s, x), literal.FromWide(s, y))
		}
	}
}

// TestHardPoints has numbers where reductions and logarithms cancel: near multiples of pi/2, near 1, and pairs of nearly
// equal ones, as they are and as powers whose results are near the ends of the range.
func TestHardPoints(t *testing.T) {
	const n = 3000
	var turns, ones, large, others [n]float32
	for i := range n {
		turns[i] = math.Float32frombits(math.Float32bits(float32(float64(i*7-9000)*math.Pi/2)) + uint32(i%3) - 1)
		ones[i] = math.Float32frombits(math.Float32bits(1) + uint32(i*i) - n/2)
		large[i] = float32(float64(i%180-90) / math.Log(float64(ones[i])))
		others[i] = turns[i] * ones[i]
	}
	f := func(v [n]float32) *literal.Literal {
		l, err := literal.FromSlice(v[:])
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	const text = "ENTRY e { a = f32[%[1]d] parameter(0) b = f32[%[1]d] parameter(1) ROOT y = f32[%[1]d] %[2]s }"
	for _, tc := range []struct {
		op   string
		ulp  int64
		a, b [n]float32
	}{{"tan(a)", 2, turns, turns}, {"atan2(a, b)", 2, turns, others}, {"power(a, b)", 1, ones, large}} {
		both(t, fmt.Sprintf(text, n, tc.op), 1, tc.ulp, f(tc.a), f(tc.b))
	}
}

// TestPowersOfEnds has all pairs of numbers at the ends of what there is, and of ordinary ones, small ones among them.
func TestPowersOfEnds(t *testing.T) {
	inf, list := math.Inf(1), []float64{0, 1e-45, 1e-39, 1e-9, 0.05, 0.5, 1 - 0x1p-24, 1, 1.5, 2, 3, 0x1p24, 3e38}
	for _, v := range append(list, inf) {
		list = append(list, -v)
	}
	list = append(list, inf, math.NaN())
	n := len(list)
	x, y := literal.MakeWide(shape.FloatClass, n*n), literal.MakeWide(shape.FloatClass, n*n)
	for i := range n * n {
		x.F[i], y.F[i] = list[i/n], list[i%n]
	}
	s := shape.Array(shape.F32, int64(n*n))
	both(t, fmt.Sprintf(`ENTRY e { a = %[1]v parameter(0) b = %[1]v parameter(1) ROOT y = %[1]v power(a, b) }`, s), 1, 1,
		literal.FromWide(s, x), literal.FromWide(s, y))
}

// TestElementwiseConvert converts each type to each other.
func TestElementwiseConvert(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	k := 0
	for _, from := range arrays() {
		for _, to := range arrays() {
			k++
			n := size(k)
			both(t, fmt.Sprintf("ENTRY e { p = %s[%d] parameter(0) ROOT y = %s[%d] convert(p) }", from, n, to, n), 1, 0,
				randomElements(r, from, n))
			if from.Bits() == to.Bits() && from.IsComplex() == to.IsComplex() && from != shape.Pred && to != shape.Pred {
				both(t, fmt.Sprintf("ENTRY e { p = %s[%d] parameter(0) ROOT y = %s[%d] bitcast-convert(p) }", from, n, to, n),
					1, 0, randomElements(r, from, n))
			}
		}
	}
}

// TestElementwiseOthers has the ops without a Scalar.
func TestElementwiseOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for k, et := range arrays() {
		n := size(k + 4)
		a, b, c := randomElements(r, et, n), randomElements(r, et, n), randomElements(r, et, n)
		p := randomElements(r, shape.Pred, n)
		both(t, fmt.Sprintf(`ENTRY e { p = pred[%d] parameter(0) a = %[2]s[%[1]d] parameter(1) b = %[2]s[%[1]d] parameter(2)
			ROOT y = %[2]s[%[1]d] select(p, a, b) }`, n, et), 1, 0, p, a, b)
		if et != shape.Pred {
			both(t, fmt.Sprintf("ENTRY e { ROOT y = %s[5,%d] iota(), iota_dimension=%d }", et, n, k%2), 1, 0)
		}
		for _, dir := range strings.Fields("EQ NE GE GT LE LT") {
			if et.IsComplex() && dir != "EQ" && dir != "NE" {
				continue
			}
			kinds := []string{""}
			if et.IsFloat() {
				kinds = append(kinds, ", type=TOTALORDER")
			}
			for _, kind := range kinds {
				both(t, fmt.Sprintf(`ENTRY e { a = %[2]s[%[1]d] parameter(0) b = %[2]s[%[1]d] parameter(1)
					ROOT y = pred[%[1]d] compare(a, b), direction=%[3]s%[4]s }`, n, et, dir, kind), 1, 0, a, b)
			}
		}
		if !et.IsComplex() {
			both(t, fmt.Sprintf(`ENTRY e { a = %[2]s[%[1]d] parameter(0) b = %[2]s[%[1]d] parameter(1)
				c = %[2]s[%[1]d] parameter(2) ROOT y = %[2]s[%[1]d] clamp(a, b, c) }`, n, et), 1, 0, a, b, c)
			both(t, fmt.Sprintf(`ENTRY e { a = %[2]s[] parameter(0) b = %[2]s[%[1]d] parameter(1)
				c = %[2]s[] parameter(2) ROOT y = %[2]s[%[1]d] clamp(a, b, c) }`, n, et), 1, 0, randomElements(r, et), b, randomElements(r, et))
		}
		unary := func(op string, result shape.ElementType, ulp int64, attrs string) {
			both(t, fmt.Sprintf("ENTRY e { a = %[2]s[%[1]d] parameter(0) ROOT y = %[3]s[%[1]d] %[4]s(a)%[5]s }",
				n, et, result, op, attrs), 1, ulp, a)
		}
		if et.IsFloat() || et.IsComplex() {
			unary("real", et.Component(), 0, "")
			unary("imag", et.Component(), 0, "")
		}
		if et.IsFloat() {
			unary("is-finite", shape.Pred, 0, "")
		}
		if et.IsFloat() || et.IsComplex() || et.IsSigned() {
			unary("abs", et.Component(), 1, "")
		}
		switch et {
		case shape.F16, shape.BF16, shape.F32, shape.F64, shape.F8E5M2, shape.F8E4M3, shape.F8E3M4:
			for _, w := range [][2]int{{5, 10}, {8, 7}, {8, 23}, {4, 3}, {1, 0}, {11, 52}, {5, 2}, {9, 5}} {
				unary("reduce-precision", et, 0, fmt.Sprintf(", exponent_bits=%d, mantissa_bits=%d", w[0], w[1]))
			}
		}
	}
	for _, et := range []shape.ElementType{shape.F32, shape.F64} {
		ct := map[shape.ElementType]shape.ElementType{shape.F32: shape.C64, shape.F64: shape.C128}[et]
		both(t, fmt.Sprintf(`ENTRY e { a = %[1]s[130] parameter(0) b = %[1]s[130] parameter(1)
			ROOT y = %[2]s[130] complex(a, b) }`, et, ct), 1, 0, randomElements(r, et, 130), randomElements(r, et, 130))
	}
	for _, to := range []shape.ElementType{shape.BF16, shape.F16, shape.F8E4M3FN, shape.S8, shape.U16, shape.S32} {
		both(t, fmt.Sprintf(`ENTRY e { a = f32[1000] parameter(0) b = u32[1000] parameter(1)
			ROOT y = %s[1000] stochastic-convert(a, b) }`, to), 1, 0, randomElements(r, shape.F32, 1000), randomElements(r, shape.U32, 1000))
	}
}

// fusions are computations with all that a fusion may have. They have parameters a f32[6,50], b f32[50], c s32[6,50].
var fusions = []string{
	`x = f32[6,50] broadcast(b), dimensions={1} y = f32[6,50] multiply(a, x) ROOT z = f32[6,50] add(y, a)`,
	`d = f32[6,50] convert(c) t = f32[50,6] transpose(a), dimensions={1,0} u = f32[50,6] transpose(d), dimensions={1,0}
	 ROOT z = f32[50,6] subtract(t, u)`,
	`r = f32[6,50] reverse(a), dimensions={1} s = f32[3,20] slice(r), slice={[1:6:2], [5:45:2]}
	 ROOT z = f32[3,20] divide(s, s)`,
	`f = f32[300] reshape(a) g = f32[300] negate(f) h = f32[6,50] reshape(g) k = f32[6,50] subtract(h, a)
	 l = f32[6,1,50] reshape(k) m = f32[6,50] reshape(l) n = f32[50,6] transpose(m), dimensions={1,0}
	 ROOT z = f32[50,6] maximum(n, n)`,
	`i = s32[6,50] iota(), iota_dimension=1 p = pred[6,50] compare(c, i), direction=LT o = f32[] constant(3)
	 q = f32[6,50] broadcast(o), dimensions={} s = f32[6,50] select(p, a, q) ROOT t = (f32[6,50], s32[6,50]) tuple(s, c)`,
	`k = f32[50] constant({` + numbers(50) + `}) x = f32[6,50] broadcast(k), dimensions={1}
	 w = f64[6,50] convert(a) v = f64[6,50] convert(x) y = f64[6,50] multiply(v, w) u = f32[6,50] convert(y)
	 e = bf16[6,50] convert(u) f = bf16[6,50] multiply(e, e) g = bf16[6,50] add(e, f)
	 ROOT t = (bf16[6,50], f64[6,50]) tuple(g, y)`,
	`m = f32[6,50] map(a, a), dimensions={0,1}, to_apply=square_sum j = f32[6,50] iota(), iota_dimension=0
	 ROOT z = f32[6,50] subtract(m, j)`,
	`u = u8[6,50] convert(c) v = u8[6,50] add(u, u) w = s64[6,50] convert(v) x = s64[6,50] convert(c)
	 y = s64[6,50] multiply(w, x) ROOT z = s16[6,50] convert(y)`,
}

func numbers(n int) string {
	var s []string
	for i := range n {
		s = append(s, fmt.Sprint(i*i%17))
	}
	return strings.Join(s, ",")
}

func fusionText(body string) string {
	root := body[strings.Index(body, "ROOT"):]
	_, rest, _ := strings.Cut(root, "= ")
	result := rest[:strings.IndexByte(rest, ' ')]
	if rest[0] == '(' {
		result = rest[:strings.IndexByte(rest, ')')+1]
	}
	const params = "a = f32[6,50] parameter(0) b = f32[50] parameter(1) c = s32[6,50] parameter(2)"
	return fmt.Sprintf(`HloModule m
square_sum { x = f32[] parameter(0) y = f32[] parameter(1) c = f32[] constant(2) z = f32[] multiply(x, c) ROOT s = f32[] add(z, y) }
f { %s %s }
ENTRY e { %s ROOT r = %s fusion(a, b, c), kind=kLoop, calls=f }`, params, body, params, result)
}

func TestFusion(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for _, body := range fusions {
		both(t, fusionText(body), 2, 0, randomElements(r, shape.F32, 6, 50), randomElements(r, shape.F32, 50), randomElements(r, shape.S32, 6, 50))
	}
}

// TestLevels runs the tests above at the instruction sets below the machine's best.
func TestLevels(t *testing.T) {
	testfile.Native(t, run.Available())
	if os.Getenv("HALO_ISA") != "" {
		testfile.Library(t, "levels", errors.New("HALO_ISA is set: this is one of the runs that TestLevels starts"))
	}
	for _, level := range run.Levels() {
		if level == run.Level() {
			continue
		}
		c := osexec.Command(os.Args[0], "-test.run=Elementwise|Fusion|Functions|Fused|ShortRows")
		c.Env = append(os.Environ(), "HALO_ISA="+level.String())
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%.20000s", level, err, out)
		}
	}
}

// TestFunctions runs the functions of f32 on patterns from all over their range, at places that the seed chooses.
func TestFunctions(t *testing.T) {
	const count = 1 << 15
	seed := uint32(testfile.Seed(t))
	x := make([]float32, count)
	for i := range x {
		x[i] = math.Float32frombits(uint32(i)*(math.MaxUint32/count) + seed%(math.MaxUint32/count))
	}
	y := make([]float32, count)
	for i, j := range rand.New(rand.NewPCG(uint64(seed), 1)).Perm(count) {
		if y[i] = x[j]; i%2 == 0 {
			y[i] = float32(math.Ldexp(float64(j%4001-2000), -8))
			x[i] = float32(math.Abs(math.Ldexp(float64(x[i]), -int(math.Ilogb(float64(x[i])))+j%7-3)))
		}
	}
	a, _ := literal.FromSlice(x)
	b, _ := literal.FromSlice(y)
	for op := range hlo.NumOps {
		info := op.Info()
		if info.Scalar == nil || info.Scalar.Float == nil {
			continue
		}
		if info.Operands == "operand" {
			both(t, fmt.Sprintf("ENTRY e { p = f32[%[1]d] parameter(0) ROOT y = f32[%[1]d] %[2]s(p) }", count, op), 2,
				int64(info.ULP), a)
		} else {
			both(t, fmt.Sprintf("ENTRY e { p = f32[%[1]d] parameter(0) q = f32[%[1]d] parameter(1) ROOT y = f32[%[1]d] %[2]s(p, q) }",
				count, op), 2, int64(info.ULP), a, b)
		}
	}
}

// TestFusedReductions compares fusions that end in reductions, whole numbers so that sums are exact, for rows of several
// lengths, with and without a result that is not reduced.
func TestFusedReductions(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(1, 5))
	for _, c := range []struct {
		dims, reduced, result string
		sizes                 []int64
	}{{"3,64", "1", "3", []int64{3, 64}}, {"40,130", "1", "40", []int64{40, 130}}, {"5,7,33", "1,2", "5", []int64{5, 7, 33}},
		{"300000", "0", "", []int64{300000}}, {"2,270001", "1", "2", []int64{2, 270001}}, {"70,1000", "1", "70", []int64{70, 1000}}} {
		for _, k := range []struct{ t, op string }{{"f32", "add"}, {"f32", "maximum"}, {"s32", "add"}, {"f64", "add"}, {"u8", "add"},
			{"bf16", "minimum"}, {"s64", "multiply"}, {"u32", "xor"}} {
			text := fmt.Sprintf(`HloModule m
op { x = %[1]s[] parameter(0) y = %[1]s[] parameter(1) ROOT z = %[1]s[] %[2]s(x, y) }
f { a = s32[%[3]s] parameter(0) i = %[1]s[] parameter(1) c = %[1]s[%[3]s] convert(a) j = %[1]s[] constant(3) s = %[1]s[%[3]s] add(c, c)
  u = %[1]s[%[5]s] reduce(s, i), dimensions={%[4]s}, to_apply=op v = %[1]s[%[5]s] reduce(c, j), dimensions={%[4]s}, to_apply=op
  ROOT t = (%[1]s[%[5]s], %[1]s[%[3]s], %[1]s[%[5]s]) tuple(u, s, v) }
ENTRY e { a = s32[%[3]s] parameter(0) i = %[1]s[] parameter(1)
  ROOT r = (%[1]s[%[5]s], %[1]s[%[3]s], %[1]s[%[5]s]) fusion(a, i), kind=kInput, calls=f }`, k.t, k.op, c.dims, c.reduced, c.result)
			a := literal.Zeros(shape.Array(shape.S32, c.sizes...))
			v, _ := literal.View[int32](a)
			for i := range v {
				v[i] = int32(r.IntN(9)) - 4
			}
			et, _ := shape.TypeByName(k.t)
			for _, threads := range []int{1, 3} {
				both(t, text, threads, 0, a, literal.ScalarOfInt(et, 7))
			}
		}
	}
}

// TestPipelineOfLarge wants the same bits from any number of threads, also where results take the memory of operands.
func TestPipelineOfLarge(t *testing.T) {
	const text = `HloModule m
op { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
ENTRY e { a = f32[300,1001] parameter(0) b = f32[1001] parameter(1) x = f32[300,1001] broadcast(b), dimensions={1}
  c = f32[300,1001] sine(a) d = f32[300,1001] multiply(c, x) e = f32[300,1001] subtract(d, a) z = f32[] constant(0)
  s = f32[300] reduce(e, z), dimensions={1}, to_apply=op y = f32[300,1001] broadcast(s), dimensions={0}
  g = f32[300,1001] exponential(e) ROOT h = f32[300,1001] divide(g, y) }`
	r := rand.New(rand.NewPCG(1, 6))
	args := make([]*literal.Literal, 2)
	for i, dims := range [][]int64{{300, 1001}, {1001}} {
		args[i] = literal.Zeros(shape.Array(shape.F32, dims...))
		v, _ := literal.View[float32](args[i])
		for k := range v {
			v[k] = r.Float32()
		}
	}
	var first *literal.Literal
	for _, threads := range threadCounts {
		_, p := compiled(t, cpu.New(cpu.Options{Threads: threads}), text)
		got := results(t, p, text, args)
		p.Close()
		if first == nil {
			first = got
		}
		if d := literal.Compare(got, first, literal.Tolerance{Bits: true}); d != nil {
			t.Errorf("%d threads: %v", threads, d)
		}
	}
}
