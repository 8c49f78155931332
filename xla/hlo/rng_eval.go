package hlo

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// rngState is what an execution remembers between its rng instructions.
type rngState struct {
	calls uint64 // rng instructions run
	low   uint64 // hidden state of rng-get-and-update-state, less its initial value
	high  uint64
}

// RngHiddenState is the initial hidden state of rng-get-and-update-state in XLA.
const RngHiddenState = 0x7012395

// RngKey returns the key of Philox for the rng instructions of a device, 0 for the first, in a run with a seed.
func RngKey(seed uint64, device int) uint64 {
	const golden = 0x9E3779B97F4A7C15 // the golden ratio, which tells the devices apart
	return seed ^ uint64(device)*golden
}

// inferRng is told its shape; rows 109 to 111.
func inferRng(in *Instruction) (shape.Shape, error) {
	d := in.Attrs.(*RngAttrs).Distribution
	out, t := in.Shape.WithoutLayout(), in.Shape.Type
	want, ok := map[Distribution]int{RngUniform: 2, RngNormal: 2, RngBernoulli: 1}[d]
	if !ok {
		return poison, fmt.Errorf("unknown distribution %d", d)
	}
	if len(in.Operands) != want {
		return poison, fmt.Errorf("%s: got %d operands, want %d", distributionNames[d], len(in.Operands), want)
	}
	if !out.IsArray() {
		return poison, fmt.Errorf("result: got %v, want an array", in.Shape)
	}
	parameter := t
	switch {
	case d == RngUniform && t.IsComplex(), d == RngNormal && !t.IsFloat():
		return poison, fmt.Errorf("%s of elements that are %v is not supported", distributionNames[d], t)
	case d == RngBernoulli && t != shape.U32:
		return poison, fmt.Errorf("%s: got %v, want u32 elements", distributionNames[d], in.Shape)
	case d == RngBernoulli:
		parameter = shape.F32
	}
	for i, o := range in.Operands {
		if !o.Shape.IsScalar() || o.Shape.Type != parameter {
			return poison, fmt.Errorf("operand %d: got %v, want %v", i, o.Shape, shape.Array(parameter))
		}
	}
	return out, nil
}

func evalRng(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	s := shape.Array(in.Shape.Type, in.Shape.Dims...)
	out, err := e.array(s)
	if err != nil {
		return nil, err
	}
	r := e.stream()
	d, a := in.Attrs.(*RngAttrs).Distribution, cellAt(args[0].Wide(), 0)
	draw := func() Cell { return boolCell(r.float() < a.F) }
	if d != RngBernoulli {
		b := cellAt(args[1].Wide(), 0)
		switch {
		case d == RngNormal:
			draw = func() Cell { return Cell{F: a.F + float64(b.F*r.normal())} }
		case s.Type.IsFloat():
			draw = func() Cell { return Cell{F: r.uniformFloat(a.F, b.F, s.Type)} }
		case s.Type.IsUnsigned():
			draw = func() Cell { return Cell{I: r.uniformInt(a.I, b.I, uint64(a.I) < uint64(b.I))} }
		case s.Type == shape.Pred:
			draw = func() Cell { return Cell{I: r.uniformInt(a.I, b.I+1, a.I < b.I)} } // half-open would leave one value
		default:
			draw = func() Cell { return Cell{I: r.uniformInt(a.I, b.I, a.I < b.I)} }
		}
	}
	return out, e.fill(out, draw)
}

// fill sets the elements of l one after the other.
func (e *Evaluator) fill(l *literal.Literal, next func() Cell) error {
	const chunk = 4096 // wide elements at a time
	t, n := l.Shape().Type, int(l.Shape().Size())
	for i := 0; i < n; i += chunk {
		w := literal.MakeWide(t.Class(), min(chunk, n-i))
		for k := range w.Len() {
			setCell(w, k, next())
		}
		part := literal.FromWide(shape.Array(t, int64(w.Len())), w)
		copy(l.Bytes()[i*t.Bytes():], part.Bytes())
		if err := e.poll(pollEvery - 1); err != nil {
			return err
		}
	}
	return nil
}

// stream is a random number generator of one rng instruction: Philox, keyed by [RngKey], with a counter that
// starts at the instruction's turn.
type stream struct {
	key, low, high uint64
	block          [4]uint32
	left           int
}

// stream starts the next instruction's numbers.
func (e *Evaluator) stream() *stream {
	e.rng.calls++
	return &stream{key: RngKey(e.Seed, e.device.id), high: e.rng.calls}
}

// bits64 returns 64 random bits.
func (s *stream) bits64() uint64 {
	if s.left == 0 {
		s.block, s.left = philox(s.key, s.low, s.high), 2
		s.low++
	}
	s.left--
	return uint64(s.block[2*s.left]) | uint64(s.block[2*s.left+1])<<32
}

// float returns a multiple of 2^-53 in [0, 1).
func (s *stream) float() float64 { return float64(s.bits64()>>11) * 0x1p-53 }

// normal returns a number of the standard normal distribution, by Box and Muller.
func (s *stream) normal() float64 {
	r := math.Sqrt(-2 * math.Log(1-s.float()))
	return r * math.Cos(2*math.Pi*s.float())
}

// uniformFloat returns a value of type t in [a, b), a if that is empty. Row 111.
func (s *stream) uniformFloat(a, b float64, t shape.ElementType) float64 {
	u := s.float()
	if !(a < b) {
		return a
	}
	v := t.ToFloat64(t.FromFloat64(float64(a*(1-u)) + float64(b*u)))
	switch { // rounding up must not reach b: take the value below it
	case v < b:
		return max(v, a)
	case b > 0:
		return t.ToFloat64(t.FromFloat64(b) - 1)
	case b < 0:
		return t.ToFloat64(t.FromFloat64(b) + 1)
	}
	return a
}

// uniformInt returns an integer in [a, b), each as likely as the others, or a if there is none. The difference is
// taken without sign. Row 111.
func (s *stream) uniformInt(a, b int64, some bool) int64 {
	if !some {
		return a
	}
	n := uint64(b) - uint64(a)
	hi, lo := bits.Mul64(s.bits64(), n)
	if lo < n { // the few values that would favour some results
		for tail := -n % n; lo < tail; {
			hi, lo = bits.Mul64(s.bits64(), n)
		}
	}
	return a + int64(hi)
}

// inferRngBitGenerator is told a tuple: the new state, like the old one, and the bits. Row 112.
func inferRngBitGenerator(in *Instruction) (shape.Shape, error) {
	a, state := in.Attrs.(*RngBitGeneratorAttrs).Algorithm, in.Operands[0].Shape
	if int(a) >= len(algorithmNames) {
		return poison, fmt.Errorf("unknown algorithm %d", a)
	}
	if state.Type != shape.U64 || state.Rank() != 1 {
		return poison, fmt.Errorf("initial_state: got %v, want a vector of u64", state)
	}
	n := state.Dims[0]
	if known := n != shape.Unbounded; known && (n != 2 && n != 3 || n == 3 && a == RngThreeFry) {
		return poison, fmt.Errorf("initial_state: got %v, want %s", state, stateSizes(a))
	}
	if len(in.Shape.Elems) != 2 {
		return poison, fmt.Errorf("result: got %v, want a tuple of the new state and the bits", in.Shape)
	}
	if !compatible(in.Shape.Elems[0], state) { // C1
		return poison, fmt.Errorf("new state is %v, initial_state is %v, want the same", in.Shape.Elems[0], state)
	}
	t := in.Shape.Elems[1].Type
	if !t.IsInteger() && !t.IsFloat() || t.Bits() < 8 || t.Bits()%8 != 0 {
		return poison, fmt.Errorf("bits: got %v, want elements of 8 to 64 bits, neither pred nor complex", in.Shape.Elems[1])
	}
	return shape.TupleOf(state.WithoutLayout(), in.Shape.Elems[1].WithoutLayout()), nil
}

// stateSizes says which states an algorithm takes.
func stateSizes(a RandomAlgorithm) string {
	if a == RngThreeFry {
		return "u64[2]"
	}
	return "u64[2] or u64[3]"
}

func evalRngBitGenerator(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	told := in.Shape.Elems[1]
	s := shape.Array(told.Type, told.Dims...)
	out, err := e.array(s)
	if err != nil {
		return nil, err
	}
	state := args[0].Wide().U
	if in.Attrs.(*RngBitGeneratorAttrs).Algorithm == RngThreeFry && len(state) != 2 || len(state) < 2 || len(state) > 3 {
		return nil, fmt.Errorf("initial_state has %d elements, want %s", len(state), stateSizes(RngDefault))
	}
	newState, err := generateBits(e, in.Attrs.(*RngBitGeneratorAttrs).Algorithm, state, out)
	if err != nil {
		return nil, err
	}
	after := literal.FromWide(args[0].Shape(), literal.Wide{Class: shape.UnsignedClass, U: newState})
	return literal.NewTuple(after, out), nil
}

// inferRngGetAndUpdateState: the hidden state is 128 bits, the low half first.
func inferRngGetAndUpdateState(in *Instruction) (shape.Shape, error) {
	if s := in.Shape; s.Type != shape.Invalid && (s.Type != shape.U64 || s.Rank() != 1 || s.Dims[0] != 2) {
		return poison, fmt.Errorf("result: got %v, want u64[2]", s)
	}
	return shape.Array(shape.U64, 2), nil
}

func evalRngGetAndUpdateState(e *Evaluator, in *Instruction, _ []*literal.Literal) (*literal.Literal, error) {
	low, carry := bits.Add64(e.rng.low, RngHiddenState, 0)
	old := []uint64{low, e.rng.high + carry}
	e.rng.low, carry = bits.Add64(e.rng.low, uint64(in.Attrs.(*RngGetAndUpdateStateAttrs).Delta), 0)
	e.rng.high += carry
	return literal.FromSlice(old)
}
