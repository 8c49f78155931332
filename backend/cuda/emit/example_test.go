package emit_test

import (
	"fmt"
	"log"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/xla/hlo"
)

func Example() {
	m, err := hlo.Parse([]byte(`HloModule scale
ENTRY e {
  x = f32[100] parameter(0)
  y = f32[100] parameter(1)
  ROOT r = f32[100] multiply(x, y)
}
`), "scale.hlo")
	if err != nil {
		log.Fatal(err)
	}
	e, err := emit.Lower(m.Entry.Root)
	if err != nil {
		log.Fatal(err)
	}
	k := e.Steps[0].Kernel
	fmt.Println(k.Grid[0], "block of", k.Block[0], "threads")
	fmt.Print(k.Source)
	// Output:
	// 1 block of 256 threads
	// extern "C" __global__ void __launch_bounds__(256) multiply_5e5c1da0eb3f(const f32* p0, const f32* p1, f32* p2) {
	//   const s32 i = (s32)blockIdx.x * 256 + threadIdx.x;
	//   if (i >= 100) return;
	//   const f32 v2 = p0[i];
	//   const f32 v3 = p1[i];
	//   const f32 v4 = x_mul(v2, v3);
	//   p2[i] = v4;
	// }
}
