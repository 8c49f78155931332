package hlo

import "github.com/halo-xla/halo/xla/shape"

// Steps of the ops that reducers and comparators are made of, with the call of the Scalar and the rounding inlined.

// fastStep returns such a step of an op on elements of type t, nil if it has none.
func fastStep(op Opcode, t shape.ElementType, d, a, b int32) step {
	switch t {
	case shape.Pred:
		return predStep(op, d, a, b)
	case shape.F32:
		return float32Step(op, d, a, b)
	case shape.F64:
		return float64Step(op, d, a, b)
	case shape.S32:
		return int32Step(op, d, a, b)
	}
	return nil
}

func predStep(op Opcode, d, a, b int32) step {
	switch op {
	case And, Multiply, Minimum:
		return func(r []Cell) { r[d].I = r[a].I & r[b].I }
	case Or, Add, Maximum:
		return func(r []Cell) { r[d].I = r[a].I | r[b].I }
	}
	return nil
}

func float32Step(op Opcode, d, a, b int32) step {
	switch op {
	case Add:
		return func(r []Cell) { r[d].F = float64(float32(r[a].F + r[b].F)) }
	case Subtract:
		return func(r []Cell) { r[d].F = float64(float32(r[a].F - r[b].F)) }
	case Multiply:
		return func(r []Cell) { r[d].F = float64(float32(r[a].F * r[b].F)) }
	case Divide:
		return func(r []Cell) { r[d].F = float64(float32(r[a].F / r[b].F)) }
	}
	return extremeStep(op, d, a, b)
}

func float64Step(op Opcode, d, a, b int32) step {
	switch op {
	case Add:
		return func(r []Cell) { r[d].F = r[a].F + r[b].F }
	case Subtract:
		return func(r []Cell) { r[d].F = r[a].F - r[b].F }
	case Multiply:
		return func(r []Cell) { r[d].F = r[a].F * r[b].F }
	case Divide:
		return func(r []Cell) { r[d].F = r[a].F / r[b].F }
	}
	return extremeStep(op, d, a, b)
}

func extremeStep(op Opcode, d, a, b int32) step {
	switch op {
	case Maximum:
		return func(r []Cell) { r[d].F = max(r[a].F, r[b].F) }
	case Minimum:
		return func(r []Cell) { r[d].F = min(r[a].F, r[b].F) }
	}
	return nil
}

func int32Step(op Opcode, d, a, b int32) step {
	switch op {
	case Add:
		return func(r []Cell) { r[d].I = int64(int32(r[a].I + r[b].I)) }
	case Subtract:
		return func(r []Cell) { r[d].I = int64(int32(r[a].I - r[b].I)) }
	case Multiply:
		return func(r []Cell) { r[d].I = int64(int32(r[a].I * r[b].I)) }
	case Maximum:
		return func(r []Cell) { r[d].I = max(r[a].I, r[b].I) }
	case Minimum:
		return func(r []Cell) { r[d].I = min(r[a].I, r[b].I) }
	}
	return nil
}

// bit is 1 for true.
func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// compareFloats is compare of plain floats, a step for each direction.
func compareFloats(dir Direction, d, a, b int32) step {
	return [...]step{
		Eq: func(r []Cell) { r[d].I = bit(r[a].F == r[b].F) },
		Ne: func(r []Cell) { r[d].I = bit(r[a].F != r[b].F) },
		Ge: func(r []Cell) { r[d].I = bit(r[a].F >= r[b].F) },
		Gt: func(r []Cell) { r[d].I = bit(r[a].F > r[b].F) },
		Le: func(r []Cell) { r[d].I = bit(r[a].F <= r[b].F) },
		Lt: func(r []Cell) { r[d].I = bit(r[a].F < r[b].F) },
	}[dir]
}

// compareInts is compare of signed integers and predicates.
func compareInts(dir Direction, d, a, b int32) step {
	return [...]step{
		Eq: func(r []Cell) { r[d].I = bit(r[a].I == r[b].I) },
		Ne: func(r []Cell) { r[d].I = bit(r[a].I != r[b].I) },
		Ge: func(r []Cell) { r[d].I = bit(r[a].I >= r[b].I) },
		Gt: func(r []Cell) { r[d].I = bit(r[a].I > r[b].I) },
		Le: func(r []Cell) { r[d].I = bit(r[a].I <= r[b].I) },
		Lt: func(r []Cell) { r[d].I = bit(r[a].I < r[b].I) },
	}[dir]
}
