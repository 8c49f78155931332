package stablehlo

import (
	"slices"
	"strings"
)

// accurateOps are the ops that can say how exact their results have to be, in VHLO from their second version on.
var accurateOps = strings.Fields("cbrt cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sine " +
	"sqrt tan tanh")

const (
	convAttrs = "batch_group_count feature_group_count input_batch_dimension input_feature_dimension " +
		"input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension " +
		"kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension output_spatial_dimensions"
	customCallAttrs = "api_version backend_config call_target_name called_computations has_side_effect operand_layouts " +
		"output_operand_aliases result_layouts"
)

// vhloProperties are the attributes of the versions of ops that have some, in the order of the alphabet. Other ops of
// VHLO have none.
var vhloProperties = map[string]string{
	"all_gather_v1":           "all_gather_dim channel_id replica_groups use_global_device_ids",
	"all_gather_v2":           "all_gather_dim channel_id replica_groups use_global_device_ids",
	"all_reduce_v1":           "channel_id replica_groups use_global_device_ids",
	"all_reduce_v2":           "channel_id replica_groups use_global_device_ids",
	"all_to_all_v1":           "channel_id concat_dimension replica_groups split_count split_dimension",
	"all_to_all_v2":           "channel_id concat_dimension replica_groups split_count split_dimension",
	"batch_norm_grad_v1":      "epsilon feature_index",
	"batch_norm_inference_v1": "epsilon feature_index",
	"batch_norm_training_v1":  "epsilon feature_index",
	"broadcast_in_dim_v1":     "broadcast_dimensions",
	"broadcast_v1":            "broadcast_sizes",
	"call_v1":                 "callee",
	"cholesky_v1":             "lower",
	"collective_broadcast_v1": "channel_id replica_groups",
	"collective_broadcast_v2": "channel_id has_dynamic_root replica_groups",
	"collective_permute_v1":   "channel_id source_target_pairs",
	"collective_reduce_v1":    "channel_id has_dynamic_root replica_groups use_global_device_ids",
	"compare_v1":              "compare_type comparison_direction",
	"composite_v1":            "composite_attributes decomposition name version",
	"composite_v2":            "composite_attributes decomposition name version",
	"concatenate_v1":          "dimension",
	"constant_v1":             "value",
	"convolution_v1":          convAttrs + " padding precision_config rhs_dilation window_reversal window_strides",
	"cross-replica-sum_v1":    "replica_groups",
	"custom_call_v1":          customCallAttrs,
	"custom_call_v2":          customCallAttrs + " result_tilings",
	"dot_general_v1": "lhs_batching_dimensions lhs_contracting_dimensions precision_config " +
		"rhs_batching_dimensions rhs_contracting_dimensions",
	"dot_general_v2": "accumulation_type allow_imprecise_accumulation lhs_batching_dimensions " +
		"lhs_component_count lhs_contracting_dimensions lhs_precision_type " +
		"num_primitive_operations precision_config rhs_batching_dimensions rhs_component_count " +
		"rhs_contracting_dimensions rhs_precision_type",
	"dot_v1":                      "precision_config",
	"dynamic_broadcast_in_dim_v1": "broadcast_dimensions known_expanding_dimensions known_nonexpanding_dimensions",
	"dynamic_conv_v1":             convAttrs + " padding precision_config rhs_dilation window_reversal window_strides",
	"dynamic_conv_v2":             convAttrs + " precision_config rhs_dilation window_reversal window_strides",
	"dynamic_gather_v1":           "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims start_index_map",
	"dynamic_gather_v2": "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims " +
		"operand_batching_dims start_index_map start_indices_batching_dims",
	"dynamic_iota_v1":  "iota_dimension",
	"dynamic_slice_v1": "slice_sizes",
	"einsum_v1":        "einsum_config",
	"fft_v1":           "fft_length fft_type",
	"func_v1":          "arg_attrs function_type res_attrs sym_name sym_visibility",
	"gather_v1": "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims slice_sizes " +
		"start_index_map",
	"gather_v2": "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims " +
		"operand_batching_dims slice_sizes start_index_map start_indices_batching_dims",
	"get_dimension_size_v1": "dimension",
	"get_tuple_element_v1":  "index",
	"infeed_v1":             "infeed_config layout",
	"iota_v1":               "iota_dimension",
	"map_v1":                "dimensions",
	"outfeed_v1":            "outfeed_config",
	"pad_v1":                "edge_padding_high edge_padding_low interior_padding",
	"recv_v1":               "channel_id channel_type is_host_transfer",
	"recv_v2":               "channel_id channel_type is_host_transfer source_target_pairs",
	"reduce_precision_v1":   "exponent_bits mantissa_bits",
	"reduce_scatter_v1":     "channel_id replica_groups scatter_dimension use_global_device_ids",
	"reduce_v1":             "dimensions",
	"reduce_window_v1":      "base_dilations padding window_dilations window_dimensions window_strides",
	"reverse_v1":            "dimensions",
	"rng_bit_generator_v1":  "rng_algorithm",
	"rng_v1":                "rng_distribution",
	"scatter_v1": "index_vector_dim indices_are_sorted inserted_window_dims scatter_dims_to_operand_dims " +
		"unique_indices update_window_dims",
	"scatter_v2": "index_vector_dim indices_are_sorted input_batching_dims inserted_window_dims " +
		"scatter_dims_to_operand_dims scatter_indices_batching_dims unique_indices update_window_dims",
	"select_and_scatter_v1": "padding window_dimensions window_strides",
	"send_v1":               "channel_id channel_type is_host_transfer",
	"send_v2":               "channel_id channel_type is_host_transfer source_target_pairs",
	"set_dimension_size_v1": "dimension",
	"slice_v1":              "limit_indices start_indices strides",
	"sort_v1":               "dimension is_stable",
	"torch_index_select_v1": "batch_dims dim",
	"transpose_v1":          "permutation",
	"triangular_solve_v1":   "left_side lower transpose_a unit_diagonal",
	"unary_einsum_v1":       "einsum_config",
}

// vhloUpgrades turn the attributes of an op, in whichever version, into those of StableHLO's op.
var vhloUpgrades = map[string]func(l *attrList){
	"all_gather":               upgradeCollective,
	"all_reduce":               upgradeCollective,
	"all_to_all":               upgradeCollective,
	"call":                     upgradeCall,
	"collective_broadcast":     upgradeCollective,
	"collective_permute":       upgradeCollective,
	"collective_reduce":        upgradeCollective,
	"compare":                  upgradeCompare,
	"composite":                upgradeComposite,
	"convolution":              upgradeConvolution,
	"custom_call":              upgradeCustomCall,
	"dot":                      upgradePrecision,
	"dot_general":              upgradeDotGeneral,
	"dynamic_broadcast_in_dim": upgradeKnownDims,
	"dynamic_conv":             upgradeDynamicConv,
	"dynamic_gather":           upgradeGather,
	"func":                     upgradeFunc,
	"gather":                   upgradeGather,
	"infeed":                   upgradeInfeed,
	"recv":                     upgradeTransfer,
	"reduce_scatter":           upgradeCollective,
	"scatter":                  upgradeScatter,
	"send":                     upgradeTransfer,
}

// vhloRow returns how a version of an op of VHLO is read.
func vhloRow(name string) *bytecodeRow {
	op, version := name, ""
	if i := strings.LastIndex(name, "_v"); i >= 0 {
		op, version = name[:i], name[i+2:]
	}
	row := &bytecodeRow{file: "vhlo." + name, name: "stablehlo." + op, upgrade: upgradeAttrs}
	switch op {
	case "call":
		row.name = "func.call"
	case "func":
		row.name, row.finish = "func.func", dropBody
	case "return":
		row.finish = nameReturn
	}
	properties, upgrade := vhloProperties[name], vhloUpgrades[op]
	if version == "2" && slices.Contains(accurateOps, op) {
		properties, upgrade = "result_accuracy", upgradeAccuracy
	}
	if properties != "" {
		row.properties = propertyLists(properties)
	}
	if upgrade != nil {
		row.upgrade = func(l *attrList) {
			upgradeAttrs(l)
			upgrade(l)
		}
	}
	return row
}

// nameReturn gives the return of a function its name: VHLO has one for all.
func nameReturn(op, owner *Op) {
	if owner != nil && owner.Name == "func.func" {
		op.Name = "func.return"
	}
}

// dropBody leaves out the region of a function without a body.
func dropBody(op, _ *Op) {
	if len(op.Regions) == 1 && len(op.Regions[0].Blocks) == 0 {
		op.Regions = nil
	}
}

// attrList is the attributes of an op while they are upgraded.
type attrList []NamedAttr

// find returns an attribute; nil if it is not there.
func (l *attrList) find(name string) Attr { return DictAttr(*l).Lookup(name) }

// take removes an attribute and returns it; nil if it is not there.
func (l *attrList) take(name string) Attr {
	i := slices.IndexFunc(*l, func(a NamedAttr) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	a := (*l)[i].Value
	*l = slices.Delete(*l, i, i+1)
	return a
}

// put adds an attribute unless it is nil.
func (l *attrList) put(name string, a Attr) {
	if a != nil {
		*l = append(*l, property(name, a))
	}
}

// change replaces an attribute that is there.
func (l *attrList) change(name string, f func(Attr) Attr) {
	for i := range *l {
		if (*l)[i].Name == name {
			(*l)[i].Value = f((*l)[i].Value)
		}
	}
}

// drop removes attributes whose value says nothing, such as empty lists.
func (l *attrList) drop(empty func(Attr) bool, names ...string) {
	*l = slices.DeleteFunc(*l, func(a NamedAttr) bool { return slices.Contains(names, a.Name) && empty(a.Value) })
}

// isEmpty reports whether an attribute is a list, dictionary or string of nothing.
func isEmpty(a Attr) bool {
	switch a := a.(type) {
	case ArrayAttr:
		return len(a) == 0
	case DictAttr:
		return len(a) == 0
	case StringAttr:
		return a == ""
	case DenseArrayAttr:
		return len(a.Elems) == 0
	case *DenseAttr:
		return len(a.Data) == 0
	}
	return false
}

// isFalse reports whether an attribute is false.
func isFalse(a Attr) bool {
	b, ok := a.(BoolAttr)
	return ok && !bool(b)
}
