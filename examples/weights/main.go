// Weights runs a program whose weights are given by name and bound when it is compiled, as those of trained models are.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/literal"
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
	exe, err := compile(ctx, client)
	if err != nil {
		return err
	}
	defer exe.Close()
	fmt.Println(exe.Signature()) // what is left to be given
	x, err := xla.FromSlice(client, []float32{1, 0, -1})
	if err != nil {
		return err
	}
	defer x.Close()
	out, err := exe.ExecuteNamed(ctx, xla.RunOptions{}, map[string]*xla.Buffer{"x": x})
	if err != nil {
		return err
	}
	defer out["result0"].Close()
	y, err := xla.ToSlice[float32](out["result0"])
	if err != nil {
		return err
	}
	fmt.Println(y)
	return nil
}

// compile binds the weights to the parameters that have their names. The executable keeps what it needs of them.
func compile(ctx context.Context, client *xla.Client) (*xla.Executable, error) {
	module, err := xla.Read(xla.Program{Name: "linear.hlo", Source: []byte(program)})
	if err != nil {
		return nil, err
	}
	named, err := weights()
	if err != nil {
		return nil, err
	}
	bind := map[int]*xla.Buffer{}
	for i, p := range xla.SignatureOf(module).Parameters {
		l, ok := named[p.Name]
		if !ok {
			continue // an argument of each execution
		}
		if bind[i], err = client.FromLiteral(l); err != nil {
			return nil, err
		}
		defer bind[i].Close()
	}
	return client.Compile(ctx, xla.Program{Name: "linear.hlo", Module: module}, xla.CompileOptions{Bind: bind})
}

// weights are the arrays by name, as tensorfile.ReadSafetensors returns those of a file.
func weights() (map[string]*literal.Literal, error) {
	kernel, err := literal.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 3, 2)
	if err != nil {
		return nil, err
	}
	bias, err := literal.FromSlice([]float32{0.5, -0.5}, 2)
	if err != nil {
		return nil, err
	}
	return map[string]*literal.Literal{"kernel": kernel, "bias": bias}, nil
}
