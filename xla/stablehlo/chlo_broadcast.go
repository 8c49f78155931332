package stablehlo

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// broadcastImports are CHLO's ops that broadcast their operands to one shape first, as numpy does: dimensions are
// aligned at the last one, or as broadcast_dimensions says, and sizes of 1 stretch.
func broadcastImports() map[string]importFunc {
	imports := map[string]importFunc{
		"chlo.broadcast_compare": importBroadcastCompare,
		"chlo.broadcast_next_after": broadcasting(func(m *mathOps, x []*hlo.Instruction) *hlo.Instruction {
			unsigned, ok := bitsTypeOf(x[0].Shape.Type)
			if !ok {
				m.fail("operands are %v, want f64, f32, f16 or bf16", x[0].Shape)
				return x[0]
			}
			return m.nextAfter(x[0], x[1], unsigned)
		}),
		"chlo.broadcast_polygamma": broadcasting(upcast(polygamma)),
		"chlo.broadcast_select":    importBroadcastSelect,
		"chlo.broadcast_zeta":      broadcasting(upcast(zeta)),
	}
	for name, code := range map[string]hlo.Opcode{
		"add": hlo.Add, "and": hlo.And, "atan2": hlo.Atan2, "complex": hlo.Complex, "divide": hlo.Divide,
		"maximum": hlo.Maximum, "minimum": hlo.Minimum, "multiply": hlo.Multiply, "or": hlo.Or, "power": hlo.Power,
		"remainder": hlo.Remainder, "shift_left": hlo.ShiftLeft, "shift_right_arithmetic": hlo.ShiftRightArithmetic,
		"shift_right_logical": hlo.ShiftRightLogical, "subtract": hlo.Subtract, "xor": hlo.Xor,
	} {
		imports["chlo.broadcast_"+name] = broadcasting(func(m *mathOps, x []*hlo.Instruction) *hlo.Instruction {
			return m.do(code, nil, x...)
		})
	}
	return imports
}

// upcast computes a formula of narrow floats in f32.
func upcast(f func(m *mathOps, x []*hlo.Instruction) *hlo.Instruction) func(*mathOps,
	[]*hlo.Instruction) *hlo.Instruction {
	return func(m *mathOps, x []*hlo.Instruction) *hlo.Instruction {
		t := x[0].Shape.Type
		switch {
		case !t.IsFloat():
			m.fail("operands are %v, want floating point", x[0].Shape)
			return x[0]
		case t.Bits() >= 32:
			return f(m, x)
		}
		wide := make([]*hlo.Instruction, len(x))
		for i := range x {
			wide[i] = m.convert(x[i], shape.F32)
		}
		return m.convert(f(m, wide), t)
	}
}

func (m *mathOps) fail(format string, args ...any) {
	if m.err == nil {
		m.err = m.op.Errorf(format, args...)
	}
}

// broadcasting imports an op of two arrays by what is made of them once they have one shape.
func broadcasting(f func(m *mathOps, x []*hlo.Instruction) *hlo.Instruction) importFunc {
	return func(c *ctx, op *Op) error {
		x, err := c.operands(op)
		if err != nil {
			return err
		}
		if len(x) != 2 {
			return op.Errorf("has %d operands, want two", len(x))
		}
		m, x, err := broadcastOperands(c, op, x)
		if err != nil {
			return err
		}
		out := f(m, x)
		if m.err != nil {
			return m.err
		}
		return c.declare(op, out)
	}
}

func importBroadcastCompare(c *ctx, op *Op) error {
	a := &hlo.CompareAttrs{}
	if err := setAttrs(op, a); err != nil {
		return err
	}
	return broadcasting(func(m *mathOps, x []*hlo.Instruction) *hlo.Instruction {
		return m.do(hlo.Compare, a, x...)
	})(c, op)
}

func importBroadcastSelect(c *ctx, op *Op) error {
	x, err := c.operands(op)
	if err != nil {
		return err
	}
	if len(x) != 3 {
		return op.Errorf("has %d operands, want three", len(x))
	}
	m, x, err := broadcastOperands(c, op, x)
	if err != nil {
		return err
	}
	out := m.choose(x[0], x[1], x[2])
	if m.err != nil {
		return m.err
	}
	return c.declare(op, out)
}

// broadcastOperands broadcasts operands to one shape.
func broadcastOperands(c *ctx, op *Op, x []*hlo.Instruction) (*mathOps, []*hlo.Instruction, error) {
	rank := 0
	for i, o := range x {
		if !o.Shape.IsArray() {
			return nil, nil, op.Errorf("operand %d is %v, want an array", i, o.Shape)
		}
		rank = max(rank, o.Shape.Rank())
	}
	dims, err := alignment(op, x, rank)
	if err != nil {
		return nil, nil, err
	}
	out, err := joined(op, x, dims, rank)
	if err != nil {
		return nil, nil, err
	}
	m := &mathOps{c: c, op: op, like: x[0], consts: map[constKey]*hlo.Instruction{}}
	spread := make([]*hlo.Instruction, len(x))
	for i, o := range x {
		spread[i] = m.spread(o, x, dims, i, out)
	}
	m.like, m.sizes = spread[0], nil
	return m, spread, m.err
}

// alignment returns for each operand which dimension of the result each of its own is.
func alignment(op *Op, x []*hlo.Instruction, rank int) ([][]int64, error) {
	dims := make([][]int64, len(x))
	for i, o := range x {
		for d := range o.Shape.Dims {
			dims[i] = append(dims[i], int64(rank-o.Shape.Rank()+d))
		}
	}
	if op.Attr("broadcast_dimensions") == nil {
		return dims, nil
	}
	given, err := op.Ints("broadcast_dimensions")
	if err != nil {
		return nil, err
	}
	for i, o := range x {
		if o.Shape.Rank() == rank {
			continue
		}
		ascending := slices.IsSorted(given) && len(slices.Compact(slices.Clone(given))) == len(given)
		if len(given) != o.Shape.Rank() || !ascending ||
			len(given) > 0 && (given[0] < 0 || given[len(given)-1] >= int64(rank)) {
			return nil, op.wrong("broadcast_dimensions",
				"one ascending dimension of the result for each of the smaller operand")
		}
		dims[i] = given
	}
	return dims, nil
}

// joined returns the shape, without a type, that all operands stretch to.
func joined(op *Op, x []*hlo.Instruction, dims [][]int64, rank int) (shape.Shape, error) {
	out := shape.Shape{Dims: make([]int64, rank), Dynamic: make([]bool, rank)}
	for d := range out.Dims {
		out.Dims[d] = 1
	}
	for i, o := range x {
		for k, d := range dims[i] {
			n, dynamic := o.Shape.Dims[k], o.Shape.IsDynamicDim(k)
			switch old := out.Dims[d]; {
			case old == 1 && !out.Dynamic[d]:
				out.Dims[d], out.Dynamic[d] = n, dynamic
			case n == 1 && !dynamic, n == old && dynamic == out.Dynamic[d]:
			case out.Dynamic[d] && !dynamic: // a known size is better
				out.Dims[d], out.Dynamic[d] = n, false
			case !dynamic && !out.Dynamic[d]:
				return out, op.Errorf("sizes %d and %d of dimension %d do not go together", old, n, d)
			case n != old && !out.Dynamic[d]: // keeps the known one
			case n != old:
				out.Dims[d] = shape.Unbounded
			}
		}
	}
	if !slices.Contains(out.Dynamic, true) {
		out.Dynamic = nil
	}
	return out, nil
}

// spread broadcasts operand i to out.
func (m *mathOps) spread(o *hlo.Instruction, x []*hlo.Instruction, dims [][]int64, i int,
	out shape.Shape) *hlo.Instruction {
	s := shape.Shape{Type: o.Shape.Type, Dims: out.Dims, Dynamic: out.Dynamic}
	switch {
	case o.Shape.Compatible(s) && !s.IsDynamic():
		return o
	case !s.IsDynamic() && !o.Shape.IsDynamic():
		return m.told(hlo.Broadcast, &hlo.BroadcastAttrs{Dimensions: dims[i]}, s, o)
	}
	if m.sizes == nil {
		m.sizes = m.joinedSizes(x, dims, out)
	}
	return m.told(hlo.DynamicBroadcastInDim, &hlo.DynamicBroadcastAttrs{Dimensions: dims[i]}, s, o, m.sizes)
}

// joinedSizes is the vector of the sizes that the operands stretch to, found at run time.
func (m *mathOps) joinedSizes(x []*hlo.Instruction, dims [][]int64, out shape.Shape) *hlo.Instruction {
	one := m.scalar(1)
	sizes := make([]*hlo.Instruction, len(out.Dims))
	for d := range sizes {
		sizes[d] = one
		for i, o := range x {
			k := slices.Index(dims[i], int64(d))
			if k < 0 || o.Shape.Dims[k] == 1 && !o.Shape.IsDynamicDim(k) {
				continue
			}
			n := m.do(hlo.GetDimensionSize, &hlo.DimensionAttrs{Dimension: hlo.OneDim(k)}, o)
			if sizes[d] == one {
				sizes[d] = n
			} else {
				sizes[d] = m.choose(m.compare(sizes[d], hlo.Eq, one), n, sizes[d])
			}
		}
	}
	return m.vector(sizes)
}

// scalar is an s32 constant.
func (m *mathOps) scalar(v int32) *hlo.Instruction {
	if m.err != nil {
		return m.like
	}
	in, err := m.c.constant(m.op, literal.Scalar(v))
	if err != nil {
		m.err = err
		return m.like
	}
	return in
}
