package stablehlo_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
	"github.com/halo-xla/halo/xla/stablehlo"
)

var inf, nan = math.Inf(1), math.NaN()

// chloCases are functions of CHLO at points, with values from a multiple-precision library.
var chloCases = []struct {
	op         string
	x, y, want []float64
}{
	{"lgamma", []float64{0.5, 1.5, 3.0, 10.25, 100.0, -0.5, -2.5, -3.0, 0.0, inf, 0.001, 100000.0}, nil,
		[]float64{0.5723649429247001, -0.12078223763524522, 0.6931471805599453, 13.368023671476045, 359.1342053695754,
			1.2655121234846454, -0.056243716497674054, inf, inf, inf, 6.907178885383853, 1051287.7089736569}},
	{"digamma", []float64{0.5, 1.5, 3.0, 10.25, 100.0, -0.5, -2.25, -3.0, 0.0, 0.001}, nil,
		[]float64{-1.9635100260214235, 0.03648997397857652, 0.9227843350984671, 2.277704790686724, 4.600161852738087,
			0.03648997397857652, 4.158583564657972, nan, -inf, -1000.5755719318103}},
	{"erfc", []float64{0.0, 0.5, -0.5, 1.5, 3.0, -3.0, 5.0, 8.5, inf, -inf}, nil,
		[]float64{1.0, 0.4795001221869535, 1.5204998778130465, 0.033894853524689274, 2.209049699858544e-05,
			1.9999779095030015, 1.537459794428035e-12, 2.7623240713337716e-33, 0.0, 2.0}},
	{"erf_inv", []float64{0.0, 0.5, -0.25, 0.99, -0.998046875, 1.0, -1.0, 1e-05}, nil,
		[]float64{0.0, 0.4769362762044699, -0.2253120550121781, 1.8213863677184494, -2.190099968353768, inf, -inf,
			8.862269254759594e-06}},
	{"bessel_i1e", []float64{0.0, 0.5, -0.5, 2.0, 8.0, 9.0, 50.0, -100.0}, nil,
		[]float64{0.0, 0.1564208031848717, -0.1564208031848717, 0.21526928924893765, 0.13414249329269817,
			0.1272249839358912, 0.0559931238928954, -0.03974415302513025}},
	{"sinh", []float64{0.0, 0.5, -0.5, 2.0, -10.0, 700.0, 1e-06}, nil,
		[]float64{0.0, 0.5210953054937474, -0.5210953054937474, 3.6268604078470186, -11013.232874703393,
			5.0711602736750225e+303, 1.0000000000001666e-06}},
	{"cosh", []float64{0.0, 0.5, -0.5, 2.0, -10.0, 700.0}, nil,
		[]float64{1.0, 1.1276259652063807, 1.1276259652063807, 3.7621956910836314, 11013.232920103323,
			5.0711602736750225e+303}},
	{"zeta", []float64{2.0, 3.0, 1.5, 4.5, 1.0, 0.5, 2.0, 3.0, 2.5, 50.0}, []float64{1.0, 0.5, 10.0, 2.25, 2.0, 2.0,
		-1.0, -1.0, -0.5, 3.0},
		[]float64{1.6449340668482264, 8.41439832211716, 0.6486616319415704, 0.03366018867627801, inf, nan, inf, nan,
			nan, 1.3929563579707038e-24}},
	{"polygamma", []float64{0.0, 1.0, 2.0, 5.0, 0.5, -1.0}, []float64{2.5, 2.5, 0.75, 3.0, 1.0, 1.0},
		[]float64{0.7031566406452432, 0.49035775610023485, -5.3026332163376395, 0.20616743813389676, nan, nan}},
}

// evalText runs a program on arguments.
func evalText(t *testing.T, text string, args ...*literal.Literal) []*literal.Literal {
	t.Helper()
	im, err := stablehlo.Parse(stablehlo.Text{File: "test.mlir", Source: text})
	if err != nil {
		t.Fatalf("%v, in\n%s", err, text)
	}
	if err := hlo.Verify(im.Module); err != nil {
		t.Fatal(err)
	}
	out, err := hlo.Evaluate(context.Background(), im.Module, args, hlo.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if out.Shape().IsTuple() {
		return out.Elems()
	}
	return []*literal.Literal{out}
}

// program is a function of operands of one type that returns op of them.
func program(op, operand, result string, n int) string {
	params, names, types := make([]string, n), make([]string, n), make([]string, n)
	for i := range n {
		names[i], types[i] = fmt.Sprintf("%%a%d", i), operand
		params[i] = names[i] + ": " + operand
	}
	return fmt.Sprintf("func.func @main(%s) -> %s {\n  %%r = %q(%s) : (%s) -> %s\n  return %%r : %s\n}",
		strings.Join(params, ", "), result, op, strings.Join(names, ", "), strings.Join(types, ", "), result, result)
}

func TestChloFunctions(t *testing.T) {
	for _, c := range chloCases {
		for _, k := range []struct {
			t     shape.ElementType
			close float64 // relative, and near zeros absolute
		}{{shape.F64, 2e-13}, {shape.F32, 1e-5}, {shape.BF16, 1.0 / 128}, {shape.F16, 1.0 / 512}} {
			checkChlo(t, c.op, k.t, k.close, c.x, c.y, c.want)
		}
	}
}

func checkChlo(t *testing.T, op string, e shape.ElementType, close float64, x, y, want []float64) {
	t.Helper()
	args := []*literal.Literal{vector(e, x)}
	if y != nil {
		args = append(args, vector(e, y))
	}
	tensor := args[0].Shape().MLIR()
	got := evalText(t, program("chlo."+op, tensor, tensor, len(args)), args...)[0].Wide().F
	for i, w := range want {
		if e != shape.F64 && (inexact(e, x[i]) || y != nil && inexact(e, y[i])) {
			continue
		}
		w = e.ToFloat64(e.FromFloat64(w))
		if !(math.Abs(got[i]-w) <= close*max(math.Abs(w), 0.1)) && !(got[i] == w) && (got[i] == got[i] || w == w) {
			t.Errorf("%s %s of %v %v: got %v, want %v", e, op, x[i], at(y, i), got[i], w)
		}
	}
}

func at(v []float64, i int) any {
	if v == nil {
		return ""
	}
	return v[i]
}

// inexact reports whether the type does not have v.
func inexact(t shape.ElementType, v float64) bool {
	return v == v && t.ToFloat64(t.FromFloat64(v)) != v
}

func vector(t shape.ElementType, v []float64) *literal.Literal {
	return literal.FromWide(shape.Array(t, int64(len(v))), literal.Wide{Class: shape.FloatClass, F: v})
}

// next_after counts in the bits: through zero, towards either side, to and from infinity.
func TestNextAfter(t *testing.T) {
	tiny := math.SmallestNonzeroFloat64
	x := []float64{1, 1, 0, math.Copysign(0, -1), 0, tiny, -1, math.MaxFloat64, inf, 3, nan, 1}
	y := []float64{2, 0, 1, 1, -1, -1, -2, inf, 0, 3, 1, nan}
	want := []float64{math.Nextafter(1, 2), math.Nextafter(1, 0), tiny, tiny, -tiny, 0, math.Nextafter(-1, -2), inf,
		math.MaxFloat64, 3, nan, nan}
	got := evalText(t, program("chlo.next_after", "tensor<12xf64>", "tensor<12xf64>", 2),
		vector(shape.F64, x), vector(shape.F64, y))[0].Wide().F
	for i, w := range want {
		if got[i] != w && (got[i] == got[i] || w == w) {
			t.Errorf("after %v towards %v: got %v, want %v", x[i], y[i], got[i], w)
		}
	}
	half := evalText(t, program("chlo.next_after", "tensor<1xbf16>", "tensor<1xbf16>", 2),
		vector(shape.BF16, []float64{1}), vector(shape.BF16, []float64{2}))[0].Wide().F[0]
	if half != 1+1.0/128 {
		t.Errorf("after 1 in bf16: got %v, want %v", half, 1+1.0/128)
	}
}

func complexes(v ...complex128) *literal.Literal {
	return literal.FromWide(shape.Array(shape.C128, int64(len(v))), literal.Wide{Class: shape.ComplexClass, C: v})
}

func TestChloComplex(t *testing.T) {
	const tensor = "tensor<3xcomplex<f64>>"
	big := math.MaxFloat64
	z := complexes(1+2i, complex(big, big), complex(-inf, 1))
	for _, c := range []struct {
		op   string
		want []complex128
	}{
		{"square", []complex128{-3 + 4i, complex(0, inf), complex(inf, -inf)}},
		{"conj", []complex128{1 - 2i, complex(big, -big), complex(-inf, -1)}},
	} {
		got := evalText(t, program("chlo."+c.op, tensor, tensor, 1), z)[0].Wide().C
		for i, w := range c.want {
			if got[i] != w {
				t.Errorf("%s of %v: got %v, want %v", c.op, z.Wide().C[i], got[i], w)
			}
		}
	}
	// asin and acos from what they have in common
	w := evalText(t, program("chlo._asin_acos_kernel", "tensor<1xcomplex<f64>>", "tensor<1xcomplex<f64>>", 1),
		complexes(0.5+2i))[0].Wide().C[0]
	if re, im := math.Atan2(0.5, real(w)), imag(w); math.Abs(re-0.22101863562288385) > 1e-14 ||
		math.Abs(im-1.4657153519472905) > 1e-14 {
		t.Errorf("kernel of 0.5+2i gives asin %v+%vi, want 0.22101863562288385+1.4657153519472905i", re, im)
	}
}

func TestIsInf(t *testing.T) {
	x := vector(shape.F32, []float64{1, inf, -inf, nan})
	for op, want := range map[string]string{"is_inf": "0110", "is_pos_inf": "0100", "is_neg_inf": "0010"} {
		got := evalText(t, program("chlo."+op, "tensor<4xf32>", "tensor<4xi1>", 1), x)[0].Wide().B
		for i, b := range got {
			if b != (want[i] == '1') {
				t.Errorf("%s of %v: got %v", op, x.Wide().F[i], b)
			}
		}
	}
}

func TestChloErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{program("chlo.lgamma", "tensor<2xi32>", "tensor<2xi32>", 1), "want floating point"},
		{program("chlo.lgamma", "tensor<2xf32>", "tensor<2xf64>", 1), "want the same"},
		{program("chlo.next_after", "tensor<2xf8E5M2>", "tensor<2xf8E5M2>", 2), "want two of f64"},
		{program("chlo._asin_acos_kernel", "tensor<2xf32>", "tensor<2xf32>", 1), "result: got f32[2], want c64[2]"},
		{program("chlo.cosh", "tensor<2xi32>", "tensor<2xi32>", 1), "element type s32 is not supported"},
		{program("chlo.is_inf", "tensor<2xi32>", "tensor<2xi1>", 1), "want floating point"},
		{program("chlo.is_inf", "tensor<2xf32>", "tensor<3xi1>", 1), "want pred[2]"},
		{`func.func @main(%a: tensor<2xf32>) -> tensor<2xi32> {
  %r = "chlo.constant_like"(%a) {value = 1.0 : f32} : (tensor<2xf32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}`, "attribute value"},
		{`func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %r = chlo.broadcast_add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}`, "do not go together"},
		{`func.func @main(%a: tensor<2xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 2>} : (tensor<2xf32>,
	tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}`, "broadcast_dimensions"},
	} {
		if _, err := stablehlo.Parse(stablehlo.Text{File: "test.mlir", Source: c.text}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q in it, for\n%s", err, c.want, c.text)
		}
	}
}

// Broadcasting aligns the last dimensions, or those that are named, and stretches sizes of 1.
func TestChloBroadcast(t *testing.T) {
	out := evalText(t, `
func.func @main(%m: tensor<2x3xf32>, %row: tensor<3xf32>, %col: tensor<2x1xf32>, %v: tensor<2xf32>, %p: tensor<i1>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = chlo.broadcast_add %m, %row : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = chlo.broadcast_multiply %row, %col : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %2 = chlo.broadcast_subtract %m, %v {broadcast_dimensions = array<i64: 0>}
    : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  %3 = chlo.broadcast_compare %m, %row {comparison_direction = #chlo<comparison_direction LT>}
    : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %4 = chlo.broadcast_select %p, %m, %row : (tensor<i1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %5 = chlo.broadcast_zeta %col, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x3xf32>,
    tensor<2x3xf32>
}`, slice(t, []float32{1, 2, 3, 4, 5, 6}, 2, 3), slice(t, []float32{10, 1, 5}, 3), slice(t, []float32{2, 3}, 2, 1),
		slice(t, []float32{1, 4}, 2), literal.Scalar(false))
	for i, want := range [][]float64{
		{11, 3, 8, 14, 6, 11}, {20, 2, 10, 30, 3, 15}, {0, 1, 2, 0, 1, 2}, {1, 0, 1, 1, 0, 0}, {10, 1, 5, 10, 1, 5},
		{0.10516633568168575, 1.6449340668482264, 0.22132295573711533, 0.00552491748540103, 1.2020569031595943,
			0.024394866122557},
	} {
		l, err := literal.Convert(out[i], shape.F64)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range l.Wide().F {
			if math.Abs(v-want[k]) > 1e-6 {
				t.Errorf("result %d: got %v, want %v", i, l.Wide().F, want)
				break
			}
		}
	}
}

func slice(t *testing.T, v []float32, dims ...int64) *literal.Literal {
	t.Helper()
	l, err := literal.FromSlice(v, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Sizes that are known at run time only.
func TestChloDynamic(t *testing.T) {
	out := evalText(t, `
func.func @main(%a: tensor<?x3xf32>, %b: tensor<1x?xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %0 = chlo.broadcast_add %a, %b : (tensor<?x3xf32>, tensor<1x?xf32>) -> tensor<?x3xf32>
  %1 = chlo.erf_inv %a : tensor<?x3xf32> -> tensor<?x3xf32>
  %2 = "chlo.constant_like"(%a) {value = 2.5 : f32} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}`, slice(t, []float32{0, 0, 0, 0, 0, 0}, 2, 3), slice(t, []float32{1}, 1, 1))
	for i, want := range []float64{1, 0, 2.5} {
		if got := out[i]; got.Shape().String() != "f32[2,3]" || got.Wide().F[5] != want {
			t.Errorf("result %d: got %v %v, want %v everywhere in f32[2,3]", i, got.Shape(), got.Wide().F, want)
		}
	}
}
