package cpu_test

import (
	"context"
	"fmt"
	"log"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// Clients are made with xla.NewClient(cpu.New(cpu.Options{}), ...). Below them, the backend compiles modules.
func ExampleNew() {
	m, err := hlo.Parse([]byte("ENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] add(x, x) }"), "double.hlo")
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	p, err := cpu.New(cpu.Options{Threads: 1}).Compile(ctx, m, exec.Options{AllowReference: true})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	x, err := literal.FromSlice([]float32{1, 2})
	if err != nil {
		log.Fatal(err)
	}
	results, err := p.Run(ctx, [][]*literal.Literal{{x}}, exec.RunOptions{})
	fmt.Println(results, err)
	// Output: [f32[2] {2, 4}] <nil>
}
