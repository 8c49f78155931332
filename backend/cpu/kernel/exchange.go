package kernel

// Stripes is how an array lies along one of its dimensions: Count stripes of Width bytes each.
type Stripes struct{ Count, Width int64 }

// NewStripes returns the stripes along dimension d of an array of dims with elements of so many bytes.
func NewStripes(dims []int64, d int, bytes int64) Stripes {
	return Stripes{product(dims[:d]), product(dims[d:]) * bytes}
}

// Concat joins arrays along the dimension of the stripes s, those of each part.
func (s Stripes) Concat(dst []byte, parts [][]byte) {
	n := int64(len(parts))
	for k, p := range parts {
		at := int64(k) * s.Width
		for i := range s.Count {
			copy(dst[i*n*s.Width+at:], p[i*s.Width:(i+1)*s.Width])
		}
	}
}

// Block copies block k of the n equal ones that src has along the dimension of its stripes s.
func (s Stripes) Block(dst, src []byte, k, n int64) {
	w := s.Width / n
	for i := range s.Count {
		copy(dst[i*w:(i+1)*w], src[i*s.Width+k*w:])
	}
}

// AllToAll joins the blocks k of the sources along the dimension of their stripes s.
func (s Stripes) AllToAll(dst []byte, sources [][]byte, k int64) {
	n := int64(len(sources))
	w := s.Width / n
	for j, src := range sources {
		at := int64(j) * w
		for i := range s.Count {
			copy(dst[i*s.Width+at:i*s.Width+at+w], src[i*s.Width+k*w:])
		}
	}
}

// CopyBox copies the box of a size at from in src, an array of srcDims, to the box at to in dst.
func CopyBox(dst, src []byte, dstDims, srcDims, to, from, size []int64, bytes int64) {
	if len(size) == 0 {
		copy(dst, src[:bytes])
		return
	}
	last := len(size) - 1
	var walk func(d int, x, y int64)
	walk = func(d int, x, y int64) {
		x, y = x*dstDims[d]+to[d], y*srcDims[d]+from[d]
		if d == last {
			copy(dst[x*bytes:], src[y*bytes:(y+size[d])*bytes])
			return
		}
		for i := range size[d] {
			walk(d+1, x+i, y+i)
		}
	}
	walk(0, 0, 0)
}
