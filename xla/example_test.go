package xla_test

import (
	"context"
	"fmt"
	"log"

	"github.com/halo-xla/halo/xla"
)

const affine = `
module @affine {
  func.func public @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %two = stablehlo.constant dense<2.0> : tensor<2x3xf32>
    %one = stablehlo.constant dense<1.0> : tensor<2x3xf32>
    %y = stablehlo.multiply %x, %two : tensor<2x3xf32>
    %z = stablehlo.add %y, %one : tensor<2x3xf32>
    return %z : tensor<2x3xf32>
  }
}`

func Example() {
	ctx := context.Background()
	client, err := xla.NewClient(xla.Reference(), xla.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	program := xla.Program{Name: "affine.mlir", Source: []byte(affine)}
	model, err := client.Compile(ctx, program, xla.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	x, err := xla.FromSlice(client, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	y, err := model.Execute(ctx, x)
	if err != nil {
		log.Fatal(err)
	}
	defer y[0].Close()
	v, err := xla.ToSlice[float32](y[0])
	fmt.Println(y[0].Shape(), v, err)
	// Output: f32[2,3] [3 5 7 9 11 13] <nil>
}

// An error says where in the program it is, what it met and what it wanted.
func ExampleError() {
	client, err := xla.NewClient(xla.Reference(), xla.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	text := "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[3] negate(x)\n}\n"
	program := xla.Program{Name: "m.hlo", Source: []byte(text)}
	_, err = client.Compile(context.Background(), program, xla.CompileOptions{})
	fmt.Println(err)
	// Output: m.hlo:4:8: negate(f32[2]): declared shape is f32[3], want f32[2]
}
