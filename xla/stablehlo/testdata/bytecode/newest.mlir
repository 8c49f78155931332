// What came to VHLO later: batching dimensions, algorithms, accuracy, dictionaries, composites, small floats.
module {
  func.func private @decomposed(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.tan %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @main(%a: tensor<4x6xf32>, %b: tensor<4x6x3xf32>, %i: tensor<4x2x1xi32>, %v: tensor<4xf32>,
      %root: tensor<i64>) -> (tensor<4x2xf32>, tensor<4x3xf32>, tensor<4xf32>, tensor<4xf8E3M4>) {
    %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1],
      operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
      slice_sizes = array<i64: 1, 1>}> : (tensor<4x6xf32>, tensor<4x2x1xi32>) -> tensor<4x2xf32>
    %1 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1],
      algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32,
      lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3,
      allow_imprecise_accumulation = false> : (tensor<4x6xf32>, tensor<4x6x3xf32>) -> tensor<4x3xf32>
    %2 = stablehlo.exponential %v {result_accuracy = #stablehlo.result_accuracy<mode =
      #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    %3 = stablehlo.composite "my.tan" %2 {composite_attributes = {n = 3 : i64}, decomposition = @decomposed,
      version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    %4:2 = "stablehlo.all_reduce"(%3, %v) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %5 = stablehlo.custom_call @typed(%4#0) {api_version = 4 : i32, backend_config = {eps = 5.000000e-01 : f32,
      mode = "fast", sizes = dense<[1, 2]> : tensor<2xi64>}} : (tensor<4xf32>) -> tensor<4xf32>
    %6 = stablehlo.convert %5 : (tensor<4xf32>) -> tensor<4xf8E3M4>
    return %0, %1, %5, %6 : tensor<4x2xf32>, tensor<4x3xf32>, tensor<4xf32>, tensor<4xf8E3M4>
  }
}
