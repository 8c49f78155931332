package scalar

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Vectors that are matrices: what is done to their rows.

// repeatsLanes reports whether in, a broadcast, lays each element side by side several times.
func repeatsLanes(in *hlo.Instruction) bool {
	from := in.Operands[0].Shape
	for d, to := range in.Attrs.(*hlo.BroadcastAttrs).Dimensions {
		if int(to) != d || from.Dims[d] != in.Shape.Dims[d] {
			return false
		}
	}
	return from.Size() < in.Shape.Size()
}

// repeated returns a vector of n lanes that has each element of v, an array of shape s, several times.
func (c *compiler) repeated(v value, s shape.Shape, n int) value {
	d, each := c.freshVector(n), n/int(s.Size())
	for i := range int(s.Size()) {
		r := v[min(i, len(v)-1)]
		if c.lanesOf(s) > 0 {
			r = c.lane(r, c.constant(uint64(i)), int(s.Size())-1, s.Type)
		}
		row := c.freshVector(each)
		c.moveVector(row, r)
		c.emit(Instr{Op: VecCopy, D: d, A: row, C: uint16(i * each), Imm: int32(each)})
	}
	return value{d}
}

// reduceRows reduces vectors along their first dimensions: the reducer is that of elements, on a row at a time.
func (c *compiler) reduceRows(in *hlo.Instruction, args []value) (value, error) {
	a, n := in.Attrs.(*hlo.ReduceAttrs), len(in.Operands)/2
	acc := make([]value, 2*n)
	for k := range n {
		acc[k] = args[n+k]
	}
	lanes := int(in.Shape.Leaves()[0].Size())
	for i := range int(in.Operands[0].Shape.Size()) / lanes {
		for k := range n {
			acc[n+k] = value{c.row(args[k][0], i*lanes, lanes)}
		}
		v, err := c.inline(a.ToApply, acc)
		if err != nil {
			return nil, err
		}
		for k := range n {
			acc[k] = v[k : k+1]
		}
	}
	return slices.Concat(acc[:n]...), nil
}

// row returns n lanes of vector v from a place on.
func (c *compiler) row(v uint16, at, n int) uint16 {
	if c.vectors[v] == 0 {
		return v
	}
	d := c.freshVector(n)
	c.emit(Instr{Op: VecCopy, D: d, A: v, E: uint16(at), Imm: int32(n)})
	return d
}

// reducesRows reports whether in reduces vectors along their first dimensions to vectors.
func (c *compiler) reducesRows(in *hlo.Instruction) bool {
	a := in.Attrs.(*hlo.ReduceAttrs)
	for d := range a.Dimensions {
		if !slices.Contains(a.Dimensions, int64(d)) {
			return false
		}
	}
	for i, o := range in.Operands[:len(in.Operands)/2] {
		if c.lanesOf(o.Shape) == 0 || o.Shape.Type != a.ToApply.Parameters[i].Shape.Type {
			return false
		}
	}
	return c.lanesOf(in.Shape.Leaves()[0]) > 0 && onlyElements(a.ToApply)
}

// onlyElements reports whether vectors may take the place of numbers in comp.
func onlyElements(comp *hlo.Computation) bool {
	for _, in := range comp.Instructions {
		switch in.Op {
		case hlo.Parameter, hlo.Constant, hlo.Tuple:
		default:
			if forms[in.Op] != nil || !perElement(in) {
				return false
			}
		}
		for _, s := range in.Shape.Leaves() {
			if !isLane[s.Type] || s.Size() != 1 {
				return false
			}
		}
	}
	return true
}
