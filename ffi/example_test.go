package ffi_test

import (
	"fmt"

	"github.com/halo-xla/halo/ffi"
)

// Attributes have the types that the program gives them.
func ExampleParseAttrs() {
	a, err := ffi.ParseAttrs(`{eps = 1.0e-1 : f64, axes = array<i64: 2, 0>, name = "norm", splat = dense<7> : tensor<2x2xi8>}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	eps, _ := a.Float("eps")
	axes, _ := a.Ints("axes")
	splat, _ := a.Ints("splat")
	_, err = a.Int("name")
	fmt.Println(eps, axes, splat)
	fmt.Println(err)
	// Output:
	// 0.1 [2 0] [7 7 7 7]
	// INVALID_ARGUMENT: attribute name is a string, want an integer
}
