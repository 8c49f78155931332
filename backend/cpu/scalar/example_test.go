package scalar_test

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/xla/hlo"
)

// The sum of the squares of three numbers: the accumulator is parameter 0 and the result.
func Example() {
	m, err := hlo.Parse([]byte(`HloModule squares
ENTRY add_square {
  sum = s32[] parameter(0)
  x = s32[] parameter(1)
  xx = s32[] multiply(x, x)
  ROOT next = s32[] add(sum, xx)
}`), "squares.hlo")
	if err != nil {
		panic(err)
	}
	p, err := scalar.Compile(m.Entry)
	if err != nil {
		panic(err)
	}
	sum, x := make([]byte, 4), make([]byte, 12)
	for i, v := range []uint32{1, 2, 3} {
		binary.LittleEndian.PutUint32(x[4*i:], v)
	}
	streams := []scalar.Stream{{Data: sum}, {Data: x, Stride: 4}, {Data: sum}}
	if err := p.Machine(context.Background()).Apply(3, streams); err != nil {
		panic(err)
	}
	fmt.Println(binary.LittleEndian.Uint32(sum))
	// Output: 14
}
