// Customop runs a program whose custom call is a Go function.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

const program = `
module {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @relu(%x) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
`

// relu is what the program calls: negative elements become 0.
func relu(_ context.Context, _ *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
	x := args[0].Wide()
	for i, v := range x.F {
		x.F[i] = max(v, 0)
	}
	return literal.FromWide(args[0].Shape(), x), nil
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client, err := xla.NewClient(cpu.New(cpu.Options{}), xla.ClientOptions{Handlers: xla.HandlerMap{"relu": relu}})
	if err != nil {
		return err
	}
	defer client.Close()
	exe, err := client.Compile(ctx, xla.Program{Name: "relu.mlir", Source: []byte(strings.TrimSpace(program))},
		xla.CompileOptions{})
	if err != nil {
		return err
	}
	defer exe.Close()
	x, err := xla.FromSlice(client, []float32{-1, 0.5, -0.25, 2})
	if err != nil {
		return err
	}
	defer x.Close()
	got := make([]float32, 4)
	if err := exe.ExecuteInto(ctx, xla.RunOptions{}, []any{got}, x); err != nil {
		return err
	}
	fmt.Println(got)
	return nil
}
