// A loop whose regions use values from around it: a constant, an argument and a computed value.
// in: s32[] 4
// want: s32[] 4
// want: s32[] 20
func.func @main(%n: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %step = stablehlo.add %n, %one : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %s = %zero) : tensor<i32>, tensor<i32> cond {
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %s, %step : tensor<i32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}
// -----
// A loop of one value, without a tuple, and one inside another that uses values of both.
// in: s32[] 3
// want: s32[] 8
// want: s32[] 9
func.func @main(%n: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.while(%i = %one) : tensor<i32> cond {
    %c = stablehlo.constant dense<5> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.multiply %i, %two : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  %2:2 = stablehlo.while(%i = %zero, %s = %zero) : tensor<i32>, tensor<i32> cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %3:2 = stablehlo.while(%j = %zero, %t = %s) : tensor<i32>, tensor<i32> cond {
      %1 = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %j, %one : tensor<i32>
      %d = stablehlo.subtract %next, %i : tensor<i32>
      %4 = stablehlo.add %t, %d : tensor<i32>
      stablehlo.return %1, %4 : tensor<i32>, tensor<i32>
    }
    stablehlo.return %next, %3#1 : tensor<i32>, tensor<i32>
  }
  return %0, %2#1 : tensor<i32>, tensor<i32>
}
// -----
// If and case; branches use values from outside, or none.
// in: pred[] false
// in: s32[] 7
// in: f32[2] {1,2}
// want: f32[2] {-1,-2}
// want: f32[2] {1,2}
// want: s32[] 9
func.func @main(%p: tensor<i1>, %i: tensor<i32>, %a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<i32>) {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<2xf32>
  }, {
    %1 = stablehlo.negate %a : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  %2:2 = "stablehlo.case"(%i) ({
    %c = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.return %0, %c : tensor<2xf32>, tensor<i32>
  }, {
    %c = stablehlo.constant dense<2> : tensor<i32>
    %d = stablehlo.add %i, %c : tensor<i32>
    stablehlo.return %a, %d : tensor<2xf32>, tensor<i32>
  }) : (tensor<i32>) -> (tensor<2xf32>, tensor<i32>)
  return %0, %2#0, %2#1 : tensor<2xf32>, tensor<2xf32>, tensor<i32>
}
// -----
// A computation that uses a constant from outside, and one made of constants: both are made again inside.
// in: s32[3] {1,2,3}
// want: s32[] 18
func.func @main(%a: tensor<3xi32>) -> tensor<i32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %four = stablehlo.multiply %two, %two : tensor<i32>
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    reducer(%x: tensor<i32>, %y: tensor<i32>) {
    %1 = stablehlo.add %x, %y : tensor<i32>
    %2 = stablehlo.add %1, %four : tensor<i32>
    stablehlo.return %2 : tensor<i32>
  }
  return %0 : tensor<i32>
}
// -----
// Reductions of two values, a sort by the first of two, a scatter, a map.
// in: f32[3] {3,1,2}
// in: s32[3] {0,1,2}
// want: f32[] 1
// want: s32[] 1
// want: f32[3] {1,2,3}
// want: s32[3] {1,2,0}
// want: f32[3] {3,8,2}
// want: f32[3] {6,2,4}
func.func @main(%a: tensor<3xf32>, %i: tensor<3xi32>) -> (tensor<f32>, tensor<i32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xf32>) {
  %inf = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%a init: %inf), (%i init: %z) across dimensions = [0] : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    reducer(%x: tensor<f32>, %y: tensor<f32>) (%k: tensor<i32>, %l: tensor<i32>) {
    %p = stablehlo.compare LT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f32>
    %w = stablehlo.select %p, %k, %l : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  %1:2 = "stablehlo.sort"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %k: tensor<i32>, %l: tensor<i32>):
    %p = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {is_stable = true} : (tensor<3xf32>, tensor<3xi32>) -> (tensor<3xf32>, tensor<3xi32>)
  %at = stablehlo.constant dense<[[1]]> : tensor<1x1xi32>
  %up = stablehlo.constant dense<7.0> : tensor<1xf32>
  %2 = "stablehlo.scatter"(%a, %at, %up) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3xf32>, tensor<1x1xi32>, tensor<1xf32>) -> tensor<3xf32>
  %3 = "stablehlo.map"(%a) ({
  ^bb0(%x: tensor<f32>):
    %s = stablehlo.add %x, %x : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>
  return %0#0, %0#1, %1#0, %1#1, %2, %3 : tensor<f32>, tensor<i32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xf32>
}
// -----
// Functions, a composite, tuples, a barrier; a function nobody calls that needs what is not supported.
// in: f32[2] {1,2}
// want: f32[2] {2,4}
// want: f32[2] {4,8}
// want: f32[2] {1,2}
module @calls {
  func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0:2 = call @both(%a) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %1 = stablehlo.composite "my.twice" %0#0 {decomposition = @twice, version = 2 : i32} : (tensor<2xf32>) -> tensor<2xf32>
    %2 = stablehlo.tuple %0#0, %a : tuple<tensor<2xf32>, tensor<2xf32>>
    %3 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
    %4:2 = stablehlo.optimization_barrier %1, %3 : tensor<2xf32>, tensor<2xf32>
    return %0#0, %4#0, %4#1 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
  func.func private @both(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = func.call @twice(%a) : (tensor<2xf32>) -> tensor<2xf32>
    return %0, %a : tensor<2xf32>, tensor<2xf32>
  }
  func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %a, %a : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @unused(%a: tensor<*xf32>) -> tensor<*xf32> { return %a : tensor<*xf32> }
}
// -----
// A future: an exchange of blocks begun and awaited, with its blocks cut along one dimension and joined along another.
// partitions: 2
// in: s32[2,2] {{1,2},{3,4}}
// in: s32[2,2] {{5,6},{7,8}}
// want: s32[4,1] {{1},{3},{5},{7}}
// want: s32[4,1] {{2},{4},{6},{8}}
func.func @main(%a: tensor<2x2xi32>) -> tensor<4x1xi32> {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%b: tensor<2x2xi32>):
    %1 = "stablehlo.all_to_all"(%b) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<2x2xi32>) -> tensor<4x1xi32>
    stablehlo.return %1 : tensor<4x1xi32>
  }) : (tensor<2x2xi32>) -> !stablehlo.future<tensor<4x1xi32>>
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4x1xi32>>) -> tensor<4x1xi32>
  return %2 : tensor<4x1xi32>
}
// -----
// Sums over the devices along one axis of a mesh, and over all.
// partitions: 4
// in: s32[] 1
// in: s32[] 2
// in: s32[] 3
// in: s32[] 4
// want: s32[] 4
// want: s32[] 10
// want: s32[] 6
// want: s32[] 10
// want: s32[] 4
// want: s32[] 10
// want: s32[] 6
// want: s32[] 10
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<i32>) -> tensor<i32>
  %1 = "stablehlo.cross-replica-sum"(%a) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids} : (tensor<i32>) -> tensor<i32>
  return %0, %1 : tensor<i32>, tensor<i32>
}
// -----
// Two infeeds, each of another number of values, and an outfeed.
// infeed: (s32[], s32[]) (1, 2)
// infeed: s32[] 3
// outfeed: s32[] 6
// want: s32[] 6
func.func @main(%t: !stablehlo.token) -> tensor<i32> {
  %0:3 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<i32>, tensor<i32>, !stablehlo.token)
  %1:2 = "stablehlo.infeed"(%0#2) : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  %2 = stablehlo.add %0#0, %0#1 : tensor<i32>
  %3 = stablehlo.add %2, %1#0 : tensor<i32>
  %4 = "stablehlo.outfeed"(%3, %1#1) : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
  return %3 : tensor<i32>
}
