package hlo

import (
	"slices"
	"unsafe"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// axis is one dimension of a copy: n steps, each dst elements apart in the destination and src elements in the source.
type axis struct{ n, dst, src int64 }

// copier moves the elements of one box from place to place, any number of times. It knows nothing of their type.
type copier struct {
	width int    // bytes of an element
	run   int64  // elements that are neighbours on both sides: one memory copy
	outer []axis // the loops around it, the last one fastest
	rows  axis   // the two loops inside outer, in an order that is kind to the cache
	cols  axis
	index []int64
	empty bool
	whole bool // the box is one run
}

// newCopier plans the copy of a box with the given axes, slowest first. width is the size of an element in bytes.
func newCopier(width int, axes []axis) *copier {
	c := &copier{width: width, run: 1, rows: axis{n: 1}, cols: axis{n: 1}}
	axes, c.empty = joinAxes(axes)
	if k := len(axes) - 1; k >= 0 && axes[k].dst == 1 && axes[k].src == 1 {
		c.run, axes = axes[k].n, axes[:k]
	}
	if k := len(axes) - 1; k >= 0 {
		c.cols, axes = axes[k], axes[:k]
	}
	if k := nearest(axes); k >= 0 {
		c.rows = axes[k]
		axes = slices.Delete(axes, k, k+1)
	}
	c.outer, c.index = axes, make([]int64, len(axes))
	c.whole = c.rows.n*c.cols.n == 1 && len(axes) == 0
	return c
}

// joinAxes drops axes of one step and makes one axis of neighbours that continue each other on both sides.
func joinAxes(axes []axis) (out []axis, empty bool) {
	for _, a := range axes {
		k := len(out) - 1
		switch {
		case a.n == 0:
			return nil, true
		case a.n == 1:
		case k >= 0 && out[k].dst == a.n*a.dst && out[k].src == a.n*a.src:
			out[k] = axis{out[k].n * a.n, a.dst, a.src}
		default:
			out = append(out, a)
		}
	}
	return out, false
}

// nearest returns the axis with the shortest steps in the source, those in place counted long; -1 if there is no axis.
func nearest(axes []axis) int {
	best := len(axes) - 1
	for k, a := range axes {
		if a.src != 0 && (axes[best].src == 0 || abs(a.src) < abs(axes[best].src)) {
			best = k
		}
	}
	return best
}

func abs(n int64) int64 { return max(n, -n) }

// copy moves the box that starts at element srcAt of src to the one that starts at element dstAt of dst.
func (c *copier) copy(dst, src []byte, dstAt, srcAt int64) {
	if c.empty {
		return
	}
	if c.whole {
		w := int64(c.width)
		copy(dst[dstAt*w:(dstAt+c.run)*w], src[srcAt*w:])
		return
	}
	for {
		d, s := dstAt, srcAt
		for k, i := range c.index {
			d, s = d+i*c.outer[k].dst, s+i*c.outer[k].src
		}
		c.plane(dst, src, d, s)
		if !c.bump() {
			return
		}
	}
}

// bump steps the index of the outer loops; after the last it is all zeros again.
func (c *copier) bump() bool {
	for k := len(c.index) - 1; k >= 0; k-- {
		if c.index[k]++; c.index[k] < c.outer[k].n {
			return true
		}
		c.index[k] = 0
	}
	return false
}

func (c *copier) plane(dst, src []byte, d, s int64) {
	if c.run > 1 {
		c.runs(dst, src, d, s)
		return
	}
	switch c.width {
	case 1:
		planeOf[uint8](c, dst, src, d, s)
	case 2:
		planeOf[uint16](c, dst, src, d, s)
	case 4:
		planeOf[uint32](c, dst, src, d, s)
	case 8:
		planeOf[uint64](c, dst, src, d, s)
	default:
		planeOf[[2]uint64](c, dst, src, d, s)
	}
}

// runs moves a plane of neighbouring elements by memory copies.
func (c *copier) runs(dst, src []byte, d, s int64) {
	w := int64(c.width)
	n := c.run * w
	for i := range c.rows.n {
		to, from := (d+i*c.rows.dst)*w, (s+i*c.rows.src)*w
		for range c.cols.n {
			copy(dst[to:to+n], src[from:from+n])
			to, from = to+c.cols.dst*w, from+c.cols.src*w
		}
	}
}

// square is the side of the squares in which single elements move, so that the lines of both sides stay in the cache.
const square = 32

func planeOf[T any](c *copier, dst, src []byte, d, s int64) {
	to, from := itemsOf[T](dst), itemsOf[T](src)
	rows, cols := c.rows, c.cols
	side := int64(square)
	if rows.n == 1 || abs(cols.src)*int64(c.width) <= 64 {
		side = cols.n // a line of the source is used up before the next one is read
	}
	for i0 := int64(0); i0 < rows.n; i0 += square {
		i1 := min(i0+square, rows.n)
		for j0 := int64(0); j0 < cols.n; j0 += side {
			n := min(side, cols.n-j0)
			for i := i0; i < i1; i++ {
				lineOf(to, from, d+i*rows.dst+j0*cols.dst, s+i*rows.src+j0*cols.src, n, cols)
			}
		}
	}
}

func lineOf[T any](dst, src []T, d, s, n int64, a axis) {
	if a.src == 0 && a.dst == 1 {
		v := src[s]
		line := dst[d : d+n]
		for i := range line {
			line[i] = v
		}
		return
	}
	for range n {
		dst[d] = src[s]
		d, s = d+a.dst, s+a.src
	}
}

// itemsOf returns b as elements. Only a source may be misaligned, when a caller lent its bytes: it is copied.
func itemsOf[T any](b []byte) []T {
	var zero T
	n := len(b) / int(unsafe.Sizeof(zero))
	if n == 0 {
		return nil
	}
	if uintptr(unsafe.Pointer(&b[0]))%unsafe.Alignof(zero) != 0 {
		c := make([]T, n)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&c[0])), len(b)), b)
		return c
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
}

// array returns zeros of the static shape s, or the error that the evaluation's limit or memory sets.
func (e *Evaluator) array(s shape.Shape) (*literal.Literal, error) {
	s = shape.Array(s.Type, s.Dims...)
	if n, err := s.ByteSize(); err == nil {
		if err := e.admit(n); err != nil {
			return nil, err
		}
	}
	return literal.New(s)
}
