package emit

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// cut makes paddings the same on both sides, by an X that is padded by a kernel. It reports whether there is such a
// one.
func (p *convolving) cut() bool {
	c := &p.c
	if c.Kind != ConvForward || slices.Equal(c.Pre, c.Post) && slices.Min(c.Pre) >= 0 {
		return false
	}
	x := p.arranged(c.X.Type, slices.Clone(c.X.Dims))
	low := make([]int64, len(c.Pre))
	for i := range c.Pre {
		n := max(0, min(c.Pre[i], c.Post[i]))
		low[i] = c.Pre[i] - n
		x.Dims[2+i] += low[i] + c.Post[i] - n
		if x.Dims[2+i] < 1 {
			return false
		}
		c.Pre[i], c.Post[i] = n, n
	}
	p.pack(&x)
	p.arrange(c.X, x, moving{low: low})
	c.X = x
	return true
}

// order chooses the order of dimensions in memory: that of the array that is not W, if it is one that libraries take.
func (p *convolving) order() {
	a := p.c.X
	if p.c.Kind == ConvBackwardData {
		a = p.c.Y
	}
	p.last = a.packed(true) || !a.packed(false)
}

// memoryOrder lists dimensions, the outermost first: features last, or space.
func memoryOrder(rank int, last bool) []int {
	order := make([]int, rank)
	for d := range order {
		order[d] = d
	}
	if last {
		order = append(slices.Delete(order, 1, 2), 1)
	}
	return order
}

// packed reports whether a lies without gaps in memory, with features last or space.
func (a *ConvArray) packed(last bool) bool {
	step := int64(1)
	for _, d := range slices.Backward(memoryOrder(len(a.Dims), last)) {
		if a.Dims[d] != 1 && a.Strides[d] != step {
			return false
		}
		step *= a.Dims[d]
	}
	return true
}

// pack gives a the distances that it has in the order chosen.
func (p *convolving) pack(a *ConvArray) {
	a.Strides = make([]int64, len(a.Dims))
	step := int64(1)
	for _, d := range slices.Backward(memoryOrder(len(a.Dims), p.last)) {
		a.Strides[d] = step
		step *= a.Dims[d]
	}
	if a.Kind == Scratch {
		p.e.Scratch[a.Index] = step * int64(a.Type.Bytes())
	}
}

// arranged is a new array in the order chosen.
func (p *convolving) arranged(t shape.ElementType, dims []int64) ConvArray {
	a := ConvArray{Buffer: p.e.scratch(0), Type: t, Dims: dims}
	p.pack(&a)
	return a
}

// moving is what is done to an array besides: it is moved by low along space where that is set, with zeros beside it,
// read the other way along the dimensions of space where flip is, and has its groups where split of convolving says.
type moving struct {
	low   []int64
	flip  []bool
	split int64
}

// arrange appends a kernel that brings an array into another order.
func (p *convolving) arrange(from, to ConvArray, how moving) {
	order := make([]int, len(to.Dims)) // of memory
	for d := range order {
		order[d] = d
	}
	slices.SortStableFunc(order, func(x, y int) int { return int(min(max(to.Strides[y]-to.Strides[x], -1), 1)) })
	of := make([]int64, len(order))
	for i, d := range order {
		of[i] = to.Dims[d]
	}
	b := newBody(p.e, shape.Product(from.Dims), shape.Product(of))
	b.threads(shape.Product(of))
	at, inside := "0", []string(nil)
	for i, x := range b.coordinates(index{flat: "t", of: of}) {
		d := order[i]
		if d == 0 && how.split > 1 {
			each := to.Dims[0] / how.split
			at = plus(at, times(b.integer(over(x, each)), to.Dims[1]*from.Strides[1]))
			x = b.integer(modulo(x, each))
		}
		if d >= 2 && how.flip != nil && how.flip[d-2] {
			x = b.integer(differ(num(to.Dims[d]-1), x))
		}
		if d >= 2 && how.low != nil {
			x = b.integer(plus(x, num(-how.low[d-2])))
			inside = append(inside, fmt.Sprintf("%s >= 0 && %s < %d", x, x, from.Dims[d]))
		}
		at = plus(at, times(x, from.Strides[d]))
	}
	p.e.add(b.moved(from, to, at, inside, shape.Product(of)))
}

// moved ends a kernel that writes element t of an array, what lies at a place of another, or zero if that is not there.
func (b *body) moved(from, to ConvArray, at string, inside []string, n int64) *Kernel {
	w := value{text: "w", t: from.Type, raw: narrow(from.Type)}
	b.need(ctypes[w.t].uses)
	b.line("%s w = 0;", carrier(w))
	b.open("if (%s) {", joined(append(inside, "true")))
	v := b.load(from.Buffer, from.Type, index{flat: b.integer(at)})
	b.line("w = %s;", v.text)
	b.close("}")
	b.store(to.Buffer, "t", w)
	return b.kernel("arrange", ceil(n, blockSize), blockSize)
}
