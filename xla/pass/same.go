package pass

import (
	"bytes"
	"hash/maphash"
	"math"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// sameAttrs reports whether two attributes of one op say the same. Computations are the same if they are one.
func sameAttrs(a, b hlo.Attrs) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if c, ok := a.(*hlo.ConstantAttrs); ok {
		return sameLiteral(c.Literal, b.(*hlo.ConstantAttrs).Literal)
	}
	fa, fb := a.Fields(), b.Fields()
	for i := range fa {
		if !sameField(fa[i].Ptr, fb[i].Ptr) {
			return false
		}
	}
	return true
}

// sameLiteral reports whether two values have the same bits.
func sameLiteral(a, b *literal.Literal) bool {
	if a == b {
		return true
	}
	return a.Shape().Equal(b.Shape()) && a.DynamicSizes() == nil && b.DynamicSizes() == nil &&
		bytes.Equal(a.Bytes(), b.Bytes()) && slices.EqualFunc(a.Elems(), b.Elems(), sameLiteral)
}

func sameField(a, b any) bool {
	switch p := a.(type) {
	case *bool:
		return *p == *b.(*bool)
	case *int64:
		return *p == *b.(*int64)
	case *float64:
		return math.Float64bits(*p) == math.Float64bits(*b.(*float64))
	case *string:
		return *p == *b.(*string)
	case *[]int64:
		return slices.Equal(*p, *b.(*[]int64))
	case *[]bool:
		return slices.Equal(*p, *b.(*[]bool))
	case *shape.ElementType:
		return *p == *b.(*shape.ElementType)
	case *shape.Shape:
		return p.Equal(*b.(*shape.Shape))
	case *[]shape.Shape:
		return slices.EqualFunc(*p, *b.(*[]shape.Shape), shape.Shape.Equal)
	case **hlo.Computation:
		return *p == *b.(**hlo.Computation)
	case *[]*hlo.Computation:
		return slices.Equal(*p, *b.(*[]*hlo.Computation))
	case hlo.Value: // what is absent has no text
		q := b.(hlo.Value)
		return p.IsZero() == q.IsZero() && (p.IsZero() || bytes.Equal(p.AppendText(nil), q.AppendText(nil)))
	}
	return false
}

// hasher makes numbers of instructions such that equal ones get the same number.
type hasher struct {
	h    maphash.Hash
	text []byte
	// numbers are those of the computations that attributes have named.
	numbers map[*hlo.Computation]int64
}

// attrs adds what the attributes say.
func (h *hasher) attrs(a hlo.Attrs) {
	if c, ok := a.(*hlo.ConstantAttrs); ok {
		h.literal(c.Literal)
		return
	}
	for _, f := range a.Fields() {
		h.field(f.Ptr)
	}
}

// maxHashed bounds the bytes of a constant that go into its number.
const maxHashed = 256

func (h *hasher) literal(l *literal.Literal) {
	b := l.Bytes()
	h.int(int64(len(b)))
	h.h.Write(b[:min(len(b), maxHashed)])
	for _, e := range l.Elems() {
		h.literal(e)
	}
}

func (h *hasher) int(n int64) { maphash.WriteComparable(&h.h, n) }

func (h *hasher) field(ptr any) {
	switch p := ptr.(type) {
	case *bool:
		maphash.WriteComparable(&h.h, *p)
	case *int64:
		h.int(*p)
	case *float64:
		h.int(int64(math.Float64bits(*p)))
	case *string:
		h.h.WriteString(*p)
	case *[]int64:
		for _, n := range *p {
			h.int(n)
		}
	case **hlo.Computation:
		h.computation(*p)
	case *[]*hlo.Computation:
		for _, c := range *p {
			h.computation(c)
		}
	case hlo.Value:
		if !p.IsZero() {
			h.text = p.AppendText(h.text[:0])
			h.h.Write(h.text)
		}
	}
}

// computation adds the number of c: programs can have thousands of reductions that differ in nothing else.
func (h *hasher) computation(c *hlo.Computation) {
	n, ok := h.numbers[c]
	if !ok {
		if h.numbers == nil {
			h.numbers = map[*hlo.Computation]int64{}
		}
		n = int64(len(h.numbers))
		h.numbers[c] = n
	}
	h.int(n)
}

// shape adds the element types and sizes.
func (h *hasher) shape(s shape.Shape) {
	h.int(int64(s.Type))
	for _, n := range s.Dims {
		h.int(n)
	}
	for _, e := range s.Elems {
		h.shape(e)
	}
}
