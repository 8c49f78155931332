package literal

import (
	"bytes"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strconv"

	"github.com/halo-xla/halo/xla/shape"
)

// Tolerance says which differences of floats are none. An element passes if it meets any of the bounds; the zero
// value asks for equal values, with NaN equal to NaN and -0 to 0. Integers and predicates must always be equal.
type Tolerance struct {
	// RTol and ATol bound |got - want| <= ATol + RTol |want|; complex numbers by magnitude.
	RTol, ATol float64
	// ULP bounds the distance in units in the last place of the element type.
	ULP int64
	// Bits asks for the same bits, whatever the other fields say.
	Bits bool
	// NaNsDiffer makes NaN differ from everything.
	NaNsDiffer bool
	// Abs compares absolute values.
	Abs bool
	// ShapeOnly compares nothing but types and sizes.
	ShapeOnly bool
}

// Difference says how a literal differs from what was wanted.
type Difference struct {
	// What is set if not the elements differ but the types or sizes.
	What string
	// Path leads through tuples to the array; nil if there is no tuple.
	Path []int
	// First and Worst are the first wrong element in row-major order, and the one that is wrong by most.
	First, Worst Mismatch
	// Count of Total elements are wrong.
	Count, Total int64
}

// Mismatch is one wrong element.
type Mismatch struct {
	Index     []int64
	Got, Want string
	// ULPs is the distance in units in the last place; -1 if the type has none or one of the two is NaN.
	ULPs int64
}

// String returns the difference in words: the first wrong element, the counts, and the worst if it is another.
func (d *Difference) String() string {
	var b []byte
	if len(d.Path) > 0 {
		b = fmt.Appendf(b, "tuple element %v: ", d.Path)
	}
	if d.What != "" {
		return string(append(b, d.What...))
	}
	b = append(append(b, "element "...), d.First.String()...)
	b = fmt.Appendf(b, "; %d of %d differ", d.Count, d.Total)
	if !slices.Equal(d.First.Index, d.Worst.Index) {
		b = append(append(b, ", the worst is "...), d.Worst.String()...)
	}
	return string(b)
}

// String returns the element in words: "[1,2]: got 1.5, want 1.25 (3 ULPs)".
func (m Mismatch) String() string {
	b := []byte{'['}
	for i, n := range m.Index {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	b = fmt.Appendf(b, "]: got %s, want %s", m.Got, m.Want)
	if m.ULPs >= 0 {
		b = fmt.Appendf(b, " (%d ULPs)", m.ULPs)
	}
	return string(b)
}

// Equal reports whether a and b have the same type, sizes at run time and bits, whatever their layouts.
func Equal(a, b *Literal) bool { return Compare(a, b, Tolerance{Bits: true}) == nil }

// Compare returns nil if got is equal enough to want, otherwise the difference in the first array that differs.
// Layouts and padding do not count, nor do elements beyond sizes at run time.
func Compare(got, want *Literal, tol Tolerance) *Difference {
	if got.shape.IsTuple() && want.shape.IsTuple() && len(got.elems) == len(want.elems) {
		for i := range got.elems {
			if d := Compare(got.elems[i], want.elems[i], tol); d != nil {
				d.Path = append([]int{i}, d.Path...)
				return d
			}
		}
		return nil
	}
	if got.shape.Type != want.shape.Type || got.shape.IsTuple() || !slices.Equal(got.sizesNow(), want.sizesNow()) {
		return &Difference{What: fmt.Sprintf("got %s, want %s", got.shapeNow(), want.shapeNow())}
	}
	if tol.ShapeOnly || !got.shape.IsArray() {
		return nil
	}
	return compareArrays(got.Cropped().RowMajor(), want.Cropped().RowMajor(), tol)
}

// sizesNow returns the sizes at run time.
func (l *Literal) sizesNow() []int64 {
	if l.sizes != nil {
		return l.sizes
	}
	return l.shape.Dims
}

// shapeNow returns the shape with the sizes at run time as static ones.
func (l *Literal) shapeNow() shape.Shape {
	if !l.shape.IsArray() {
		return l.shape.WithoutLayout()
	}
	return l.shape.WithDims(l.sizesNow()...)
}

func compareArrays(got, want *Literal, tol Tolerance) *Difference {
	t := got.shape.Type
	if bytes.Equal(got.data, want.data) && !tol.NaNsDiffer {
		return nil
	}
	c := &comparison{tol: tol, got: got, want: want, g: got.Wide(), w: want.Wide()}
	if tol.Bits {
		c.scan(c.bits)
	} else {
		c.scan(comparers[t.Class()](c))
	}
	if c.diff.Count == 0 {
		return nil
	}
	c.diff.Total = int64(c.g.Len())
	return &c.diff
}

type comparison struct {
	tol       Tolerance
	got, want *Literal
	g, w      Wide
	diff      Difference
	worst     float64
}

// comparers has for each class the function that says by how much element i is wrong, 0 if it passes.
var comparers = [...]func(*comparison) func(int) float64{
	shape.PredClass: func(c *comparison) func(int) float64 {
		return func(i int) float64 { return wrongIf(c.g.B[i] != c.w.B[i]) }
	},
	shape.SignedClass:   (*comparison).signed,
	shape.UnsignedClass: func(c *comparison) func(int) float64 { return c.unsigned },
	shape.FloatClass:    func(c *comparison) func(int) float64 { return c.float },
	shape.ComplexClass:  func(c *comparison) func(int) float64 { return c.complex },
}

func wrongIf(wrong bool) float64 {
	if wrong {
		return 1
	}
	return 0
}

func (c *comparison) scan(wrong func(int) float64) {
	for i := range c.g.Len() {
		by := wrong(i)
		if by == 0 {
			continue
		}
		if c.diff.Count++; c.diff.Count == 1 {
			c.diff.First = c.mismatch(i)
		}
		if by > c.worst {
			c.worst, c.diff.Worst = by, Mismatch{Index: []int64{int64(i)}}
		}
	}
	if c.diff.Count > 0 {
		c.diff.Worst = c.mismatch(int(c.diff.Worst.Index[0]))
	}
}

func (c *comparison) mismatch(i int) Mismatch {
	t, n := c.got.shape.Type, c.got.shape.Type.Bytes()
	m := Mismatch{Index: make([]int64, c.got.shape.Rank()), ULPs: -1}
	rest := int64(i)
	for d := len(m.Index) - 1; d >= 0; d-- {
		m.Index[d] = rest % c.got.shape.Dims[d]
		rest /= c.got.shape.Dims[d]
	}
	m.Got = string(AppendElement(nil, t, c.got.data[i*n:]))
	m.Want = string(AppendElement(nil, t, c.want.data[i*n:]))
	if t.IsFloat() {
		g, w := c.g.F[i], c.w.F[i]
		if c.tol.Abs {
			g, w = math.Abs(g), math.Abs(w)
		}
		if g == g && w == w {
			m.ULPs = ULPDistance(t, g, w)
		}
	}
	return m
}

// bits compares storage; types narrower than a byte by value, since their upper bits do not count.
func (c *comparison) bits(i int) float64 {
	switch t := c.got.shape.Type; {
	case t == shape.Pred:
		return wrongIf(c.g.B[i] != c.w.B[i])
	case t.Bits() < 8:
		return wrongIf((c.got.data[i]^c.want.data[i])&byte(lowMask(t.Bits())) != 0)
	default:
		n := t.Bytes()
		return wrongIf(!bytes.Equal(c.got.data[i*n:(i+1)*n], c.want.data[i*n:(i+1)*n]))
	}
}

func (c *comparison) signed() func(int) float64 {
	return func(i int) float64 {
		g, w := c.g.I[i], c.w.I[i]
		if g == w || c.tol.Abs && g == -w {
			return 0
		}
		return max(math.Abs(float64(g)-float64(w)), 1) // close large values are one float64
	}
}

func (c *comparison) unsigned(i int) float64 {
	g, w := c.g.U[i], c.w.U[i]
	return float64(max(g, w) - min(g, w))
}

func (c *comparison) float(i int) float64 { return c.real(c.g.F[i], c.w.F[i], c.got.shape.Type) }

// real returns 0 if g passes for w, otherwise the error in units of what is allowed.
func (c *comparison) real(g, w float64, t shape.ElementType) float64 {
	if c.tol.Abs {
		g, w = math.Abs(g), math.Abs(w)
	}
	switch {
	case g == w || g != g && w != w && !c.tol.NaNsDiffer:
		return 0
	case g != g || w != w:
		return math.Inf(1)
	case c.tol.ULP > 0 && ULPDistance(t, g, w) <= c.tol.ULP:
		return 0
	case math.IsInf(g, 0) || math.IsInf(w, 0):
		return math.MaxFloat64
	}
	return excess(math.Abs(g-w), c.tol.ATol+c.tol.RTol*math.Abs(w))
}

// excess returns 0 if err is allowed, otherwise how many times as large as that it is.
func excess(err, allowed float64) float64 {
	switch {
	case err <= allowed:
		return 0
	case allowed > 0:
		return min(err/allowed, math.MaxFloat64)
	}
	return min(err, math.MaxFloat64)
}

func (c *comparison) complex(i int) float64 {
	g, w, t := c.g.C[i], c.w.C[i], c.got.shape.Type.Component()
	if c.tol.Abs {
		return c.real(cmplx.Abs(g), cmplx.Abs(w), t)
	}
	parts := max(c.real(real(g), real(w), t), c.real(imag(g), imag(w), t))
	if parts == 0 || !finite(g) || !finite(w) {
		return parts
	}
	return excess(cmplx.Abs(g-w), c.tol.ATol+c.tol.RTol*cmplx.Abs(w))
}

func finite(c complex128) bool { return !cmplx.IsInf(c) && !cmplx.IsNaN(c) }

// ULPDistance returns how many values of the floating-point type t lie between a and b, counting one end; +0 and -0
// are one value. It returns math.MaxInt64 if either is NaN or the distance is beyond it.
func ULPDistance(t shape.ElementType, a, b float64) int64 {
	if a != a || b != b {
		return math.MaxInt64
	}
	x, y := rank(t, a), rank(t, b)
	d := uint64(max(x, y)) - uint64(min(x, y))
	return int64(min(d, math.MaxInt64))
}

// rank numbers the values of t in their order; 0 is 0.
func rank(t shape.ElementType, v float64) int64 {
	n := int64(t.FromFloat64(math.Abs(v)))
	if v < 0 {
		return -n
	}
	return n
}
