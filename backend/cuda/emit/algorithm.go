package emit

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// split is how a dot's algorithm takes floats: as sums of parts of a narrow type, of which some products are summed.
type split struct {
	operand, sum string // types by name; tf32 is none of memory's
	parts        int
	pairs        [][2]int
}

// splitOf is how the algorithm of a dot takes its operands, nil if it changes nothing.
func splitOf(in *hlo.Instruction) *split {
	a := in.Attrs.(*hlo.DotAttrs)
	lhs, rhs := in.Operands[0].Shape.Type, in.Operands[1].Shape.Type
	if in.Op == hlo.ScaledDot { // products with scales
		lhs, rhs = shape.F64, shape.F64
	}
	s := hlo.DotSplitOf(a.Algorithm, lhs, rhs, in.Shape.Type)
	if s == nil {
		return nil
	}
	d, _ := hlo.DotAlgorithmOf(a.Algorithm)
	return &split{d.LHSPrecisionType, d.AccumulationType, s.Parts, s.Pairs}
}

// rounded is v, a float, rounded to a type and of its own type again.
func (b *body) rounded(v value, to string) value {
	if to == "tf32" {
		return b.converted(b.element(shape.F32, fmt.Sprintf("round_tf32(%s)", b.converted(v, shape.F32).text)), v.t)
	}
	t, _ := shape.TypeByName(to)
	return b.plain(b.converted(b.plain(b.converted(v, t)), v.t))
}

// partsOf are the parts of v, the largest first.
func (s *split) partsOf(b *body, v value) []value {
	var list []value
	for i := range s.parts {
		p := b.rounded(v, s.operand)
		list = append(list, p)
		if i+1 < s.parts {
			v = b.element(v.t, fmt.Sprintf("x_finite(%s) ? %s - %s : 0", p.text, v.text, p.text))
		}
	}
	return list
}

// addProducts adds the product of x and y to an accumulator, or what an algorithm makes of it.
func (b *body) addProducts(acc string, t shape.ElementType, x, y value, s *split) {
	if s == nil {
		b.addProduct(acc, t, x, y)
		return
	}
	l, r := s.partsOf(b, b.plain(x)), s.partsOf(b, b.plain(y))
	for _, p := range s.pairs {
		b.addProduct(acc, t, l[p[0]], r[p[1]])
	}
}

// roundedSum is what an accumulator of products holds, as an element of type t, by way of the type that an algorithm
// sums in.
func (b *body) roundedSum(acc value, t shape.ElementType, s *split) value {
	if s == nil {
		return b.sum(acc, t)
	}
	return b.converted(b.rounded(b.frozen(acc.t, acc.text), s.sum), t)
}
