// Constants in every spelling.
// want: s32[2,2] {{1,2},{-3,4}}
// want: f32[3] {1,2,3}
// want: bf16[2] {1.5,1.5}
// want: pred[3] {true,false,true}
// want: c64[2] {(1,-2),(0.5,nan)}
// want: f32[0,2] {}
// want: f16[2] {inf,-inf}
// want: u8[2] {255,0}
// want: s4[2] {-8,7}
// want: f32[2] {1,2}
// want: pred[10] {true,false,true,false,false,false,false,false,false,true}
func.func @main() -> (tensor<2x2xi32>, tensor<3xf32>, tensor<2xbf16>, tensor<3xi1>, tensor<2xcomplex<f32>>, tensor<0x2xf32>, tensor<2xf16>, tensor<2xui8>, tensor<2xi4>, tensor<2xf32>, tensor<10xi1>) {
  %0 = stablehlo.constant dense<[[1, 2], [-3, 0x4]]> : tensor<2x2xi32>
  %1 = stablehlo.constant dense<"0x0000803F0000004000004040"> : tensor<3xf32>
  %2 = stablehlo.constant dense<1.5> : tensor<2xbf16>
  %3 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %4 = stablehlo.constant dense<[(1.0, -2.0), (5.0e-1, 0x7FC00000)]> : tensor<2xcomplex<f32>>
  %5 = stablehlo.constant dense<> : tensor<0x2xf32>
  %6 = stablehlo.constant dense<[0x7C00, 0xFC00]> : tensor<2xf16>
  %7 = stablehlo.constant dense<[255, 0]> : tensor<2xui8>
  %8 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
  %9 = stablehlo.constant dense_resource<w> : tensor<2xf32>
  %10 = stablehlo.constant dense<"0x0502"> : tensor<10xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<2x2xi32>, tensor<3xf32>, tensor<2xbf16>, tensor<3xi1>, tensor<2xcomplex<f32>>, tensor<0x2xf32>, tensor<2xf16>, tensor<2xui8>, tensor<2xi4>, tensor<2xf32>, tensor<10xi1>
}
{-# dialect_resources: {builtin: {w: "0x040000000000803F00000040"}} #-}
// -----
// Slices, padding, broadcasts and the old broadcast.
// in: s32[2,3] {{1,2,3},{4,5,6}}
// want: s32[1,2] {{1,3}}
// want: s32[3,2] {{2,3},{5,6},{9,9}}
// want: s32[2,2,3] {{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}}}
// want: s32[3,2] {{1,4},{2,5},{3,6}}
func.func @main(%a: tensor<2x3xi32>) -> (tensor<1x2xi32>, tensor<3x2xi32>, tensor<2x2x3xi32>, tensor<3x2xi32>) {
  %nine = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.slice %a [0:1, 0:3:2] : (tensor<2x3xi32>) -> tensor<1x2xi32>
  %1 = stablehlo.pad %a, %nine, low = [0, -1], high = [1, 0], interior = [0, 0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<3x2xi32>
  %2 = stablehlo.broadcast %a, sizes = [2] : (tensor<2x3xi32>) -> tensor<2x2x3xi32>
  %3 = mhlo.transpose %a, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return %0, %1, %2, %3 : tensor<1x2xi32>, tensor<3x2xi32>, tensor<2x2x3xi32>, tensor<3x2xi32>
}
// -----
// Products: dot_general, the old dot, einsum, a sum away.
// in: f32[2,3] {{1,2,3},{4,5,6}}
// in: f32[3,2] {{1,0},{0,1},{1,1}}
// want: f32[2,2] {{4,5},{10,11}}
// want: f32[2,2] {{4,5},{10,11}}
// want: f32[2,2] {{4,10},{5,11}}
// want: f32[3] {5,7,9}
// want: f32[3] {5,7,18}
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %2 = "stablehlo.einsum"(%a, %b) {einsum_config = "ab,bc->ca"} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %3 = "stablehlo.unary_einsum"(%a) {einsum_config = "ab->b"} : (tensor<2x3xf32>) -> tensor<3xf32>
  %4 = "stablehlo.einsum"(%a, %b) {einsum_config = "ab,bc->b"} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<3xf32>
  return %0, %1, %2, %3, %4 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<3xf32>, tensor<3xf32>
}
// -----
// Bits as booleans; the real part of a complex number.
// in: s32[] 5
// want: u32[] 5
// want: pred[8] {true,false,true,false,false,false,false,false}
// want: pred[2] {false,true}
func.func @main(%a: tensor<i32>) -> (tensor<ui32>, tensor<8xi1>, tensor<2xi1>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<i32>) -> tensor<32xi1>
  %1 = stablehlo.bitcast_convert %0 : (tensor<32xi1>) -> tensor<ui32>
  %2 = stablehlo.slice %0 [0:8] : (tensor<32xi1>) -> tensor<8xi1>
  %c = stablehlo.constant dense<[(0.0, 1.0), (2.0, 0.0)]> : tensor<2xcomplex<f64>>
  %3 = stablehlo.convert %c : (tensor<2xcomplex<f64>>) -> tensor<2xi1>
  return %1, %2, %3 : tensor<ui32>, tensor<8xi1>, tensor<2xi1>
}
// -----
// Whole slices along a dimension, picked by an index: the old torch_index_select, with and without batch dimensions.
// in: s32[2,3] {{1,2,3},{4,5,6}}
// in: s32[2,2] {{2,0},{1,1}}
// want: s32[2,2,2] {{{3,1},{2,2}},{{6,4},{5,5}}}
// want: s32[2,2] {{3,1},{5,5}}
func.func @main(%a: tensor<2x3xi32>, %i: tensor<2x2xi32>) -> (tensor<2x2x2xi32>, tensor<2x2xi32>) {
  %0 = "stablehlo.torch_index_select"(%a, %i) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x2x2xi32>
  %1 = "stablehlo.torch_index_select"(%a, %i) {dim = 1 : i64, batch_dims = 1 : i64} : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %0, %1 : tensor<2x2x2xi32>, tensor<2x2xi32>
}
// -----
// A convolution with stride and padding, and a window over all dimensions.
// in: f32[1,4,1] {{{1},{2},{3},{4}}}
// want: f32[1,2,1] {{{3},{9}}}
// want: f32[1,2,1] {{{3},{7}}}
func.func @main(%a: tensor<1x4x1xf32>) -> (tensor<1x2x1xf32>, tensor<1x2x1xf32>) {
  %k = stablehlo.constant dense<1.0> : tensor<3x1x1xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<3x1x1xf32>) -> tensor<1x2x1xf32>
  %1 = "stablehlo.reduce_window"(%a, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2, 1>, window_strides = array<i64: 1, 2, 1>} : (tensor<1x4x1xf32>, tensor<f32>) -> tensor<1x2x1xf32>
  return %0, %1 : tensor<1x2x1xf32>, tensor<1x2x1xf32>
}
// -----
// A constant of one element, large, is made by a broadcast: the sum of its elements.
// want: s32[] 131072
func.func @main() -> tensor<i32> {
  %a = stablehlo.constant dense<1> : tensor<131072xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<131072xi32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
