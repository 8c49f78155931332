// Attributes of the module, of arguments and of ops; places in the producer's source.
module @m attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32, mhlo.frontend_attributes = {k = "v"}} {
  func.func public @main(%x: tensor<2xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 0 : i32}, %arg1: tensor<2xf32> {jax.buffer_donor = true}) -> tensor<2xf32> {
    %0 = stablehlo.add %x, %arg1 {mhlo.sharding = "{replicated}", mhlo.frontend_attributes = {a = "b"}} : tensor<2xf32> loc(#loc1)
    %1 = stablehlo.exponential %0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
#loc = loc("a.py":3:4)
#loc1 = loc("jit(f)/add"(#loc))
// ----
HloModule m, input_output_alias={ {}: (0, {}, may-alias) }, buffer_donor={ (1, {}) }, num_partitions=2, frontend_attributes={k="v"}

ENTRY %main (x: f32[2], arg1: f32[2]) -> f32[2] {
  %x = f32[2] parameter(0), sharding={replicated}
  %arg1 = f32[2] parameter(1)
  %add = f32[2] add(%x, %arg1), sharding={replicated}, frontend_attributes={a="b"}, metadata={op_name="jit(f)/add" source_file="a.py" source_line=3}
  ROOT %exponential = f32[2] exponential(%add), result_accuracy={mode=highest}
}
// -----
// Custom calls: configuration as a string or a dictionary, layouts, aliases, side effects, called functions.
func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>) {
  %0:2 = stablehlo.custom_call @lapack_x(%a) {api_version = 4 : i32, backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>)
  stablehlo.custom_call @effect(%0#1) {has_side_effect = true, backend_config = "text", called_computations = [@f]} : (tensor<i32>) -> ()
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<i32>
}
func.func private @f(%a: tensor<i32>) -> tensor<i32> { return %a : tensor<i32> }
// ----
HloModule main

%f (a: s32[]) -> s32[] {
  ROOT %a = s32[] parameter(0)
}

ENTRY %main (a: f32[2,3]) -> (f32[2,3], s32[]) {
  %a = f32[2,3] parameter(0)
  %custom-call = (f32[2,3]{0,1}, s32[]) custom-call(%a), custom_call_target="lapack_x", operand_layout_constraints={f32[2,3]{0,1}}, output_to_operand_aliasing={{0}: (0, {})}, api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8}
  %get-tuple-element = f32[2,3]{0,1} get-tuple-element(%custom-call), index=0
  %get-tuple-element.3 = s32[] get-tuple-element(%custom-call), index=1
  %custom-call.4 = () custom-call(%get-tuple-element.3), custom_call_target="effect", custom_call_has_side_effect=true, api_version=API_VERSION_ORIGINAL, called_computations={%f}, backend_config="text"
  ROOT %tuple = (f32[2,3]{0,1}, s32[]) tuple(%get-tuple-element, %get-tuple-element.3)
}
// -----
// Comparisons by which programs test themselves.
func.func @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_almost_eq_const %0, dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_close %0, %0, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
  return
}
// ----
HloModule main

ENTRY %main () -> () {
  %constant = f32[2] constant({1, 2})
  %constant.1 = f32[2] constant({1, 2})
  %custom-call = () custom-call(%constant, %constant.1), custom_call_target="check.expect_almost_eq", custom_call_has_side_effect=true, api_version=API_VERSION_TYPED_FFI, backend_config={tolerance = 1.000000e-04}
  %custom-call.3 = () custom-call(%constant, %constant), custom_call_target="check.expect_close", custom_call_has_side_effect=true, api_version=API_VERSION_TYPED_FFI, backend_config={max_ulp_difference = 3, min_ulp_difference = 0}
  ROOT %tuple = () tuple()
}
// -----
// Send and receive are two instructions each.
func.func @main(%a: tensor<2xf32>, %t: !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token) {
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %1:2 = "stablehlo.recv"(%0) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %1#0, %1#1 : tensor<2xf32>, !stablehlo.token
}
// ----
HloModule main

ENTRY %main (a: f32[2], t: token[]) -> (f32[2], token[]) {
  %a = f32[2] parameter(0)
  %t = token[] parameter(1)
  %send = (f32[2], u32[], token[]) send(%a, %t), channel_id=1, is_host_transfer=true
  %send-done = token[] send-done(%send), channel_id=1, is_host_transfer=true
  %recv = (f32[2], u32[], token[]) recv(%send-done), channel_id=2, is_host_transfer=true
  %recv-done = (f32[2], token[]) recv-done(%recv), channel_id=2, is_host_transfer=true
  %get-tuple-element = f32[2] get-tuple-element(%recv-done), index=0
  %get-tuple-element.7 = token[] get-tuple-element(%recv-done), index=1
  ROOT %tuple = (f32[2], token[]) tuple(%get-tuple-element, %get-tuple-element.7)
}
// -----
// Sizes that are known at run time, bounded or not.
func.func @main(%a: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %b: tensor<?xf32>, %s: tensor<2xi32>) -> (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<?x?xf32>) {
  %0 = stablehlo.negate %a : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  %1 = stablehlo.dynamic_broadcast_in_dim %b, %s, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<?x?xf32>
}
// ----
HloModule main

ENTRY %main (a: f32[<=8,4], b: f32[?], s: s32[2]) -> (f32[<=8,4], f32[?,?]) {
  %a = f32[<=8,4] parameter(0)
  %b = f32[?] parameter(1)
  %s = s32[2] parameter(2)
  %negate = f32[<=8,4] negate(%a)
  %dynamic-broadcast-in-dim = f32[?,?] dynamic-broadcast-in-dim(%b, %s), dimensions={1}
  ROOT %tuple = (f32[<=8,4], f32[?,?]) tuple(%negate, %dynamic-broadcast-in-dim)
}
