package hlo

import (
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func evalScatter(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a, n := in.Attrs.(*ScatterAttrs), len(args)/2
	inputs, start, updates := args[:n], args[n], args[n+1:]
	g := a.dims()
	s := g.newScattering(inputs[0].Shape().Dims, start, updates[0].Shape().Dims)
	results := []shape.Shape{in.Shape}
	if n > 1 || in.Shape.IsTuple() {
		results = in.Shape.Elems
	}
	var out []*literal.Literal
	var err error
	if overwrites(a.ToApply, n) && results[0].Type == inputs[0].Shape().Type {
		out, err = s.overwrite(e, inputs, updates)
	} else {
		out, err = s.combine(e, a.ToApply, results, inputs, updates)
	}
	if err != nil {
		return nil, err
	}
	if in.Shape.IsTuple() {
		return literal.NewTuple(out...), nil
	}
	return out[0], nil
}

// overwrites reports whether c returns the n updates as they are, types unchanged.
func overwrites(c *Computation, n int) bool {
	if n == 1 && !c.Root.Shape.IsTuple() {
		return c.Root == c.Parameters[1]
	}
	if c.Root.Op != Tuple || len(c.Root.Operands) != n {
		return false
	}
	for i, o := range c.Root.Operands {
		if o != c.Parameters[n+i] {
			return false
		}
	}
	return true
}

// scattering is where a scatter's updates go.
type scattering struct {
	*walk
	window []axis // of one window, dst in the results, src in the updates
}

func (g *indexDims) newScattering(operand []int64, start *literal.Literal, update []int64) *scattering {
	sizes := make([]int64, len(operand))
	for d := range sizes {
		sizes[d] = 1
	}
	s := &scattering{}
	to, from := shape.Strides(operand), shape.Strides(update)
	for i, d := range g.windowDims(len(operand)) {
		sizes[d] = update[g.offset[i]]
		s.window = append(s.window, axis{sizes[d], to[d], from[g.offset[i]]})
	}
	s.walk = g.newWalk(operand, start, update, sizes)
	return s
}

// each calls f for every window that lies in the results, with its place there and in the updates. Row 69: a window
// that hangs over the edge is skipped as a whole.
func (s *scattering) each(e *Evaluator, f func(to, from int64) error) error {
	if s.empty() {
		return nil
	}
	for round := 0; ; round++ {
		if to, ok := s.inside(); ok {
			if err := f(to, s.at[1]); err != nil {
				return err
			}
		}
		if err := e.poll(round); err != nil {
			return err
		}
		if !s.next() {
			return nil
		}
	}
}

// overwrite copies the updates' bytes.
func (s *scattering) overwrite(e *Evaluator, inputs, updates []*literal.Literal) ([]*literal.Literal, error) {
	out := make([]*literal.Literal, len(inputs))
	for i, l := range inputs {
		var err error
		if out[i], err = e.array(l.Shape()); err != nil {
			return nil, err
		}
		copy(out[i].Bytes(), l.Bytes())
		c := newCopier(l.Shape().Type.Bytes(), s.window)
		err = s.each(e, func(to, from int64) error {
			c.copy(out[i].Bytes(), updates[i].Bytes(), to, from)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// combine folds the updates in by the computation c, in the wide types, and rounds to the types of results.
func (s *scattering) combine(e *Evaluator, c *Computation, results []shape.Shape,
	inputs, updates []*literal.Literal) ([]*literal.Literal, error) {
	wide, more := make([]literal.Wide, len(inputs)), make([]literal.Wide, len(inputs))
	for i := range inputs {
		if _, err := e.array(results[i]); err != nil {
			return nil, err
		}
		wide[i], more[i] = inputs[i].Wide(), updates[i].Wide()
	}
	line, err := e.folder(c, results, wide, more)
	if err != nil {
		return nil, err
	}
	rows, last := s.window, axis{n: 1}
	if k := len(rows) - 1; k >= 0 {
		rows, last = rows[:k], rows[k]
	}
	dims, dst, src := make([]int64, len(rows)), make([]int64, len(rows)), make([]int64, len(rows))
	for k, a := range rows {
		dims[k], dst[k], src[k] = a.n, a.dst, a.src
	}
	o := newOdometer(dims, dst, src)
	if last.n > 0 && !o.empty() {
		err = s.each(e, func(to, from int64) error {
			for round := 0; ; round++ {
				if err := line(int(to+o.at[0]), int(from+o.at[1]), last); err != nil {
					return err
				}
				if err := e.poll(round); err != nil {
					return err
				}
				if !o.next() {
					return nil
				}
			}
		})
	}
	out := make([]*literal.Literal, len(inputs))
	for i, r := range results {
		out[i] = literal.FromWide(shape.Array(r.Type, inputs[i].Shape().Dims...), wide[i])
	}
	return out, err
}

// lineFolder folds a.n elements of the updates, from src on, into those of the results from dst on.
type lineFolder func(dst, src int, a axis) error

// folder returns the function that folds updates into values by c.
func (e *Evaluator) folder(c *Computation, results []shape.Shape, values, updates []literal.Wide) (lineFolder, error) {
	if op, ok := simpleReducer(c); ok && len(values) == 1 {
		if f := simpleFolder(op, results[0].Type, values[0], updates[0]); f != nil {
			return f, nil
		}
	}
	ap, err := e.applier(c)
	if err != nil {
		return nil, err
	}
	n := len(values)
	in, out := make([]Cell, 2*n), make([]Cell, n)
	return func(dst, src int, a axis) error {
		for range a.n {
			for i := range values {
				in[i], in[n+i] = cellAt(values[i], dst), cellAt(updates[i], src)
			}
			if err := ap.apply(in, out); err != nil {
				return err
			}
			for i, v := range out {
				setCell(values[i], dst, v)
			}
			dst, src = dst+int(a.dst), src+int(a.src)
		}
		return nil
	}, nil
}

// simpleFolder is the folder of one op on one array of type t; nil if there is no quick one. Every sum is rounded to t,
// as the order of the updates is the law here and not only a way to a sum.
func simpleFolder(op Opcode, t shape.ElementType, v, u literal.Wide) lineFolder {
	if op == Add || op == Multiply {
		switch t {
		case shape.F32:
			return foldLine(foldF32[op], v.F, u.F)
		case shape.F64, shape.C128:
		default:
			if t.IsFloat() || t.IsComplex() {
				return nil
			}
		}
	}
	switch v.Class {
	case shape.PredClass:
		return foldLine(foldPred[op], v.B, u.B)
	case shape.SignedClass:
		return foldLine(foldSigned[op], v.I, u.I)
	case shape.UnsignedClass:
		return foldLine(foldUnsigned[op], v.U, u.U)
	case shape.FloatClass:
		return foldLine(foldFloat[op], v.F, u.F)
	}
	return foldLine(foldComplex[op], v.C, u.C)
}

func foldLine[T any](f func(a, b T) T, values, updates []T) lineFolder {
	if f == nil {
		return nil
	}
	return func(dst, src int, a axis) error {
		for range a.n {
			values[dst] = f(values[dst], updates[src])
			dst, src = dst+int(a.dst), src+int(a.src)
		}
		return nil
	}
}

type integer interface{ int64 | uint64 }

func foldIntegers[T integer]() map[Opcode]func(a, b T) T {
	return map[Opcode]func(a, b T) T{
		Add:      func(a, b T) T { return a + b },
		Multiply: func(a, b T) T { return a * b },
		Maximum:  func(a, b T) T { return max(a, b) },
		Minimum:  func(a, b T) T { return min(a, b) },
		And:      func(a, b T) T { return a & b },
		Or:       func(a, b T) T { return a | b },
		Xor:      func(a, b T) T { return a ^ b },
	}
}

func foldOr(a, b bool) bool  { return a || b }
func foldAnd(a, b bool) bool { return a && b }
func foldXor(a, b bool) bool { return a != b }

// The folds of simple reducers by class. Go's max and min propagate NaN and order zeros by their sign, as rows 33 and
// 34 want.
var (
	foldSigned   = foldIntegers[int64]()
	foldUnsigned = foldIntegers[uint64]()
	foldPred     = map[Opcode]func(a, b bool) bool{
		Add: foldOr, Multiply: foldAnd, Maximum: foldOr, Minimum: foldAnd, And: foldAnd, Or: foldOr, Xor: foldXor,
	}
	foldFloat = map[Opcode]func(a, b float64) float64{
		Add:      func(a, b float64) float64 { return a + b },
		Multiply: func(a, b float64) float64 { return a * b },
		Maximum:  func(a, b float64) float64 { return max(a, b) },
		Minimum:  func(a, b float64) float64 { return min(a, b) },
	}
	foldF32 = map[Opcode]func(a, b float64) float64{
		Add:      func(a, b float64) float64 { return float64(float32(a + b)) },
		Multiply: func(a, b float64) float64 { return float64(float32(a * b)) },
	}
	foldComplex = map[Opcode]func(a, b complex128) complex128{
		Add: func(a, b complex128) complex128 { return a + b },
	}
)
