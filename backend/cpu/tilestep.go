package cpu

import (
	"math"

	"github.com/halo-xla/halo/backend/cpu/tile"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// steps are the ops on elements that are not defined by their Scalar: they make the steps that compute register d from
// registers x. What is not rounded yet, stepOf rounds.
var steps [hlo.NumOps]func(nd *node, d int, x []int) tile.Step

func init() {
	steps = [hlo.NumOps]func(nd *node, d int, x []int) tile.Step{
		hlo.Abs:               absStep,
		hlo.BitcastConvert:    bitcastStep,
		hlo.Clamp:             nil, // stepOf has it, it is two steps
		hlo.Compare:           compareStep,
		hlo.Complex:           func(_ *node, d int, x []int) tile.Step { return tile.Parts(d, x[0], x[1]) },
		hlo.Convert:           convertStep,
		hlo.Imag:              partStep(func(v complex128) float64 { return imag(v) }, func(float64) float64 { return 0 }),
		hlo.IsFinite:          isFiniteStep,
		hlo.Real:              partStep(func(v complex128) float64 { return real(v) }, func(v float64) float64 { return v }),
		hlo.ReducePrecision:   reducePrecisionStep,
		hlo.Select:            selectStep,
		hlo.StochasticConvert: stochasticStep,
	}
}

// hasStep reports whether in is an operation on elements.
func hasStep(in *hlo.Instruction) bool {
	switch in.Op {
	case hlo.BitcastConvert:
		from, to := in.Operands[0].Shape.Type, in.Shape.Type
		return from.Bits() == to.Bits() && (from == to || !from.IsComplex() && from != shape.Pred && to != shape.Pred)
	case hlo.Clamp, hlo.Map:
		return true
	}
	return steps[in.Op] != nil || in.Op.Info().Scalar != nil
}

// stepOf returns the steps of a node, rounding included.
func stepOf(nd *node, d int, x []int) []tile.Step {
	if nd.op == hlo.Clamp {
		return []tile.Step{scalarStep(hlo.Maximum, nd.t, d, x[1], x[0]), scalarStep(hlo.Minimum, nd.t, d, d, x[2])}
	}
	f := steps[nd.op]
	if f == nil {
		return []tile.Step{scalarStep(nd.op, nd.t, d, x...), tile.Round(nd.t, d)}
	}
	return []tile.Step{f(nd, d, x), tile.Round(nd.t, d)}
}

// floatLoops and intLoops are the commonest ops as plain loops.
var (
	floatLoops = map[hlo.Opcode]func(d, x, y []float64){
		hlo.Add: tile.Add[float64], hlo.Subtract: tile.Subtract[float64], hlo.Multiply: tile.Multiply[float64],
		hlo.Divide: tile.Divide, hlo.Maximum: tile.Maximum[float64], hlo.Minimum: tile.Minimum[float64],
	}
	intLoops = map[hlo.Opcode]func(d, x, y []int64){
		hlo.Add: tile.Add[int64], hlo.Subtract: tile.Subtract[int64], hlo.Multiply: tile.Multiply[int64],
	}
)

// scalarStep is the step of an op that is defined by its Scalar, without the rounding.
func scalarStep(op hlo.Opcode, t shape.ElementType, d int, x ...int) tile.Step {
	s, bits := op.Info().Scalar, t.Bits()
	switch t.Class() {
	case shape.PredClass:
		return tile.Apply(s.Pred, func(v int64) bool { return v != 0 }, truth, d, x...)
	case shape.SignedClass:
		if loop := intLoops[op]; loop != nil {
			return tile.Loop(loop, d, x[0], x[1])
		}
		f := func(a []int64) int64 { return s.Signed(a, bits) }
		return tile.Apply(f, same[int64], same[int64], d, x...)
	case shape.UnsignedClass:
		if loop := intLoops[op]; loop != nil {
			return tile.Loop(loop, d, x[0], x[1])
		}
		f := func(a []uint64) uint64 { return s.Unsigned(a, bits) }
		return tile.Apply(f, func(v int64) uint64 { return uint64(v) }, func(v uint64) int64 { return int64(v) }, d, x...)
	case shape.FloatClass:
		if loop := floatLoops[op]; loop != nil {
			return tile.Loop(loop, d, x[0], x[1])
		}
		return tile.Apply(s.Float, same[float64], same[float64], d, x...)
	}
	f := s.Complex
	if t == shape.C64 && s.C64 != nil {
		f = s.C64
	}
	return tile.Apply(f, same[complex128], same[complex128], d, x...)
}

func same[T any](v T) T { return v }

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// constantStep fills register r with a scalar.
func constantStep(l *literal.Literal, r int) tile.Step {
	w := l.Wide()
	switch w.Class {
	case shape.FloatClass:
		return tile.Each(func(float64) float64 { return w.F[0] }, r, r)
	case shape.ComplexClass:
		return tile.Each(func(complex128) complex128 { return w.C[0] }, r, r)
	}
	v := wideInt(w)
	return tile.Each(func(int64) int64 { return v }, r, r)
}

func wideInt(w literal.Wide) int64 {
	switch w.Class {
	case shape.SignedClass:
		return w.I[0]
	case shape.UnsignedClass:
		return int64(w.U[0])
	}
	return truth(w.B[0])
}

// from is the type of a node's operand i.
func (nd *node) from(i int) shape.ElementType { return nd.in.Operands[i].Shape.Type }

func absStep(nd *node, d int, x []int) tile.Step {
	switch nd.from(0).Class() {
	case shape.SignedClass:
		return tile.Each(func(v int64) int64 { return max(v, -v) }, d, x[0])
	case shape.FloatClass:
		return tile.Each(math.Abs, d, x[0])
	}
	return tile.Each(hlo.ComplexAbs, d, x[0])
}

func partStep(f func(complex128) float64, g func(float64) float64) func(nd *node, d int, x []int) tile.Step {
	return func(nd *node, d int, x []int) tile.Step {
		if nd.from(0).IsComplex() {
			return tile.Each(f, d, x[0])
		}
		return tile.Each(g, d, x[0])
	}
}

func isFiniteStep(_ *node, d int, x []int) tile.Step {
	return tile.Each(func(v float64) int64 { return truth(v-v == 0) }, d, x[0])
}

func selectStep(nd *node, d int, x []int) tile.Step {
	switch nd.t.Class() {
	case shape.FloatClass:
		return tile.Choose[float64](d, x[0], x[1], x[2])
	case shape.ComplexClass:
		return tile.Choose[complex128](d, x[0], x[1], x[2])
	}
	return tile.Choose[int64](d, x[0], x[1], x[2])
}

func reducePrecisionStep(nd *node, d int, x []int) tile.Step {
	a := nd.in.Attrs.(*hlo.ReducePrecisionAttrs)
	f := tile.ReducePrecision(nd.t, int(min(a.ExponentBits, 64)), int(min(a.MantissaBits, 64)))
	return tile.Each(f, d, x[0])
}

func stochasticStep(nd *node, d int, x []int) tile.Step {
	to, width := nd.t, nd.from(1).Bits()
	finish := convertFloat(shape.F64, to)
	return func(r []tile.Vector, n int) {
		for i, v := range r[x[0]].F[:n] {
			u := math.Ldexp(float64(uint64(r[x[1]].I[i])), -width)
			if v = to.Stochastic(v, u); finish == nil {
				r[d].F[i] = v
			} else {
				r[d].I[i] = finish(v)
			}
		}
	}
}

// compareStep compares elements. Rows 43 to 54.
func compareStep(nd *node, d int, x []int) tile.Step {
	a, t := nd.in.Attrs.(*hlo.CompareAttrs), nd.from(0)
	dir := a.Direction
	switch class := t.Class(); {
	case class == shape.ComplexClass:
		return tile.Each2(func(p, q complex128) int64 { return truth((p == q) == (dir == hlo.Eq)) }, d, x[0], x[1])
	case class == shape.FloatClass && a.Type == hlo.TotalOrder:
		key := tile.TotalOrder(t)
		return tile.Each2(func(p, q float64) int64 { return truth(holds(dir, key(p), key(q))) }, d, x[0], x[1])
	case class == shape.FloatClass:
		return tile.Each2(func(p, q float64) int64 { return truth(holds(dir, p, q)) }, d, x[0], x[1])
	case class == shape.UnsignedClass:
		return tile.Each2(func(p, q int64) int64 { return truth(holds(dir, uint64(p), uint64(q))) }, d, x[0], x[1])
	}
	return tile.Each2(func(p, q int64) int64 { return truth(holds(dir, p, q)) }, d, x[0], x[1])
}

// holds reports whether a and b stand in the relation dir.
func holds[T int64 | uint64 | float64](dir hlo.Direction, a, b T) bool {
	switch dir {
	case hlo.Eq:
		return a == b
	case hlo.Ne:
		return a != b
	case hlo.Ge:
		return a >= b
	case hlo.Gt:
		return a > b
	case hlo.Le:
		return a <= b
	}
	return a < b
}

// convertStep converts elements to another type; the rounding to that comes after it. Row 71.
func convertStep(nd *node, d int, x []int) tile.Step {
	from, to := nd.from(0), nd.t
	switch {
	case from.IsComplex() && to.IsComplex():
		return tile.Each(same[complex128], d, x[0])
	case from.IsComplex() && to.IsFloat():
		return tile.Each(func(v complex128) float64 { return real(v) }, d, x[0])
	case from.IsComplex():
		f := convertFloat(from, to)
		return tile.Each(func(v complex128) int64 { return f(real(v)) }, d, x[0])
	case from.IsFloat() && to.IsComplex():
		return tile.Each(func(v float64) complex128 { return complex(v, 0) }, d, x[0])
	case from.IsFloat() && to.IsFloat():
		return tile.Each(same[float64], d, x[0])
	case from.IsFloat():
		return tile.Each(convertFloat(from, to), d, x[0])
	case to.IsComplex():
		f := convertInt(from, to.Component())
		return tile.Each(func(v int64) complex128 { return complex(f(v), 0) }, d, x[0])
	case to.IsFloat():
		return tile.Each(convertInt(from, to), d, x[0])
	case to == shape.Pred:
		return tile.Each(func(v int64) int64 { return truth(v != 0) }, d, x[0])
	}
	return tile.Each(same[int64], d, x[0])
}

// convertFloat returns the conversion of floats to a type of integers or predicates, nil for other types.
func convertFloat(_, to shape.ElementType) func(v float64) int64 {
	bits := to.Bits()
	switch {
	case to == shape.Pred:
		return func(v float64) int64 { return truth(v != 0) }
	case to.IsSigned():
		return func(v float64) int64 { return literal.SaturateSigned(v, bits) }
	case to.IsUnsigned():
		return func(v float64) int64 { return int64(literal.SaturateUnsigned(v, bits)) }
	}
	return nil
}

// convertInt returns the conversion of integers and predicates to floats that are still to be rounded to type to.
func convertInt(from, to shape.ElementType) func(v int64) float64 {
	switch {
	case to == shape.F64 && from.IsUnsigned():
		return func(v int64) float64 { return float64(uint64(v)) }
	case to == shape.F64:
		return func(v int64) float64 { return float64(v) }
	case from.IsUnsigned():
		return func(v int64) float64 { return shape.OddFloat(uint64(v)) }
	}
	return shape.OddFloatSigned
}

// bitcastStep reinterprets bits between types of one width. Row 72.
func bitcastStep(nd *node, d int, x []int) tile.Step {
	from, to := nd.from(0), nd.t
	up := 64 - to.Bits()
	switch {
	case from.IsComplex():
		return tile.Each(same[complex128], d, x[0])
	case from.IsFloat() && to.IsFloat():
		return tile.Each(func(v float64) float64 { return to.ToFloat64(from.FromFloat64(v)) }, d, x[0])
	case from.IsFloat():
		return tile.Each(func(v float64) int64 { return int64(from.FromFloat64(v)) }, d, x[0])
	case to.IsFloat():
		return tile.Each(func(v int64) float64 { return to.ToFloat64(uint64(v) << up >> up) }, d, x[0])
	}
	return tile.Each(same[int64], d, x[0])
}
