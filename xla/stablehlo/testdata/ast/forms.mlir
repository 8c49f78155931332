// Unary and binary ops: one type, or a function type; attributes in braces.
func.func @main(%a: tensor<2x?xf32>, %b: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = stablehlo.add %a, %b : tensor<2x?xf32>
  %1 = stablehlo.abs %0 {note = "x"} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %2 = "stablehlo.negate"(%1) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %3 = mhlo.exponential %2 {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, rtol = 0.0, ulps = 4, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2x?xf32>
  return %3 : tensor<2x?xf32>
}
// ----
"builtin.module"() ({
  "func.func"() <{sym_name = "main", function_type = (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>}> ({
  ^bb0(%0: tensor<2x?xf32>, %1: tensor<2x?xf32>):
    %2 = "stablehlo.add"(%0, %1) : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
    %3 = "stablehlo.abs"(%2) {note = "x"} : (tensor<2x?xf32>) -> tensor<2x?xf32>
    %4 = "stablehlo.negate"(%3) : (tensor<2x?xf32>) -> tensor<2x?xf32>
    %5 = "mhlo.exponential"(%4) {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, rtol = 0.0, ulps = 4, mode = #stablehlo<result_accuracy_mode HIGHEST>>} : (tensor<2x?xf32>) -> tensor<2x?xf32>
    "func.return"(%5) : (tensor<2x?xf32>) -> ()
  }) : () -> ()
}) : () -> ()
// -----
// Ops with types of their own.
func.func @main(%p: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>, %t: !stablehlo.token) {
  %0 = stablehlo.select %p, %a, %b : tensor<i1>, tensor<4xf32>
  %1 = stablehlo.complex %a, %b : tensor<4xcomplex<f32>>
  %2 = stablehlo.real %1 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %3 = stablehlo.tuple %a, %p : tuple<tensor<4xf32>, tensor<i1>>
  %4 = stablehlo.get_tuple_element %3[1] : (tuple<tensor<4xf32>, tensor<i1>>) -> tensor<i1>
  %5 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %6 = stablehlo.compare  EQ, %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %7 = stablehlo.after_all %t, %t : !stablehlo.token
  %8 = stablehlo.create_token : !stablehlo.token
  %9:2 = stablehlo.optimization_barrier %a, %p : tensor<4xf32>, tensor<i1>
  %10 = stablehlo.partition_id : tensor<ui32>
  return
}
// ----
"builtin.module"() ({
  "func.func"() <{sym_name = "main", function_type = (tensor<i1>, tensor<4xf32>, tensor<4xf32>, !stablehlo.token) -> ()}> ({
  ^bb0(%0: tensor<i1>, %1: tensor<4xf32>, %2: tensor<4xf32>, %3: !stablehlo.token):
    %4 = "stablehlo.select"(%0, %1, %2) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %5 = "stablehlo.complex"(%1, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
    %6 = "stablehlo.real"(%5) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %7 = "stablehlo.tuple"(%1, %0) : (tensor<4xf32>, tensor<i1>) -> tuple<tensor<4xf32>, tensor<i1>>
    %8 = "stablehlo.get_tuple_element"(%7) <{index = 1 : i32}> : (tuple<tensor<4xf32>, tensor<i1>>) -> tensor<i1>
    %9 = "stablehlo.compare"(%1, %2) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %10 = "stablehlo.compare"(%1, %2) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %11 = "stablehlo.after_all"(%3, %3) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
    %12 = "stablehlo.create_token"() : () -> !stablehlo.token
    %13, %14 = "stablehlo.optimization_barrier"(%1, %0) : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<i1>)
    %15 = "stablehlo.partition_id"() : () -> tensor<ui32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
// -----
// Keys behind the operands.
func.func @main(%a: tensor<3x4xf32>, %i: tensor<i32>, %s: tensor<2xi64>, %z: tensor<f32>, %u: tensor<2xui64>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1, 2] : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %1 = stablehlo.transpose %a, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.slice %a [0:2, 0:4:3] : (tensor<3x4xf32>) -> tensor<2x2xf32>
  %3 = stablehlo.pad %a, %z, low = [0, -1], high = [1, 0], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x3xf32>
  %4 = stablehlo.iota dim = 0 : tensor<4xi32>
  %5 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<6x4xf32>
  %6 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 1] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>
  %7 = stablehlo.reverse %a, dims = [0] : tensor<3x4xf32>
  %8 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<3x4xf32>) -> tensor<i32>
  %9 = stablehlo.set_dimension_size %a, %i, dim = 0 : (tensor<3x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<3, ?>>
  %10 = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<3x4xf32>) -> tensor<3x3xcomplex<f32>>
  %11 = stablehlo.cholesky %a, lower = true : tensor<3x4xf32>
  %12 = stablehlo.reduce_precision %a, format = e5m10 : tensor<3x4xf32>
  %state, %bits = stablehlo.rng_bit_generator %u, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui8>)
  %13 = stablehlo.rng %z, %z, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
  %14 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<?x?xf32>
  return
}
// ----
"builtin.module"() ({
  "func.func"() <{sym_name = "main", function_type = (tensor<3x4xf32>, tensor<i32>, tensor<2xi64>, tensor<f32>, tensor<2xui64>) -> ()}> ({
  ^bb0(%0: tensor<3x4xf32>, %1: tensor<i32>, %2: tensor<2xi64>, %3: tensor<f32>, %4: tensor<2xui64>):
    %5 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
    %6 = "stablehlo.transpose"(%0) <{permutation = array<i64: 1, 0>}> {result_layout = dense<[0, 1]> : tensor<2xindex>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %7 = "stablehlo.slice"(%0) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 2, 4>, strides = array<i64: 1, 3>}> : (tensor<3x4xf32>) -> tensor<2x2xf32>
    %8 = "stablehlo.pad"(%0, %3) <{edge_padding_low = array<i64: 0, -1>, edge_padding_high = array<i64: 1, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x3xf32>
    %9 = "stablehlo.iota"() <{iota_dimension = 0}> : () -> tensor<4xi32>
    %10 = "stablehlo.concatenate"(%0, %0) <{dimension = 0}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<6x4xf32>
    %11 = "stablehlo.dynamic_slice"(%0, %1, %1) <{slice_sizes = array<i64: 1, 1>}> : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>
    %12 = "stablehlo.reverse"(%0) <{dimensions = array<i64: 0>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %13 = "stablehlo.get_dimension_size"(%0) <{dimension = 1}> : (tensor<3x4xf32>) -> tensor<i32>
    %14 = "stablehlo.set_dimension_size"(%0, %1) <{dimension = 0}> : (tensor<3x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<3, ?>>
    %15 = "stablehlo.fft"(%0) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 4>}> : (tensor<3x4xf32>) -> tensor<3x3xcomplex<f32>>
    %16 = "stablehlo.cholesky"(%0) <{lower = true}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %17 = "stablehlo.reduce_precision"(%0) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %18, %19 = "stablehlo.rng_bit_generator"(%4) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui8>)
    %20 = "stablehlo.rng"(%3, %3, %2) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}> : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
    %21 = "stablehlo.dynamic_iota"(%2) <{iota_dimension = 1}> : (tensor<2xi64>) -> tensor<?x?xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
// -----
// Contractions.
func.func @main(%a: tensor<8x2x3xf32>, %b: tensor<8x3x4xf32>, %c: tensor<2x3xf32>, %d: tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGH, DEFAULT] : (tensor<8x2x3xf32>, tensor<8x3x4xf32>) -> tensor<8x2x4xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %2 = stablehlo.dot_general %c, %d, contracting_dims = [] x [], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x3x3x4xf32>
  %3 = stablehlo.dot %c, %d, precision = [HIGHEST, HIGHEST] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %4 = stablehlo.dot %c, %d : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// ----
"builtin.module"() ({
  "func.func"() <{sym_name = "main", function_type = (tensor<8x2x3xf32>, tensor<8x3x4xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> ()}> ({
  ^bb0(%0: tensor<8x2x3xf32>, %1: tensor<8x3x4xf32>, %2: tensor<2x3xf32>, %3: tensor<3x4xf32>):
    %4 = "stablehlo.dot_general"(%0, %1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = array<i64: 0>, rhs_batching_dimensions = array<i64: 0>, lhs_contracting_dimensions = array<i64: 2>, rhs_contracting_dimensions = array<i64: 1>>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]}> : (tensor<8x2x3xf32>, tensor<8x3x4xf32>) -> tensor<8x2x4xf32>
    %5 = "stablehlo.dot_general"(%2, %3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = array<i64: 1>, rhs_contracting_dimensions = array<i64: 0>>}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %6 = "stablehlo.dot_general"(%2, %3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = array<i64>, rhs_contracting_dimensions = array<i64>>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x3x3x4xf32>
    %7 = "stablehlo.dot"(%2, %3) <{precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %8 = "stablehlo.dot"(%2, %3) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
// -----
// Convolution with every key of its window.
func.func @main(%a: tensor<1x8x8x2xf32>, %b: tensor<3x3x2x4xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 1, 0, f], window = {stride = [2, 1], pad = [[0, 1], [-1, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 2], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x7x4x4xf32>
  return
}
// ----
"builtin.module"() ({
  "func.func"() <{sym_name = "main", function_type = (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> ()}> ({
  ^bb0(%0: tensor<1x8x8x2xf32>, %1: tensor<3x3x2x4xf32>):
    %2 = "stablehlo.convolution"(%0, %1) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = array<i64: 1, 2>, kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = array<i64: 0, 1>, output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = array<i64: 2, 1>>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [-1, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: true, false>}> {batch_group_count = 1, feature_group_count = 1} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x7x4x4xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
// -----
// Reduce in both pretty forms and the generic one.
func.func @main(%a: tensor<2x3xf32>, %i: tensor<2x3xi32>, %z: tensor<f32>, %k: tensor<i32>) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %1:2 = stablehlo.reduce(%a init: %z), (%i init: %k) across dimensions = [0] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%x: tensor<f32>, %y: tensor<f32>) (%v: tensor<i32>, %w: tensor<i32>) {
    %5 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %5, %v : tensor<f32>, tensor<i32>
  }
  %2 = "stablehlo.reduce"(%a, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.add %x, %y : tensor<f32>
    "stablehlo.return"(%5) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
// ----
"builtin.module"() ({
  "func.func"() <{sym_name = "main", function_type = (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> ()}> ({
  ^bb0(%0: tensor<2x3xf32>, %1: tensor<2x3xi32>, %2: tensor<f32>, %3: tensor<i32>):
    %4 = "stablehlo.reduce"(%0, %2) <{dimensions = array<i64: 1>}> ({
    ^bb0(%5: tensor<f32>, %6: tensor<f32>):
      %7 = "stablehlo.add"(%5, %6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%7) : (tensor<f32>) -> ()
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %8, %9 = "stablehlo.reduce"(%0, %1, %2, %3) <{dimensions = array<i64: 0>}> ({
    ^bb0(%10: tensor<f32>, %11: tensor<i32>, %12: tensor<f32>, %13: tensor<i32>):
      %14 = "stablehlo.maximum"(%10, %12) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%14, %11) : (tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    %15 = "stablehlo.reduce"(%0, %2) ({
    ^bb0(%16: tensor<f32>, %17: tensor<f32>):
      %18 = "stablehlo.add"(%16, %17) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%18) : (tensor<f32>) -> ()
    }) {dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
// -----
// While sees the values around it; its results are used by number.
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %s = %n) : tensor<i32>, tensor<i32> attributes {hint = 1 : i32}
  cond {
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %c : tensor<i32>
    stablehlo.return %1, %s : tensor<i32>, tensor<i32>
  }
  return %0#1 : tensor<i32>
}
// ----
"builtin.module"() ({
  "func.func"() <{sym_name = "main", function_type = (tensor<i32>) -> tensor<i32>}> ({
  ^bb0(%0: tensor<i32>):
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2, %3 = "stablehlo.while"(%1, %0) ({
    ^bb0(%4: tensor<i32>, %5: tensor<i32>):
      %6 = "stablehlo.compare"(%4, %0) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%6) : (tensor<i1>) -> ()
    }, {
    ^bb0(%7: tensor<i32>, %8: tensor<i32>):
      %9 = "stablehlo.add"(%7, %1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%9, %8) : (tensor<i32>, tensor<i32>) -> ()
    }) {hint = 1 : i32} : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    "func.return"(%3) : (tensor<i32>) -> ()
  }) : () -> ()
}) : () -> ()
// -----
// Functions, calls, custom calls, composites; aliases used before they are defined and after.
#tile = dense<[0, 1]> : tensor<2xindex>
!mat = tensor<2x2xf32>
module @m attributes {mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: !mat {mhlo.layout_mode = "default"} loc("x"), %arg1: !mat) -> (!mat {jax.result_info = "out"}, !mat) {
    %0 = call @f(%arg0) : (!mat) -> !mat loc(#loc2)
    %1 = func.call @"odd name"(%0) {inline = true} : (!mat) -> !mat
    %2:2 = stablehlo.custom_call @lapack_x(%0, %1) {api_version = 4 : i32, backend_config = {uplo = 76 : ui8}, operand_layouts = [#tile, #tile], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (!mat, !mat) -> (!mat, tensor<i32>)
    %3 = stablehlo.composite "chlo.erf" %2#0 {composite_attributes = {n = 1 : i64}, decomposition = @f, version = 1 : i32} : (!mat) -> !mat
    return %3, %1 : !mat, !mat
  }
  func.func private @f(!mat) -> !mat attributes {a.b}
  func.func @"odd name"(%x: !mat) -> !mat { return %x : !mat }
}
#loc = loc(unknown)
#loc1 = loc("a.py":3:4 to :9)
#loc2 = loc(callsite("f"(#loc1) at fused<"tag">[#loc, #loc1]))
// ----
"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{sym_visibility = "public", sym_name = "main", function_type = (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>), arg_attrs = [{mhlo.layout_mode = "default"}, {}], res_attrs = [{jax.result_info = "out"}, {}]}> ({
  ^bb0(%0: tensor<2x2xf32>, %1: tensor<2x2xf32>):
    %2 = "func.call"(%0) <{callee = @f}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %3 = "func.call"(%2) <{callee = @"odd name"}> {inline = true} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %4, %5 = "stablehlo.custom_call"(%2, %3) <{call_target_name = "lapack_x"}> {api_version = 4 : i32, backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
    %6 = "stablehlo.composite"(%4) <{name = "chlo.erf"}> {composite_attributes = {n = 1}, decomposition = @f, version = 1 : i32} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    "func.return"(%6, %3) : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{sym_visibility = "private", sym_name = "f", function_type = (tensor<2x2xf32>) -> tensor<2x2xf32>}> {a.b} : () -> ()
  "func.func"() <{sym_name = "odd name", function_type = (tensor<2x2xf32>) -> tensor<2x2xf32>}> ({
  ^bb0(%7: tensor<2x2xf32>):
    "func.return"(%7) : (tensor<2x2xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_replicas = 1 : i32} : () -> ()
// -----
// Regions, properties and dialect attributes in the generic form.
func.func @main(%a: tensor<3xf32>, %i: tensor<1x1xi32>, %u: tensor<1xf32>, %p: tensor<i32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1,>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>} : (tensor<3xf32>, tensor<1x1xi32>, tensor<1xf32>) -> tensor<3xf32>
  %1, %2 = "stablehlo.case"(%p) ({
    stablehlo.return %a, %u : tensor<3xf32>, tensor<1xf32>
  }, {
    %5 = stablehlo.negate %a : tensor<3xf32>
    stablehlo.return %5, %u : tensor<3xf32>, tensor<1xf32>
  }) : (tensor<i32>) -> (tensor<3xf32>, tensor<1xf32>)
  "stablehlo.dynamic_conv"(%a, %a, %i) {dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[f, b]>, flag, quoted_value = "a\22b\\", "x-y" = [1 : i8, -2.5 : f32, 0x7FC00000 : f32, unit, i32, @s::@t, array<i1: true>, array<f32>]} : (tensor<3xf32>, tensor<3xf32>, tensor<1x1xi32>) -> ()
  %3 = "stablehlo.all_gather"(%a) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>, use_global_device_ids} : (tensor<3xf32>) -> tensor<6xf32>
  return
}
// ----
"builtin.module"() ({
  "func.func"() <{sym_name = "main", function_type = (tensor<3xf32>, tensor<1x1xi32>, tensor<1xf32>, tensor<i32>) -> ()}> ({
  ^bb0(%0: tensor<3xf32>, %1: tensor<1x1xi32>, %2: tensor<1xf32>, %3: tensor<i32>):
    %4 = "stablehlo.scatter"(%0, %1, %2) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%5: tensor<f32>, %6: tensor<f32>):
      "stablehlo.return"(%6) : (tensor<f32>) -> ()
    }) {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>} : (tensor<3xf32>, tensor<1x1xi32>, tensor<1xf32>) -> tensor<3xf32>
    %7, %8 = "stablehlo.case"(%3) ({
      "stablehlo.return"(%0, %2) : (tensor<3xf32>, tensor<1xf32>) -> ()
    }, {
      %9 = "stablehlo.negate"(%0) : (tensor<3xf32>) -> tensor<3xf32>
      "stablehlo.return"(%9, %2) : (tensor<3xf32>, tensor<1xf32>) -> ()
    }) : (tensor<i32>) -> (tensor<3xf32>, tensor<1xf32>)
    "stablehlo.dynamic_conv"(%0, %0, %1) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 1, input_spatial_dimensions = array<i64>, kernel_input_feature_dimension = 0, kernel_output_feature_dimension = 1, kernel_spatial_dimensions = array<i64>, output_batch_dimension = 1, output_feature_dimension = 0, output_spatial_dimensions = array<i64>>, flag, quoted_value = "a\22b\\", "x-y" = [1 : i8, -2.5 : f32, 0x7FC00000 : f32, unit, i32, @s::@t, array<i1: true>, array<f32>]} : (tensor<3xf32>, tensor<3xf32>, tensor<1x1xi32>) -> ()
    %10 = "stablehlo.all_gather"(%0) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = [1, 2]>]>, use_global_device_ids} : (tensor<3xf32>) -> tensor<6xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
// -----
// Elements: lists, one for all, hexadecimal, complex, none, resources.
func.func @main() {
  %0 = stablehlo.constant dense<[[1, 2], [-3, 0x4]]> : tensor<2x2xi32>
  %1 = stablehlo.constant dense<1.5e+00> : tensor<4xf32>
  %2 = stablehlo.constant dense<"0x0000803F0000004000004040"> : tensor<3xf32>
  %3 = stablehlo.constant dense<[(1.0, -2.0), (0.5, 0x7FC00000)]> : tensor<2xcomplex<f32>>
  %4 = stablehlo.constant dense<> : tensor<2x0xf32>
  %5 = stablehlo.constant dense_resource<weights> : tensor<1xf32>
  %6 = stablehlo.constant {note = 1 : i32} dense<[true, false]> : tensor<2xi1>
  %7 = stablehlo.constant() <{value = dense<5> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  return
}
{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F"
    }
  },
  external_resources: { other: { n: 1, flag: true } }
#-}
// ----
"builtin.module"() ({
  "func.func"() <{sym_name = "main", function_type = () -> ()}> ({
    %0 = "stablehlo.constant"() <{value = dense<[[1, 2], [-3, 0x4]]> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
    %1 = "stablehlo.constant"() <{value = dense<1.5e+00> : tensor<4xf32>}> : () -> tensor<4xf32>
    %2 = "stablehlo.constant"() <{value = dense<"0x0000803F0000004000004040"> : tensor<3xf32>}> : () -> tensor<3xf32>
    %3 = "stablehlo.constant"() <{value = dense<[(1.0, -2.0), (0.5, 0x7FC00000)]> : tensor<2xcomplex<f32>>}> : () -> tensor<2xcomplex<f32>>
    %4 = "stablehlo.constant"() <{value = dense<> : tensor<2x0xf32>}> : () -> tensor<2x0xf32>
    %5 = "stablehlo.constant"() <{value = dense_resource<weights> : tensor<1xf32>}> : () -> tensor<1xf32>
    %6 = "stablehlo.constant"() <{value = dense<[true, false]> : tensor<2xi1>}> {note = 1 : i32} : () -> tensor<2xi1>
    %7 = "stablehlo.constant"() <{value = dense<5> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
{-# dialect_resources: {builtin: {weights: "0x040000000000803F"}} #-}
// -----
// Types.
func.func private @f(tensor<f32>, tensor<0x2x!quant.uniform<i8<-127:127>:f32:1, {0.5:3, 0.25}>>, tensor<?x3xcomplex<f64>>,
  tensor<2x2x!quant.uniform<i8:f32:{0:1, 1:2}, {{1.0}, {2.0:1}}>>, tensor<4xf8E4M3FN>, tensor<*xf32>, tensor<2xui4>,
  tuple<tensor<si8>, tuple<>>, !stablehlo.token, !stablehlo.future<tensor<2xf32>>, (index) -> (), none, !other.type<a, [b]>,
  tensor<?x4xf32, #stablehlo.type_extensions<bounds = [8, ?]>>, tensor<2xf32, #other.enc<1>>, memref<2xf32>)
// ----
"builtin.module"() ({
  "func.func"() <{sym_visibility = "private", sym_name = "f", function_type = (tensor<f32>, tensor<0x2x!quant.uniform<i8<-127:127>:f32:1, {0.5:3, 0.25}>>, tensor<?x3xcomplex<f64>>, tensor<2x2x!quant.uniform<i8:f32:{0:1, 1:2}, {{1}, {2:1}}>>, tensor<4xf8E4M3FN>, tensor<*xf32>, tensor<2xui4>, tuple<tensor<si8>, tuple<>>, !stablehlo.token, !stablehlo.future<tensor<2xf32>>, (index) -> (), none, !other.type<a, [b]>, tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<2xf32, #other.enc<1>>, memref<2xf32>) -> ()}> : () -> ()
}) : () -> ()
// -----
// CHLO, check, interpreter and sdy.
sdy.mesh @mesh = <["x"=2, "y"=1]> {m = 1 : i64}
func.func @main(%a: tensor<4x9xf32>, %b: tensor<4x9xf32>, %z: tensor<9xf32>) {
  %0 = chlo.erf_inv %a : tensor<4x9xf32> -> tensor<4x9xf32>
  %1 = chlo.next_after %a, %b : tensor<4x9xf32>, tensor<4x9xf32> -> tensor<4x9xf32>
  %values, %indices = chlo.top_k(%a, k = 3) : tensor<4x9xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  %2 = chlo.broadcast_add %a, %z {broadcast_dimensions = array<i64: 1>} : (tensor<4x9xf32>, tensor<9xf32>) -> tensor<4x9xf32>
  %3:2 = chlo.scan(%a) inits(%z) dimension=0 attributes {is_reverse = true} {
  ^bb0(%x: tensor<9xf32>, %c: tensor<9xf32>):
    %s = stablehlo.add %x, %c : tensor<9xf32>
    stablehlo.return %s, %s : tensor<9xf32>, tensor<9xf32>
  } : (tensor<4x9xf32>, tensor<9xf32>) -> (tensor<4x9xf32>, tensor<9xf32>)
  check.expect_eq_const %z, dense<1.0> : tensor<9xf32>
  check.expect_almost_eq_const %z, dense<1.0> : tensor<9xf32> {tolerance = 0.5 : f32}
  check.expect_eq %a, %b : tensor<4x9xf32>
  check.expect_almost_eq %a, %b, tolerance = 0.1 : tensor<4x9xf32>
  check.expect_close %a, %b, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<4x9xf32>, tensor<4x9xf32>
  %4 = interpreter.probe %a, probe_id = "p" : tensor<4x9xf32>
  check.expect_serialized_eq %4, probe_id = "p", iter = 0 : tensor<4x9xf32>
  interpreter.print %a : tensor<4x9xf32>
  %5 = sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : tensor<4x9xf32>
  %6 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg: tensor<2x9xf32>) {
    sdy.return %arg : tensor<2x9xf32>
  } : (tensor<4x9xf32>) -> tensor<4x9xf32>
  return
}
// ----
"builtin.module"() ({
  "sdy.mesh"() <{sym_name = "mesh", mesh = #sdy.mesh<["x"=2, "y"=1]>}> {m = 1} : () -> ()
  "func.func"() <{sym_name = "main", function_type = (tensor<4x9xf32>, tensor<4x9xf32>, tensor<9xf32>) -> ()}> ({
  ^bb0(%0: tensor<4x9xf32>, %1: tensor<4x9xf32>, %2: tensor<9xf32>):
    %3 = "chlo.erf_inv"(%0) : (tensor<4x9xf32>) -> tensor<4x9xf32>
    %4 = "chlo.next_after"(%0, %1) : (tensor<4x9xf32>, tensor<4x9xf32>) -> tensor<4x9xf32>
    %5, %6 = "chlo.top_k"(%0) <{k = 3}> : (tensor<4x9xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
    %7 = "chlo.broadcast_add"(%0, %2) {broadcast_dimensions = array<i64: 1>} : (tensor<4x9xf32>, tensor<9xf32>) -> tensor<4x9xf32>
    %8, %9 = "chlo.scan"(%0, %2) <{dimension = 0, operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%10: tensor<9xf32>, %11: tensor<9xf32>):
      %12 = "stablehlo.add"(%10, %11) : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
      "stablehlo.return"(%12, %12) : (tensor<9xf32>, tensor<9xf32>) -> ()
    }) {is_reverse = true} : (tensor<4x9xf32>, tensor<9xf32>) -> (tensor<4x9xf32>, tensor<9xf32>)
    "check.expect_eq_const"(%2) <{value = dense<1.0> : tensor<9xf32>}> : (tensor<9xf32>) -> ()
    "check.expect_almost_eq_const"(%2) <{value = dense<1.0> : tensor<9xf32>}> {tolerance = 0.5 : f32} : (tensor<9xf32>) -> ()
    "check.expect_eq"(%0, %1) : (tensor<4x9xf32>, tensor<4x9xf32>) -> ()
    "check.expect_almost_eq"(%0, %1) <{tolerance = 0.1}> : (tensor<4x9xf32>, tensor<4x9xf32>) -> ()
    "check.expect_close"(%0, %1) <{max_ulp_difference = 3, min_ulp_difference = 1}> : (tensor<4x9xf32>, tensor<4x9xf32>) -> ()
    %13 = "interpreter.probe"(%0) <{probe_id = "p"}> : (tensor<4x9xf32>) -> tensor<4x9xf32>
    "check.expect_serialized_eq"(%13) <{probe_id = "p", iter = 0}> : (tensor<4x9xf32>) -> ()
    "interpreter.print"(%0) : (tensor<4x9xf32>) -> ()
    %14 = "sdy.sharding_constraint"(%0) <{sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}> : (tensor<4x9xf32>) -> tensor<4x9xf32>
    %15 = "sdy.manual_computation"(%0) <{in_shardings = [#sdy.sharding<@mesh, [{"x"}, {}]>], out_shardings = [#sdy.sharding<@mesh, [{"x"}, {}]>], manual_axes = ["x"]}> ({
    ^bb0(%16: tensor<2x9xf32>):
      "sdy.return"(%16) : (tensor<2x9xf32>) -> ()
    }) : (tensor<4x9xf32>) -> tensor<4x9xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
