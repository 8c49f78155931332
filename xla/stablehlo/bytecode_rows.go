package stablehlo

import (
	"slices"
	"strings"
)

// bytecodeRow says how an op of a file is read.
type bytecodeRow struct {
	file string // its name in the file
	name string // in the tree
	// properties are the attributes that are kept as properties, in the order of the file. Where it changed between
	// releases there are several lists, the newest first.
	properties                      [][]propertyRow
	operandSegments, resultSegments int
	upgrade                         func(l *attrList)   // of VHLO's attributes to StableHLO's; nil if they are the same
	finish                          func(op, owner *Op) // what depends on more than the attributes; may be nil
}

// propertyRow is a property of an op.
type propertyRow struct {
	name     string
	optional bool
}

// registeredProperties are the properties of ops of other dialects than VHLO: names in the order of the alphabet, those
// that may be missing with "?", older lists behind "|".
var registeredProperties = map[string]string{
	"arith.constant":               "value",
	"builtin.module":               "sym_name? sym_visibility?",
	"check.expect_almost_eq":       "tolerance?",
	"check.expect_almost_eq_const": "tolerance? value | value",
	"check.expect_close":           "max_ulp_difference? min_ulp_difference?",
	"check.expect_eq_const":        "value",
	"check.expect_serialized_eq":   "iter? probe_id",
	"chlo.broadcast_compare":       "broadcast_dimensions? compare_type? comparison_direction",
	"chlo.constant":                "value",
	"chlo.constant_like":           "value",
	"chlo.ragged_dot":              "precision_config? ragged_dot_dimension_numbers",
	"chlo.scan":                    "dimension is_associative? is_reverse?",
	"chlo.top_k":                   "is_stable? k | k",
	"func.call":                    "arg_attrs? callee no_inline? res_attrs? | callee no_inline? | callee",
	"func.func": "arg_attrs? function_type no_inline? res_attrs? sym_name sym_visibility? | " +
		"arg_attrs? function_type res_attrs? sym_name sym_visibility?",
	"mhlo.topk":                      "k largest?",
	"sdy.manual_computation":         "in_shardings manual_axes out_shardings",
	"sdy.mesh":                       "mesh sym_name",
	"sdy.reshard":                    "sharding",
	"sdy.sharding_constraint":        "sharding",
	"stablehlo.all_gather":           "all_gather_dim channel_handle? replica_groups use_global_device_ids?",
	"stablehlo.all_reduce":           "channel_handle? replica_groups use_global_device_ids?",
	"stablehlo.all_to_all":           "channel_handle? concat_dimension replica_groups split_count split_dimension",
	"stablehlo.batch_norm_grad":      "epsilon feature_index",
	"stablehlo.batch_norm_inference": "epsilon feature_index",
	"stablehlo.batch_norm_training":  "epsilon feature_index",
	"stablehlo.broadcast":            "broadcast_sizes",
	"stablehlo.broadcast_in_dim":     "broadcast_dimensions",
	"stablehlo.cholesky":             "lower?",
	"stablehlo.collective_broadcast": "channel_handle? has_dynamic_root? replica_groups | channel_handle? replica_groups",
	"stablehlo.collective_permute":   "channel_handle? source_target_pairs",
	"stablehlo.collective_reduce":    "channel_handle? has_dynamic_root? replica_groups use_global_device_ids?",
	"stablehlo.compare":              "compare_type? comparison_direction",
	"stablehlo.composite":            "composite_attributes? decomposition name version?",
	"stablehlo.concatenate":          "dimension",
	"stablehlo.constant":             "value",
	"stablehlo.convolution": "batch_group_count dimension_numbers feature_group_count lhs_dilation? padding? " +
		"precision_config? rhs_dilation? window_reversal? window_strides?",
	"stablehlo.cross-replica-sum": "replica_groups",
	"stablehlo.custom_call":       customCallProperties + " result_tilings? | " + customCallProperties,
	"stablehlo.dot":               "precision_config?",
	"stablehlo.dot_general": "algorithm? dot_dimension_numbers precision_config? | " +
		"dot_dimension_numbers precision_config?",
	"stablehlo.dynamic_broadcast_in_dim": "broadcast_dimensions known_expanding_dimensions? " +
		"known_nonexpanding_dimensions?",
	"stablehlo.dynamic_conv": "batch_group_count dimension_numbers feature_group_count lhs_dilation? " +
		"precision_config? rhs_dilation? window_reversal? window_strides?",
	"stablehlo.dynamic_gather":     "dimension_numbers indices_are_sorted?",
	"stablehlo.dynamic_iota":       "iota_dimension",
	"stablehlo.dynamic_slice":      "slice_sizes",
	"stablehlo.einsum":             "einsum_config",
	"stablehlo.fft":                "fft_length fft_type",
	"stablehlo.gather":             "dimension_numbers indices_are_sorted? slice_sizes",
	"stablehlo.get_dimension_size": "dimension",
	"stablehlo.get_tuple_element":  "index",
	"stablehlo.infeed":             "infeed_config? layout?",
	"stablehlo.iota":               "iota_dimension",
	"stablehlo.map":                "dimensions",
	"stablehlo.outfeed":            "outfeed_config?",
	"stablehlo.pad":                "edge_padding_high edge_padding_low interior_padding",
	"stablehlo.recv": "channel_handle is_host_transfer? source_target_pairs? | " +
		"channel_handle is_host_transfer?",
	"stablehlo.reduce":             "dimensions",
	"stablehlo.reduce_precision":   "exponent_bits mantissa_bits",
	"stablehlo.reduce_scatter":     "channel_handle? replica_groups scatter_dimension use_global_device_ids?",
	"stablehlo.reduce_window":      "base_dilations? padding? window_dilations? window_dimensions window_strides?",
	"stablehlo.reverse":            "dimensions",
	"stablehlo.rng":                "rng_distribution",
	"stablehlo.rng_bit_generator":  "rng_algorithm",
	"stablehlo.scatter":            "indices_are_sorted? scatter_dimension_numbers unique_indices?",
	"stablehlo.select_and_scatter": "padding? window_dimensions? window_strides?",
	"stablehlo.send": "channel_handle is_host_transfer? source_target_pairs? | " +
		"channel_handle is_host_transfer?",
	"stablehlo.set_dimension_size": "dimension",
	"stablehlo.slice":              "limit_indices start_indices strides",
	"stablehlo.sort":               "dimension? is_stable?",
	"stablehlo.torch_index_select": "batch_dims dim",
	"stablehlo.transpose":          "permutation",
	"stablehlo.triangular_solve":   "left_side lower transpose_a unit_diagonal",
	"stablehlo.unary_einsum":       "einsum_config",
}

const customCallProperties = "api_version? backend_config? call_target_name called_computations? has_side_effect? " +
	"operand_layouts? output_operand_aliases? result_layouts?"

// segmented are the numbers of operand and result segments of the ops that have more than their values tell.
var segmented = map[string][2]int{"chlo.scan": {2, 2}}

// dialectOp is the name of an op in the two parts that a file has it in.
type dialectOp struct{ dialect, op string }

// row returns how an op is read.
func (f *bytecode) row(dialect, op string) *bytecodeRow {
	name := dialectOp{dialect, op}
	row := f.rows[name]
	if row == nil {
		row = rowOf(dialect + "." + op)
		f.rows[name] = row
	}
	return row
}

// rowOf returns how the op of this name is read. An op nobody knows is read if it has no properties.
func rowOf(name string) *bytecodeRow {
	if v, ok := strings.CutPrefix(name, "vhlo."); ok {
		return vhloRow(v)
	}
	row := &bytecodeRow{file: name, name: name, operandSegments: segmented[name][0], resultSegments: segmented[name][1]}
	if name == "func.func" {
		row.finish = dropBody
	}
	lists := registeredProperties[name]
	switch op := strings.TrimPrefix(name, "chlo."); {
	case lists != "":
	case op != name && strings.HasPrefix(op, "broadcast_"):
		lists = "broadcast_dimensions?"
	case slices.Contains(accurateOps, strings.TrimPrefix(name, "stablehlo.")):
		lists = "result_accuracy?"
	}
	if lists != "" {
		row.properties = propertyLists(lists)
	}
	return row
}

func propertyLists(text string) [][]propertyRow {
	var lists [][]propertyRow
	for _, list := range strings.Split(text, "|") {
		var rows []propertyRow
		for _, name := range strings.Fields(list) {
			bare := strings.TrimSuffix(name, "?")
			rows = append(rows, propertyRow{name: bare, optional: bare != name})
		}
		lists = append(lists, rows)
	}
	return lists
}

// property is an attribute that is a property.
func property(name string, a Attr) NamedAttr { return NamedAttr{Name: name, Value: a, Property: true} }
