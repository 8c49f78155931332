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
