package stablehlo

import (
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
)

// Quantised programs are lowered while they are imported: a quantised tensor becomes the array of integers that it
// stores, and an op on it becomes ops on these. Law: StableHLO, quantised types and each op's semantics on them.

// quantKind is how an op is done on quantised tensors.
type quantKind uint8

const (
	quantMove     quantKind = iota // elements are moved, or handed to regions and functions, as they are stored
	quantSame                      // the same, and the quantised types must agree
	quantMath                      // dequantise, do the op on floats, quantise
	quantContract                  // multiply and sum
	quantQuantize
	quantDequantize
	quantRegion // elements are combined by a region, whose types may be wider
)

// quantRow is an op that may have quantised tensors.
type quantRow struct {
	kind quantKind
	// perAxis says that scales may differ along dimensions.
	perAxis bool
}

// quantRows are the ops that StableHLO defines on quantised tensors, without their dialect.
var quantRows = func() map[string]quantRow {
	rows := map[string]quantRow{
		"add": {quantMath, true}, "uniform_quantize": {quantQuantize, true}, "uniform_dequantize": {quantDequantize, true},
		"dot": {quantContract, false}, "dot_general": {quantContract, true},
		"convolution": {quantContract, true}, "dynamic_conv": {quantContract, true},
	}
	list := func(row quantRow, names string) {
		for _, name := range strings.Fields(names) {
			rows[name] = row
		}
	}
	list(quantRow{quantMath, false}, `abs atan2 batch_norm_grad batch_norm_inference batch_norm_training cbrt ceil
		cholesky clamp compare cosine divide exponential exponential_minus_one floor is_finite log log_plus_one logistic
		maximum minimum multiply negate power reduce_precision remainder round_nearest_afz round_nearest_even rsqrt sign
		sine sqrt subtract tan tanh triangular_solve broadcast_add broadcast_atan2 broadcast_compare broadcast_divide
		broadcast_maximum broadcast_minimum broadcast_multiply broadcast_power broadcast_remainder broadcast_subtract`)
	list(quantRow{quantSame, false}, `broadcast collective_broadcast collective_permute concatenate dynamic_gather
		dynamic_pad dynamic_slice dynamic_update_slice gather pad real_dynamic_slice reverse select slice
		torch_index_select all_gather all_to_all broadcast_select`)
	list(quantRow{quantSame, true}, "broadcast_in_dim dynamic_broadcast_in_dim dynamic_reshape reshape transpose")
	list(quantRow{quantMove, false}, "map sort while")
	list(quantRow{quantMove, true}, `bitcast_convert call case composite constant custom_call get_dimension_size
		get_tuple_element if infeed optimization_barrier outfeed recv send set_dimension_size tuple`)
	list(quantRow{quantRegion, false}, "all_reduce reduce reduce_scatter reduce_window scatter select_and_scatter")
	return rows
}()

// importQuantised imports an op with quantised operands or results.
func importQuantised(c *ctx, op *Op) error {
	_, base, _ := strings.Cut(op.Name, ".")
	row, ok := quantRows[base]
	if !ok {
		return unsupported(op, "op is not defined on quantised tensors")
	}
	if err := checkQuantised(op, base, row); err != nil {
		return err
	}
	switch row.kind {
	case quantMath:
		return c.quantMath(op)
	case quantContract:
		return c.quantContract(op, base)
	case quantQuantize, quantDequantize:
		return c.quantConvert(op)
	}
	return c.plainRow(op)(c, op)
}

// quantOf returns the quantised element type of a tensor, nil if it has none.
func quantOf(v *Value) *QuantType {
	if t, ok := v.Type.(*TensorType); ok {
		q, _ := t.Elem.(*QuantType)
		return q
	}
	return nil
}

// withElem returns a value like v with another element type.
func withElem(v *Value, elem Type) *Value {
	w, t := *v, *v.Type.(*TensorType)
	t.Elem = elem
	w.Type, w.in, w.by = &t, nil, nil
	return &w
}

// quantMath dequantises the operands, does the op on floats and quantises the results.
func (c *ctx) quantMath(op *Op) error {
	f := *op
	f.Operands, f.Results = nil, nil
	for _, v := range op.Operands {
		q := quantOf(v)
		if q == nil {
			f.Operands = append(f.Operands, v)
			continue
		}
		in, err := c.value(v)
		if err != nil {
			return err
		}
		w := withElem(v, q.Expressed)
		if in, err = c.dequantize(op, in, q); err != nil {
			return err
		}
		c.set(w, in)
		f.Operands = append(f.Operands, w)
	}
	for _, v := range op.Results {
		if q := quantOf(v); q != nil {
			v = withElem(v, q.Expressed)
		}
		f.Results = append(f.Results, v)
	}
	if err := c.plainRow(&f)(c, &f); err != nil {
		return err
	}
	for i, v := range op.Results {
		q := quantOf(v)
		if q == nil {
			continue
		}
		in, err := c.quantize(op, c.get(f.Results[i]), q)
		if err != nil {
			return err
		}
		c.set(v, in)
	}
	return nil
}

// quantConvert imports uniform_quantize and uniform_dequantize.
func (c *ctx) quantConvert(op *Op) error {
	in, err := c.value(op.Operands[0])
	if err != nil {
		return err
	}
	if q := quantOf(op.Operands[0]); q != nil {
		if in, err = c.dequantize(op, in, q); err != nil {
			return err
		}
	}
	if q := quantOf(op.Results[0]); q != nil {
		if in, err = c.quantize(op, in, q); err != nil {
			return err
		}
	}
	told, err := declared(op)
	if err != nil {
		return err
	}
	if !refines(in.Shape, told) {
		return op.Errorf("result is %s, want the sizes of %s", op.Results[0].Type, op.Operands[0].Type)
	}
	return c.finish(op, in)
}

// integers returns in's elements minus their zero points, in the integer type t.
func (c *ctx) integers(op *Op, in *hlo.Instruction, q *QuantType, bits int) (*hlo.Instruction, error) {
	t, _ := elementType(IntType{Width: bits})
	in, err := c.convertTo(op, in, t)
	if err != nil {
		return nil, err
	}
	zero := make([]float64, len(q.ZeroPoints))
	none := true
	for i, z := range q.ZeroPoints {
		zero[i], none = float64(z), none && z == 0
	}
	if none {
		return in, nil
	}
	z, err := c.parameterLike(op, zero, q, in)
	if err != nil {
		return nil, err
	}
	return c.derive(op, hlo.Subtract, nil, in, z)
}
