package scalar

import (
	"errors"
	"fmt"
	"math"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

const (
	// maxElements bounds the arrays that are computed element by element.
	maxElements = 64
	// maxArray bounds those that live in registers, to be looked at and written to at places that the program computes.
	maxArray = 1 << 15
	// manyElements is how many elements an array in memory has at least.
	manyElements = 1 << 8
	// maxCode bounds a program; inlining can make it much longer than its text.
	maxCode = 1 << 14
	// maxRegisters bounds the registers: numbers have 16 bits, and some are kept for a program's last instruction.
	maxRegisters = 1<<16 - 256
	// maxUnrolled bounds the rounds of a loop that become code of their own, and maxUnrolledCode their instructions.
	maxUnrolled     = 8
	maxUnrolledCode = 400
	// maxDepth bounds calls in calls.
	maxDepth = 100
)

// value is the first registers of the elements of an instruction's result, leaf after leaf in row-major order.
type value []uint16

// compiler makes a program. Every element of every instruction has a register of its own; equal constants share one.
type compiler struct {
	code      []Instr
	image     []uint64
	constants map[uint64]uint16
	scopes    []*scope
	blocks    map[uint16]int
	bounds    map[uint16]bounds // of the registers of which more is known than that they hold 64 bits
	// arrays are those in memory, by the register that stands for each; nil if there are none.
	arrays map[uint16]*array
	// vectors has the lanes of those, by the first register of each; nil if there are none.
	vectors map[uint16]int
	failed  error   // where nobody could be told
	wanted  []bool  // which results something looks at; nil if all
	loops   []*loop // whose bodies are being compiled
}

func newCompiler() *compiler {
	return &compiler{constants: map[uint64]uint16{}, blocks: map[uint16]int{},
		bounds: map[uint16]bounds{}}
}

// unsupported is why a computation has no program.
func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w in a scalar program: %s", errors.ErrUnsupported, fmt.Sprintf(format, args...))
}

// width is how many registers an element of type t takes.
func width(t shape.ElementType) int {
	if t.IsComplex() {
		return 2
	}
	return 1
}

// reserve returns a register that nobody has, the first of n.
func (c *compiler) reserve(n int) uint16 {
	r := len(c.image)
	for range n {
		c.image = append(c.image, 0)
	}
	return uint16(min(r, maxRegisters))
}

// constant returns a register that always holds v.
func (c *compiler) constant(v uint64) uint16 {
	r, ok := c.constants[v]
	if !ok {
		r = c.reserve(1)
		c.image[len(c.image)-1] = v
		c.constants[v] = r
		c.bounds[r] = bounds{int64(v), int64(v)}
	}
	return r
}

// emit appends an instruction.
func (c *compiler) emit(in Instr) { c.code = append(c.code, in) }

// op emits op of a and b and returns its new register, or one that is known to hold what op would make.
func (c *compiler) op(op Op, imm int32, a, b uint16) uint16 {
	if r, ok := c.fold(op, imm, a, b); ok {
		return r
	}
	if n := max(c.vectors[a], c.vectors[b]); n > 0 {
		return c.onLanes(op, imm, [3]uint16{a, b}, n)
	}
	what := makes(op, imm, c.known(a), c.known(b))
	if what.single() {
		return c.constant(uint64(what.lo))
	}
	d := c.reserve(1)
	c.knows(d, what)
	c.emit(Instr{Op: op, D: d, A: a, B: b, Imm: imm})
	return d
}

// small fails if the program has become too large.
func (c *compiler) small() error {
	if len(c.code) > maxCode || len(c.image) > maxRegisters || c.vectors != nil && len(c.image) > maxVectorRegisters {
		return unsupported("too many instructions")
	}
	return c.failed
}

// leavesOf appends the leaves of s. It fails if one is no static array, or none that fits.
func (c *compiler) leavesOf(list []Leaf, s shape.Shape) ([]Leaf, error) {
	if s.IsTuple() {
		var err error
		for _, e := range s.Elems {
			if list, err = c.leavesOf(list, e); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	n, ok := s.CheckedSize()
	if !s.IsArray() || s.IsDynamic() || !ok || n > c.most(s.Type) {
		return nil, unsupported("%v", s)
	}
	l := Leaf{Type: s.Type, Elements: int(n), lanes: c.lanes(s.Type, int(n))}
	l.memory = l.lanes == 0 && c.remote(l.Elements)
	return append(list, l), nil
}

// count is the length of a value of shape s, -1 if there is none.
func (c *compiler) count(s shape.Shape) int {
	list, err := c.leavesOf(nil, s)
	if err != nil {
		return -1
	}
	n := 0
	for _, l := range list {
		n += l.length()
	}
	return n
}

// access is how elements of a type come and go, imm and type apart.
type access struct{ load, store Op }

var accesses = [shape.NumElementTypes]access{
	shape.Pred: {Load8U, Store8},
	shape.S8:   {Load8S, Store8}, shape.S16: {Load16S, Store16},
	shape.S32: {Load32S, Store32}, shape.S64: {Load64, Store64},
	shape.U8: {Load8U, Store8}, shape.U16: {Load16U, Store16},
	shape.U32: {Load32U, Store32}, shape.U64: {Load64, Store64},
	shape.S1: {Load8S, Store8}, shape.S2: {Load8S, Store8}, shape.S4: {Load8S, Store8},
	shape.U1: {Load8U, Store8}, shape.U2: {Load8U, Store8}, shape.U4: {Load8U, Store8},
	shape.F32: {Load32U, Store32}, shape.F64: {Load64, Store64},
	shape.BF16: {LoadBF16, StoreBF16}, shape.F16: {LoadF16, StoreF16},
	shape.C64: {Load32U, Store32}, shape.C128: {Load64, Store64},
}

func accessOf(t shape.ElementType) access {
	if a := accesses[t]; a.load != 0 {
		return a
	}
	return access{LoadSmall, StoreSmall}
}

// load emits loads of a parameter of shape s from stream on, and returns its value and the next stream.
func (c *compiler) load(s shape.Shape, stream int, list *[]Leaf) (value, int, error) {
	leaves, err := c.leavesOf(nil, s)
	if err != nil {
		return nil, 0, err
	}
	var v value
	for _, l := range leaves {
		v = append(v, c.loadLeaf(l, stream)...)
		stream++
	}
	*list = append(*list, leaves...)
	return v, stream, c.small()
}

// loadLeaf emits loads of a leaf's elements into registers side by side.
func (c *compiler) loadLeaf(l Leaf, stream int) value {
	if l.memory {
		return c.adopt(l, stream)
	}
	if l.lanes > 0 {
		r := c.freshVector(l.lanes)
		c.emit(Instr{Op: VecLoad, D: r, A: uint16(stream), B: inBytes(l.Type), Imm: int32(l.lanes)})
		return value{r}
	}
	v, load, w := c.freshLeaf(l), accessOf(l.Type).load, width(l.Type)
	if l.Elements >= manyRegisters && load < LoadBF16 {
		c.emit(Instr{Op: LoadMany, D: v[0], A: uint16(stream), B: uint16(load), C: uint16(l.Elements * w)})
		return v
	}
	for k := range l.Elements * w {
		c.emit(Instr{Op: load, D: v[0] + uint16(k), A: uint16(stream), B: uint16(l.Type),
			Imm: int32(k * l.Type.Bytes() / w)})
	}
	return v
}

// storeLeaf emits stores of the elements v of a leaf.
func (c *compiler) storeLeaf(l Leaf, v value, stream int) {
	if l.lanes > 0 {
		c.emit(Instr{Op: VecStore, D: inBytes(l.Type), A: uint16(stream), B: c.asVector(v[0], l.lanes), Imm: int32(l.lanes)})
		return
	}
	store, w := accessOf(l.Type).store, width(l.Type)
	if l.Elements >= manyRegisters && store < StoreBF16 && v[:l.Elements].sideBySide(w) {
		c.emit(Instr{Op: StoreMany, D: uint16(store), A: uint16(stream), B: v[0], C: uint16(l.Elements * w)})
		return
	}
	for k := range l.Elements * w {
		c.emit(Instr{Op: store, D: uint16(l.Type), A: uint16(stream), B: v[k/w] + uint16(k%w),
			Imm: int32(k * l.Type.Bytes() / w)})
	}
}

// finish emits stores of the result out and returns the program.
func (c *compiler) finish(s shape.Shape, out value, stream int, params []Leaf) (*Program, error) {
	leaves, err := c.leavesOf(nil, s)
	if err != nil {
		return nil, err
	}
	for k, l := range leaves {
		switch {
		case !c.isWanted(s, k) && (!l.memory || !c.arrays[out[0]].written):
		case l.memory:
			c.leave(l, out[0], stream)
		default:
			c.storeLeaf(l, out, stream)
		}
		out = out[l.length():]
		stream++
	}
	c.emit(Instr{Op: Next, A: uint16(stream)})
	if err := c.settle(); err != nil {
		return nil, err
	}
	if c.vectors != nil { // what reads whole machine vectors may read on behind the last one
		c.reserve(lineRegisters)
	}
	return &Program{Params: params, Results: leaves, code: tidied(c.code), image: c.image}, c.small()
}

// instruction compiles one instruction on args.
func (c *compiler) instruction(in *hlo.Instruction, args []value) (value, error) {
	n := c.count(in.Shape)
	if n < 0 {
		return nil, unsupported("%s of shape %v", in.Op, in.Shape)
	}
	if err := c.small(); err != nil {
		return nil, err
	}
	if f, ok := c.vectorForm(in); ok {
		v, err := f(c, in, args)
		if err == nil && len(v) != n {
			err = unsupported("%s of shape %v", in.Op, in.Shape)
		}
		return v, err
	}
	if large := c.largest(in); large > maxElements && !movesArrays[in.Op] || c.remote(large) && !movesMemory[in.Op] {
		return nil, unsupported("%s of an array of %d elements", in.Op, large)
	}
	if f := forms[in.Op]; f != nil {
		v, err := f(c, in, args)
		if err == nil && len(v) != n {
			err = unsupported("%s of shape %v", in.Op, in.Shape)
		}
		return v, err
	}
	return c.elementwise(in, args, n)
}

// bitsOf returns the registers' contents of a constant's elements.
func bitsOf(l *literal.Literal) [][2]uint64 {
	t, w := l.Shape().Type, l.Wide()
	out := make([][2]uint64, w.Len())
	for i, v := range w.B {
		if v {
			out[i][0] = 1
		}
	}
	for i, v := range w.I {
		out[i][0] = uint64(v)
	}
	for i, v := range w.U {
		out[i][0] = v
	}
	for i, v := range w.F {
		out[i][0] = floatBits(v, t)
	}
	for i, v := range w.C {
		out[i] = [2]uint64{floatBits(real(v), t.Component()), floatBits(imag(v), t.Component())}
	}
	return out
}

// floatBits is how a register holds v of type t.
func floatBits(v float64, t shape.ElementType) uint64 {
	if t == shape.F32 {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}
