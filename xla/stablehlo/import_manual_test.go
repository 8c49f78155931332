package stablehlo

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

const manualText = `module {
  sdy.mesh @mesh = <["a"=2, "b"=3]>
  func.func @main(%%x: tensor<6x6xf32>) -> tensor<6x6xf32> {
    %%0 = sdy.manual_computation(%%x) in_shardings=[<@mesh, %s>] out_shardings=[<@mesh, %s>] manual_axes=%s (%%y: tensor<%sxf32>) {
      %%1 = stablehlo.transpose %%y, dims = [1, 0] : (tensor<%[4]sxf32>) -> tensor<%sxf32>
      sdy.return %%1 : tensor<%[5]sxf32>
    } : (tensor<6x6xf32>) -> tensor<6x6xf32>
    return %%0 : tensor<6x6xf32>
  }
}`

func importText(text string) (*hlo.Module, error) {
	p, err := Parse(Text{File: "m.mlir", Source: text})
	if err != nil {
		return nil, err
	}
	return p.Module, nil
}

// Every device of a mesh of 2x3 transposes its part; together they have transposed the whole.
func TestManualComputation(t *testing.T) {
	x := literal.Zeros(shape.Array(shape.F32, 6, 6))
	want := literal.Zeros(x.Shape())
	xs, _ := literal.View[float32](x)
	ws, _ := literal.View[float32](want)
	for i := range xs {
		xs[i], ws[i%6*6+i/6] = float32(i), float32(i)
	}
	for _, c := range [][5]string{
		{`[{"a"}, {"b"}]`, `[{"b"}, {"a"}]`, `{"a", "b"}`, "3x2", "2x3"},
		{`[{"a", "b"}, {}]`, `[{}, {"a", "b"}]`, `{"a", "b"}`, "1x6", "6x1"},
		{`[{}, {"b", "a"}]`, `[{"b", "a"}, {}]`, `{"a", "b"}`, "6x1", "1x6"},
		{`[{"a"}, {"b"}]`, `[{"b"}, {"a"}]`, `{"b"}`, "6x2", "2x6"},
		{`[{}, {}]`, `[{}, {}]`, `{"a", "b"}`, "6x6", "6x6"},
	} {
		m, err := importText(fmt.Sprintf(manualText, c[0], c[1], c[2], c[3], c[4]))
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		args := make([][]*literal.Literal, 6)
		for d := range args {
			args[d] = []*literal.Literal{x}
		}
		got, err := hlo.EvaluateAll(context.Background(), m, args, hlo.EvalOptions{}, 1, 6)
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		for d := range got {
			if !literal.Equal(got[d], want) {
				t.Fatalf("%v, device %d: got %v, want %v", c, d, got[d], want)
			}
		}
	}
}

func TestManualComputationWrong(t *testing.T) {
	for _, c := range []struct{ in, out, local, want string }{
		{`[{"c"}, {}]`, `[{}, {}]`, "6x6", `no axis "c"`},
		{`[{"a"}]`, `[{}, {}]`, "3x6", "a sharding of 1 dimensions"},
		{`[{"a"}, {}]`, `[{}, {}]`, "2x6", "2x6"},
	} {
		text := fmt.Sprintf(manualText, c.in, c.out, `{"a", "b", "c"}`, c.local, c.local)
		if _, err := importText(text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", c.in, err, c.want)
		}
	}
}

// A part of a manual axis is none of Shardy: it must not count as whole.
func TestManualPart(t *testing.T) {
	_, err := importText(fmt.Sprintf(manualText, `[{"a":(1)2}, {}]`, `[{}, {"a"}]`, `{"a", "b"}`, "3x6", "6x3"))
	if err == nil || !strings.Contains(err.Error(), `the manual axis "a" of mesh @mesh is split`) {
		t.Errorf("got %v, want that the axis is split", err)
	}
}
