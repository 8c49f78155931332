package kernel

import (
	"cmp"
	"slices"
	"unsafe"
)

// Axis is one dimension of a box of elements: N steps, Dst apart in the destination and Src apart in the source. Axes
// are given in elements; a Move has them in bytes.
type Axis struct{ N, Dst, Src int64 }

// Kind says which loop moves the innermost axes of a Move.
type Kind int32

// The kinds. Run copies stretches that are contiguous on both sides, Fill repeats one element, Plane transposes two
// axes, and Line moves single elements.
const (
	Run Kind = iota
	Fill
	Plane
	Line
)

// Move is the plan of a strided copy: how a box of elements gets from one array to another. It says nothing of types.
type Move struct {
	Kind     Kind
	Width    int64  // bytes that move at once: 1, 2, 4, 8 or 16
	Dst, Src int64  // where the first element is, in bytes
	Axes     []Axis // at least two, in bytes, slowest first; the kind's loop takes the last two
	Parts    []int64
	Tasks    int64 // Parts[d] steps of axis d are in one task; no tasks: nothing to move
	Stream   bool  // so large that stores should not go through the cache
}

// What a task is made of: as many bytes as take a thread some 50 microseconds, and a bound on how many there are.
const (
	taskBytes = 256 << 10
	maxTasks  = 1 << 16
	maxAxes   = 64
	lineBytes = 64
)

// streamBytes is from how many bytes on the stores of each kind go past the caches: fewer are still there when they are
// read. Planes, which write a few bytes of many lines at a time, want room for their source sooner.
var streamBytes = [...]int64{Run: 8 << 20, Fill: 8 << 20, Plane: 4 << 20, Line: 8 << 20}

// NewMove plans the copy of a box of elements of width bytes. axes, in elements, go from slow to fast in the
// destination; dst and src are the places of the first element.
func NewMove(width, dst, src int64, axes []Axis) Move {
	m := Move{Width: width, Dst: dst * width, Src: src * width}
	bytes := make([]Axis, 0, len(axes)+2)
	for _, a := range axes {
		bytes = append(bytes, Axis{a.N, a.Dst * width, a.Src * width})
	}
	slices.SortStableFunc(bytes, func(a, b Axis) int { return int(min(max(b.Dst-a.Dst, -1), 1)) })
	joined, empty := joinAxes(bytes)
	if empty {
		return Move{Width: width}
	}
	m.Axes = joined
	m.widen()
	m.classify()
	m.split()
	return m
}

// joinAxes drops axes of one step and makes one axis of neighbours that continue each other on both sides.
func joinAxes(axes []Axis) (out []Axis, empty bool) {
	for _, a := range axes {
		k := len(out) - 1
		switch {
		case a.N == 0:
			return nil, true
		case a.N == 1:
		case k >= 0 && out[k].Dst == a.N*a.Dst && out[k].Src == a.N*a.Src:
			out[k] = Axis{out[k].N * a.N, a.Dst, a.Src}
		default:
			out = append(out, a)
		}
	}
	return out, false
}

// widen makes one element of a contiguous stretch that is as wide as a machine word.
func (m *Move) widen() {
	k := len(m.Axes) - 1
	if k < 0 || m.Axes[k].Dst != m.Width || m.Axes[k].Src != m.Width {
		return
	}
	switch n := m.Axes[k].N * m.Width; n {
	case 2, 4, 8, 16:
		m.Width, m.Axes = n, m.Axes[:k]
	default:
		m.Axes[k], m.Width = Axis{n, 1, 1}, 1
	}
}

// classify chooses the kind and puts the axes that its loop takes last.
func (m *Move) classify() {
	for len(m.Axes) < 2 {
		m.Axes = slices.Insert(m.Axes, 0, Axis{N: 1})
	}
	k := len(m.Axes) - 1
	last := m.Axes[k]
	m.Kind = Line
	switch {
	case last.Dst == 1 && last.Src == 1 && m.Width == 1:
		m.Kind = Run
		m.readInOrder()
	case last.Dst == m.Width && last.Src == 0:
		m.Kind = Fill
	case last.Dst == m.Width && abs(last.Src) != m.Width:
		for d := k - 1; d >= 0; d-- {
			if m.Axes[d].Src == m.Width {
				a := m.Axes[d]
				m.Axes = slices.Insert(slices.Delete(m.Axes, d, d+1), k-1, a)
				m.Kind = Plane
				return
			}
		}
	}
}

// readInOrder has runs of lines read in the order of the source: what reads waits for the memory, what writes does not.
func (m *Move) readInOrder() {
	k := len(m.Axes) - 1
	outer := m.Axes[:k]
	if m.Axes[k].N >= lineBytes && !slices.ContainsFunc(outer, func(a Axis) bool { return a.Src <= 0 }) {
		slices.SortStableFunc(outer, func(a, b Axis) int { return cmp.Compare(b.Src, a.Src) })
	}
}

func abs(n int64) int64 { return max(n, -n) }

// Bytes returns how many bytes move.
func (m *Move) Bytes() int64 {
	n := m.Width
	for _, a := range m.Axes {
		n *= a.N
	}
	return n
}

// split cuts the box into tasks: by the outer axes first, and a plane by its last axis, so that a task reads whole rows
// of the source.
func (m *Move) split() {
	m.Stream = m.Bytes() >= streamBytes[m.Kind]
	m.Split(TasksOf(m.Bytes()))
}

// TasksOf returns how many tasks so many bytes are worth.
func TasksOf(bytes int64) int64 { return max(1, min(bytes/taskBytes, maxTasks)) }

// Split cuts the box into about so many tasks.
func (m *Move) Split(want int64) {
	m.Parts, m.Tasks = make([]int64, len(m.Axes)), 1
	for d := range m.Axes {
		m.Parts[d] = m.Axes[d].N
	}
	for _, d := range m.splitOrder() {
		n, grain := m.Axes[d].N, m.grain(d)
		if m.Tasks >= want || n <= grain {
			continue
		}
		part := ceilDiv(n, min(n, ceilDiv(want, m.Tasks)))
		m.Parts[d] = ceilDiv(part, grain) * grain
		m.Tasks *= ceilDiv(n, m.Parts[d])
	}
}

func (m *Move) splitOrder() []int {
	order := make([]int, len(m.Axes))
	for d := range order {
		order[d] = d
	}
	if k := len(order); m.Kind == Plane {
		order[k-2], order[k-1] = k-1, k-2
	}
	return order
}

// grain is the number of steps along axis d that stay in one task. Rows past the caches that begin anywhere in a cache
// line are so long that most of their lines are whole ones.
func (m *Move) grain(d int) int64 {
	switch k := len(m.Axes) - 1; {
	case d == k && m.Kind == Run:
		return 4096
	case d == k && m.Kind == Plane && m.Stream && m.skewed():
		return max(64, 16*lineBytes/m.Width)
	case d == k || d == k-1 && m.Kind == Plane:
		return 64
	}
	return 1
}

// skewed reports whether not all rows of the destination begin where one of its cache lines does.
func (m *Move) skewed() bool {
	return slices.ContainsFunc(m.Axes[:len(m.Axes)-1], func(a Axis) bool { return a.Dst%lineBytes != 0 })
}

// Run moves the box from src to dst, which do not overlap.
func (m *Move) Run(dst, src []byte, p Parallel) {
	if m.Tasks == 0 {
		return
	}
	m.check(dst, src)
	loop := moveLoops[m.Kind][log2(m.Width)]
	p(m.Tasks, func(i int64) { m.task(i, loop, unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0])) })
}

// check panics unless the box lies in both arrays.
func (m *Move) check(dst, src []byte) {
	dstLow, dstHigh, srcLow, srcHigh := m.Dst, m.Dst+m.Width, m.Src, m.Src+m.Width
	for _, a := range m.Axes {
		dstHigh += (a.N - 1) * a.Dst
		srcHigh += (a.N - 1) * max(a.Src, 0)
		srcLow += (a.N - 1) * min(a.Src, 0)
	}
	if dstLow < 0 || dstHigh > int64(len(dst)) || srcLow < 0 || srcHigh > int64(len(src)) {
		panic("kernel: bug: the box of a move lies outside of its arrays")
	}
}

// task moves part i of the box.
func (m *Move) task(i int64, loop moveLoop, dst, src unsafe.Pointer) {
	var buffer [maxAxes]Axis
	axes := append(buffer[:0], m.Axes...)
	to, from := m.Dst, m.Src
	for d := len(axes) - 1; d >= 0; d-- {
		parts := ceilDiv(axes[d].N, m.Parts[d])
		first := i % parts * m.Parts[d]
		i /= parts
		to, from = to+first*axes[d].Dst, from+first*axes[d].Src
		axes[d].N = min(m.Parts[d], axes[d].N-first)
	}
	moveBox(axes, loop, unsafe.Add(dst, to), unsafe.Add(src, from))
}

// moveBox counts through the outer axes and calls loop for the last two.
func moveBox(axes []Axis, loop moveLoop, dst, src unsafe.Pointer) {
	outer, rows, cols := axes[:len(axes)-2], axes[len(axes)-2], axes[len(axes)-1]
	var index [maxAxes]int64
	to, from := int64(0), int64(0)
	for {
		loop(unsafe.Add(dst, to), unsafe.Add(src, from), rows, cols)
		d := len(outer) - 1
		for ; d >= 0; d-- {
			to, from = to+outer[d].Dst, from+outer[d].Src
			if index[d]++; index[d] < outer[d].N {
				break
			}
			to, from = to-outer[d].N*outer[d].Dst, from-outer[d].N*outer[d].Src
			index[d] = 0
		}
		if d < 0 {
			return
		}
	}
}
