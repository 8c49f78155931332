// Sizes that are not known, and an op that lost an attribute.
module {
  func.func @main(%a: tensor<?x6xf32>, %b: tensor<4x?xf32, #stablehlo.bounds<?, 9>>, %image: tensor<1x8x8x2xf32>,
      %kernel: tensor<3x3x2x5xf32>, %p: tensor<2x2xi32>, %i: tensor<3x1xi32>, %s: tensor<2xi32>)
      -> (tensor<?x6xf32>, tensor<1x?x?x5xf32>, tensor<3x6xf32>) {
    %0 = stablehlo.abs %a : tensor<?x6xf32>
    %1 = stablehlo.negate %b : tensor<4x?xf32, #stablehlo.bounds<?, 9>>
    %2 = "stablehlo.dynamic_conv"(%image, %kernel, %p) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64,
      dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 2>}>
      : (tensor<1x8x8x2xf32>, tensor<3x3x2x5xf32>, tensor<2x2xi32>) -> tensor<1x?x?x5xf32>
    %3 = "stablehlo.dynamic_gather"(%0, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}>
      : (tensor<?x6xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x6xf32>
    return %0, %2, %3 : tensor<?x6xf32>, tensor<1x?x?x5xf32>, tensor<3x6xf32>
  }
}
