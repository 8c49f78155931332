package customcall_test

import (
	"context"
	"fmt"

	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// A Go function serves a target; its attributes have types.
func Example() {
	r := customcall.New()
	defer r.Close()
	err := r.Register("shift", func(_ context.Context, c *ffi.Call) error {
		by, err := c.Site.Attrs.Int("by")
		if err != nil {
			return err
		}
		for i, v := range c.Operands[0].Data {
			c.Results[0].Data[i] = v + byte(by)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := hlo.Parse([]byte(`ENTRY e {
  x = u8[3] constant({1, 2, 3})
  ROOT r = u8[3] custom-call(x), custom_call_target="shift", api_version=API_VERSION_TYPED_FFI, backend_config={by = 10 : i32}
}`), "shift.hlo")
	if err != nil {
		fmt.Println(err)
		return
	}
	program, err := exec.Reference().Compile(context.Background(), m, exec.Options{Handlers: r})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer program.Close()
	out, err := program.Run(context.Background(), [][]*literal.Literal{nil}, exec.RunOptions{})
	fmt.Println(out[0], err)
	// Output: u8[3] {11, 12, 13} <nil>
}
