package scalar

import (
	"math"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// array is an array of a parameter that stays in memory. A register that holds nothing stands for it in values: names
// of one array have one register, so that whoever writes to it can ask who else looks at it.
type array struct {
	stream  int // of the parameter
	home    int // of the result that it becomes, where all reads and writes go; -1 if it is none
	copy    int // where the instruction stands that copies it home
	written bool
}

// movesMemory are the ops that arrays in memory may go through.
var movesMemory = [hlo.NumOps]bool{hlo.Tuple: true, hlo.GetTupleElement: true, hlo.Copy: true, hlo.Reshape: true,
	hlo.Bitcast: true, hlo.OptimizationBarrier: true, hlo.Domain: true, hlo.DynamicSlice: true,
	hlo.DynamicUpdateSlice: true, hlo.GetDimensionSize: true, hlo.While: true, hlo.Call: true, hlo.Fusion: true}

// most is how many elements an array of type t may have.
func (c *compiler) most(t shape.ElementType) int64 {
	if c.arrays == nil {
		return maxArray
	}
	return int64(math.MaxInt32 / t.Bytes())
}

// remote reports whether an array of n elements is in memory.
func (c *compiler) remote(n int) bool { return c.arrays != nil && n >= manyElements }

func (c *compiler) inMemory(s shape.Shape) bool { return c.lanesOf(s) == 0 && c.remote(int(s.Size())) }

// adopt returns the value of an array in memory that is a parameter.
func (c *compiler) adopt(l Leaf, stream int) value {
	r := c.reserve(1)
	c.arrays[r] = &array{stream: stream, home: -1, copy: len(c.code)}
	c.emit(Instr{Op: CopyArray, D: uint16(stream), A: uint16(stream), Imm: int32(l.Bytes())})
	return value{r}
}

// leave makes the array of register r the result of a stream.
func (c *compiler) leave(l Leaf, r uint16, stream int) {
	if a := c.arrays[r]; a.home < 0 {
		a.home = stream
	} else {
		c.emit(Instr{Op: CopyArray, D: uint16(stream), A: uint16(a.home), Imm: int32(l.Bytes())})
	}
}

// settle makes all reads and writes of arrays go to their homes.
func (c *compiler) settle() error {
	homes := map[uint16]uint16{}
	for _, a := range c.arrays {
		if a.home < 0 && a.written {
			return unsupported("a parameter is written to")
		}
		if a.home >= 0 {
			homes[uint16(a.stream)] = uint16(a.home)
			c.code[a.copy].D = uint16(a.home)
		}
	}
	for i := range c.code {
		if in := &c.code[i]; in.Op >= Load8UAt && in.Op <= StoreSmallAt || in.Op == VecLoadAt || in.Op == VecStoreAt {
			if home, ok := homes[in.A]; ok {
				in.A = home
			}
		}
	}
	return nil
}

// state returns registers for the state of a loop that begins with init. Arrays in memory stay where they are, and so
// does what no round changes.
func (c *compiler) state(in *hlo.Instruction, init value) value {
	var v value
	elems, body := []shape.Shape{in.Shape}, in.Attrs.(*hlo.WhileAttrs).Body
	if in.Shape.IsTuple() {
		elems = in.Shape.Elems
	}
	for k, e := range elems {
		leaves, _ := c.leavesOf(nil, e)
		for _, l := range leaves {
			if l.memory || in.Shape.IsTuple() && keeps(body, k) {
				v = append(v, init[len(v):][:l.length()]...)
			} else {
				v = append(v, c.freshLeaf(l)...)
			}
		}
	}
	return v
}

// stays fails if a round leaves an array in memory elsewhere than it found it.
func (c *compiler) stays(state, next value) error {
	for i, r := range state {
		if c.arrays[r] != c.arrays[next[i]] {
			return unsupported("an array in memory changes its place")
		}
	}
	return nil
}

// fetchWindow is dynamic-slice of an array in memory.
func (c *compiler) fetchWindow(in *hlo.Instruction, args []value) (value, error) {
	s := in.Operands[0].Shape
	at := c.clamped(s, in.Shape.Dims, slices.Concat(args[1:]...), in.Operands[1].Shape.Type)
	a, w, t := c.arrays[args[0][0]], width(s.Type), s.Type
	var out value
	eachIndex(in.Shape.Dims, func(index []int64) {
		d := c.reserve(w)
		for part := range w {
			c.emit(Instr{Op: accessOf(t).load - Load8U + Load8UAt, D: d + uint16(part), A: uint16(a.stream), B: at.at,
				C: uint16(t), Imm: offsetOf(s, index, part)})
		}
		out = append(out, d)
	})
	return out, c.small()
}

// putWindow is dynamic-update-slice of an array in memory that nothing else will look at.
func (c *compiler) putWindow(in *hlo.Instruction, args []value) (value, error) {
	s, u, a := in.Shape, in.Operands[1].Shape, c.arrays[args[0][0]]
	if c.needed(args[0][0], 1) {
		return nil, unsupported("an array in memory is needed as it was")
	}
	a.written = true
	at := c.clamped(s, u.Dims, slices.Concat(args[2:]...), in.Operands[2].Shape.Type)
	k := 0
	eachIndex(u.Dims, func(index []int64) {
		for part := range width(s.Type) {
			c.emit(Instr{Op: accessOf(s.Type).store - Store8 + Store8At, D: uint16(s.Type), A: uint16(a.stream),
				B: args[1][k] + uint16(part), C: at.at, Imm: offsetOf(s, index, part)})
		}
		k++
	})
	return args[0], c.small()
}

// offsetOf is where a part of the element at index lies, in bytes.
func offsetOf(s shape.Shape, index []int64, part int) int32 {
	return int32((int(position(s.Dims, index))*width(s.Type) + part) * s.Type.Bytes() / width(s.Type))
}
