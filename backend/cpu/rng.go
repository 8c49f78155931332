package cpu

import (
	"math/bits"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/rng"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// lowerRngBitGenerator: results (state, bits) from the state. Row 112.
func lowerRngBitGenerator(l *exec.Lowering) (exec.Thunk, error) {
	g := &generator{state: l.Operand(0), out: l.Results(), bits: l.In.Shape.Elems[1]}
	g.words = l.In.Operands[0].Shape.Dims[0]
	g.uses = append(exec.Reads(g.state), exec.Writes(g.out...)...)
	bytes := int64(g.bits.Type.Bytes())
	if l.In.Attrs.(*hlo.RngBitGeneratorAttrs).Algorithm == hlo.RngThreeFry {
		g.plan = kernel.NewThreeFryPlan(g.bits.Dims, bytes)
		if run.Available() {
			return recordThunk("loops threefry", g.uses, g.native(run.Level()).ThreeFry()), nil
		}
		return goThunk("go threefry", g.uses, g.threeFry), nil
	}
	g.plan = kernel.NewPhiloxPlan(g.bits.Dims, bytes)
	if run.Available() {
		return recordThunk("loops philox", g.uses, g.native(run.Level()).Philox()), nil
	}
	return goThunk("go philox", g.uses, g.philox), nil
}

// generator is a bit generator with its memory bound.
type generator struct {
	state exec.Slice
	words int64        // of the state
	out   []exec.Slice // the new state and the bits
	bits  shape.Shape
	plan  kernel.RandomPlan
	uses  []exec.Use
}

// native is what the native kernels of an instruction set need.
func (g *generator) native(isa run.ISA) rng.Bits {
	return rng.Bits{
		State: ref(g.state), After: ref(g.out[0]), Bits: ref(g.out[1]), Words: g.words,
		Outer: g.plan.Outer, Size: g.plan.Size, Inner: g.plan.Inner, Width: g.plan.Width, ISA: isa,
	}
}

func (g *generator) threeFry(r *exec.Run) error {
	before, after := kernel.Cast[uint64](r.Bytes(g.state)), kernel.Cast[uint64](r.Bytes(g.out[0]))
	key, counter := before[0], before[1]
	kernel.ThreeFry(r.Parallel, r.Bytes(g.out[1]), g.plan, key, counter)
	after[0], after[1] = key, counter+uint64(g.plan.ThreeFryBlocks())
	return nil
}

func (g *generator) philox(r *exec.Run) error {
	v := philoxState(kernel.Cast[uint64](r.Bytes(g.state)))
	kernel.Philox(r.Parallel, r.Bytes(g.out[1]), g.plan, v[0], v[1], v[2])
	var carry uint64
	v[1], carry = bits.Add64(v[1], uint64(g.plan.PhiloxBlocks()), 0)
	v[2] += carry
	copy(kernel.Cast[uint64](r.Bytes(g.out[0])), v[:])
	return nil
}

// philoxState is the key and the counter of a state; one of two words has no room for the upper half of the counter.
func philoxState(state []uint64) [3]uint64 {
	if len(state) == 3 {
		return [3]uint64(state)
	}
	return [3]uint64{state[0], state[1], state[0]}
}

// lowerRng draws from a stream of the run's seed, the device and the instruction's turn. Rows 109 to 111.
func lowerRng(l *exec.Lowering) (exec.Thunk, error) {
	a, out, t := l.Operand(0), l.Result(), l.In.Shape.Type
	b := a
	parameter := l.In.Operands[0].Shape.Type
	if len(l.In.Operands) > 1 {
		b = l.Operand(1)
	}
	draw := distributions[l.In.Attrs.(*hlo.RngAttrs).Distribution]
	uses := append(exec.Reads(a, b), exec.Writes(out)...)
	return goThunk("go philox", uses, func(r *exec.Run) error {
		random := r.Random()
		random.Turn++
		stream := kernel.Stream{Key: hlo.RngKey(r.Options().Seed, r.Place().Device), Turn: random.Turn}
		draw(stream, r.Parallel, r.Bytes(out), t, scalarAt(r, a, parameter), scalarAt(r, b, parameter))
		return nil
	}), nil
}

// distributions fill an array of type t with a stream's numbers, as the parameters say.
var distributions = [...]func(s kernel.Stream, p kernel.Parallel, dst []byte, t shape.ElementType, a, b hlo.Cell){
	hlo.RngUniform: uniform,
	hlo.RngNormal: func(s kernel.Stream, p kernel.Parallel, dst []byte, t shape.ElementType, a, b hlo.Cell) {
		s.Normal(p, dst, t, a.F, b.F)
	},
	hlo.RngBernoulli: func(s kernel.Stream, p kernel.Parallel, dst []byte, _ shape.ElementType, a, _ hlo.Cell) {
		s.Bernoulli(p, dst, a.F)
	},
}

func uniform(s kernel.Stream, p kernel.Parallel, dst []byte, t shape.ElementType, a, b hlo.Cell) {
	switch {
	case t.IsFloat():
		s.UniformFloat(p, dst, t, a.F, b.F)
	case t.IsUnsigned() && uint64(a.I) < uint64(b.I), !t.IsUnsigned() && t != shape.Pred && a.I < b.I:
		s.UniformInt(p, dst, t.Bytes(), a.I, uint64(b.I)-uint64(a.I))
	case t == shape.Pred && a.I < b.I: // half-open would leave one value
		s.UniformInt(p, dst, 1, a.I, 2)
	default:
		s.UniformInt(p, dst, t.Bytes(), a.I, 0)
	}
}

// scalarAt is the scalar of type t at s.
func scalarAt(r *exec.Run, s exec.Slice, t shape.ElementType) hlo.Cell {
	x, err := literal.FromBytes(shape.Array(t), r.Bytes(s))
	if err != nil {
		panic("cpu: bug: " + err.Error())
	}
	w := x.Wide()
	switch w.Class {
	case shape.PredClass:
		return hlo.Cell{I: int64(x.Bytes()[0])}
	case shape.SignedClass:
		return hlo.Cell{I: w.I[0]}
	case shape.UnsignedClass:
		return hlo.Cell{I: int64(w.U[0])}
	case shape.FloatClass:
		return hlo.Cell{F: w.F[0]}
	}
	return hlo.Cell{F: real(w.C[0]), Im: imag(w.C[0])}
}

// lowerRngGetAndUpdateState: the result is the hidden state, which moves on.
func lowerRngGetAndUpdateState(l *exec.Lowering) (exec.Thunk, error) {
	out, delta := l.Result(), uint64(l.In.Attrs.(*hlo.RngGetAndUpdateStateAttrs).Delta)
	return goThunk("go state", exec.Writes(out), func(r *exec.Run) error {
		random, v := r.Random(), kernel.Cast[uint64](r.Bytes(out))
		low, carry := bits.Add64(random.Low, hlo.RngHiddenState, 0)
		v[0], v[1] = low, random.High+carry
		random.Low, carry = bits.Add64(random.Low, delta, 0)
		random.High += carry
		return nil
	}), nil
}
