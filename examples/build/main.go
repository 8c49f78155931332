// Build makes a program in Go, without a file: the distance between two points.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// distance is sqrt(sum((x-y)^2)) of x and y f32[3].
func distance() (*hlo.Module, error) {
	sum := hlo.NewBuilder("sum")
	scalar := shape.Array(shape.F32)
	add, err := sum.Build(sum.Add(sum.Parameter(0, scalar, "a"), sum.Parameter(1, scalar, "b")))
	if err != nil {
		return nil, err
	}
	b := hlo.NewBuilder("distance")
	x := b.Parameter(0, shape.Array(shape.F32, 3), "x")
	y := b.Parameter(1, shape.Array(shape.F32, 3), "y")
	d := b.Sub(x, y)
	squares := b.Mul(d, d)
	zero := b.ConstantLiteral(literal.Scalar[float32](0))
	total := b.Reduce([]*hlo.Instruction{squares}, []*hlo.Instruction{zero}, add, 0)
	entry, err := b.Build(b.Sqrt(total))
	if err != nil {
		return nil, err
	}
	return hlo.NewModule("distance", entry), nil
}

func run(ctx context.Context) error {
	m, err := distance()
	if err != nil {
		return err
	}
	client, err := xla.NewClient(cpu.New(cpu.Options{}), xla.ClientOptions{})
	if err != nil {
		return err
	}
	defer client.Close()
	exe, err := client.Compile(ctx, xla.Program{Module: m}, xla.CompileOptions{})
	if err != nil {
		return err
	}
	defer exe.Close()
	x, err := xla.FromSlice(client, []float32{1, 2, 3})
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := xla.FromSlice(client, []float32{3, 5, 9})
	if err != nil {
		return err
	}
	defer y.Close()
	got := make([]float32, 1)
	if err := exe.ExecuteInto(ctx, xla.RunOptions{}, []any{got}, x, y); err != nil {
		return err
	}
	fmt.Println("distance", got[0])
	return nil
}
