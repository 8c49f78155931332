package hlo

// UnknownAttributes returns an error for each attribute of m that neither an op nor XLA's text knows, with its place.
// Programs that have them still run: newer versions of XLA write attributes that do not change what a program means.
func UnknownAttributes(m *Module) []error {
	known := knownAttributes()
	var errs []error
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			if in.Common == nil {
				continue
			}
			for _, a := range in.Common.Extra {
				if !known[a.Name] {
					errs = append(errs, errorf(in, "unknown attribute %s", a.Name))
				}
			}
		}
	}
	return errs
}

// knownAttributes are the names that some op has as an attribute, and those that XLA writes and nobody here reads.
func knownAttributes() map[string]bool {
	known := map[string]bool{}
	for op := range NumOps {
		if a := op.Info().Attrs; a != nil {
			for _, f := range a().Fields() {
				known[f.Name] = true
			}
		}
	}
	for _, name := range textOnlyAttributes {
		known[name] = true
	}
	return known
}

// textOnlyAttributes are kept as text on whatever instruction has them.
var textOnlyAttributes = []string{
	"all_reduce_id", "async_group_name", "custom_call_schedule", "dilated_padding", "entry", "exit", "original_value",
	"is_cross_program_prefetch", "outer_dimension_partitions", "sparsity", "tag", "shape_index",
	"collective_op_group_mode", "true_computation", "false_computation", "order", "config", "comparator", "unroll_factor",
	"mode", "conv_kind", "convolution_kind", "block_scaling_config", "sparsity_config",
}
