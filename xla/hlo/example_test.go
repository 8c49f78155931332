package hlo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// A builder makes a computation, a module makes it a program, and the evaluator says what it means.
func ExampleBuilder() {
	b := hlo.NewBuilder("square")
	x := b.Parameter(0, shape.Array(shape.S32, 3), "x")
	entry, err := b.Build(b.Mul(x, x))
	if err != nil {
		log.Fatal(err)
	}
	arg, err := literal.FromSlice([]int32{1, -2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	m := hlo.NewModule("square", entry)
	result, err := hlo.Evaluate(context.Background(), m, []*literal.Literal{arg}, hlo.EvalOptions{})
	fmt.Println(result, err)
	// Output: s32[3] {1, 4, 9} <nil>
}

func ExampleParse() {
	text := `HloModule m
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[2,3] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}`
	_, err := hlo.Parse([]byte(text), "m.hlo")
	fmt.Println(err)
	// Output: m.hlo:4:3: dot(f32[2,3], f32[2,3]): contracting sizes differ: lhs dim 1 is 3, rhs dim 0 is 2
}
