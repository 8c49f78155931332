package stablehlo

import (
	"fmt"
	"slices"
	"strings"
)

// checkQuantised checks the quantised types of op by the rules of its kind.
func checkQuantised(op *Op, base string, row quantRow) error {
	for _, v := range slices.Concat(op.Operands, op.Results) {
		q := quantOf(v)
		if q == nil {
			continue
		}
		if len(q.Axes) > 0 && !row.perAxis {
			return op.Errorf("%s has scales along dimensions, want one scale for the tensor", v.Type)
		}
		if err := q.check(v.Type.(*TensorType)); err != nil {
			return op.Errorf("%v", err)
		}
	}
	if row.kind != quantMove && (len(op.Operands) == 0 || len(op.Results) == 0) {
		return op.Errorf("has %d operands and %d results, want at least one of each", len(op.Operands), len(op.Results))
	}
	switch row.kind {
	case quantSame:
		return checkSameQuant(op, base)
	case quantMath:
		return checkQuantMath(op)
	case quantContract:
		return checkQuantContract(op, base)
	case quantQuantize, quantDequantize:
		return checkQuantConvert(op, row.kind)
	case quantRegion:
		return checkQuantRegion(op)
	}
	return nil
}

// check checks that t may have elements of type q. StableHLO quantised types, C1 to C13 and the rules of blocks.
func (q *QuantType) check(t *TensorType) error {
	if q.Storage.Sign == Signed {
		return fmt.Errorf("storage type of %s is %s, want i%d or ui%d", t, q.Storage, q.Storage.Width, q.Storage.Width)
	}
	if q.Blocks != nil && len(q.ParamDims) != len(t.Dims) {
		return fmt.Errorf("scales of %s have %d dimensions, want %d", t, len(q.ParamDims), len(t.Dims))
	}
	for i, a := range q.Axes {
		if a >= int64(len(t.Dims)) { // C12
			return fmt.Errorf("%s has scales along dimension %d, which it does not have", t, a)
		}
		n := t.Dims[a]
		switch {
		case slices.Contains(q.Axes[:i], a):
			return fmt.Errorf("%s has scales along dimension %d twice", t, a)
		case n == Dynamic:
		case q.Blocks == nil && n != q.ParamDims[i]: // C13
			return fmt.Errorf("%s has %d scales along dimension %d, want %d", t, q.ParamDims[i], a, n)
		case q.Blocks != nil && (q.Blocks[i] < 0 || q.Blocks[i] > 0 && n != q.Blocks[i]*q.ParamDims[a]):
			return fmt.Errorf("%s has %d blocks of %d along dimension %d, want %d elements", t, q.ParamDims[a], q.Blocks[i], a,
				n)
		}
	}
	if q.Blocks != nil {
		return q.checkBlocks(t)
	}
	return nil
}

func (q *QuantType) checkBlocks(t *TensorType) error {
	for d, n := range t.Dims {
		if p := q.ParamDims[d]; p < 1 || n != Dynamic && n%p != 0 || !slices.Contains(q.Axes, int64(d)) && p != 1 {
			return fmt.Errorf("%s has %d scales along dimension %d of %d elements, want a divisor, and 1 without blocks", t, p,
				d, n)
		}
	}
	return nil
}

// sameStorage reports whether a and b store the same integers for the same floats, up to scale and zero point.
func sameStorage(a, b *QuantType) bool {
	return a.Storage == b.Storage && a.Min == b.Min && a.Max == b.Max && a.Expressed == b.Expressed
}

// quants returns the quantised types of op's operands and results.
func quants(op *Op) []*QuantType {
	var list []*QuantType
	for _, v := range slices.Concat(op.Operands, op.Results) {
		if q := quantOf(v); q != nil {
			list = append(list, q)
		}
	}
	return list
}

// checkQuantMath: the types differ in scales and zero points only, and no operand is a float. StableHLO add C3 to C7.
func checkQuantMath(op *Op) error {
	list := quants(op)
	for _, q := range list[1:] {
		if !sameStorage(list[0], q) {
			return op.Errorf("mixes %s and %s, want the same storage and expressed type", list[0], q)
		}
		if !slices.Equal(list[0].Axes, q.Axes) || !slices.Equal(list[0].Blocks, q.Blocks) {
			return op.Errorf("mixes %s and %s, want scales along the same dimensions", list[0], q)
		}
	}
	for _, v := range slices.Concat(op.Operands, op.Results) {
		t, ok := v.Type.(*TensorType)
		if ok && quantOf(v) == nil && !isBool(t.Elem) {
			return op.Errorf("mixes %s and %s, want all quantised", v.Type, list[0])
		}
	}
	return nil
}

func isBool(t Type) bool {
	i, ok := t.(IntType)
	return ok && i.Width == 1
}

// checkQuantConvert: the floats are of the expressed type. StableHLO uniform_quantize C1, C2, uniform_dequantize C1,
// C2.
func checkQuantConvert(op *Op, kind quantKind) error {
	if len(op.Operands) != 1 || len(op.Results) != 1 {
		return op.Errorf("has %d operands and %d results, want one of each", len(op.Operands), len(op.Results))
	}
	from, to := quantOf(op.Operands[0]), quantOf(op.Results[0])
	if kind == quantDequantize && (from == nil || to != nil) {
		return op.Errorf("result is %s, want %s dequantised", op.Results[0].Type, op.Operands[0].Type)
	}
	if kind == quantQuantize && to == nil {
		return op.Errorf("result is %s, want a quantised tensor", op.Results[0].Type)
	}
	expressed := func(v *Value, q *QuantType) Type {
		if q != nil {
			return q.Expressed
		}
		t, _ := v.Type.(*TensorType)
		if t == nil {
			return v.Type
		}
		return t.Elem
	}
	if a, b := expressed(op.Operands[0], from), expressed(op.Results[0], to); a != b {
		return op.Errorf("operand is of %s, result of %s, want the same float type", a, b)
	}
	return nil
}

// checkQuantRegion: the types may differ in storage, not in what they express. StableHLO reduce C6 and its like.
func checkQuantRegion(op *Op) error {
	list := quants(op)
	for _, r := range op.Regions {
		for _, b := range r.Blocks {
			for _, v := range b.Args {
				if q := quantOf(v); q != nil {
					list = append(list, q)
				}
			}
		}
	}
	for _, q := range list[1:] {
		if q.Expressed != list[0].Expressed || q.Storage.Sign != list[0].Storage.Sign {
			return op.Errorf("mixes %s and %s, want the same expressed type", list[0], q)
		}
	}
	return nil
}

// checkSameQuant: moved elements keep their type; scales along a dimension move with it.
func checkSameQuant(op *Op, base string) error {
	list := quants(op)
	for _, q := range list[1:] {
		if !sameStorage(list[0], q) {
			return op.Errorf("mixes %s and %s, want the same type", list[0], q)
		}
	}
	from, to := quantOf(op.Operands[0]), quantOf(op.Results[0])
	if len(list[0].Axes) == 0 {
		for _, q := range list[1:] {
			if !sameScales(list[0], q) || len(q.Axes) > 0 {
				return op.Errorf("mixes %s and %s, want the same type", list[0], q)
			}
		}
		return nil
	}
	if from == nil || to == nil || len(from.Axes) != len(to.Axes) || (from.Blocks == nil) != (to.Blocks == nil) {
		return op.Errorf("result is %s, want scales along dimensions as %s", op.Results[0].Type, op.Operands[0].Type)
	}
	if from.Blocks != nil {
		return checkMovedBlocks(op, base, from, to)
	}
	return checkMovedAxis(op, base, from, to)
}

func sameScales(a, b *QuantType) bool {
	return slices.Equal(a.Scales, b.Scales) && slices.Equal(a.ZeroPoints, b.ZeroPoints)
}

// checkMovedAxis checks where the dimension goes along which scales differ.
func checkMovedAxis(op *Op, base string, from, to *QuantType) error {
	x, y := op.Operands[0].Type.(*TensorType), op.Results[0].Type.(*TensorType)
	axis, want := from.Axes[0], to.Axes[0]
	scalesOf := from
	switch base {
	case "transpose": // C4
		if p, err := op.Ints("permutation"); err != nil || want >= int64(len(p)) || p[want] != axis {
			return op.Errorf("result has scales along dimension %d, which is not dimension %d of the operand", want, axis)
		}
	case "broadcast_in_dim", "dynamic_broadcast_in_dim": // C6
		p, err := op.Ints("broadcast_dimensions")
		if err != nil || axis >= int64(len(p)) || p[axis] != want {
			return op.Errorf("result has scales along dimension %d, which is not dimension %d of the operand", want, axis)
		}
		if x.Dims[axis] == 1 && len(to.Scales) > 0 {
			scalesOf = &QuantType{}
			for range to.Scales {
				scalesOf.Scales = append(scalesOf.Scales, from.Scales[0])
				scalesOf.ZeroPoints = append(scalesOf.ZeroPoints, from.ZeroPoints[0])
			}
		}
	default: // reshape C3
		if n, m := sizeOf(x.Dims[:axis]), sizeOf(y.Dims[:want]); n >= 0 && m >= 0 && n != m {
			return op.Errorf("result has scales along dimension %d, which is not dimension %d of the operand", want, axis)
		}
	}
	if !sameScales(scalesOf, to) { // C1
		return op.Errorf("result is %s, want the scales and zero points of %s", y, x)
	}
	return nil
}

// sizeOf returns the product of dims, -1 if one is unknown.
func sizeOf(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		if d == Dynamic {
			return -1
		}
		n *= d
	}
	return n
}

// checkMovedBlocks: blocks stay as they are but for a transpose, which permutes them.
func checkMovedBlocks(op *Op, base string, from, to *QuantType) error {
	dims := from.ParamDims
	if base == "transpose" {
		p, err := op.Ints("permutation")
		if err != nil || len(p) != len(dims) {
			return op.wrong("permutation", "one element a dimension")
		}
		dims = make([]int64, len(p))
		for i, d := range p {
			if d >= 0 && d < int64(len(p)) {
				dims[i] = from.ParamDims[d]
			}
		}
	} else if !sameScales(from, to) {
		return op.Errorf("result is %s, want the scales and zero points of %s", op.Results[0].Type, op.Operands[0].Type)
	}
	if !slices.Equal(dims, to.ParamDims) {
		return op.Errorf("result is %s, want the blocks of %s", op.Results[0].Type, op.Operands[0].Type)
	}
	return nil
}

// checkQuantContract: StableHLO dot_general C14 to C20, convolution C28 to C34.
func checkQuantContract(op *Op, base string) error {
	if len(op.Operands) < 2 || len(op.Results) != 1 {
		return op.Errorf("has %d operands and %d results, want two and one", len(op.Operands), len(op.Results))
	}
	lhs, rhs, result := quantOf(op.Operands[0]), quantOf(op.Operands[1]), quantOf(op.Results[0])
	if rhs == nil { // C14, C28
		return op.Errorf("rhs is %s, want it quantised", op.Operands[1].Type)
	}
	if base == "dot_general" {
		for _, z := range rhs.ZeroPoints {
			if z != 0 { // C15
				return op.Errorf("rhs has zero point %d, want 0", z)
			}
		}
	}
	if lhs == nil {
		return checkHybrid(op, rhs, result)
	}
	if len(lhs.Axes) > 0 && lhs.Blocks == nil {
		return op.Errorf("lhs is %s, want one scale for the tensor", op.Operands[0].Type)
	}
	if lhs.Storage != rhs.Storage || lhs.Expressed != rhs.Expressed { // C17, C18; C31, C32
		return op.Errorf("mixes %s and %s, want the same storage and expressed type", lhs, rhs)
	}
	if result == nil || result.Expressed != lhs.Expressed {
		return op.Errorf("result is %s, want it quantised with expressed type %s", op.Results[0].Type, lhs.Expressed)
	}
	if len(rhs.Axes) == 0 && len(result.Axes) > 0 { // C19, C33
		return op.Errorf("result has scales along dimensions and rhs has not")
	}
	return checkContractAxes(op, base, rhs, result)
}

func checkHybrid(op *Op, rhs, result *QuantType) error {
	for _, v := range []*Value{op.Operands[0], op.Results[0]} {
		t, ok := v.Type.(*TensorType)
		if !ok || result != nil || t.Elem != rhs.Expressed { // C20, C34
			return op.Errorf("mixes %s and %s, want the expressed type %s", v.Type, op.Operands[1].Type, rhs.Expressed)
		}
	}
	return nil
}

// checkContractAxes checks the dimensions along which the scales of rhs and result differ. dot_general C16, convolution
// C29, C30.
func checkContractAxes(op *Op, base string, rhs, result *QuantType) error {
	if len(rhs.Axes) == 0 || rhs.Blocks != nil || result.Blocks != nil {
		return nil
	}
	axis, err := resultAxis(op, base, rhs.Axes[0])
	if err != nil {
		return err
	}
	if axis < 0 {
		return op.Errorf("rhs has scales along dimension %d, which is summed over", rhs.Axes[0])
	}
	if len(result.Axes) > 0 && result.Axes[0] != axis && strings.Contains(base, "conv") {
		return op.Errorf("result has scales along dimension %d, want %d", result.Axes[0], axis)
	}
	return nil
}
