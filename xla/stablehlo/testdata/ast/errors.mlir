// A value nobody defined.
func.func @f(%a: tensor<f32>) {
  %0 = stablehlo.add %a, %b : tensor<f32> // ERROR "3:26: value %b is used and not defined before"
}
// -----
// A use before the definition.
func.func @f(%a: tensor<f32>) {
  %0 = stablehlo.add %a, %1 : tensor<f32> // ERROR "value %1 is used and not defined before"
  %1 = stablehlo.abs %a : tensor<f32>
}
// -----
// A name given twice, in a region inside as well.
func.func @f(%a: tensor<f32>) {
  %0 = stablehlo.while(%i = %a) : tensor<f32> cond {
    %a = stablehlo.abs %i : tensor<f32> // ERROR "value %a is defined twice, first at line 13"
  } do {
  }
}
// -----
// Functions do not see what is around them.
func.func @f(%a: tensor<f32>) {
  func.func @g() {
    return %a : tensor<f32> // ERROR "value %a is used and not defined before"
  }
}
// -----
// A value of a region is not seen behind it.
func.func @f(%p: tensor<i1>) {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.not %p : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
    stablehlo.return %1 : tensor<i1> // ERROR "value %1 is used and not defined before"
  }) : (tensor<i1>) -> tensor<i1>
}
// -----
// A result that is not there.
func.func @f(%a: tensor<f32>) {
  %0:2 = stablehlo.optimization_barrier %a, %a : tensor<f32>, tensor<f32>
  return %0#2 : tensor<f32> // ERROR "%0#2 is used, but %0 has 2 results"
}
// -----
// Results that are not named.
func.func @f(%a: tensor<f32>) {
  %0 = stablehlo.optimization_barrier %a, %a : tensor<f32>, tensor<f32> // ERROR "has 2 results, and 1 are named"
}
// -----
// A use with another type than the definition's.
func.func @f(%a: tensor<f32>) {
  %0 = stablehlo.abs %a : tensor<f64> // ERROR "operand 0 has type tensor<f32>, but tensor<f64> is written for it"
}
// -----
// Types for too few operands.
func.func @f(%a: tensor<f32>) {
  %0 = stablehlo.add %a, %a : (tensor<f32>) -> tensor<f32> // ERROR "has 2 operands and types for 1"
}
// -----
// An op that does not exist.
func.func @f(%a: tensor<f32>) {
  %0 = stablehlo.frobnicate %a : tensor<f32> // ERROR "60:8: unknown op stablehlo.frobnicate"
}
// -----
// A list that is too short for its type.
func.func @f() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<3xf32> // ERROR "list of elements has the sizes [2], its type is tensor<3xf32>"
}
// -----
// Lists of two lengths.
func.func @f() {
  %0 = stablehlo.constant dense<[[1, 2], [3]]> : tensor<2x2xi32> // ERROR "70:42: lists of one level differ in length"
}
// -----
// Elements at two depths.
func.func @f() {
  %0 = stablehlo.constant dense<[[1, 2], 3]> : tensor<2x2xi32> // ERROR "elements do not all stand at one depth"
}
// -----
// Elements that a printer left out.
func.func @f() {
  %0 = stablehlo.constant dense<[1, ...]> : tensor<2xi32> // ERROR "elements were left out"
}
// -----
// Half a byte.
func.func @f() {
  %0 = stablehlo.constant dense<"0x123"> : tensor<2xi8> // ERROR "pairs of hexadecimal digits"
}
// -----
// A number with more bits than there are.
func.func @f(%a: tensor<f32>) {
  %0 = stablehlo.transpose %a, dims = [99999999999999999999] : (tensor<f32>) -> tensor<f32> // ERROR "does not fit in 64 bits"
}
// -----
// A dimension with more bits than there are.
func.func private @f(tensor<99999999999999999999xf32>) // ERROR "dimension 99999999999999999999 is too large"
// -----
// A dimension without its "x".
func.func private @f(tensor<4 f32>) // ERROR "no 'x' after dimension 4"
// -----
// An attribute given twice.
func.func @f(%a: tensor<f32>) {
  "stablehlo.abs"(%a) {k = 1, k = 2} : (tensor<f32>) -> tensor<f32> // ERROR "attribute k is given twice"
}
// -----
// A key that gather does not have.
func.func @f(%a: tensor<f32>) {
  "stablehlo.gather"(%a) {dimension_numbers = #stablehlo.gather<foo = 1>} : (tensor<f32>) -> tensor<f32> // ERROR "#stablehlo.gather has no key foo"
}
// -----
// A word outside its enumeration.
func.func @f(%a: tensor<f32>) {
  %0 = stablehlo.compare XX, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1> // ERROR "got \"XX\", want a comparison_direction: one of EQ NE GE GT LE LT"
}
// -----
// A key that is missing.
func.func @f(%a: tensor<f32>) {
  %0 = stablehlo.concatenate %a, %a : (tensor<f32>, tensor<f32>) -> tensor<f32> // ERROR "got \":\", want ','"
}
// -----
// Spatial dimensions that leave one out.
func.func @f(%a: tensor<f32>) {
  %0 = stablehlo.convolution(%a, %a) dim_numbers = [b, 0, 2, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} : (tensor<f32>, tensor<f32>) -> tensor<f32> // ERROR "spatial dimension 1 is missing"
}
// -----
// A reducer that is no binary op.
func.func @f(%a: tensor<2xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.abs across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32> // ERROR "applies stablehlo.abs, which is no binary op"
}
// -----
// A type and an alias that do not exist.
func.func private @f(!stablehlo.foo) // ERROR "type !stablehlo.foo is unknown"
// -----
// An alias that does not exist.
func.func private @f(tensor<f32> {a = #foo}) // ERROR "attribute alias #foo is not defined"
// -----
// Locations in a circle.
#a = loc(callsite(#a at "x")) // ERROR "leads back to itself"
// -----
// Brackets that do not match.
func.func private @f(tensor<f32> {a = #sdy.x<[}>}) // ERROR "brackets do not match"
// -----
// A zero point outside the storage type.
func.func private @f(tensor<2x!quant.uniform<i8:f32, 1.0:200>>) // ERROR "zero point 200 lies outside the storage range -128:127"
// -----
// A reduction whose types are missing.
func.func @f(%a: tensor<2xf32>, %z: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : () -> tensor<f32> // ERROR "has 2 operands and types for 0"
}
