// Square compiles a program in StableHLO's text and runs it.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla"
)

const text = `
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = stablehlo.multiply %x, %x : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}`

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client, err := xla.NewClient(cpu.New(cpu.Options{}), xla.ClientOptions{})
	if err != nil {
		return err
	}
	defer client.Close()
	program := xla.Program{Name: "square.mlir", Source: []byte(text)} // the name is for errors
	exe, err := client.Compile(ctx, program, xla.CompileOptions{})
	if err != nil {
		return err
	}
	defer exe.Close()
	x, err := xla.FromSlice(client, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := exe.Execute(ctx, x)
	if err != nil {
		return err
	}
	defer y[0].Close()
	v, err := xla.ToSlice[float32](y[0])
	if err != nil {
		return err
	}
	fmt.Println(y[0].Shape(), v)
	return nil
}
