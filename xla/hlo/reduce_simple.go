package hlo

import (
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// simple reduces the one input with op in plain loops.
func (r *reduction) simple(e *Evaluator, op Opcode, g runs) (literal.Wide, error) {
	x, init, s := r.inputs[0], r.inits[0], op.Info().Scalar
	w, bits, err := literal.Wide{Class: x.Class}, r.types[0].Bits(), error(nil)
	switch x.Class {
	case shape.PredClass:
		w.B, err = reduceRuns(e, x.B, init.I != 0, g, foldWith(s.Pred))
	case shape.SignedClass:
		w.I, err = reduceRuns(e, x.I, init.I, g, foldNumbers(op, withBits(s.Signed, bits)))
	case shape.UnsignedClass:
		w.U, err = reduceRuns(e, x.U, uint64(init.I), g, foldNumbers(op, withBits(s.Unsigned, bits)))
	case shape.FloatClass:
		w.F, err = reduceRuns(e, x.F, init.F, g, foldNumbers(op, s.Float))
	default:
		w.C, err = reduceRuns(e, x.C, complex(init.F, init.Im), g, foldNumbers(op, s.Complex))
	}
	return w, err
}

// fold combines elements with an accumulator: a run of them with one, or each with its own.
type fold[T any] struct {
	run func(acc T, x []T) T
	row func(acc, x []T)
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

// number is the wide types that add and multiply.
type number interface {
	int64 | uint64 | float64 | complex128
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
