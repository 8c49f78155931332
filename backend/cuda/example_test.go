package cuda_test

import (
	"fmt"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/xla/hlo"
)

func Example() {
	fmt.Println(emit.Has(hlo.Add), emit.Has(hlo.While))
	// Output: true false
}
