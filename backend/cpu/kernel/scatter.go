package kernel

import "unsafe"

// Combine folds n updates into elements of an array: element i of dst, which are dstStep bytes apart, becomes what the
// reducer makes of it and of update i. Assign, which is no Combine, only copies.
type Combine func(dst, src unsafe.Pointer, n, dstStep, srcStep int64)

// Scatter folds the windows of updates into dst, in the order of the index vectors for each element; windows that do
// not lie in dst as a whole are left out. places is memory for Count numbers. The elements of dst are split among parts
// tasks, on which no result depends; each folds by what combine returns to it.
func (x *Indexing) Scatter(dst, updates, starts []byte, places []int64, parts int64, combine func() Combine,
	p Parallel) {
	if x.Count == 0 || x.windowElements() == 0 || len(dst) == 0 {
		return
	}
	x.places(starts, places, p)
	s := scattering{x: x, to: unsafe.Pointer(&dst[0]), from: unsafe.Pointer(&updates[0]), places: places, combine: combine}
	if x.Count*x.windowElements() < 1<<15 {
		parts = 1
	}
	if axis := x.FreeAxis(parts); axis >= 0 {
		s.byAxis(axis, parts, p)
	} else {
		s.bySlabs(parts, p)
	}
}

// places finds where the windows lie.
func (x *Indexing) places(starts []byte, places []int64, p Parallel) {
	const part = 1 << 14
	p(ceilDiv(x.Count, part), func(i int64) {
		k := i * part
		x.vectors(starts, k, min(x.Count, k+part), false, func(_, operand int64) {
			places[k] = operand
			k++
		})
	})
}

// FreeAxis returns the longest axis of the windows that no index moves, if it is better to split that than the operand:
// its parts are longer than a cache line, or there is nothing else to split. Otherwise it is -1.
func (x *Indexing) FreeAxis(parts int64) int {
	best := -1
	for d, a := range x.Window {
		if a.Free && (best < 0 || a.N > x.Window[best].N) {
			best = d
		}
	}
	if best >= 0 && (x.Window[best].N*x.Width < 64*parts || parts == 1) && x.Slab < x.Bytes {
		return -1
	}
	return best
}

// scattering is one run of a scatter.
type scattering struct {
	x        *Indexing
	to, from unsafe.Pointer
	places   []int64
	combine  func() Combine
}

// bySlabs gives each task a range of the operand that no window crosses the ends of.
func (s *scattering) bySlabs(parts int64, p Parallel) {
	slabs := max(1, s.x.Bytes/max(1, s.x.Slab))
	parts = min(parts, slabs)
	p(parts, func(i int64) {
		s.windows(s.x.Window, 0, 0, i*slabs/parts*s.x.Slab, (i+1)*slabs/parts*s.x.Slab)
	})
}

// byAxis gives each task a part of an axis of the windows.
func (s *scattering) byAxis(axis int, parts int64, p Parallel) {
	n := s.x.Window[axis].N
	parts = min(parts, n)
	p(parts, func(i int64) {
		window := append([]WindowAxis(nil), s.x.Window...)
		first := i * n / parts
		window[axis].N = (i+1)*n/parts - first
		s.windows(window, first*window[axis].Operand, first*window[axis].Windowed, 0, s.x.Bytes)
	})
}

// windows folds the windows that lie from low to high in the operand, of which it takes the part that window says,
// which begins at dst and src.
func (s *scattering) windows(window []WindowAxis, dst, src, low, high int64) {
	axes, loop := make([]Axis, len(window)), loopOf(s.combine())
	for d, a := range window {
		axes[d] = Axis{a.N, a.Operand, a.Windowed}
	}
	for len(axes) < 2 {
		axes = append([]Axis{{N: 1}}, axes...)
	}
	k := 0
	s.x.windowed(func(windowed int64) {
		if at := s.places[k]; at >= low && at < high {
			moveBox(axes, loop, unsafe.Add(s.to, at+dst), unsafe.Add(s.from, windowed+src))
		}
		k++
	})
}

// loopOf returns the loop that folds the two innermost axes of a window by f.
func loopOf(f Combine) moveLoop {
	return func(dst, src unsafe.Pointer, rows, cols Axis) {
		for i := range rows.N {
			f(unsafe.Add(dst, i*rows.Dst), unsafe.Add(src, i*rows.Src), cols.N, cols.Dst, cols.Src)
		}
	}
}

// windowed calls f with the place of each window in the windowed array, in order.
func (x *Indexing) windowed(f func(at int64)) {
	y := Indexing{Batch: x.Batch}
	y.vectors(nil, 0, x.Count, true, func(windowed, _ int64) { f(windowed) })
}
