// Weights runs a program whose arguments are given by name, as trained weights are.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla"
)

const program = `HloModule linear
ENTRY linear {
  bias = f32[2] parameter(0)
  kernel = f32[3,2] parameter(1)
  x = f32[3] parameter(2)
  product = f32[2] dot(x, kernel), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  ROOT y = f32[2] add(product, bias)
}
`

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
	exe, err := client.Compile(ctx, xla.Program{Name: "linear.hlo", Source: []byte(program)}, xla.CompileOptions{})
	if err != nil {
		return err
	}
	defer exe.Close()
	args := map[string]*xla.Buffer{}
	for name, a := range map[string]struct {
		values []float32
		dims   []int64
	}{
		"kernel": {[]float32{1, 2, 3, 4, 5, 6}, []int64{3, 2}},
		"bias":   {[]float32{0.5, -0.5}, []int64{2}},
		"x":      {[]float32{1, 0, -1}, []int64{3}},
	} {
		b, err := xla.FromSlice(client, a.values, a.dims...)
		if err != nil {
			return err
		}
		defer b.Close()
		args[name] = b
	}
	out, err := exe.ExecuteNamed(ctx, xla.RunOptions{}, args)
	if err != nil {
		return err
	}
	defer out["result0"].Close()
	y, err := xla.ToSlice[float32](out["result0"])
	if err != nil {
		return err
	}
	fmt.Println(exe.Signature())
	fmt.Println(y)
	return nil
}
