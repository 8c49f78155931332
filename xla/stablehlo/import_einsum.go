package stablehlo

import (
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// einsum is an old op "ab,bc->ac" while it is being imported: sums of products over the letters that the result lacks.
type einsum struct {
	c   *ctx
	op  *Op
	out string // letters of the result
}

// importEinsum imports einsum and unary_einsum. Ellipses and letters that stand twice in one operand are not
// supported.
func importEinsum(c *ctx, op *Op) error {
	config, err := op.Text("einsum_config")
	if err != nil {
		return err
	}
	config = strings.ReplaceAll(config, " ", "")
	in, out, ok := strings.Cut(config, "->")
	inputs := strings.Split(in, ",")
	if !ok || len(inputs) != len(op.Operands) || len(inputs) > 2 {
		return op.wrong("einsum_config", "letters for each operand and for the result")
	}
	for i, letters := range append(slices.Clone(inputs), out) {
		if strings.Contains(letters, ".") {
			return unsupported(op, "einsum with an ellipsis")
		}
		for k := range len(letters) {
			if strings.IndexByte(letters[k+1:], letters[k]) >= 0 {
				return unsupported(op, "einsum with a letter twice in %q", letters)
			}
		}
		if i < len(inputs) && len(letters) != rankOf(op.Operands[i]) {
			return op.Errorf("einsum has the letters %q for operand %d, which has %d dimensions", letters, i,
				rankOf(op.Operands[i]))
		}
	}
	operands, err := c.operands(op)
	if err != nil {
		return err
	}
	return (&einsum{c: c, op: op, out: out}).lower(operands, inputs)
}

func (e *einsum) lower(operands []*hlo.Instruction, letters []string) error {
	for i := range operands {
		keep := e.out
		if len(letters) == 2 {
			keep += letters[1-i]
		}
		var err error
		if operands[i], letters[i], err = e.sumAway(operands[i], letters[i], keep); err != nil {
			return err
		}
	}
	in, have := operands[0], letters[0]
	if len(operands) == 2 {
		var err error
		if in, have, err = e.dot(operands, letters); err != nil {
			return err
		}
	}
	return e.order(in, have)
}

// sumAway sums over the dimensions whose letters are not among keep.
func (e *einsum) sumAway(in *hlo.Instruction, letters, keep string) (*hlo.Instruction, string, error) {
	a := &hlo.ReduceAttrs{}
	rest := ""
	for i := range len(letters) {
		if strings.IndexByte(keep, letters[i]) < 0 {
			a.Dimensions = append(a.Dimensions, int64(i))
		} else {
			rest += letters[i : i+1]
		}
	}
	if a.Dimensions == nil {
		return in, letters, nil
	}
	var err error
	if a.ToApply, err = e.c.sumOf(e.op, in.Shape.Type); err != nil {
		return nil, "", err
	}
	zero, err := e.c.constant(e.op, literal.Zero(in.Shape.Type))
	if err != nil {
		return nil, "", err
	}
	out, err := e.c.add(e.op, hlo.Reduce, a, noShape, in, zero)
	return out, rest, err
}

// dot multiplies two operands: letters in both and the result are batch dimensions, in both only contracted ones.
func (e *einsum) dot(operands []*hlo.Instruction, letters []string) (*hlo.Instruction, string, error) {
	a := &hlo.DotAttrs{}
	var batch, left, right string
	for i := range len(letters[0]) {
		l := letters[0][i : i+1]
		j := strings.Index(letters[1], l)
		switch {
		case j < 0:
			left += l
		case strings.Contains(e.out, l):
			batch += l
			a.LHSBatch, a.RHSBatch = append(a.LHSBatch, int64(i)), append(a.RHSBatch, int64(j))
		default:
			a.LHSContracting, a.RHSContracting = append(a.LHSContracting, int64(i)), append(a.RHSContracting, int64(j))
		}
	}
	for i := range len(letters[1]) {
		if l := letters[1][i : i+1]; !strings.Contains(letters[0], l) {
			right += l
		}
	}
	told, err := e.product(operands, letters, batch+left+right)
	if err != nil {
		return nil, "", err
	}
	out, err := e.c.add(e.op, hlo.Dot, a, told, operands...)
	return out, batch + left + right, err
}

// product is the shape of the operands' product: the result's type and the sizes of the letters.
func (e *einsum) product(operands []*hlo.Instruction, letters []string, order string) (shape.Shape, error) {
	s, err := declared(e.op)
	if err != nil {
		return s, err
	}
	dims := make([]int64, len(order))
	for i := range len(order) {
		k := 0
		d := strings.IndexByte(letters[0], order[i])
		if d < 0 {
			k, d = 1, strings.IndexByte(letters[1], order[i])
		}
		dims[i] = operands[k].Shape.Dims[d]
	}
	return shape.Array(s.Type, dims...), nil
}

// order transposes dimensions with these letters to those of the result.
func (e *einsum) order(in *hlo.Instruction, have string) error {
	if len(have) != len(e.out) {
		return e.op.wrong("einsum_config", "letters of the result that the operands have")
	}
	perm := make([]int64, len(e.out))
	for i := range len(e.out) {
		if perm[i] = int64(strings.IndexByte(have, e.out[i])); perm[i] < 0 {
			return e.op.wrong("einsum_config", "letters of the result that the operands have")
		}
	}
	if !slices.IsSorted(perm) {
		var err error
		if in, err = e.c.add(e.op, hlo.Transpose, &hlo.TransposeAttrs{Dimensions: perm}, noShape, in); err != nil {
			return err
		}
	}
	return e.c.declare(e.op, in)
}
