package scalar

import (
	"math"
	"slices"

	native "github.com/halo-xla/halo/cgo/loops/scalar"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Arrays of some numbers of 32 bits, and of predicates, may lie in registers as vectors: two lanes of 32 bits in each,
// from a multiple of 64 bytes on. The first of its registers stands for the vector: all others are read and written
// with it only. Where a vector is wanted, any other register is a number that all its lanes have.

const (
	// minLanes and maxLanes bound vectors; fewer elements have a register each.
	minLanes = 8
	maxLanes = 512
	// lineRegisters is how many registers take 64 bytes.
	lineRegisters = 8
	// maxVectorRegisters bounds the registers of programs with vectors, which ought to stay in the nearest cache.
	maxVectorRegisters = 1 << 12
)

// isLane says which types lanes have. A predicate's is 0 or 1.
var isLane = map[shape.ElementType]bool{shape.F32: true, shape.S32: true, shape.U32: true, shape.Pred: true}

// lanes returns how many lanes the vector of an array of n elements has, 0 if it is none.
func (c *compiler) lanes(t shape.ElementType, n int) int {
	if c.vectors == nil || n < minLanes || n > maxLanes || !isLane[t] {
		return 0
	}
	return n
}

func (c *compiler) lanesOf(s shape.Shape) int {
	if !s.IsArray() {
		return 0
	}
	return c.lanes(s.Type, int(s.Size()))
}

// freshVector returns a vector that may be written to in place.
func (c *compiler) freshVector(n int) uint16 {
	for len(c.image)%lineRegisters != 0 {
		c.image = append(c.image, 0)
	}
	r := c.reserve((n + 2*lineRegisters - 1) / (2 * lineRegisters) * lineRegisters)
	c.vectors[r], c.blocks[r] = n, 1
	return r
}

// onLanes emits op of x, of which one at least is a vector of n lanes.
func (c *compiler) onLanes(op Op, imm int32, x [3]uint16, n int) uint16 {
	kernel := op
	switch {
	case (op == Extend || op == Cut) && imm == 32, op == FToD, op == DToF:
		return x[0]
	case op == Call:
		kernel = numOps + Op(imm)
	}
	if !native.Vectors(int(kernel), false) || (op == DToS || op == DToU) && imm != 32 {
		c.fails("%s of a vector", operations[op].name)
		return x[0]
	}
	how := int32(n)
	for k, r := range x {
		if c.vectors[r] == 0 {
			how |= 1 << (24 + k)
		}
	}
	d := c.freshVector(n)
	c.emit(Instr{Op: Vec, D: d, A: x[0], B: x[1], C: x[2], E: uint16(kernel), Imm: how})
	return d
}

// fails makes the compilation fail where nobody can be told.
func (c *compiler) fails(format string, args ...any) {
	if c.failed == nil {
		c.failed = unsupported(format, args...)
	}
}

// asVector returns r as a vector of n lanes.
func (c *compiler) asVector(r uint16, n int) uint16 {
	if c.vectors[r] > 0 {
		return r
	}
	return c.onLanes(Move, 0, [3]uint16{r}, n)
}

// ownVector returns a vector with the lanes of r to write to: r itself if nothing will look at it any more.
func (c *compiler) ownVector(r uint16, n int) uint16 {
	if c.vectors[r] > 0 && c.blocks[r] > 0 && !c.needed(r, 1) {
		return r
	}
	d := c.freshVector(n)
	c.moveVector(d, r)
	return d
}

func (c *compiler) moveVector(to, from uint16) {
	n := c.vectors[to]
	if c.vectors[from] == 0 {
		c.emit(Instr{Op: Vec, D: to, A: from, E: uint16(Move), Imm: int32(n) | 7<<24})
		return
	}
	c.emit(Instr{Op: VecMove, D: to, A: from, Imm: int32(n)})
}

// inBytes is 1 for types that take a byte in memory, which all lanes but predicates' do not.
func inBytes(t shape.ElementType) uint16 {
	if t == shape.Pred {
		return 1
	}
	return 0
}

// isSigned is 1 for types whose lanes become registers by extension of the sign.
func isSigned(t shape.ElementType) uint16 {
	if t == shape.S32 {
		return 1
	}
	return 0
}

// lane returns a register with lane number at of vector v, at most last.
func (c *compiler) lane(v, at uint16, last int, t shape.ElementType) uint16 {
	if c.vectors[v] == 0 {
		return v
	}
	d := c.reserve(1)
	c.emit(Instr{Op: VecFetch, D: d, A: v, B: at, E: isSigned(t), Imm: int32(last)})
	c.knows(d, boundsOf(t))
	return d
}

// vectorForms are the ops on vectors that are neither elementwise nor do without knowing of them.
var vectorForms map[hlo.Opcode]form

func init() {
	vectorForms = map[hlo.Opcode]form{
		hlo.Constant:           (*compiler).vectorConstant,
		hlo.Broadcast:          (*compiler).vectorBroadcast,
		hlo.Iota:               (*compiler).vectorIota,
		hlo.Slice:              (*compiler).vectorSlice,
		hlo.Concatenate:        (*compiler).vectorConcatenate,
		hlo.DynamicSlice:       (*compiler).vectorWindow,
		hlo.DynamicUpdateSlice: (*compiler).vectorUpdate,
		hlo.Reduce:             (*compiler).vectorReduce,
		hlo.Dot:                (*compiler).vectorDot,
	}
}

// vectorForm returns the form of an op if it has to do with a vector, and whether it does.
func (c *compiler) vectorForm(in *hlo.Instruction) (form, bool) {
	if c.vectors == nil || takesAll[in.Op] {
		return nil, false
	}
	some := c.lanesOf(in.Shape) > 0
	for _, o := range in.Operands {
		some = some || c.lanesOf(o.Shape) > 0
	}
	if !some {
		return nil, false
	}
	if f := vectorForms[in.Op]; f != nil {
		return f, true
	}
	if forms[in.Op] == nil && perElement(in) {
		return (*compiler).vectorElements, true
	}
	return func(*compiler, *hlo.Instruction, []value) (value, error) {
		return nil, unsupported("%s of a vector", in.Op)
	}, true
}

// takesAll are the ops that hand on values as they are.
var takesAll = [hlo.NumOps]bool{hlo.Tuple: true, hlo.GetTupleElement: true, hlo.Copy: true, hlo.Reshape: true,
	hlo.Bitcast: true, hlo.OptimizationBarrier: true, hlo.Domain: true, hlo.While: true, hlo.Conditional: true,
	hlo.Call: true, hlo.Fusion: true, hlo.GetDimensionSize: true}

// vectorElements is an elementwise op: what its instructions on registers are, they are on vectors.
func (c *compiler) vectorElements(in *hlo.Instruction, args []value) (value, error) {
	n := c.lanesOf(in.Shape)
	for _, o := range in.Operands {
		if m := c.lanesOf(o.Shape); m != n && o.Shape.Size() != 1 {
			return nil, unsupported("%s of %v", in.Op, o.Shape)
		}
	}
	if n == 0 {
		return nil, unsupported("%s of shape %v", in.Op, in.Shape)
	}
	return c.elementwise(in, args, 1)
}

// vectorOf makes a vector that always has the lanes that get says.
func (c *compiler) vectorOf(n int, get func(i int) uint32) value {
	r := c.freshVector(n)
	c.blocks[r] = 0 // for good
	for i := range n {
		c.image[int(r)+i/2] |= uint64(get(i)) << (32 * (i % 2))
	}
	return value{r}
}

func (c *compiler) vectorConstant(in *hlo.Instruction, _ []value) (value, error) {
	bits := bitsOf(in.Attrs.(*hlo.ConstantAttrs).Literal.RowMajor())
	for _, b := range bits {
		if b != bits[0] {
			return c.vectorOf(len(bits), func(i int) uint32 { return uint32(bits[i][0]) }), nil
		}
	}
	return value{c.constant(bits[0][0])}, nil
}

func (c *compiler) vectorIota(in *hlo.Instruction, _ []value) (value, error) {
	d := in.Attrs.(*hlo.IotaAttrs).Dimension
	var counts []uint32
	eachIndex(in.Shape.Dims, func(index []int64) {
		v := uint32(index[d])
		if in.Shape.Type == shape.F32 {
			v = math.Float32bits(float32(index[d]))
		}
		counts = append(counts, v)
	})
	return c.vectorOf(len(counts), func(i int) uint32 { return counts[i] }), nil
}

// vectorBroadcast spreads one number, or lays the lanes of a vector side by side several times.
func (c *compiler) vectorBroadcast(in *hlo.Instruction, args []value) (value, error) {
	from, n := in.Operands[0].Shape, c.lanesOf(in.Shape)
	dims, rank := in.Attrs.(*hlo.BroadcastAttrs).Dimensions, len(in.Shape.Dims)
	for d, to := range dims {
		if int(to) != rank-len(dims)+d || from.Dims[d] != in.Shape.Dims[to] {
			dims = nil // not the last ones as they are
			break
		}
	}
	if n > 0 && from.Size() > 1 && repeatsLanes(in) && (c.lanesOf(from) == 0 || c.vectors[args[0][0]] > 0) {
		return c.repeated(args[0], from, n), nil
	}
	switch {
	case from.Size() == 1 && n > 0, n > 0 && c.lanesOf(from) > 0 && c.vectors[args[0][0]] == 0:
		return args[0], nil
	case n == 0 || c.lanesOf(from) == 0 || dims == nil:
		return nil, unsupported("broadcast of %v", from)
	case int(from.Size()) == n:
		return args[0], nil
	}
	d := c.freshVector(n)
	for at := 0; at < n; at += int(from.Size()) {
		c.emit(Instr{Op: VecCopy, D: d, A: args[0][0], C: uint16(at), Imm: int32(from.Size())})
	}
	return value{d}, nil
}

// isRun reports whether the elements of a window of the given sizes, of an array of sizes dims, lie side by side.
func isRun(dims, window []int64) bool {
	whole := true // of all dimensions further in
	for d := len(dims) - 1; d >= 0; d-- {
		if !whole && window[d] != 1 {
			return false
		}
		whole = whole && window[d] == dims[d]
	}
	return true
}

// lanesAt returns the lanes of vector v at a window's places from register at on: a vector, or registers of few.
func (c *compiler) lanesAt(v uint16, s, out shape.Shape, at window) (value, error) {
	n := int(out.Size())
	if c.vectors[v] == 0 {
		return slices.Repeat(value{v}, c.count(out)), nil
	}
	if c.lanesOf(out) > 0 {
		if !isRun(s.Dims, out.Dims) {
			return nil, unsupported("a window %v of %v", out, s)
		}
		d := c.freshVector(n)
		c.emit(Instr{Op: VecWindow, D: d, A: v, B: at.at, E: uint16(at.last), Imm: int32(n)})
		return value{d}, nil
	}
	var list value
	eachIndex(out.Dims, func(index []int64) {
		place := c.addIndex(at.at, c.constant(uint64(position(s.Dims, index))), 1)
		list = append(list, c.lane(v, place, int(s.Size())-1, s.Type))
	})
	return list, nil
}

func (c *compiler) vectorSlice(in *hlo.Instruction, args []value) (value, error) {
	s, first := in.Operands[0].Shape, []int64{}
	for _, d := range in.Attrs.(*hlo.SliceAttrs).Slice {
		if d.Stride > 1 {
			return nil, unsupported("slice with a stride")
		}
		first = append(first, d.Start)
	}
	if c.lanesOf(s) == 0 {
		return nil, unsupported("slice of %v", s)
	}
	at := int32(position(s.Dims, first))
	return c.lanesAt(args[0][0], s, in.Shape, window{c.constant(uint64(at)), at})
}

func (c *compiler) vectorConcatenate(in *hlo.Instruction, args []value) (value, error) {
	for _, n := range in.Shape.Dims[:in.Attrs.(*hlo.ConcatenateAttrs).Dimension] {
		if n != 1 {
			return nil, unsupported("concatenate of %v", in.Shape)
		}
	}
	n := c.lanesOf(in.Shape)
	if n == 0 {
		return nil, unsupported("concatenate of %v", in.Shape)
	}
	d, at := c.freshVector(n), 0
	for k, o := range in.Operands {
		m := int(o.Shape.Size())
		if c.lanesOf(o.Shape) > 0 {
			c.emit(Instr{Op: VecCopy, D: d, A: c.asVector(args[k][0], m), C: uint16(at), Imm: int32(m)})
		} else {
			for i, r := range args[k] {
				c.emit(Instr{Op: VecPut, D: d, A: c.constant(uint64(at + i)), B: r, Imm: int32(n - 1)})
			}
		}
		at += m
	}
	return value{d}, nil
}

// vectorWindow is dynamic-slice of a vector, or of an array in memory to one.
func (c *compiler) vectorWindow(in *hlo.Instruction, args []value) (value, error) {
	s := in.Operands[0].Shape
	if c.count(in.Shape) != int(in.Shape.Size()) && c.lanesOf(in.Shape) == 0 {
		return nil, unsupported("dynamic-slice to %v", in.Shape)
	}
	at := c.clamped(s, in.Shape.Dims, slices.Concat(args[1:]...), in.Operands[1].Shape.Type)
	switch {
	case c.lanesOf(s) > 0:
		return c.lanesAt(args[0][0], s, in.Shape, at)
	case !c.inMemory(s) || !isRun(s.Dims, in.Shape.Dims):
		return nil, unsupported("dynamic-slice of %v", s)
	}
	d := c.freshVector(int(in.Shape.Size()))
	c.emit(Instr{Op: VecLoadAt, D: d, A: uint16(c.arrays[args[0][0]].stream), B: at.at, C: uint16(in.Shape.Size()),
		E: inBytes(s.Type)})
	return value{d}, nil
}

// vectorUpdate is dynamic-update-slice of a vector, or of an array in memory with one.
func (c *compiler) vectorUpdate(in *hlo.Instruction, args []value) (value, error) {
	s, u := in.Shape, in.Operands[1].Shape
	n := c.lanesOf(u)
	if c.lanesOf(s) == 0 && (!c.inMemory(s) || n == 0 || c.needed(args[0][0], 1)) || n > 0 && !isRun(s.Dims, u.Dims) ||
		u.Size() == 0 || n == 0 && c.count(u) != int(u.Size()) {
		return nil, unsupported("dynamic-update-slice of %v", s)
	}
	at := c.clamped(s, u.Dims, slices.Concat(args[2:]...), in.Operands[2].Shape.Type)
	if c.lanesOf(s) == 0 {
		a := c.arrays[args[0][0]]
		a.written = true
		c.emit(Instr{Op: VecStoreAt, D: inBytes(s.Type), A: uint16(a.stream), B: c.asVector(args[1][0], n), C: at.at,
			E: uint16(n)})
		return args[0], nil
	}
	d := c.ownVector(args[0][0], int(s.Size()))
	if n > 0 {
		c.emit(Instr{Op: VecPutWindow, D: d, A: at.at, B: c.asVector(args[1][0], n), E: uint16(at.last), Imm: int32(n)})
		return value{d}, nil
	}
	k := 0
	eachIndex(u.Dims, func(index []int64) {
		place := c.addIndex(at.at, c.constant(uint64(position(s.Dims, index))), 1)
		c.emit(Instr{Op: VecPut, D: d, A: place, B: args[1][k], Imm: int32(s.Size() - 1)})
		k++
	})
	return value{d}, nil
}

// vectorReduce is a reduction of all of a vector by an op that may be taken in any order.
func (c *compiler) vectorReduce(in *hlo.Instruction, args []value) (value, error) {
	if c.reducesRows(in) {
		return c.reduceRows(in, args)
	}
	a, s := in.Attrs.(*hlo.ReduceAttrs), in.Operands[0].Shape
	r := a.ToApply.Root
	op := rules[r.Op].of(s.Type)
	plain := len(in.Operands) == 2 && in.Shape.Size() == 1 && r.Shape.Type == s.Type && len(r.Operands) == 2 &&
		r.Operands[0] != r.Operands[1] && r.Operands[0].Op == hlo.Parameter && r.Operands[1].Op == hlo.Parameter
	if !plain || op == 0 || !native.Vectors(int(op), true) {
		return nil, unsupported("reduce of %v", s)
	}
	d := c.reserve(1)
	v := c.asVector(args[0][0], int(s.Size()))
	c.emit(Instr{Op: VecFold, D: d, A: v, C: isSigned(s.Type), E: uint16(op), Imm: int32(s.Size())})
	c.knows(d, boundsOf(s.Type))
	return value{c.op(op, 32, args[1][0], d)}, nil
}
