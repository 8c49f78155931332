package hlo

import (
	"math"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// maxApply bounds the instructions of a compiled computation: inlining calls can make it much longer than its text.
const maxApply = 1 << 14

// compiler makes an applier's steps. Every scalar of every instruction has a register of its own.
type compiler struct {
	regs  []Cell
	steps []step
	seen  int // instructions
}

func (c *compiler) reserve(n int) []int32 {
	r := make([]int32, n)
	for i := range r {
		r[i] = int32(len(c.regs))
		c.regs = append(c.regs, Cell{})
	}
	return r
}

// inline compiles a call of comp with arguments in the given registers and returns the registers of its results.
func (c *compiler) inline(comp *Computation, args [][]int32, depth int) ([]int32, bool) {
	if depth > 100 {
		return nil, false
	}
	values := make(map[*Instruction][]int32, len(comp.Instructions))
	for _, in := range comp.Instructions {
		if in.users == 0 && in.Op != Parameter && in.Op.Info().Traits&SideEffect == 0 {
			continue
		}
		if c.seen++; c.seen > maxApply {
			return nil, false
		}
		if in.Op == Parameter {
			values[in] = args[in.Attrs.(*ParameterAttrs).Number]
			continue
		}
		operands := make([][]int32, len(in.Operands))
		for i, o := range in.Operands {
			operands[i] = values[o]
		}
		r, ok := c.instruction(in, operands, depth)
		if !ok || len(r) != leaves(in.Shape) {
			return nil, false
		}
		values[in] = r
	}
	return values[comp.Root], true
}

func (c *compiler) instruction(in *Instruction, args [][]int32, depth int) ([]int32, bool) {
	switch in.Op {
	case Call:
		return c.inline(in.Attrs.(*CallAttrs).ToApply, args, depth+1)
	case Fusion:
		return c.inline(in.Attrs.(*FusionAttrs).Calls, args, depth+1)
	case Tuple:
		var all []int32
		for _, a := range args {
			all = append(all, a...)
		}
		return all, true
	case GetTupleElement:
		return element(in, args[0])
	case Copy, Broadcast, Reshape, Transpose, Reverse, OptimizationBarrier:
		return args[0], true
	case Constant:
		return c.constant(in.Attrs.(*ConstantAttrs).Literal)
	}
	return c.op(in, args)
}

// element picks the registers of a tuple's element.
func element(in *Instruction, tuple []int32) ([]int32, bool) {
	elems, first := in.Operands[0].Shape.Elems, 0
	index := in.Attrs.(*GetTupleElementAttrs).Index
	for _, e := range elems[:index] {
		first += leaves(e)
	}
	return tuple[first : first+leaves(elems[index])], true
}

func (c *compiler) constant(l *literal.Literal) ([]int32, bool) {
	n := leaves(l.Shape())
	if n < 0 {
		return nil, false
	}
	r := c.reserve(n)
	if n > 0 {
		cellsOf(l, c.regs[r[0]:])
	}
	return r, true
}

// op compiles an instruction on scalars with one scalar result.
func (c *compiler) op(in *Instruction, args [][]int32) ([]int32, bool) {
	if leaves(in.Shape) != 1 || in.Shape.IsTuple() || len(args) > 3 {
		return nil, false
	}
	var x [3]int32
	for i, a := range args {
		if len(a) != 1 || in.Operands[i].Shape.IsTuple() {
			return nil, false
		}
		x[i] = a[0]
	}
	compile := scalarStep
	if in.Op.Info().Scalar == nil {
		if compile = stepOf(in.Op); compile == nil {
			return nil, false
		}
	}
	d := c.reserve(1)
	s := compile(in, d[0], x)
	if s == nil {
		return nil, false
	}
	c.steps = append(c.steps, s)
	return d, true
}

// stepOf returns the compiler of steps of an op that is not defined by its Scalar, nil if it has none.
func stepOf(op Opcode) func(in *Instruction, d int32, x [3]int32) step {
	switch op {
	case Compare:
		return compareStep
	case Select:
		return selectStep
	case Clamp:
		return clampStep
	case Convert:
		return convertStep
	case BitcastConvert:
		return bitcastConvertStep
	case ReducePrecision:
		return reducePrecisionStep
	case Abs:
		return absStep
	case Real:
		return realStep
	case Imag:
		return imagStep
	case Complex:
		return complexStep
	case IsFinite:
		return isFiniteStep
	}
	return nil
}

// rounder returns the function that rounds a cell to type t, nil if the wide class has no more values than t.
func rounder(t shape.ElementType) func(*Cell) {
	switch t {
	case shape.Pred, shape.S64, shape.U64, shape.F64, shape.C128:
		return nil
	case shape.F32:
		return func(c *Cell) { c.F = float64(float32(c.F)) }
	case shape.C64:
		return func(c *Cell) { c.F, c.Im = float64(float32(c.F)), float64(float32(c.Im)) }
	}
	up := uint(64 - t.Bits())
	switch t.Class() {
	case shape.SignedClass:
		return func(c *Cell) { c.I = c.I << up >> up }
	case shape.UnsignedClass:
		return func(c *Cell) { c.I = int64(uint64(c.I) << up >> up) }
	}
	return func(c *Cell) { c.F = t.ToFloat64(t.FromFloat64(c.F)) }
}

// rounded returns the step s followed by the rounding of register d to type t.
func rounded(s step, d int32, t shape.ElementType) step {
	round := rounder(t)
	if round == nil {
		return s
	}
	return func(r []Cell) {
		s(r)
		round(&r[d])
	}
}

// scalarStep is the step of an op that is defined by its Scalar.
func scalarStep(in *Instruction, d int32, x [3]int32) step {
	t, n := in.Shape.Type, len(in.Operands)
	if in.Operands[0].Shape.Type != t {
		return nil
	}
	if n == 2 {
		if s := fastStep(in.Op, t, d, x[0], x[1]); s != nil {
			return s
		}
	}
	s := scalarClassStep(in.Op.Info().Scalar, t, d, x, n)
	if s == nil {
		return nil
	}
	return rounded(s, d, t)
}

func scalarClassStep(s *Scalar, t shape.ElementType, d int32, x [3]int32, n int) step {
	bits := t.Bits()
	switch class := t.Class(); {
	case class == shape.PredClass && s.Pred != nil:
		buf, f := make([]bool, n), s.Pred
		return func(r []Cell) {
			for i := range buf {
				buf[i] = r[x[i]].I != 0
			}
			r[d] = boolCell(f(buf))
		}
	case class == shape.SignedClass && s.Signed != nil:
		buf, f := make([]int64, n), s.Signed
		return func(r []Cell) {
			for i := range buf {
				buf[i] = r[x[i]].I
			}
			r[d].I = f(buf, bits)
		}
	case class == shape.UnsignedClass && s.Unsigned != nil:
		buf, f := make([]uint64, n), s.Unsigned
		return func(r []Cell) {
			for i := range buf {
				buf[i] = uint64(r[x[i]].I)
			}
			r[d].I = int64(f(buf, bits))
		}
	case class == shape.FloatClass && s.Float != nil:
		buf, f := make([]float64, n), s.Float
		return func(r []Cell) {
			for i := range buf {
				buf[i] = r[x[i]].F
			}
			r[d].F = f(buf)
		}
	case class == shape.ComplexClass && s.Complex != nil:
		buf, f := make([]complex128, n), s.complexOn(bits)
		return func(r []Cell) {
			for i := range buf {
				buf[i] = complex(r[x[i]].F, r[x[i]].Im)
			}
			v := f(buf)
			r[d].F, r[d].Im = real(v), imag(v)
		}
	}
	return nil
}

func absStep(in *Instruction, d int32, x [3]int32) step {
	t, a := in.Operands[0].Shape.Type, x[0]
	switch t.Class() {
	case shape.SignedClass:
		return rounded(func(r []Cell) { r[d].I = max(r[a].I, -r[a].I) }, d, in.Shape.Type)
	case shape.FloatClass:
		return func(r []Cell) { r[d].F = math.Abs(r[a].F) }
	case shape.ComplexClass:
		return rounded(func(r []Cell) { r[d].F = ComplexAbs(complex(r[a].F, r[a].Im)) }, d, in.Shape.Type)
	}
	return func(r []Cell) { r[d] = r[a] }
}

func realStep(_ *Instruction, d int32, x [3]int32) step {
	return func(r []Cell) { r[d].F = r[x[0]].F }
}

func imagStep(_ *Instruction, d int32, x [3]int32) step {
	return func(r []Cell) { r[d].F = r[x[0]].Im }
}

func complexStep(_ *Instruction, d int32, x [3]int32) step {
	return func(r []Cell) { r[d].F, r[d].Im = r[x[0]].F, r[x[1]].F }
}

func isFiniteStep(_ *Instruction, d int32, x [3]int32) step {
	return func(r []Cell) { r[d] = boolCell(r[x[0]].F-r[x[0]].F == 0) }
}

func selectStep(in *Instruction, d int32, x [3]int32) step {
	p, a, b := x[0], x[1], x[2]
	switch {
	case in.Shape.Type.IsFloat():
		return func(r []Cell) {
			v := r[a].F
			if r[p].I == 0 {
				v = r[b].F
			}
			r[d].F = v
		}
	case !in.Shape.Type.IsComplex():
		return func(r []Cell) {
			v := r[a].I
			if r[p].I == 0 {
				v = r[b].I
			}
			r[d].I = v
		}
	}
	return func(r []Cell) {
		if r[p].I != 0 {
			r[d] = r[a]
		} else {
			r[d] = r[b]
		}
	}
}

// clampStep composes maximum and minimum; row 67.
func clampStep(in *Instruction, d int32, x [3]int32) step {
	t := in.Shape.Type
	lo := scalarClassStep(Maximum.Info().Scalar, t, d, [3]int32{x[1], x[0]}, 2)
	hi := scalarClassStep(Minimum.Info().Scalar, t, d, [3]int32{d, x[2]}, 2)
	if lo == nil || hi == nil {
		return nil
	}
	return func(r []Cell) {
		lo(r)
		hi(r)
	}
}
