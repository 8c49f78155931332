package hlopb_test

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/hlo/hlopb"
)

// A program becomes a HloModuleProto, which is a program again.
func Example() {
	m, err := hlo.Parse([]byte(`HloModule double
ENTRY e { x = f32[2] parameter(0)  ROOT y = f32[2] add(x, x) }`), "double.hlo")
	if err != nil {
		fmt.Println(err)
		return
	}
	b := hlopb.Marshal(m)
	again, err := hlopb.Parse(b, "double.pb")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(hlopb.Detect(b))
	fmt.Print(again.Text())
	// Output:
	// HloModuleProto false
	// HloModule double
	//
	// ENTRY %e (x: f32[2]) -> f32[2] {
	//   %x = f32[2] parameter(0)
	//   ROOT %y = f32[2] add(%x, %x)
	// }
}
