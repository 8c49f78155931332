// Programs that VHLO has since its first version, with what later versions changed: dimension numbers, collectives,
// accuracy, channels, layouts.
module @old attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 1 : i32} {
  func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %x, %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func public @main(%a: tensor<4x6xf32> {mhlo.sharding = "{replicated}"}, %i: tensor<3x1xi32>, %v: tensor<4xf32>,
      %image: tensor<1x8x8x2xf32>, %kernel: tensor<3x3x2x5xf32>, %u: tensor<3x6xf32>, %n: tensor<i32>)
      -> (tensor<3x6xf32> {jax.result_info = "rows"}, tensor<4x6xf32>, tensor<4x4xf32>, tensor<1x6x6x5xf32>) {
    %rows = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true,
      slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
    %scattered = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
      unique_indices = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<4x6xf32>
    %product = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1], precision = [HIGH, DEFAULT]
      : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x4xf32>
    %filtered = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {stride = [1, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x8x8x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x6x6x5xf32>
    %flags = stablehlo.constant dense<[true, false, true, true, false, false, true, false, true]> : tensor<9xi1>
    %yes = stablehlo.constant dense<true> : tensor<5xi1>
    %odd = stablehlo.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi4>
    %bits = stablehlo.constant dense<[0x7FC00001, 0xFF800000, 0x00000001]> : tensor<3xf32>
    %half = stablehlo.constant dense<1.500000e+00> : tensor<4xbf16>
    %pairs = stablehlo.constant dense<[(1.0, -2.0), (3.5, 0.0)]> : tensor<2xcomplex<f64>>
    %none = stablehlo.constant dense<> : tensor<0x3xui16>
    %e = stablehlo.exponential %v : tensor<4xf32>
    %t = stablehlo.tanh %e : tensor<4xf32>
    %twice = func.call @twice(%t) : (tensor<4xf32>) -> tensor<4xf32>
    %sum = "stablehlo.all_reduce"(%twice) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %all = "stablehlo.all_gather"(%sum) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>}>
      : (tensor<4xf32>) -> tensor<4xf32>
    %split = "stablehlo.all_to_all"(%all) <{concat_dimension = 0 : i64, split_count = 2 : i64, split_dimension = 0 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    %called = stablehlo.custom_call @plain(%split, %none) {backend_config = "some text", has_side_effect = true,
      operand_layouts = [dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>],
      result_layouts = [dense<0> : tensor<1xindex>],
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0,
      operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<0x3xui16>) -> tensor<4xf32>
    %order:2 = "stablehlo.sort"(%called, %v) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<f32>, %q: tensor<f32>):
      %less = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %last:2 = stablehlo.while(%count = %zero, %state = %order#0) : tensor<i32>, tensor<4xf32>
    cond {
      %c = stablehlo.compare LT, %count, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %c = stablehlo.add %count, %one : tensor<i32>
      %s = stablehlo.multiply %state, %order#1 : tensor<4xf32>
      stablehlo.return %c, %s : tensor<i32>, tensor<4xf32>
    }
    %chosen = "stablehlo.case"(%last#0) ({
      stablehlo.return %last#1 : tensor<4xf32>
    }, {
      %c = stablehlo.negate %last#1 : tensor<4xf32>
      stablehlo.return %c : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %token = stablehlo.create_token : !stablehlo.token
    %sent = "stablehlo.send"(%chosen, %token) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>,
      is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %got:2 = "stablehlo.recv"(%sent) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 3>,
      is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    return %rows, %scattered, %product, %filtered
      : tensor<3x6xf32>, tensor<4x6xf32>, tensor<4x4xf32>, tensor<1x6x6x5xf32>
  }
}
