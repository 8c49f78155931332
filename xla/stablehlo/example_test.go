package stablehlo_test

import (
	"fmt"

	"github.com/halo-xla/halo/xla/stablehlo"
)

func ExampleParseAST() {
	prog, err := stablehlo.ParseAST(stablehlo.Text{File: "add.mlir", Source: `
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}`})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(prog)
	_, err = stablehlo.ParseAST(stablehlo.Text{File: "add.mlir", Source: "%0 = stablehlo.add %x, %x : tensor<2xf32>"})
	fmt.Println(err)
	// Output:
	// "builtin.module"() ({
	//   "func.func"() <{sym_name = "main", function_type = (tensor<2xf32>) -> tensor<2xf32>}> ({
	//   ^bb0(%0: tensor<2xf32>):
	//     %1 = "stablehlo.add"(%0, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
	//     "func.return"(%1) : (tensor<2xf32>) -> ()
	//   }) : () -> ()
	// }) : () -> ()
	// add.mlir:1:20: value %x is used and not defined before
}
