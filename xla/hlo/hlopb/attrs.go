package hlopb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/halo-xla/halo/xla/hlo"
)

// paths says in which field of HloInstructionProto an attribute of HLO text lies, with a dot into a message there.
// "op:attribute" goes before "attribute". Called computations are not here: they are one list for all.
var paths = map[string]string{
	"algorithm":                       "precision_config.algorithm",
	"api_version":                     "custom_call_api_version",
	"async_execution_thread":          "async_execution_thread",
	"async_group_id":                  "async_group_id",
	"batch_group_count":               "batch_group_count",
	"channel_id":                      "channel_id",
	"cholesky:lower":                  "cholesky_options.lower",
	"collapsed_slice_dims":            "gather_dimension_numbers.collapsed_slice_dims",
	"compare:type":                    "comparison_type",
	"constant:":                       "literal",
	"constrain_layout":                "constrain_layout",
	"cross_program_prefetch_index":    "cross_program_prefetch_index",
	"custom-call:schedule":            "custom_call_schedule",
	"custom_call_has_side_effect":     "custom_call_has_side_effect",
	"custom_call_target":              "custom_call_target",
	"delta":                           "delta",
	"dim_labels":                      "convolution_dimension_numbers",
	"dimensions":                      "dimensions",
	"direction":                       "comparison_direction",
	"distribution":                    "distribution",
	"domain:domain":                   "domain_entry_sharding",
	"dynamic_slice_sizes":             "dynamic_slice_sizes",
	"dynamic-gather:index_vector_dim": "gather_dimension_numbers.index_vector_dim",
	"epsilon":                         "epsilon",
	"exponent_bits":                   "exponent_bits",
	"feature_group_count":             "feature_group_count",
	"feature_index":                   "feature_index",
	"fft_length":                      "fft_length",
	"fft_type":                        "fft_type",
	"gather:index_vector_dim":         "gather_dimension_numbers.index_vector_dim",
	"gather:slice_sizes":              "gather_slice_sizes",
	"has_dynamic_root":                "has_dynamic_root",
	"index":                           "tuple_index",
	"indices_are_sorted":              "indices_are_sorted",
	"infeed_config":                   "infeed_config",
	"inferred_dimension":              "dimensions",
	"input_batching_dims":             "scatter_dimension_numbers.input_batching_dims",
	"inserted_window_dims":            "scatter_dimension_numbers.inserted_window_dims",
	"iota_dimension":                  "dimensions",
	"is_associative":                  "is_associative",
	"is_composite":                    "is_composite",
	"is_host_transfer":                "is_host_transfer",
	"is_reverse":                      "is_reverse",
	"is_stable":                       "is_stable",
	"k":                               "k",
	"kind":                            "fusion_kind",
	"largest":                         "largest",
	"left_side":                       "triangular_solve_options.left_side",
	"lhs_batch_dims":                  "dot_dimension_numbers.lhs_batch_dimensions",
	"lhs_contracting_dims":            "dot_dimension_numbers.lhs_contracting_dimensions",
	"mantissa_bits":                   "mantissa_bits",
	"num_carries":                     "num_carries",
	"offset_dims":                     "gather_dimension_numbers.offset_dims",
	"operand_batching_dims":           "gather_dimension_numbers.operand_batching_dims",
	"operand_layout_constraints":      "operand_shapes_with_layout",
	"operand_precision":               "precision_config.operand_precision",
	"outfeed_config":                  "outfeed_config",
	"outfeed_shape":                   "outfeed_shape",
	"output_to_operand_aliasing":      "output_operand_aliasing",
	"padding":                         "padding_config",
	"padding_type":                    "padding_type",
	"parameter:":                      "parameter_number",
	"parameter_replication":           "parameter_replication.replicated_at_leaf_buffers",
	"ragged-dot:lhs_batch_dims":       "ragged_dot_dimension_numbers.dot_dimension_numbers.lhs_batch_dimensions",
	"ragged-dot:lhs_contracting_dims": "ragged_dot_dimension_numbers.dot_dimension_numbers.lhs_contracting_dimensions",
	"ragged-dot:lhs_ragged_dims":      "ragged_dot_dimension_numbers.lhs_ragged_dimensions",
	"ragged-dot:rhs_batch_dims":       "ragged_dot_dimension_numbers.dot_dimension_numbers.rhs_batch_dimensions",
	"ragged-dot:rhs_contracting_dims": "ragged_dot_dimension_numbers.dot_dimension_numbers.rhs_contracting_dimensions",
	"ragged-dot:rhs_group_dims":       "ragged_dot_dimension_numbers.rhs_group_dimensions",
	"replica_groups":                  "replica_groups",
	"rhs_batch_dims":                  "dot_dimension_numbers.rhs_batch_dimensions",
	"rhs_contracting_dims":            "dot_dimension_numbers.rhs_contracting_dimensions",
	"rng-bit-generator:algorithm":     "rng_algorithm",
	"scatter:index_vector_dim":        "scatter_dimension_numbers.index_vector_dim",
	"scatter_dims_to_operand_dims":    "scatter_dimension_numbers.scatter_dims_to_operand_dims",
	"scatter_indices_batching_dims":   "scatter_dimension_numbers.scatter_indices_batching_dims",
	"slice":                           "slice_dimensions",
	"source_target_pairs":             "source_target_pairs",
	"start_index_map":                 "gather_dimension_numbers.start_index_map",
	"start_indices_batching_dims":     "gather_dimension_numbers.start_indices_batching_dims",
	"transpose_a":                     "triangular_solve_options.transpose_a",
	"triangular-solve:lower":          "triangular_solve_options.lower",
	"unique_indices":                  "unique_indices",
	"unit_diagonal":                   "triangular_solve_options.unit_diagonal",
	"update_window_dims":              "scatter_dimension_numbers.update_window_dims",
	"use_global_device_ids":           "use_global_device_ids",
	"window":                          "window",
}

// place is where an attribute lies: the messages on the way and the field there; no field: it has none.
type place struct {
	way   []string
	field string
}

// places are those of every op's attributes, in the order of their Fields.
var places = sync.OnceValue(func() (all [hlo.NumOps][]place) {
	for op := range hlo.NumOps {
		attrs := op.Info().Attrs
		if attrs == nil {
			continue
		}
		for _, f := range attrs().Fields() {
			path, ok := paths[op.String()+":"+f.Name]
			if !ok {
				path = paths[f.Name]
			}
			way := strings.Split(path, ".")
			all[op] = append(all[op], place{way[:len(way)-1], way[len(way)-1]})
		}
	}
	return all
})

// readAttrs fills the attributes of an op, but for the computations it calls.
func readAttrs(m *message, op hlo.Opcode) hlo.Attrs {
	if op.Info().Attrs == nil {
		return nil
	}
	attrs := op.Info().Attrs()
	texts := m.texts()
	for i, f := range attrs.Fields() {
		p := places()[op][i]
		if at := m.within(p.way); at != nil && p.field != "" {
			at.attr(p.field, f)
		}
		if text, ok := texts[f.Name]; ok && f.Name != "" { // says it to the letter
			m.fromText(f, text)
		}
	}
	return attrs
}

// within returns the message at the end of way, nil if there is none.
func (m *message) within(way []string) *message {
	for _, name := range way {
		if m = m.sub(name); m == nil {
			break
		}
	}
	return m
}

// fromText reads an attribute that was kept as text.
func (m *message) fromText(f hlo.Field, text string) {
	switch p := f.Ptr.(type) {
	case hlo.Value:
		m.parse(p, f.Name, text)
	case *float64:
		v, err := strconv.ParseFloat(text, 64)
		if *p = v; err != nil {
			m.fail(f.Name, "got %q, want a number", text)
		}
	}
}

func (m *message) parse(v hlo.Value, field, text string) {
	if err := v.ParseText(text); err != nil {
		m.fail(field, "%w", err)
	}
}

// texts are the attributes that were kept as text.
func (m *message) texts() map[string]string {
	if !m.has("halo_text") {
		return nil
	}
	texts := map[string]string{}
	m.subs("halo_text", func(t *message) { texts[t.str("name")] = t.str("text") })
	return texts
}

// attr reads one attribute out of a field of m.
func (m *message) attr(name string, f hlo.Field) {
	switch p := f.Ptr.(type) {
	case *bool:
		if *p = m.flag(name); m.desc.field(name).kind == enumKind { // TRI_STATE_TRUE is 1
			*p = m.num(name) == 1
		}
	case *int64:
		*p = m.first(name).Value
	case *float64:
		*p = shortest(m.float(name))
	case *string:
		*p = m.str(name)
	case *[]int64:
		*p = m.nums(name)
	case *[]bool:
		for _, n := range m.nums(name) {
			*p = append(*p, n != 0)
		}
	default:
		m.value(name, f)
	}
}

// first returns the first number of a field, which may have several, and whether it has one.
func (m *message) first(name string) (v hlo.Optional) {
	if !m.desc.field(name).repeated {
		return hlo.Optional{Value: m.num(name), Set: m.has(name)}
	}
	m.scalars(name, func(i int, n uint64) {
		if i == 0 {
			v = hlo.Optional{Value: int64(n), Set: true}
		}
	})
	return v
}

// word returns the text of an enumerator or the number of any other field, "" if it is absent.
func (m *message) word(name string) string {
	f := m.desc.field(name)
	switch {
	case !m.has(name) || f.repeated:
		return ""
	case f.kind == stringKind || f.kind == bytesKind:
		return m.str(name)
	case f.kind != enumKind:
		return fmt.Sprint(m.num(name))
	}
	n := m.num(name)
	if n == 0 {
		return "" // the zero value
	}
	word, ok := f.enum.names[n]
	if !ok {
		m.fail(name, "got %d, which is no %s", n, f.typ)
	}
	if f.typ == "Algorithm" {
		word = strings.ToLower(strings.TrimPrefix(word, "ALG_"))
	}
	return word
}

// setWord appends what word reads; it reports whether the field can hold it.
func (w *writer) setWord(name, text string) bool {
	f := w.desc.field(name)
	switch f.kind {
	case stringKind, bytesKind:
		w.str(name, text)
		return true
	case enumKind:
		if f.typ == "Algorithm" {
			text = "ALG_" + text
		}
		for word, n := range f.enum.numbers {
			if strings.EqualFold(word, text) {
				w.num(name, n)
				return true
			}
		}
		return false
	case intKind:
		var n int64
		if _, err := fmt.Sscan(text, &n); err != nil {
			return false
		}
		w.always(name, n)
		return true
	}
	return false
}

// attrs appends the attributes of an op.
func (w *writer) attrs(op hlo.Opcode, attrs hlo.Attrs, in *hlo.Instruction) {
	if attrs == nil {
		return
	}
	fields, done := attrs.Fields(), map[string]bool{}
	for i, f := range fields {
		switch p := places()[op][i]; {
		case p.field == "":
		case len(p.way) == 0:
			w.attr(p.field, f, in)
		case !done[strings.Join(p.way, ".")]:
			done[strings.Join(p.way, ".")] = true
			w.within(p.way, func() {
				for j, other := range fields {
					if q := places()[op][j]; slices.Equal(q.way, p.way) {
						w.attr(q.field, other, in)
					}
				}
			})
		}
	}
}

// within runs do in the message at the end of way.
func (w *writer) within(way []string, do func()) {
	if len(way) == 0 {
		do()
		return
	}
	w.sub(way[0], func() { w.within(way[1:], do) })
}

// attr appends one attribute.
func (w *writer) attr(name string, f hlo.Field, in *hlo.Instruction) {
	switch p := f.Ptr.(type) {
	case *bool:
		if w.desc.field(name).kind == enumKind && !*p {
			w.num(name, 2) // TRI_STATE_FALSE
			return
		}
		w.flag(name, *p)
	case *int64:
		if w.desc.field(name).repeated {
			w.nums(name, []int64{*p})
			return
		}
		w.num(name, *p)
	case *float64:
		w.float(name, *p)
	case *string:
		w.str(name, *p)
	case *[]int64:
		w.nums(name, *p)
	case *[]bool:
		w.flags(name, *p)
	default:
		w.value(name, f, in)
	}
}

// text appends an attribute as text.
func (w *writer) text(name, text string) {
	w.sub("halo_text", func() {
		w.str("name", name)
		w.str("text", text)
	})
}
