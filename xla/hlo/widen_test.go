package hlo_test

import (
	"context"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func TestParseLenient(t *testing.T) {
	const text = `HloModule m
f { a = f32[2] parameter(0)
  b = bf16[2] parameter(1)
  ROOT c = f32[2] subtract(b, a) }
ENTRY e { a = f32[2] parameter(0)
  b = bf16[2] parameter(1)
  c = f32[2] call(a, b), to_apply=f
  ROOT d = pred[2] compare(c, b), direction=LT }`
	if _, err := hlo.Parse([]byte(text), "m.hlo"); err == nil {
		t.Fatal("Parse takes mixed types")
	}
	m, err := hlo.ParseLenient([]byte(text), "m.hlo")
	if err != nil {
		t.Fatal(err)
	}
	if err := hlo.Verify(m); err != nil {
		t.Fatal(err)
	}
	a := literal.FromWide(shape.Array(shape.F32, 2), literal.Wide{Class: shape.FloatClass, F: []float64{-1, 0.125}})
	b := literal.FromWide(shape.Array(shape.BF16, 2), literal.Wide{Class: shape.FloatClass, F: []float64{1.5, -2}})
	got, err := hlo.Evaluate(context.Background(), m, []*literal.Literal{a, b}, hlo.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// 1.5 + 1 is not below 1.5; -2 - 0.125 is below -2
	if want := literal.FromWide(shape.Array(shape.Pred, 2), literal.Wide{Class: shape.PredClass, B: []bool{false, true}}); !literal.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
