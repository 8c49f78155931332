package scalar

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// manyRegisters is how many registers one instruction moves, loads or stores rather than one for each.
const manyRegisters = 8

// movesArrays are the ops that arrays of more than maxElements may go through: they move no element, or those at places
// that the program computes.
var movesArrays = [hlo.NumOps]bool{hlo.Tuple: true, hlo.GetTupleElement: true, hlo.Copy: true, hlo.Reshape: true,
	hlo.Bitcast: true, hlo.OptimizationBarrier: true, hlo.Domain: true, hlo.Constant: true, hlo.Slice: true,
	hlo.DynamicSlice: true, hlo.DynamicUpdateSlice: true, hlo.Scatter: true, hlo.GetDimensionSize: true,
	hlo.While: true, hlo.Conditional: true, hlo.Call: true, hlo.Fusion: true}

// largest returns the elements of the largest array that in reads or makes.
func (c *compiler) largest(in *hlo.Instruction) int {
	leaves, _ := c.leavesOf(nil, in.Shape)
	for _, o := range in.Operands {
		leaves, _ = c.leavesOf(leaves, o.Shape)
	}
	n := 0
	for _, l := range leaves {
		if l.lanes == 0 {
			n = max(n, l.Elements)
		}
	}
	return n
}

// freshLeaf returns registers for a leaf, side by side. An array's may be written to in place.
func (c *compiler) freshLeaf(l Leaf) value {
	if l.lanes > 0 {
		return value{c.freshVector(l.lanes)}
	}
	v, w := make(value, l.Elements), width(l.Type)
	first := c.reserve(l.Elements * w)
	for i := range v {
		v[i] = first + uint16(i*w)
	}
	if l.Elements > 1 {
		c.blocks[first] = l.Elements * w
	}
	for i := range v[:min(len(v), maxElements)] {
		c.knows(v[i], boundsOf(l.Type))
	}
	return v
}

// sideBySide reports whether elements of w registers lie one behind the other.
func (v value) sideBySide(w int) bool {
	for i, r := range v {
		if int(r) != int(v[0])+i*w {
			return false
		}
	}
	return true
}

// overlaps reports whether an element begins in one of n registers.
func (v value) overlaps(first uint16, n int) bool {
	return slices.ContainsFunc(v, func(r uint16) bool { return r >= first && int(r) < int(first)+n })
}

// copied returns a copy of the array v.
func (c *compiler) copied(v value, s shape.Shape) value {
	to, widths := c.fresh(s), c.elementWidths(s)
	c.move(to.registers(widths), v.registers(widths))
	return to
}

// lined returns the elements of the array v side by side.
func (c *compiler) lined(v value, s shape.Shape) value {
	if v.sideBySide(width(s.Type)) {
		return v
	}
	return c.copied(v, s)
}

// own returns an array with the contents of v to write to: v itself if nothing will look at it any more.
func (c *compiler) own(v value, s shape.Shape) value {
	n := len(v) * width(s.Type)
	if c.blocks[v[0]] == n && v.sideBySide(width(s.Type)) && !c.needed(v[0], n) {
		return v
	}
	return c.copied(v, s)
}

// window is where a window of an array begins: at a register's number of registers behind the array's first, which is
// at most last.
type window struct {
	at   uint16
	last int32
}

// clamped returns the window of sizes dims in an array of shape s, at indices of type t, clamped so that it lies in
// the array.
func (c *compiler) clamped(s shape.Shape, dims []int64, indices value, t shape.ElementType) window {
	w := window{at: c.constant(0)}
	step := int64(width(s.Type))
	for d := len(dims) - 1; d >= 0; d-- {
		if most := s.Dims[d] - dims[d]; most > 0 {
			w.at = c.addIndex(w.at, c.between(indices[d], most, t), step)
			w.last += int32(most * step)
		}
		step *= s.Dims[d]
	}
	return w
}

// between clamps an index to 0 ... most.
func (c *compiler) between(r uint16, most int64, t shape.ElementType) uint16 {
	if !t.IsSigned() {
		return c.op(MinU, 0, r, c.constant(uint64(most)))
	}
	return c.op(MinS, 0, c.op(MaxS, 0, r, c.constant(0)), c.constant(uint64(most)))
}

// addIndex returns sum + index*step.
func (c *compiler) addIndex(sum, index uint16, step int64) uint16 {
	if step != 1 {
		index = c.op(MulS, 64, index, c.constant(uint64(step)))
	}
	if sum == c.constant(0) {
		return index
	}
	return c.op(AddS, 64, sum, index)
}

// fetch emits loads of the element of w registers that is at from if the window is at the array's beginning.
func (c *compiler) fetch(at window, from uint16, w int) uint16 {
	d := c.reserve(w)
	for part := range uint16(w) {
		c.emit(Instr{Op: Fetch, D: d + part, A: from + part, B: at.at, Imm: at.last})
	}
	return d
}

// put emits stores to that element.
func (c *compiler) put(at window, to, from uint16, w int) {
	for part := range uint16(w) {
		c.emit(Instr{Op: Put, D: to + part, A: at.at, B: from + part, Imm: at.last})
	}
}

func (c *compiler) dynamicSlice(in *hlo.Instruction, args []value) (value, error) {
	s := in.Operands[0].Shape
	if slices.Equal(in.Shape.Dims, s.Dims) {
		return args[0], nil
	}
	if in.Shape.Size() > maxElements {
		return nil, unsupported("dynamic-slice of %v", in.Shape)
	}
	if c.inMemory(s) {
		return c.fetchWindow(in, args)
	}
	x := c.lined(args[0], s)
	at := c.clamped(s, in.Shape.Dims, slices.Concat(args[1:]...), in.Operands[1].Shape.Type)
	var out value
	eachIndex(in.Shape.Dims, func(index []int64) {
		out = append(out, c.fetch(at, x[position(s.Dims, index)], width(s.Type)))
	})
	return out, nil
}

func (c *compiler) dynamicUpdateSlice(in *hlo.Instruction, args []value) (value, error) {
	s, u := in.Shape, in.Operands[1].Shape
	if slices.Equal(s.Dims, u.Dims) {
		return args[1], nil
	}
	if u.Size() == 0 { // the operand may have no register, either
		return args[0], nil
	}
	if u.Size() > maxElements {
		return nil, unsupported("dynamic-update-slice of %v", u)
	}
	if c.inMemory(s) {
		return c.putWindow(in, args)
	}
	out, update := c.own(args[0], s), args[1]
	if w := width(s.Type); update.overlaps(out[0], len(out)*w) {
		update = c.copied(update, u)
	}
	at := c.clamped(s, u.Dims, slices.Concat(args[2:]...), in.Operands[2].Shape.Type)
	k := 0
	eachIndex(u.Dims, func(index []int64) {
		c.put(at, out[position(s.Dims, index)], update[k], width(s.Type))
		k++
	})
	return out, nil
}

// scatter takes one update: an element, or all that lies at one place of the dimensions that it is scattered along. It
// is left out if its place is not in the array.
func (c *compiler) scatter(in *hlo.Instruction, args []value) (value, error) {
	a, s := in.Attrs.(*hlo.ScatterAttrs), in.Shape
	if len(args) != 3 || len(args[1]) != len(a.ScatterDimsToOperandDims) || len(a.InputBatchingDims) > 0 ||
		len(args[0]) == 0 || !isSlab(a, s, in.Operands[2].Shape) {
		return nil, unsupported("scatter of %v to %v", in.Operands[len(in.Operands)-1].Shape, s)
	}
	for _, p := range append(a.ToApply.Parameters, a.ToApply.Root) {
		if p.Shape.Type != s.Type {
			return nil, unsupported("scatter in a wider type")
		}
	}
	out, at := c.own(args[0], s), c.within(s, a.ScatterDimsToOperandDims, args[1])
	update, w := args[2], width(s.Type)
	if len(update) > 1 && update.overlaps(out[0], len(out)*w) {
		update = c.copied(update, in.Operands[2].Shape)
	}
	for k, place := range places(s.Dims, nil, shape.OtherDims(s.Rank(), a.ScatterDimsToOperandDims))[0] {
		v, err := c.inline(a.ToApply, []value{{c.fetch(at, out[place], w)}, update[k : k+1]})
		if err != nil {
			return nil, err
		}
		c.put(at, out[place], v[0], w)
	}
	return out, nil
}

// isSlab reports whether an update of shape u is all that lies at one place of the dimensions of s that a scatters
// along, and no more than maxElements.
func isSlab(a *hlo.ScatterAttrs, s, u shape.Shape) bool {
	elements, k := int64(1), 0
	for d, n := range s.Dims {
		if slices.Contains(a.ScatterDimsToOperandDims, int64(d)) {
			n = 1
		}
		window := int64(1)
		if !slices.Contains(a.InsertedWindowDims, int64(d)) {
			window = u.Dims[a.UpdateWindowDims[k]]
			k++
		}
		if window != n {
			return false
		}
		elements *= n
	}
	return u.Size() == elements && elements <= maxElements
}

// within returns the window of one element of an array of shape s at the indices of its dimensions dims, or of all that
// lies there. It is beyond last if one of them is out of range.
func (c *compiler) within(s shape.Shape, dims []int64, indices value) window {
	at, inside, strides := c.constant(0), c.constant(1), shape.Strides(s.Dims)
	last, w := int64(0), int64(width(s.Type))
	for k, d := range dims {
		at = c.addIndex(at, indices[k], strides[d]*w)
		inside = c.op(And, 0, inside, c.op(LtU, 0, indices[k], c.constant(uint64(s.Dims[d]))))
		last += (s.Dims[d] - 1) * strides[d] * w
	}
	return window{at: c.chosen(inside, at, c.constant(^uint64(0))), last: int32(last)}
}
