package stablehlo

import (
	"slices"
	"strings"
)

// vhloDefaults are what attributes are that an op of StableHLO need not have and one of VHLO has to.
var vhloDefaults = map[string]Attr{
	"channel_id": number64(0), "channel_type": number64(0), "use_global_device_ids": BoolAttr(false),
	"has_dynamic_root": BoolAttr(false), "is_host_transfer": BoolAttr(false), "indices_are_sorted": BoolAttr(false),
	"unique_indices": BoolAttr(false), "is_stable": BoolAttr(false), "lower": BoolAttr(false),
	"has_side_effect": BoolAttr(false), "compare_type": word("comparison_type", "NOTYPE"),
	"precision_config":     ArrayAttr{},
	"composite_attributes": DictAttr{}, "version": number32(0), "backend_config": StringAttr(""),
	"api_version":         number32(1),
	"called_computations": ArrayAttr{}, "operand_layouts": ArrayAttr{}, "result_layouts": ArrayAttr{},
	"output_operand_aliases": ArrayAttr{}, "result_tilings": ArrayAttr{}, "infeed_config": StringAttr(""),
	"outfeed_config": StringAttr(""), "layout": ArrayAttr{}, "arg_attrs": ArrayAttr{}, "res_attrs": ArrayAttr{},
	"sym_visibility": StringAttr(""), "feature_group_count": number64(1), "batch_group_count": number64(1),
	"lhs_precision_type": TypeAttr{NoneType{}}, "rhs_precision_type": TypeAttr{NoneType{}},
	"accumulation_type": TypeAttr{NoneType{}}, "lhs_component_count": TypeAttr{NoneType{}},
	"rhs_component_count": TypeAttr{NoneType{}}, "num_primitive_operations": TypeAttr{NoneType{}},
	"allow_imprecise_accumulation": TypeAttr{NoneType{}},
	"result_accuracy": &DialectAttr{Name: "stablehlo.result_accuracy", Fields: DictAttr{
		named("mode", word("result_accuracy_mode", "DEFAULT"))}},
}

// emptyDefaults are lists of dimensions that are empty unless they are said.
var emptyDefaults = strings.Fields("operand_batching_dims start_indices_batching_dims input_batching_dims " +
	"scatter_indices_batching_dims offset_dims collapsed_slice_dims start_index_map update_window_dims " +
	"inserted_window_dims scatter_dims_to_operand_dims lhs_batching_dimensions rhs_batching_dimensions " +
	"lhs_contracting_dimensions rhs_contracting_dimensions known_expanding_dimensions known_nonexpanding_dimensions " +
	"source_target_pairs input_spatial_dimensions kernel_spatial_dimensions output_spatial_dimensions")

// windowDefaults are lists with one number for each dimension of a window.
var windowDefaults = map[string]string{
	"window_strides": "1", "lhs_dilation": "1", "rhs_dilation": "1", "base_dilations": "1", "window_dilations": "1",
	"window_dimensions": "1", "window_reversal": "false",
}

// defaultAttr returns what an attribute is that the op does not have.
func (w *bytecodeWriter) defaultAttr(op *Op, name, key string, attrs DictAttr) Attr {
	if a, ok := vhloDefaults[key]; ok {
		return a
	}
	switch elem := windowDefaults[key]; {
	case name == "sort" && key == "dimension":
		return number64(-1)
	case key == "index_vector_dim":
		return number64(0)
	case slices.Contains(emptyDefaults, key):
		return numbers(nil)
	case elem == "false":
		return DenseArrayAttr{Elem: IntType{Width: 1}, Elems: slices.Repeat([]string{elem}, windowRank(op, attrs))}
	case elem != "":
		return DenseArrayAttr{Elem: IntType{Width: 64}, Elems: slices.Repeat([]string{elem}, windowRank(op, attrs))}
	case key == "padding":
		return pairTable(windowRank(op, attrs), func(int) (int64, int64) { return 0, 0 })
	}
	w.fail("attribute %s is missing", key)
	return UnitAttr{}
}

// windowRank returns how many dimensions the window of an op has.
func windowRank(op *Op, attrs DictAttr) int {
	if d, ok := attrs.Lookup("dimension_numbers").(*DialectAttr); ok {
		dims, _ := intsOf(d.Fields.Lookup("input_spatial_dimensions"))
		return len(dims)
	}
	if len(op.Operands) == 0 {
		return 0
	}
	return rankOf(op.Operands[0])
}

// isDefault reports whether an attribute of the second version of an op says what the first means.
func isDefault(a Attr) bool {
	d, ok := a.(*DialectAttr)
	if !ok {
		return false
	}
	mode := AttrString(d.Fields.Lookup("mode"))
	return strings.HasSuffix(d.Name, ".result_accuracy") && (mode == "" || strings.Contains(mode, "DEFAULT"))
}

// property numbers the value of an attribute that is a property.
func (w *bytecodeWriter) property(name, key string, a Attr) uint64 {
	switch v := a.(type) {
	case IntAttr:
		if key == "api_version" {
			n, _ := intOf(v)
			return w.attrs.number(vhloDialect, appendVarint(appendVarint(nil, 5), uint64(n)))
		}
	case ArrayAttr:
		if ints, ok := intsOf(v); ok && len(v) > 0 && key != "precision_config" {
			return w.attr(numbers(ints))
		}
	case OpaqueAttr:
		return w.property(name, key, w.parsed(string(v)))
	case DictAttr:
		if key == "backend_config" {
			w.need(1, 3, "a dictionary as backend_config")
		}
	}
	return w.attr(a)
}

// checkFeatures says what uses of an op came later than the op.
func (w *bytecodeWriter) checkFeatures(op *Op, name string) {
	switch {
	case (name == "all_gather" || name == "all_reduce" || name == "all_to_all") && len(op.Operands) > 1:
		w.need(1, 5, "several operands of "+op.Name)
	case name == "composite" && len(op.Regions) > 0:
		w.need(1, 14, "a composite with regions")
	}
}
