package erfinv_test

import (
	"fmt"
	"math"

	"github.com/halo-xla/halo/xla/erfinv"
)

// The number whose erf is 1/2 is 0.4769...
func Example() {
	x := 0.5
	w, p := -math.Log1p(-x*x), 0.0
	for _, c := range erfinv.F64[0] {
		p = p*(w-3.125) + c
	}
	fmt.Printf("%.12f %.12f\n", p*x, math.Erfinv(x))
	// Output: 0.476936276204 0.476936276204
}
