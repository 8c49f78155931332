package scalar

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// loop is one whose body is being compiled: what its rounds only hand on, and what is transposed before the first of
// them. The code for that comes when all of the loop is there: until then, places of jumps are known by number.
type loop struct {
	kept       map[uint16]bool
	transposed map[[3]uint16]uint16
	before     []Instr
}

func newLoop(state, init value) *loop {
	l := &loop{kept: map[uint16]bool{}, transposed: map[[3]uint16]uint16{}}
	for i, r := range state {
		l.kept[r] = r == init[i]
	}
	return l
}

// vectorDot is a product of a row, or of some, and a matrix that is a vector: each row of the result is a sum of rows
// of the matrix. That is transposed before a loop that leaves it as it is.
func (c *compiler) vectorDot(in *hlo.Instruction, args []value) (value, error) {
	x, y, ok := sidesOf(in, args)
	if !ok {
		return nil, noDot(in)
	}
	k, n := x.Dims[x.summed], y.Size()/max(y.Dims[y.summed], 1)
	matrix, ok := c.rowsOf(y)
	if !ok || x.Rank() > 2 || x.Rank() == 2 && x.summed != 1 || c.lanes(shape.F32, int(n)) == 0 || k == 0 ||
		int(x.Size()/k)*int(n) > maxLanes || k > maxSummed {
		return nil, noDot(in)
	}
	from, rows := c.sideAsVector(x), int(x.Size()/k)
	row := func(i int) uint16 {
		d := c.freshVector(int(n))
		c.emit(Instr{Op: VecDot, D: d, A: from, B: matrix, C: uint16(i * int(k)), E: uint16(k), Imm: int32(n)})
		return d
	}
	if rows == 1 {
		return value{row(0)}, nil
	}
	d := c.freshVector(rows * int(n))
	for i := range rows {
		c.emit(Instr{Op: VecCopy, D: d, A: row(i), C: uint16(i * int(n)), Imm: int32(n)})
	}
	return value{d}, nil
}

func noDot(in *hlo.Instruction) error {
	return unsupported("dot of %v and %v", in.Operands[0].Shape, in.Operands[1].Shape)
}

// sidesOf returns the sides of a dot of f32 without a batch, the one that may be a matrix last: a matrix and a column
// are the column and the matrix.
func sidesOf(in *hlo.Instruction, args []value) (x, y side, ok bool) {
	a, ls, rs := in.Attrs.(*hlo.DotAttrs), in.Operands[0].Shape, in.Operands[1].Shape
	if len(a.LHSBatch) > 0 || len(a.LHSContracting) != 1 || a.Algorithm != "" || in.Shape.Type != shape.F32 ||
		ls.Type != shape.F32 || rs.Type != shape.F32 {
		return side{}, side{}, false
	}
	x, y = side{ls, args[0], a.LHSContracting[0]}, side{rs, args[1], a.RHSContracting[0]}
	if rs.Rank() == 1 {
		x, y = y, x
	}
	return x, y, true
}

// maxSummed bounds the terms of a sum.
const maxSummed = 64

// side is an operand of a dot, which is summed along a dimension.
type side struct {
	shape.Shape
	value  value
	summed int64
}

// sideAsVector returns the elements of a side as lanes side by side.
func (c *compiler) sideAsVector(s side) uint16 {
	n := int(s.Size())
	if c.lanesOf(s.Shape) > 0 {
		return c.asVector(s.value[0], n)
	}
	v := c.freshVector(n)
	for i, r := range s.value {
		c.emit(Instr{Op: VecPut, D: v, A: c.constant(uint64(i)), B: r, Imm: int32(n - 1)})
	}
	return v
}

// rowsOf returns the vector of a matrix whose rows are added, if it is one.
func (c *compiler) rowsOf(s side) (uint16, bool) {
	if s.Rank() != 2 || c.lanesOf(s.Shape) == 0 {
		return 0, false
	}
	v := c.asVector(s.value[0], int(s.Size()))
	if s.summed == 0 {
		return v, true
	}
	if len(c.loops) == 0 {
		return 0, false
	}
	l := c.loops[len(c.loops)-1]
	key := [3]uint16{v, uint16(s.Dims[0]), uint16(s.Dims[1])}
	if t, ok := l.transposed[key]; ok {
		return t, true
	}
	if !l.kept[v] && c.blocks[v] > 0 { // a constant stays, too
		return 0, false
	}
	t := c.freshVector(int(s.Size()))
	l.before = append(l.before, Instr{Op: VecTranspose, D: t, A: v, C: key[1], E: key[2]})
	c.blocks[t] = 0 // what is there before the loop stays
	l.transposed[key] = t
	return t, true
}

// precede puts what is done before a loop, whose jump back is there, where that begins at place at. What jumps to there
// comes by it, but the loop.
func (c *compiler) precede(at int, list []Instr) {
	for i := range c.code {
		j := &c.code[i]
		if to := int(j.Imm); j.Op.jumps() && (to > at || to == at && i >= at) {
			j.Imm += int32(len(list))
		}
	}
	c.code = slices.Insert(c.code, at, list...)
}
