package kernel

import "github.com/halo-xla/halo/xla/shape"

// Stripes is how an array lies along one of its dimensions: Count stripes of Width bytes each.
type Stripes struct{ Count, Width int64 }

// NewStripes returns the stripes along dimension d of an array of dims with elements of so many bytes.
func NewStripes(dims []int64, d int, bytes int64) Stripes {
	return Stripes{shape.Product(dims[:d]), shape.Product(dims[d:]) * bytes}
}

// Gather are the copies that join the parts along the dimension of the stripes s, those of each part.
func (s Stripes) Gather(dst []byte, parts [][]byte) []StripeCopy {
	list := make([]StripeCopy, len(parts))
	for k, p := range parts {
		at := min(int64(k)*s.Width, int64(len(dst)))
		list[k] = StripeCopy{dst[at:], p, s.Count, s.Width, int64(len(parts)) * s.Width, s.Width}
	}
	return list
}

// AllToAll are the copies that join the blocks k of the sources along the dimension of their stripes s.
func (s Stripes) AllToAll(dst []byte, sources [][]byte, k int64) []StripeCopy {
	w := s.Width / int64(len(sources))
	list := make([]StripeCopy, len(sources))
	for j, src := range sources {
		at := min(int64(j)*w, int64(len(dst)))
		list[j] = StripeCopy{dst[at:], src[min(k*w, int64(len(src))):], s.Count, w, s.Width, s.Width}
	}
	return list
}

// StripeCopy copies Count stripes of Width bytes, which are DstStride and SrcStride bytes apart.
type StripeCopy struct {
	Dst, Src                           []byte
	Count, Width, DstStride, SrcStride int64
}

// WholeCopy is the copy of all of src.
func WholeCopy(dst, src []byte) StripeCopy {
	n := int64(len(src))
	return StripeCopy{dst, src, 1, n, n, n}
}

// copyTask is about how many bytes a task copies.
const copyTask = 1 << 18

// CopyStripes does copies, which do not overlap, in tasks of like size.
func CopyStripes(list []StripeCopy, p Parallel) {
	type task struct {
		c           *StripeCopy
		first, last int64 // stripes
		from, to    int64 // bytes of each
	}
	var tasks []task
	all := int64(0)
	for i := range list {
		c := &list[i]
		all += c.Count * c.Width
		if c.Count*c.Width == 0 {
			continue
		}
		stripes := max(copyTask/c.Width, 1)
		part := min(c.Width, copyTask)
		for first := int64(0); first < c.Count; first += stripes {
			for from := int64(0); from < c.Width; from += part {
				tasks = append(tasks, task{c, first, min(first+stripes, c.Count), from, min(from+part, c.Width)})
			}
		}
	}
	do := func(i int64) {
		t := &tasks[i]
		for k := t.first; k < t.last; k++ {
			copy(t.c.Dst[k*t.c.DstStride+t.from:k*t.c.DstStride+t.to], t.c.Src[k*t.c.SrcStride+t.from:])
		}
	}
	if all <= copyTask {
		for i := range tasks {
			do(int64(i))
		}
		return
	}
	p(int64(len(tasks)), do)
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
