package hlo

import (
	"math"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// evalElementwise applies an op's Scalar to each element: operands are widened, the result is rounded once.
func evalElementwise(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	s, t := in.Op.Info().Scalar, in.Shape.Type
	wide := make([]literal.Wide, len(args))
	for i, a := range args {
		wide[i] = a.Wide()
	}
	out := literal.MakeWide(t.Class(), wide[0].Len())
	var err error
	switch t.Class() {
	case shape.PredClass:
		err = applyEach(e, s.Pred, out.B, columns(wide, func(w literal.Wide) []bool { return w.B }))
	case shape.SignedClass:
		f, bits := s.Signed, t.Bits()
		err = applyEach(e, func(a []int64) int64 { return f(a, bits) }, out.I,
			columns(wide, func(w literal.Wide) []int64 { return w.I }))
	case shape.UnsignedClass:
		f, bits := s.Unsigned, t.Bits()
		err = applyEach(e, func(a []uint64) uint64 { return f(a, bits) }, out.U,
			columns(wide, func(w literal.Wide) []uint64 { return w.U }))
	case shape.FloatClass:
		cols := columns(wide, func(w literal.Wide) []float64 { return w.F })
		if loop := floatLoop(in.Op); loop != nil {
			loop(out.F, cols[0], cols[1])
		} else {
			err = applyEach(e, s.Float, out.F, cols)
		}
	case shape.ComplexClass:
		err = applyEach(e, s.complexOn(t.Bits()), out.C,
			columns(wide, func(w literal.Wide) []complex128 { return w.C }))
	}
	if err != nil {
		return nil, err
	}
	return literal.FromWide(args[0].Shape().WithType(t), out), nil
}

func columns[T any](wide []literal.Wide, of func(literal.Wide) []T) [][]T {
	cols := make([][]T, len(wide))
	for i, w := range wide {
		cols[i] = of(w)
	}
	return cols
}

// applyEach writes f of the i-th elements of cols to out[i].
func applyEach[T any](e *Evaluator, f func([]T) T, out []T, cols [][]T) error {
	if len(cols) == 1 {
		for i := range out {
			out[i] = f(cols[0][i : i+1])
			if err := e.poll(i); err != nil {
				return err
			}
		}
		return nil
	}
	var buf [2]T
	x, y := cols[0], cols[1]
	for i := range out {
		buf[0], buf[1] = x[i], y[i]
		out[i] = f(buf[:])
		if err := e.poll(i); err != nil {
			return err
		}
	}
	return nil
}

// floatLoop returns a loop for the commonest ops, nil for the others.
func floatLoop(op Opcode) func(out, x, y []float64) {
	switch op {
	case Add:
		return func(out, x, y []float64) {
			for i := range out {
				out[i] = x[i] + y[i]
			}
		}
	case Subtract:
		return func(out, x, y []float64) {
			for i := range out {
				out[i] = x[i] - y[i]
			}
		}
	case Multiply:
		return func(out, x, y []float64) {
			for i := range out {
				out[i] = x[i] * y[i]
			}
		}
	case Divide:
		return func(out, x, y []float64) {
			for i := range out {
				out[i] = x[i] / y[i]
			}
		}
	}
	return nil
}

func evalAbs(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	w := args[0].Wide()
	s := args[0].Shape().WithType(in.Shape.Type)
	switch w.Class {
	case shape.SignedClass:
		for i, v := range w.I {
			w.I[i] = max(v, -v)
		}
	case shape.FloatClass:
		for i, v := range w.F {
			w.F[i] = math.Abs(v)
		}
	default:
		out := literal.MakeWide(shape.FloatClass, len(w.C))
		for i, v := range w.C {
			out.F[i] = ComplexAbs(v)
		}
		w = out
	}
	return literal.FromWide(s, w), nil
}

func evalReal(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	w := args[0].Wide()
	if w.Class == shape.FloatClass {
		return args[0], nil
	}
	out := literal.MakeWide(shape.FloatClass, len(w.C))
	for i, v := range w.C {
		out.F[i] = real(v)
	}
	return literal.FromWide(args[0].Shape().WithType(in.Shape.Type), out), nil
}

func evalImag(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	w := args[0].Wide()
	out := literal.MakeWide(shape.FloatClass, w.Len()) // a real number has an imaginary part of 0
	for i, v := range w.C {
		out.F[i] = imag(v)
	}
	return literal.FromWide(args[0].Shape().WithType(in.Shape.Type), out), nil
}

func evalIsFinite(_ *Evaluator, _ *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	w := args[0].Wide()
	out := literal.MakeWide(shape.PredClass, len(w.F))
	for i, v := range w.F {
		out.B[i] = v-v == 0
	}
	return literal.FromWide(args[0].Shape().WithType(shape.Pred), out), nil
}

func evalComplex(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	re, im := args[0].Wide(), args[1].Wide()
	out := literal.MakeWide(shape.ComplexClass, len(re.F))
	for i := range out.C {
		out.C[i] = complex(re.F[i], im.F[i])
	}
	return literal.FromWide(args[0].Shape().WithType(in.Shape.Type), out), nil
}

// evalSelect copies bytes, so that NaNs keep their payloads.
func evalSelect(_ *Evaluator, _ *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	pred := args[0].Wide().B
	if args[0].Shape().IsScalar() {
		if pred[0] {
			return args[1], nil
		}
		return args[2], nil
	}
	out := args[2].Clone()
	to, from, size := out.Bytes(), args[1].Bytes(), out.Shape().Type.Bytes()
	for i, p := range pred {
		if p {
			copy(to[i*size:(i+1)*size], from[i*size:])
		}
	}
	return out, nil
}

func evalClamp(_ *Evaluator, _ *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	lo, w, hi := args[0].Wide(), args[1].Wide(), args[2].Wide()
	l, h := 1, 1 // how far the bounds move from element to element
	if args[0].Shape().IsScalar() {
		l = 0
	}
	if args[2].Shape().IsScalar() {
		h = 0
	}
	for i, v := range w.B {
		w.B[i] = (v || lo.B[i*l]) && hi.B[i*h]
	}
	for i, v := range w.I {
		w.I[i] = min(max(v, lo.I[i*l]), hi.I[i*h])
	}
	for i, v := range w.U {
		w.U[i] = min(max(v, lo.U[i*l]), hi.U[i*h])
	}
	for i, v := range w.F {
		w.F[i] = min(max(v, lo.F[i*l]), hi.F[i*h])
	}
	return literal.FromWide(args[1].Shape(), w), nil
}

func evalCompare(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := in.Attrs.(*CompareAttrs)
	x, y := args[0].Wide(), args[1].Wide()
	out := literal.MakeWide(shape.PredClass, x.Len())
	switch {
	case x.Class == shape.FloatClass && a.Type == TotalOrder:
		compareAll(out.B, a.Direction, totalOrderKeys(args[0]), totalOrderKeys(args[1]))
	case x.Class == shape.FloatClass:
		compareAll(out.B, a.Direction, x.F, y.F)
	case x.Class == shape.SignedClass:
		compareAll(out.B, a.Direction, x.I, y.I)
	case x.Class == shape.UnsignedClass:
		compareAll(out.B, a.Direction, x.U, y.U)
	case x.Class == shape.ComplexClass:
		for i := range out.B {
			out.B[i] = (x.C[i] == y.C[i]) == (a.Direction == Eq)
		}
	default:
		for i := range out.B {
			out.B[i] = holds(a.Direction, boolCell(x.B[i]).I, boolCell(y.B[i]).I)
		}
	}
	return literal.FromWide(args[0].Shape().WithType(shape.Pred), out), nil
}

func compareAll[T int64 | uint64 | float64](out []bool, dir Direction, x, y []T) {
	for i := range out {
		out[i] = holds(dir, x[i], y[i])
	}
}

// totalOrderKeys orders floats by their bits, NaN payloads included; row 49.
func totalOrderKeys(l *literal.Literal) []int64 {
	t := l.Shape().Type
	size, up := t.Bytes(), 64-t.Bits()
	data := l.Bytes()
	keys := make([]int64, len(data)/size)
	for i := range keys {
		var bits uint64
		for k := size - 1; k >= 0; k-- {
			bits = bits<<8 | uint64(data[i*size+k])
		}
		s := int64(bits<<up) >> up
		if t == shape.F8E8M0FNU { // has no sign
			s = int64(bits)
		}
		keys[i] = s ^ int64(uint64(s>>63)>>1)
	}
	return keys
}
