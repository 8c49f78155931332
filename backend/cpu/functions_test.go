package cpu_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// TestFunctionsOfMixedBlocks has ordinary numbers beside such that a function takes another way for: these change no
// bit of those, at any place of a block.
func TestFunctionsOfMixedBlocks(t *testing.T) {
	const count = 4096
	odd := []float32{0, 1e-30, 6, -7, 70000, 1e30, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	plain, mixed := make([]float32, count), make([]float32, count)
	for i := range plain {
		plain[i] = float32(i%997)/996*3 + 0.01
		if mixed[i] = plain[i]; i%5 == 0 || i/64%3 == 0 && i%2 == 1 {
			mixed[i] = odd[i%len(odd)]
		}
	}
	tested := 0
	for op := range hlo.NumOps {
		info := op.Info()
		if info.Scalar == nil || info.Scalar.Float == nil || info.Operands != "operand" {
			continue
		}
		tested++
		text := fmt.Sprintf("ENTRY e { p = f32[%[1]d] parameter(0) ROOT y = f32[%[1]d] %[2]s(p) }", count, op)
		want, got := floats(t, text, plain), floats(t, text, mixed)
		for i := range got {
			if mixed[i] == plain[i] && math.Float32bits(got[i]) != math.Float32bits(want[i]) {
				t.Fatalf("%s(%v) at %d is %v among ordinary numbers, %v among others", op, plain[i], i, want[i], got[i])
			}
		}
	}
	if tested < 20 {
		t.Errorf("got %d functions, want 20 or more", tested)
	}
}

// TestFunctionsAloneAndBesideOthers has the same bits of a function that is a whole program, which goes over its operand
// at once, of one between others, and of one that code calls for a block.
func TestFunctionsAloneAndBesideOthers(t *testing.T) {
	const count = 4096 + 37
	x := make([]float32, count)
	for i := range x {
		x[i] = float32(i%997-300)/996*3 + 0.01
	}
	x[700], x[701], x[4000] = float32(math.Inf(1)), float32(math.NaN()), 1e-40
	for op := range hlo.NumOps {
		info := op.Info()
		if info.Scalar == nil || info.Scalar.Float == nil || info.Operands != "operand" {
			continue
		}
		const head = "ENTRY e { p = f32[%[1]d] parameter(0) q = f32[%[1]d] %[2]s(p) "
		alone := floats(t, fmt.Sprintf("ENTRY e { p = f32[%[1]d] parameter(0) ROOT y = f32[%[1]d] %[2]s(p) }", count, op), x)
		twice := floats(t, fmt.Sprintf(head+"two = f32[] constant(2) b = f32[%[1]d] broadcast(two), dimensions={} "+
			"ROOT y = f32[%[1]d] multiply(q, b) }", count, op), x)
		for i, v := range twice {
			if want := 2 * alone[i]; want == want && math.Float32bits(v) != math.Float32bits(want) {
				t.Fatalf("2 %s(%v) at %d is %v, %v of the function alone", op, x[i], i, v, want)
			}
		}
		waves := fmt.Sprintf("ENTRY e { p = f32[%[1]d] parameter(0) ROOT y = f32[%[1]d] tanh(p) }", count)
		want := floats(t, waves, alone)
		got := floats(t, fmt.Sprintf(head+"ROOT y = f32[%[1]d] tanh(q) }", count, op), x)
		for i, v := range got {
			if v == v && math.Float32bits(v) != math.Float32bits(want[i]) {
				t.Fatalf("tanh(%s(%v)) at %d is %v, %v in two programs", op, x[i], i, v, want[i])
			}
		}
	}
}

// TestPowersAndAngles has powers and angles near the reference's: of numbers of all sizes, of which all powers are in
// use, of numbers near 1 to large powers, of special ones, and of sub-normal ones; ordinary ones have the same bits among
// others.
func TestPowersAndAngles(t *testing.T) {
	inf, tiny := float32(math.Inf(1)), float32(math.SmallestNonzeroFloat32)
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, inf, -inf, float32(math.NaN()), tiny, -tiny, 0x1p-126,
		math.MaxFloat32, 2, -2, 3, -3, 0.5, -0.5, 1e30, 16777217, -16777215, 0.99999994, 1.0000001, 128, -149, -150, 127}
	var x, y []float32
	for _, a := range special {
		for _, b := range special {
			x, y = append(x, a), append(y, b)
		}
	}
	odd := len(x)
	for i := range 60000 {
		part, power := float64(i)/60000, float64(i*7919%3001-1500)/10
		base := math.Ldexp(1+part, i%7*i%251-125)
		if i%2 == 1 {
			base = 1 + float64(i-30000)*0x1p-20
		}
		if l := math.Log2(base); l != 0 {
			power /= math.Abs(l)
		}
		x, y = append(x, float32(base)), append(y, float32(power))
	}
	for _, op := range []hlo.Opcode{hlo.Power, hlo.Atan2} {
		run := func(x, y []float32) []float32 {
			a, err := literal.FromSlice(x)
			if err != nil {
				t.Fatal(err)
			}
			b, err := literal.FromSlice(y)
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprintf("ENTRY e { p = f32[%[1]d] parameter(0) q = f32[%[1]d] parameter(1) "+
				"ROOT y = f32[%[1]d] %[2]s(p, q) }", len(x), op)
			both(t, text, 2, 2, a, b)
			_, p := compiled(t, cpu.New(cpu.Options{}), text)
			defer p.Close()
			got, err := literal.View[float32](results(t, p, text, []*literal.Literal{a, b}))
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		plain := run(x[odd:], y[odd:])
		mx, my := slices.Clone(x[odd:]), slices.Clone(y[odd:])
		for i := 0; i < len(mx); i += 5 {
			mx[i], my[i] = x[i%odd], y[i%odd]
		}
		for i, v := range run(mx, my) {
			if i%5 != 0 && math.Float32bits(v) != math.Float32bits(plain[i]) {
				t.Fatalf("%s(%v, %v) at %d is %v among special numbers, %v without", op, mx[i], my[i], i, v, plain[i])
			}
		}
		run(x[:odd], y[:odd])
	}
}

// floats runs a program of one array of f32.
func floats(t *testing.T, text string, x []float32) []float32 {
	t.Helper()
	a, err := literal.FromSlice(x)
	if err != nil {
		t.Fatal(err)
	}
	_, p := compiled(t, cpu.New(cpu.Options{}), text)
	defer p.Close()
	got, err := literal.View[float32](results(t, p, text, []*literal.Literal{a}))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// farAngles are many turns and near a quarter of one: the C library's functions of them lose places of results near zero.
var farAngles = []float64{-1.2853022199154463e+174, 6.426511099577231e+173, 1.5986289000543612e+74, -6.045480744366642e+85,
	2.9106201187474713e+296, 2.4419755311613604e+58, 2.7863685805073127e+153, -6.378897880113132e+66, -1.5889031132629012e+88}

// TestFunctionsOfF64 has those that are vectors near the reference's on numbers of all sizes, zeros' signs, infinities
// and sub-normal results included, with the same bits for any number of threads.
func TestFunctionsOfF64(t *testing.T) {
	tiny := math.SmallestNonzeroFloat64
	x := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), tiny, -tiny, 0x1p-1022, math.MaxFloat64,
		-math.MaxFloat64, 709.7827128, 709.7827128933841, -745.1332191019411, -745.1332191019412, -708.4, -720.25,
		0x1p-53, -0x1p-54, 0x1p-55, 18.7, -19.1, 36.7, -37.5, 0.34657359027997264, -0.34657359027997264}
	for i := range 60000 {
		x = append(x, float64(i-30000)*1e-4, float64(i-30000)*0.026, math.Ldexp(1+float64(i)/60000, i%2100-1050))
	}
	for i := range 4000 { // near the zeros of sines and of logarithms, and beyond what is reduced by vectors
		x = append(x, float64(i*159)*math.Pi/2, 1+float64(i-2000)*0x1p-50, -1+float64(i)*0x1p-52, float64(i)*1e4)
	}
	x = append(x, farAngles...)
	a, err := literal.FromSlice(x)
	if err != nil {
		t.Fatal(err)
	}
	zeros := []hlo.Opcode{hlo.Cbrt, hlo.Expm1, hlo.Log1p, hlo.Sin, hlo.Tan, hlo.Tanh} // of zeros
	for _, op := range append([]hlo.Opcode{hlo.Cos, hlo.Exp, hlo.Log, hlo.Logistic}, zeros...) {
		text := fmt.Sprintf("ENTRY e { p = f64[%[1]d] parameter(0) ROOT y = f64[%[1]d] %[2]s(p) }", len(x), op)
		both(t, text, 1, 2, a)
		first := doubles(t, text, 1, a)
		for _, threads := range []int{2, 3, 7} {
			for i, v := range doubles(t, text, threads, a) {
				if math.Float64bits(v) != math.Float64bits(first[i]) {
					t.Fatalf("%s(%v) is %v with %d threads, %v with one", op, x[i], v, threads, first[i])
				}
			}
		}
		if zero := first[1]; slices.Contains(zeros, op) && !(zero == 0 && math.Signbit(zero)) {
			t.Errorf("%s(-0) is %v", op, zero)
		}
	}
}

// doubles runs a program of one array of f64.
func doubles(t *testing.T, text string, threads int, a *literal.Literal) []float64 {
	t.Helper()
	_, p := compiled(t, cpu.New(cpu.Options{Threads: threads}), text)
	defer p.Close()
	got, err := literal.View[float64](results(t, p, text, []*literal.Literal{a}))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestFunctionsWhereTheyTurn is of numbers where a function's way has its largest errors, or ends: many turns of an
// angle, near a quarter of one and beyond the vectors' limit; the last number before atanh is infinite; numbers whose
// sum with 1 is 1, whose squares are large, or where a table's next entry begins. All are within two units of the truth
// and have its sign.
func TestFunctionsWhereTheyTurn(t *testing.T) {
	zero := float32(math.Copysign(0, -1))
	turns := []float32{25004.1875, 25357.1133, -11.0033979, 12311.7764, -16231.8525, 505.796417, 16185.4854, 19999.9,
		20000.1, 29511.6074, 887.539795, 9.46464825, 16871.0996, 0x1.3883ep+14, zero}
	for op, c := range map[hlo.Opcode]struct {
		truth func(float64) float64
		x     []float32
	}{
		hlo.Sin:  {math.Sin, turns},
		hlo.Cos:  {math.Cos, turns},
		hlo.Tan:  {math.Tan, turns},
		hlo.Cbrt: {math.Cbrt, []float32{0.898112297, -4.56952873e+11, 1e-30, 1e-45, 0x1p-90, math.MaxFloat32}},
		hlo.Atanh: {math.Atanh, []float32{0.99999994, -0.99999994, 0.9999999, 1. / 3, 0.33333331, 0.593054652,
			0.594329238, 1e-45, zero}},
		hlo.Asinh: {math.Asinh, []float32{2.98049834e-08, -1e-45, 0x1p-12, 0x1p12, 4095.9998, 1.12840724, 1e38,
			0.0614082217, 0x1.fffffep59, 0x1p60, zero}},
		hlo.Acosh: {math.Acosh, []float32{1, 1.0000001, 1.03079724, 1.25, 4095.9998, 0x1p12, 1e38, 1.00191343, 0x1.fffffep59,
			0x1p60}},
		hlo.Asin:  {math.Asin, []float32{0.5, 0.50000006, 0.535061598, -0.516637564, 1, -1, 1e-45, zero}},
		hlo.Acos:  {math.Acos, []float32{0.5, 0.50000006, -0.5, -0.500427961, 0.499188215, 0.99999994, -0.99999994, zero}},
		hlo.Atan:  {math.Atan, []float32{1, 1.0000001, 1.01519275, -1.01168311, 1e38, 1e-45, zero}},
		hlo.Log:   {math.Log, []float32{1.06273341, 0.963945568, 0.71875, 1.4375, 0x1p125, 0x1p127, 0x1p-126, 1e-45}},
		hlo.Log1p: {math.Log1p, []float32{0.0625157133, -0.0357312262, -0.99999994, 0x1p99, 0x1p100, 1e-45, zero}},
	} {
		text := fmt.Sprintf("ENTRY e { p = f32[%[1]d] parameter(0) ROOT y = f32[%[1]d] %[2]s(p) }", len(c.x), op)
		for i, got := range floats(t, text, c.x) {
			want := c.truth(float64(c.x[i]))
			near := float32(math.Abs(want))
			if unit := float64(math.Nextafter32(near, math.MaxFloat32)) - float64(near); math.Abs(float64(got)-want) > 2*unit ||
				math.Signbit(float64(got)) != math.Signbit(want) {
				t.Errorf("%s(%v) is %v, want %v", op, c.x[i], got, want)
			}
		}
	}
}
