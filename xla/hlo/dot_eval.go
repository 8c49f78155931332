package hlo

import (
	"slices"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func evalDot(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a, t := in.Attrs.(*DotAttrs), in.Shape.Type
	s, err := dotDims(args[0].Shape(), args[1].Shape(), a)
	if err != nil {
		return nil, err
	}
	if err := e.room(s); err != nil {
		return nil, err
	}
	w, err := contract(e, t, a, args[0].Shape(), args[1].Shape(), summands(args[0], t), summands(args[1], t))
	if err != nil {
		return nil, err
	}
	return literal.FromWide(s.WithType(t), sums(w, t)), nil
}

// summands returns l's elements in the class in which products that give type t are summed: predicates are counted.
func summands(l *literal.Literal, t shape.ElementType) literal.Wide {
	if t == shape.Pred {
		t = shape.U64
	}
	return wideAs(l, t)
}

// sums undoes summands: a count of anything but 0 is true.
func sums(w literal.Wide, t shape.ElementType) literal.Wide {
	if t == shape.Pred {
		return literal.ConvertWide(w, shape.U64, t)
	}
	return w
}

// contract multiplies lhs and rhs, of shapes ls and rs and of the class of t's summands, as a dot with attributes a.
func contract(e *Evaluator, t shape.ElementType, a *DotAttrs, ls, rs shape.Shape,
	lhs, rhs literal.Wide) (literal.Wide, error) {
	d := newDotSizes(ls, rs, a)
	alg, err := findAlgorithm(a.Algorithm)
	if err != nil {
		return lhs, err
	}
	if alg != nil && lhs.Class == shape.FloatClass && alg.operand != "f8" && alg.operand != "f64" {
		return d.withAlgorithm(e, alg, lhs, rhs) // products of integers and complex numbers are exact enough for any
	}
	out := literal.MakeWide(lhs.Class, d.b*d.m*d.n)
	return out, d.wide(e, t, out, lhs, rhs)
}

// dotSizes is a dot as B products of an M by K with the transpose of an N by K matrix.
type dotSizes struct {
	b, m, n, k         int
	lhsDims, rhsDims   []int64
	lhsOrder, rhsOrder []int64 // dimensions in the order B M K and B N K
	batch, contracting int     // numbers of dimensions
}

func newDotSizes(ls, rs shape.Shape, a *DotAttrs) *dotSizes {
	lhsFree := shape.OtherDims(ls.Rank(), a.LHSBatch, a.LHSContracting)
	rhsFree := shape.OtherDims(rs.Rank(), a.RHSBatch, a.RHSContracting)
	return &dotSizes{
		b: product(ls, a.LHSBatch), m: product(ls, lhsFree), n: product(rs, rhsFree), k: product(ls, a.LHSContracting),
		lhsDims: ls.Dims, lhsOrder: slices.Concat(a.LHSBatch, lhsFree, a.LHSContracting),
		rhsDims: rs.Dims, rhsOrder: slices.Concat(a.RHSBatch, rhsFree, a.RHSContracting),
		batch: len(a.RHSBatch), contracting: len(a.RHSContracting),
	}
}

// product returns the product of the sizes of dims.
func product(s shape.Shape, dims []int64) int {
	n := 1
	for _, d := range dims {
		n *= int(s.Dims[d])
	}
	return n
}

// wide adds the products, which give type t, to out.
func (d *dotSizes) wide(e *Evaluator, t shape.ElementType, out, lhs, rhs literal.Wide) error {
	switch out.Class {
	case shape.SignedClass:
		return dotMatrices(e, d, wideProducts[int64](), out.I, lhs.I, rhs.I)
	case shape.UnsignedClass:
		return dotMatrices(e, d, wideProducts[uint64](), out.U, lhs.U, rhs.U)
	case shape.FloatClass:
		return dotMatrices(e, d, floatProducts(t, d.k), out.F, lhs.F, rhs.F)
	case shape.ComplexClass:
		return dotMatrices(e, d, complexProducts(t, d.k), out.C, lhs.C, rhs.C)
	}
	panic("hlo: bug: dot in class " + out.Class.String())
}

// fewRows is how many rows of lhs make it worth while to transpose rhs.
const fewRows = 8

func dotMatrices[T number](e *Evaluator, d *dotSizes, p products[T], out, lhs, rhs []T) error {
	lhs = permute(lhs, d.lhsDims, d.lhsOrder)
	if d.m < fewRows && d.n >= fewRows {
		byK := func(out, x, r []T) { p.axpy(out, x, r, len(out)) }
		return dotPacked(e, d, out, lhs, permute(rhs, d.rhsDims, d.rhsByK()), byK)
	}
	return dotPacked(e, d, out, lhs, permute(rhs, d.rhsDims, d.rhsOrder), p.rows)
}

// rhsByK returns the dimensions of rhs in the order B K N.
func (d *dotSizes) rhsByK() []int64 {
	batch, free := d.rhsOrder[:d.batch], d.rhsOrder[d.batch:len(d.rhsOrder)-d.contracting]
	return slices.Concat(batch, d.rhsOrder[len(d.rhsOrder)-d.contracting:], free)
}

// withAlgorithm computes a dot of floats from narrow parts of its operands.
func (d *dotSizes) withAlgorithm(e *Evaluator, alg *dotAlgorithm, lhs, rhs literal.Wide) (literal.Wide, error) {
	out := literal.MakeWide(lhs.Class, d.b*d.m*d.n)
	l, r := alg.split(lhs.F), alg.split(rhs.F)
	for _, p := range alg.pairs() {
		x, y := literal.Wide{Class: out.Class, F: l[p[0]]}, literal.Wide{Class: out.Class, F: r[p[1]]}
		if err := d.wide(e, shape.F64, out, x, y); err != nil {
			return out, err
		}
	}
	round := roundTo(alg.sum)
	for i, v := range out.F {
		out.F[i] = round(v)
	}
	return out, nil
}

// dotPacked adds to out the B products of lhs, B M K, with rhs, whose N by K or K by N elements row knows how to take.
func dotPacked[T number](e *Evaluator, d *dotSizes, out, lhs, rhs []T, row func(out, x, r []T)) error {
	done := 0
	for b := range d.b {
		r := rhs[b*d.n*d.k : (b+1)*d.n*d.k]
		for i := b * d.m; i < (b+1)*d.m; i++ {
			row(out[i*d.n:(i+1)*d.n], lhs[i*d.k:(i+1)*d.k], r)
			if done += d.n * (d.k + 1); done >= pollRun {
				done = 0
				if err := e.tick(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
