package hlo

import (
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// simple reduces the one input with op in plain loops.
func (r *reduction) simple(e *Evaluator, op Opcode, g runs) (literal.Wide, error) {
	return r.plain(e, op, plainLoop{runs: g, rounded: r.rounds(op, len(g.reduced)*g.reducedRun())})
}

// rounds reports whether reducing n elements with op is one of the short sums and products of floats.
func (r *reduction) rounds(op Opcode, n int) bool {
	t := r.types[0]
	return (op == Add || op == Multiply) && (t.IsFloat() || t.IsComplex()) && n <= shortSum
}

// plainLoop is which elements go into which result: runs of a reduce, or a window.
type plainLoop struct {
	runs   runs
	window Window // nil for a reduce
	dims   []int64
	// byDimension says to reduce the window along one dimension after the other.
	byDimension bool
	// rounded says that every step rounds to the result's type.
	rounded bool
}

// plain runs a loop in the input's class.
func (r *reduction) plain(e *Evaluator, op Opcode, l plainLoop) (literal.Wide, error) {
	x, init, s, t := r.inputs[0], r.inits[0], op.Info().Scalar, r.types[0]
	w, err := literal.Wide{Class: x.Class}, error(nil)
	switch x.Class {
	case shape.PredClass:
		w.B, err = runLoop(e, l, x.B, init.I != 0, foldWith(s.Pred))
	case shape.SignedClass:
		w.I, err = runLoop(e, l, x.I, init.I, foldNumbers(op, withBits(s.Signed, t.Bits())))
	case shape.UnsignedClass:
		w.U, err = runLoop(e, l, x.U, uint64(init.I), foldNumbers(op, withBits(s.Unsigned, t.Bits())))
	case shape.FloatClass:
		w.F, err = runLoop(e, l, x.F, init.F, foldFloats(op, s.Float, t, l.rounded))
	default:
		w.C, err = runLoop(e, l, x.C, complex(init.F, init.Im), foldComplexes(op, s.Complex, t, l.rounded))
	}
	return w, err
}

func runLoop[T any](e *Evaluator, l plainLoop, x []T, init T, f fold[T]) ([]T, error) {
	switch {
	case l.window == nil:
		return reduceRuns(e, x, init, l.runs, f)
	case l.byDimension:
		return windowPasses(e, x, init, l.window, l.dims, f)
	}
	return windowEach(e, x, init, l.window, l.dims, f)
}

// fold combines elements with an accumulator: a run of them with one, or each with its own.
type fold[T any] struct {
	run func(acc T, x []T) T
	row func(acc, x []T)
}

// foldFloats rounds every step to t if asked.
func foldFloats(op Opcode, f func([]float64) float64, t shape.ElementType, rounded bool) fold[float64] {
	switch {
	case !rounded || t == shape.F64:
		return foldNumbers(op, f)
	case op == Add && t == shape.F32:
		return fold[float64]{addRun32, addRow32}
	case t == shape.F32:
		return foldWith(func(p []float64) float64 { return float64(float32(f(p))) })
	}
	return foldWith(func(p []float64) float64 { return t.ToFloat64(t.FromFloat64(f(p))) })
}

func foldComplexes(op Opcode, f func([]complex128) complex128, t shape.ElementType, rounded bool) fold[complex128] {
	switch {
	case !rounded || t == shape.C128:
		return foldNumbers(op, f)
	case op == Multiply:
		return foldWith(func(p []complex128) complex128 { return complex128(fusedMultiply64(p[0], p[1])) })
	}
	return foldWith(func(p []complex128) complex128 { return complex128(complex64(f(p))) })
}

func addRun32(acc float64, x []float64) float64 {
	sum := float32(acc)
	for _, v := range x {
		sum += float32(v)
	}
	return float64(sum)
}

func addRow32(acc, x []float64) {
	x = x[:len(acc)]
	for i, v := range x {
		acc[i] = float64(float32(acc[i] + v))
	}
}

func withBits[T any](f func([]T, int) T, bits int) func([]T) T {
	return func(a []T) T { return f(a, bits) }
}

// foldNumbers has plain loops for sums.
func foldNumbers[T number](op Opcode, f func([]T) T) fold[T] {
	if op == Add {
		return fold[T]{addRun[T], addRow[T]}
	}
	return foldWith(f)
}

func foldWith[T any](f func([]T) T) fold[T] {
	pair := make([]T, 2)
	return fold[T]{
		run: func(acc T, x []T) T {
			for _, v := range x {
				pair[0], pair[1] = acc, v
				acc = f(pair)
			}
			return acc
		},
		row: func(acc, x []T) {
			for i, v := range x {
				pair[0], pair[1] = acc[i], v
				acc[i] = f(pair)
			}
		},
	}
}

// number is the wide types that add and multiply, and float32 for sums that are made in it.
type number interface {
	int64 | uint64 | float64 | complex128 | float32
}

func addRun[T number](acc T, x []T) T {
	for _, v := range x {
		acc += v
	}
	return acc
}

func addRow[T number](acc, x []T) {
	x = x[:len(acc)]
	for i, v := range x {
		acc[i] += v
	}
}

// pollRun is how many elements of a plain loop pass between two looks at the context.
const pollRun = 1 << 20

func reduceRuns[T any](e *Evaluator, x []T, init T, g runs, f fold[T]) ([]T, error) {
	width := 1
	if !g.runReduced {
		width = g.run
	}
	out, done := make([]T, len(g.kept)*width), 0
	for i := range out {
		out[i] = init
	}
	for i, k := range g.kept {
		acc := out[i*width : (i+1)*width]
		for _, o := range g.reduced {
			if g.runReduced {
				acc[0] = f.run(acc[0], x[k+o:k+o+g.run])
			} else {
				f.row(acc, x[k+o:k+o+g.run])
			}
			if done += g.run + 1; done >= pollRun {
				done = 0
				if err := e.tick(); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}
