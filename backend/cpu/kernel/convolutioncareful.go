package kernel

import (
	"math"

	"github.com/halo-xla/halo/xla/shape"
)

// Padding is no zero to multiply with: a place of the window outside of the array takes no part in the sum, which shows
// when a weight is infinite or NaN. Contractions multiply by the zeros nevertheless, so weights are looked at first.

// Finite says whether no element of data, of type t, is infinite or NaN.
func Finite(data []byte, t shape.ElementType) bool {
	switch t.Component() {
	case shape.F32:
		for _, v := range Cast[uint32](data) {
			if v&0x7f800000 == 0x7f800000 {
				return false
			}
		}
		return true
	case shape.F64:
		for _, v := range Cast[uint64](data) {
			if v&(0x7ff<<52) == 0x7ff<<52 {
				return false
			}
		}
		return true
	}
	return !t.IsFloat() || len(nonFinite(data, t)) == 0
}

// nonFinite returns the places of the elements that are infinite or NaN.
func nonFinite(data []byte, t shape.ElementType) map[int]bool {
	places := map[int]bool{}
	var v [1]complex128
	load := complexLoader[complex128](t)
	for i := range len(data) / t.Bytes() {
		load(v[:], data, i, zeroOffset, 1)
		if !finite(real(v[0])) || !finite(imag(v[0])) {
			places[i] = true
		}
	}
	return places
}

func finite(v float64) bool { return !math.IsInf(v, 0) && v == v }

// Careful computes a padded convolution whose weights, rhs, need not be finite: without those that are not first, and
// then once more where they meet elements that are no padding. lhs is the padded array.
type Careful struct {
	Contraction   Contraction
	Padding       *Padding
	LHS, RHS, Out shape.ElementType
}

// Run computes out.
func (c *Careful) Run(out, lhs, rhs []byte, p Parallel) {
	places, clean := nonFinite(rhs, c.RHS), append([]byte(nil), rhs...)
	zero := make([]byte, c.RHS.Bytes())
	for i := range places {
		copy(clean[i*len(zero):], zero)
	}
	k := NewContractor(c.Contraction, c.LHS, c.RHS, c.Out, nil)
	p(k.Tasks, func(task int64) { k.Run(out, lhs, clean, task) })
	if c.Out.IsComplex() {
		again(c, out, lhs, rhs, places, complexLoader[complex128], complexStorer[complex128])
	} else {
		again(c, out, lhs, rhs, places, floatLoader[float64], floatStorer[float64])
	}
}

// again computes the elements of out anew that have a product with a weight at one of the places.
func again[T float64 | complex128](c *Careful, out, lhs, rhs []byte, places map[int]bool,
	load func(shape.ElementType) rowLoader[T], store func(shape.ElementType) storer[T]) {
	d := &direct[T]{inside: c.inside(), lhs: lhs, rhs: rhs, loadL: load(c.LHS), loadR: load(c.RHS),
		left: c.Contraction.LHS.Columns.Offsets(), right: c.Contraction.RHS.Columns.Offsets()}
	put := store(c.Out)
	l, r, o := &c.Contraction.LHS, &c.Contraction.RHS, &c.Contraction.Out
	lb, lm, rn := l.Batch.Offsets(), l.Rows.Offsets(), r.Rows.Offsets()
	ob, om, on := o.Batch.Offsets(), o.Rows.Offsets(), o.Columns.Offsets()
	for b, first := range r.Batch.Offsets() {
		for j, column := range rn {
			terms := d.terms(places, r.First+first+column)
			for i, row := range lm {
				if x := l.First + lb[b] + row; d.meets(terms, x) {
					put(out, []T{d.sum(x, r.First+first+column)}, o.First+ob[b]+om[i]+on[j], zeroOffset, 1)
				}
			}
		}
	}
}

// direct sums products one by one.
type direct[T float64 | complex128] struct {
	inside       []byte // of lhs: not padding
	lhs, rhs     []byte
	loadL, loadR rowLoader[T]
	left, right  []int // offsets of terms
}

// terms are the terms of a sum whose weights are at places.
func (d *direct[T]) terms(places map[int]bool, weights int) []int {
	var list []int
	for k, o := range d.right {
		if places[weights+o] {
			list = append(list, k)
		}
	}
	return list
}

// meets says whether one of the terms has an element of lhs.
func (d *direct[T]) meets(terms []int, x int) bool {
	for _, k := range terms {
		if d.inside[x+d.left[k]] != 0 {
			return true
		}
	}
	return false
}

// sum is that of all terms with an element of lhs. It stays NaN once it is.
func (d *direct[T]) sum(x, y int) T {
	var s, a, b [1]T
	for k, o := range d.left {
		if d.inside[x+o] == 0 {
			continue
		}
		d.loadL(a[:], d.lhs, x+o, zeroOffset, 1)
		d.loadR(b[:], d.rhs, y+d.right[k], zeroOffset, 1)
		if s[0] += a[0] * b[0]; s[0] != s[0] && !isComplex(s[0]) {
			break
		}
	}
	return s[0]
}

func isComplex[T float64 | complex128](v T) bool {
	_, is := any(v).(complex128)
	return is
}

// inside has a 1 for each element of the padded array that is no padding.
func (c *Careful) inside() []byte {
	ones, mask := make([]byte, shape.Product(c.Padding.From)), make([]byte, c.Padding.Bytes(1))
	for i := range ones {
		ones[i] = 1
	}
	_, inner := c.Padding.Moves(1)
	inner.Run(mask, ones, Serial)
	return mask
}
