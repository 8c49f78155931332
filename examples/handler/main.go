// Handler runs a program whose custom call is a function in Go that reads an attribute.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/shape"
)

const program = `
func.func @main(%x: tensor<3xi8>) -> tensor<3xi8> {
  %y = stablehlo.custom_call @add(%x) {
    api_version = 4 : i32, backend_config = {amount = 7 : i64}
  } : (tensor<3xi8>) -> tensor<3xi8>
  return %y : tensor<3xi8>
}
`

// add adds the attribute amount to every element.
func add(_ context.Context, c *ffi.Call) error {
	amount, err := c.Site.Attrs.Int("amount")
	if err != nil {
		return err
	}
	x, y := c.Operands[0], c.Results[0]
	if x.Type != shape.S8 || len(x.Data) != len(y.Data) {
		return ffi.Errorf(ffi.InvalidArgument, "add: want s8, got %v", x.Type)
	}
	for i := range y.Data {
		y.Data[i] = x.Data[i] + byte(amount)
	}
	return nil
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	registry := customcall.New()
	defer registry.Close()
	if err := registry.Register("add", add); err != nil {
		return err
	}
	client, err := xla.NewClient(cpu.New(cpu.Options{}), xla.ClientOptions{Handlers: registry})
	if err != nil {
		return err
	}
	defer client.Close()
	exe, err := client.Compile(ctx, xla.Program{Name: "add.mlir", Source: []byte(program)}, xla.CompileOptions{})
	if err != nil {
		return err
	}
	defer exe.Close()
	x, err := xla.FromSlice(client, []int8{1, 2, -3})
	if err != nil {
		return err
	}
	defer x.Close()
	y := make([]int8, 3)
	if err := exe.ExecuteInto(ctx, xla.RunOptions{}, []any{y}, x); err != nil {
		return err
	}
	fmt.Println(y)
	return nil
}
