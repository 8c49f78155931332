package exec_test

import (
	"context"
	"fmt"
	"log"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// A backend makes a module a program, and a program runs on one device or several.
func ExampleReference() {
	m, err := hlo.Parse([]byte("HloModule m\nENTRY e { ROOT r = u32[] replica-id() }"), "m.hlo")
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	p, err := exec.Reference().Compile(ctx, m, exec.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	results, err := p.Run(ctx, [][]*literal.Literal{nil, nil}, exec.RunOptions{Replicas: 2})
	fmt.Println(results, err)
	// Output: [u32[] 0 u32[] 1] <nil>
}
