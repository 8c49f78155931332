package stablehlo

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// evalText runs a program without arguments and returns its result's elements.
func evalText(t *testing.T, src string) []float64 {
	t.Helper()
	p, err := Parse(Text{File: "test.mlir", Source: src})
	if err != nil {
		t.Fatal(err)
	}
	out, err := hlo.Evaluate(context.Background(), p.Module, nil, hlo.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return literal.ConvertWide(out.Wide(), out.Shape().Type, shape.F64).F
}

// quantProgram is a program of lines that ends by returning %r, whose quantised type is q, as integers of type i.
func quantProgram(lines, dims, q, i string) string {
	return "func.func @main() -> tensor<" + dims + i + "> {\n" + lines +
		"\n%out = stablehlo.bitcast_convert %r : (tensor<" + dims + q + ">) -> tensor<" + dims + i +
		">\nreturn %out : tensor<" + dims + i + ">\n}"
}

func TestQuantised(t *testing.T) {
	const a, b = "!quant.uniform<i8:f32, 0.5:2>", "!quant.uniform<i8:f32, 0.25:-4>"
	const axis = "!quant.uniform<i8:f32:0, {0.5, 2.0:10}>"
	const blocks = "!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5, 1.0:1}, {2.0, 4.0}}>"
	quantize := func(name, values, dims, q string) string {
		return "%" + name + "f = stablehlo.constant dense<" + values + "> : tensor<" + dims + "f32>\n%" + name +
			" = stablehlo.uniform_quantize %" + name + "f : (tensor<" + dims + "f32>) -> tensor<" + dims + q + ">\n"
	}
	x := quantize("x", "[1.0, -3.5]", "2x", a) // stored 4, -5
	for _, c := range []struct {
		name, lines, dims, q, storage string
		want                          []float64
	}{
		{"ties to even", quantize("r", "[0.25, 0.75, -0.25]", "3x", "!quant.uniform<i8:f32, 0.5>"), "3x",
			"!quant.uniform<i8:f32, 0.5>", "i8", []float64{0, 2, 0}},
		{"clamps to the storage range", quantize("r", "[100.0, -100.0]", "2x", "!quant.uniform<i8<-127:120>:f32, 0.5:1>"), "2x",
			"!quant.uniform<i8<-127:120>:f32, 0.5:1>", "i8", []float64{120, -127}},
		{"unsigned storage", quantize("r", "[3.0, -3.0]", "2x", "!quant.uniform<ui8:f32, 0.5:4>"), "2x",
			"!quant.uniform<ui8:f32, 0.5:4>", "ui8", []float64{10, 0}},
		{"one scale for each index", quantize("r", "[[1.0, 2.0], [4.0, -6.0]]", "2x2x", axis), "2x2x", axis, "i8",
			[]float64{2, 4, 12, 7}},
		{"one scale for each block", quantize("r", "[[1.0, 2.0, 3.0, 4.0], [8.0, 6.0, 8.0, 4.0]]", "2x4x", blocks), "2x4x",
			blocks, "i8", []float64{2, 4, 4, 5, 4, 3, 2, 1}},
		{"other parameters", x + "%r = stablehlo.uniform_quantize %x : (tensor<2x" + a + ">) -> tensor<2x" + b + ">", "2x", b, "i8",
			[]float64{0, -18}},
		{"add", x + "%r = stablehlo.add %x, %x : (tensor<2x" + a + ">, tensor<2x" + a + ">) -> tensor<2x" + b + ">", "2x", b, "i8",
			[]float64{4, -32}},
		{"moved as stored", x + "%r = stablehlo.reverse %x, dims = [0] : tensor<2x" + a + ">", "2x", a, "i8", []float64{-5, 4}},
		// 1*2 + -3.5*4 = -12
		{"dot", x + quantize("y", "[2.0, 4.0]", "2x", "!quant.uniform<i8:f32, 0.5>") +
			"%r = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<2x" + a +
			">, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<" + b + ">", "", b, "i8", []float64{-52}},
		// the integers are (2 -7), (4 8); the scale of the sum is their product's: nothing is rounded
		{"exact sums", x + quantize("y", "[2.0, 4.0]", "2x", "!quant.uniform<i8:f32, 0.5>") +
			"%r = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<2x" + a +
			">, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<!quant.uniform<i32:f32, 0.25>>", "",
			"!quant.uniform<i32:f32, 0.25>", "i32", []float64{-48}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := evalText(t, quantProgram(c.lines, c.dims, c.q, c.storage)); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// A convolution whose output features have their own scales, with padding that must count as 0 and not as the zero point.
func TestQuantisedConvolution(t *testing.T) {
	const lhs, rhs = "!quant.uniform<i8:f32, 0.5:3>", "!quant.uniform<i8:f32:2, {0.5, 2.0}>"
	const out = "!quant.uniform<i8:f32:2, {1.0:1, 4.0}>"
	got := evalText(t, quantProgram(`
%xf = stablehlo.constant dense<[[[1.0], [2.0], [-1.0]]]> : tensor<1x3x1xf32>
%kf = stablehlo.constant dense<[[[1.0, 4.0]], [[0.5, -2.0]]]> : tensor<2x1x2xf32>
%x = stablehlo.uniform_quantize %xf : (tensor<1x3x1xf32>) -> tensor<1x3x1x`+lhs+`>
%k = stablehlo.uniform_quantize %kf : (tensor<2x1x2xf32>) -> tensor<2x1x2x`+rhs+`>
%r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 0]]}
  {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x3x1x`+lhs+`>, tensor<2x1x2x`+rhs+`>) -> tensor<1x3x2x`+out+`>`, "1x3x2x", out, "i8"))
	// sums: 0.5 2 1.5 in the first feature, -2 0 10 in the second; rounding comes after the zero point
	if want := []float64{2, 0, 3, 0, 2, 2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestQuantisedHybrid(t *testing.T) {
	got := evalText(t, `func.func @main() -> tensor<f32> {
%x = stablehlo.constant dense<[1.5, 2.0]> : tensor<2xf32>
%y = stablehlo.constant() <{value = dense<[3, -1]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
%r = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<f32>
return %r : tensor<f32>
}`)
	if want := []float64{1.25}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Sizes known at run time only: the parameters are spread over them.
func TestQuantisedDynamic(t *testing.T) {
	p, err := Parse(Text{File: "test.mlir", Source: `func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
%q = stablehlo.uniform_quantize %x : (tensor<?x2xf32>) -> tensor<?x2x!quant.uniform<i8:f32:1, {0.5, 4.0:1}>>
%r = stablehlo.uniform_dequantize %q : (tensor<?x2x!quant.uniform<i8:f32:1, {0.5, 4.0:1}>>) -> tensor<?x2xf32>
return %r : tensor<?x2xf32>
}`})
	if err != nil {
		t.Fatal(err)
	}
	x, err := literal.FromSlice([]float32{1.1, 9, -0.7, 11}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	out, err := hlo.Evaluate(context.Background(), p.Module, []*literal.Literal{x}, hlo.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := out.Wide().F, []float64{1, 8, -0.5, 12}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestQuantisedRefusals(t *testing.T) {
	const q, axis = "!quant.uniform<i8:f32, 0.5:2>", "!quant.uniform<i8:f32:0, {0.5, 2.0}>"
	for _, c := range []struct{ name, operand, line, want string }{
		{"add: storage", q, "stablehlo.add %x, %x : (tensor<2x" + q + ">, tensor<2x" + q + ">) -> tensor<2x!quant.uniform<i4:f32, 0.5>>",
			"want the same storage and expressed type"},
		{"add: axes", axis, "stablehlo.add %x, %x : (tensor<2x" + axis + ">, tensor<2x" + axis + ">) -> tensor<2x!quant.uniform<i8:f32, 0.5>>",
			"want scales along the same dimensions"},
		{"add: mixed with floats", q, "stablehlo.add %x, %x : (tensor<2x" + q + ">, tensor<2x" + q + ">) -> tensor<2xf32>",
			"want all quantised"},
		{"no scales along dimensions", axis, "stablehlo.tanh %x : tensor<2x" + axis + ">", "want one scale for the tensor"},
		{"an op without meaning", q, "stablehlo.popcnt %x : tensor<2x" + q + ">", "op is not defined on quantised tensors"},
		{"number of scales", "!quant.uniform<i8:f32:0, {0.5, 2.0, 1.0}>",
			"stablehlo.add %x, %x : tensor<2x!quant.uniform<i8:f32:0, {0.5, 2.0, 1.0}>>", "has 3 scales along dimension 0, want 2"},
		{"axis out of range", "!quant.uniform<i8:f32:1, {0.5}>", "stablehlo.add %x, %x : tensor<2x!quant.uniform<i8:f32:1, {0.5}>>",
			"along dimension 1, which it does not have"},
		{"signed storage", "!quant.uniform<si8:f32, 0.5>", "stablehlo.add %x, %x : tensor<2x!quant.uniform<si8:f32, 0.5>>",
			"storage type of tensor<2x!quant.uniform<si8:f32, 0.5>> is si8"},
		{"reshape: scale", q, "stablehlo.reshape %x : (tensor<2x" + q + ">) -> tensor<1x2x!quant.uniform<i8:f32, 1.0:2>>", "want the same type"},
		{"reshape: axis", axis, "stablehlo.reshape %x : (tensor<2x" + axis + ">) -> tensor<2x1x!quant.uniform<i8:f32:1, {0.5}>>",
			"result has scales along dimension 1"},
		{"broadcast: axis", axis, "stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2x" + axis + ">) -> tensor<2x2x" + axis + ">",
			"result has scales along dimension 0, which is not dimension 0 of the operand"},
		{"dequantize: type", q, "stablehlo.uniform_dequantize %x : (tensor<2x" + q + ">) -> tensor<2xf64>", "want the same float type"},
		{"dot: zero point of rhs", q, "stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<2x" + q + ">, tensor<2x" + q +
			">) -> tensor<" + q + ">", "rhs has zero point 2, want 0"},
		{"no operands", q, "\"stablehlo.reshape\"() : () -> tensor<2x" + q + ">", "has 0 operands and 1 results"},
		{"no results", q, "\"stablehlo.tanh\"(%x) : (tensor<2x" + q + ">) -> ()", "has 1 operands and 0 results"},
		{"blocks", "!quant.uniform<i8:f32:{0:2}, {0.5, 1.0}>", "stablehlo.negate %x : tensor<2x!quant.uniform<i8:f32:{0:2}, {0.5, 1.0}>>",
			"want one scale for the tensor"},
		{"wrong blocks", "!quant.uniform<i8:f32:{0:2}, {0.5, 1.0}>", "stablehlo.add %x, %x : tensor<2x!quant.uniform<i8:f32:{0:2}, {0.5, 1.0}>>",
			"has 2 blocks of 2 along dimension 0, want 2 elements"},
	} {
		t.Run(c.name, func(t *testing.T) {
			line := "%r = " + c.line
			if strings.HasSuffix(line, "-> ()") {
				line = c.line
			}
			src := "func.func @main(%x: tensor<2x" + c.operand + ">) {\n" + line + "\nreturn\n}"
			_, err := Parse(Text{File: "test.mlir", Source: src})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "test.mlir:2:") {
				t.Errorf("got error %v, want one at test.mlir:2 with %q", err, c.want)
			}
		})
	}
}
