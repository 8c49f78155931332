// Sizes that differ, with the op and its types.
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32> // ERROR "stablehlo.add(tensor<2xf32>, tensor<3xf32>): "
  return %0 : tensor<2xf32>
}
// -----
// A result of another type than follows.
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32> // ERROR "stablehlo.transpose(tensor<2x3xf32>): " "f32[3,2]"
  return %0 : tensor<2x3xf32>
}
// -----
// An op nobody knows.
func.func @main(%a: tensor<f32>) {
  "stablehlo.frobnicate"(%a) : (tensor<f32>) -> () // ERROR "unknown op"
  return
}
// -----
// An attribute that is missing.
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.reverse"(%a) : (tensor<2xf32>) -> tensor<2xf32> // ERROR "attribute dimensions is missing"
  return %0 : tensor<2xf32>
}
// -----
// An attribute of another kind.
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.reverse"(%a) {dimensions = "x"} : (tensor<2xf32>) -> tensor<2xf32> // ERROR ":33: stablehlo.reverse(tensor<2xf32>): attribute dimensions: got \"x\", want a list of integers"
  return %0 : tensor<2xf32>
}
// -----
// A computation that uses an argument from outside.
func.func @main(%a: tensor<2xf32>, %k: tensor<f32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32> // ERROR "its computation uses the value %k from outside"
    reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %1 = stablehlo.add %x, %k : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
// -----
// A function that calls itself.
func.func @main(%a: tensor<f32>) -> tensor<f32> { // ERROR "function @main calls itself"
  %0 = call @main(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// -----
// A function that is not there, and one without a body.
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @g(%a) : (tensor<f32>) -> tensor<f32> // ERROR "function @g is not defined"
  return %0 : tensor<f32>
}
// -----
// A call with other types than the function's.
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @g(%a) : (tensor<f32>) -> tensor<f32> // ERROR "operand 0 is tensor<f32>, want tensor<i32> as the function"
  return %0 : tensor<f32>
}
func.func private @g(%a: tensor<i32>) -> tensor<f32>
// -----
// A function given twice.
func.func @f() { return }
func.func @f() { return } // ERROR "function @f is defined twice"
// -----
// A body that does not end with a return.
func.func @main(%a: tensor<f32>) {
  %0 = stablehlo.abs %a : tensor<f32> // ERROR "block does not end with a return"
}
// -----
// A return before the end.
func.func @main() {
  return // ERROR "return is not the last op of its block"
  return
}
// -----
// A return of another type than the function's.
func.func @main(%a: tensor<f32>) -> tensor<i32> {
  return %a : tensor<f32> // ERROR "value 0 is tensor<f32>, want tensor<i32> as @main returns"
}
// -----
// A number that is no number of its type.
func.func @main() -> tensor<2xi8> {
  %0 = stablehlo.constant dense<[1, 300]> : tensor<2xi8> // ERROR "3:33: element 1 of type s8: got 300, want an integer of 8 bits"
  return %0 : tensor<2xi8>
}
// -----
// Too few bytes.
func.func @main() -> tensor<3xf32> {
  %0 = stablehlo.constant dense<"0x0000803F00000040"> : tensor<3xf32> // ERROR "elements are 8 bytes, want 3 of 4 bytes each"
  return %0 : tensor<3xf32>
}
// -----
// A resource that was left out.
func.func @main() -> tensor<3xf32> {
  %0 = stablehlo.constant dense_resource<__elided__> : tensor<3xf32> // ERROR "resource __elided__ is not in the text"
  return %0 : tensor<3xf32>
}
// -----
// A type with more elements than there are numbers.
func.func @main(%a: tensor<9999999999x9999999999xf32>) { // ERROR "has too many elements"
  return
}
// -----
// A loop whose condition takes too little.
func.func @main(%a: tensor<i1>) {
  %0:2 = "stablehlo.while"(%a, %a) ({ // ERROR "region 0 has 1 arguments, want 2"
  ^bb0(%x: tensor<i1>):
    stablehlo.return %x : tensor<i1>
  }, {
  ^bb0(%x: tensor<i1>, %y: tensor<i1>):
    stablehlo.return %x, %y : tensor<i1>, tensor<i1>
  }) : (tensor<i1>, tensor<i1>) -> (tensor<i1>, tensor<i1>)
  return
}
// -----
// Blocks that cannot be cut.
func.func @main(%a: tensor<3x4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3x4xf32>) -> tensor<1x8xf32> // ERROR "cannot be cut in 2 equal blocks"
  return
}
// -----
// A window of the wrong rank.
func.func @main(%a: tensor<3x4xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%a, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32> // ERROR "attribute window_dimensions: got array<i64: 2>, want one size a dimension"
  return
}
// -----
// An op outside of functions.
%0 = stablehlo.constant dense<1> : tensor<i32> // ERROR "stands outside of functions"
// -----
// A device mesh that is not there.
func.func @main(%a: tensor<f32>) {
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = []>} : (tensor<f32>) -> tensor<f32> // ERROR "mesh @m is not defined"
  return
}
// -----
// A reducer with one argument for a reduced value; each has a left and a right one.
func.func @main(%a: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    reducer(%x: tensor<f32>) { // ERROR "reducer takes one argument for reduced value 0, want two"
    stablehlo.return %x : tensor<f32>
  }
  return %0 : tensor<f32>
}
// -----
// An op whose name is misspelt, in the form of all ops.
func.func @main(%a: tensor<f32>) {
  "stablehlo.ngeate"(%a) : (tensor<f32>) -> () // ERROR "unknown op, did you mean stablehlo.negate"
  return
}
