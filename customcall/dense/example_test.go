package dense_test

import (
	"fmt"

	"github.com/halo-xla/halo/customcall/dense"
)

func ExamplePotrf() {
	a := []float64{4, 2, 2, 5} // columns
	info := dense.Potrf('L', 2, a)
	fmt.Println(a, info)
	// Output: [2 1 2 2] 0
}
