package kernel

import (
	"slices"
	"unsafe"

	"github.com/halo-xla/halo/xla/shape"
)

// IndexDims are the dimension numbers that gather and scatter share, under gather's names. What gather's result and
// scatter's updates are is called the windowed array: a window of the operand for each index vector.
type IndexDims struct {
	Offset, Collapsed, Batching, StartBatching, StartMap []int64
	Vector                                               int64
}

// BatchAxis is one dimension of the index vectors: N of them, Start integers apart in the indices, Windowed bytes in
// the windowed array, and Operand bytes in the operand where that has the dimension too.
type BatchAxis struct{ N, Start, Windowed, Operand int64 }

// WindowAxis is one dimension of a window, with the distances of neighbours in bytes. Free says that no index moves it:
// all windows take the same part of the operand's dimension.
type WindowAxis struct {
	N, Windowed, Operand int64
	Free                 bool
}

// Entry is an entry of an index vector: it moves the window Stride bytes in the operand, from 0 to Last times.
type Entry struct{ Stride, Last int64 }

// Indexing is the plan of a gather or scatter: which windows there are, and where. It knows no types.
type Indexing struct {
	Width   int64
	Starts  IndexType
	Batch   []BatchAxis // slowest first
	Count   int64       // index vectors
	Vector  int64       // distance between the entries of an index vector, in integers
	Entries []Entry
	Window  []WindowAxis // slowest first
	Slab    int64        // bytes: every window lies between two multiples of it in the operand
	Bytes   int64        // of the operand
	Wrap    int64        // what is added to entries below 0
}

// NewIndexing plans windows of the given sizes, by operand dimension, on an array of sizes operand. starts are the
// sizes of the indices, windowed those of the windowed array.
func NewIndexing(t shape.ElementType, d IndexDims, operand, starts, windowed, sizes []int64, index IndexType) Indexing {
	x := Indexing{Width: int64(t.Bytes()), Starts: index, Count: 1}
	ofStarts, ofOperand, ofWindowed := shape.Strides(starts), shape.Strides(operand), shape.Strides(windowed)
	x.Bytes = shape.Product(operand) * x.Width
	if d.Vector < int64(len(starts)) {
		x.Vector = ofStarts[d.Vector]
	}
	for _, o := range d.StartMap {
		x.Entries = append(x.Entries, Entry{ofOperand[o] * x.Width, operand[o] - sizes[o]})
	}
	inWindowed := shape.OtherDims(len(windowed), d.Offset)
	for i, s := range shape.OtherDims(len(starts), []int64{d.Vector}) {
		a := BatchAxis{N: starts[s], Start: ofStarts[s], Windowed: ofWindowed[inWindowed[i]] * x.Width}
		if k := slices.Index(d.StartBatching, s); k >= 0 {
			a.Operand = ofOperand[d.Batching[k]] * x.Width
		}
		x.Count *= a.N
		x.Batch = append(x.Batch, a)
	}
	for i, o := range shape.OtherDims(len(operand), d.Collapsed, d.Batching) {
		free := !slices.Contains(d.StartMap, o)
		x.Window = append(x.Window, WindowAxis{sizes[o], ofWindowed[d.Offset[i]] * x.Width, ofOperand[o] * x.Width, free})
	}
	x.Slab = x.Bytes
	for o := range operand {
		if sizes[o] != 1 {
			break
		}
		x.Slab = ofOperand[o] * x.Width
	}
	x.join()
	return x
}

// join makes one axis of neighbours that continue each other and drops axes of one step.
func (x *Indexing) join() {
	var batch []BatchAxis
	for _, a := range x.Batch {
		k := len(batch) - 1
		switch {
		case a.N == 1:
		case k >= 0 && batch[k].Start == a.N*a.Start && batch[k].Windowed == a.N*a.Windowed &&
			batch[k].Operand == a.N*a.Operand:
			a.N *= batch[k].N
			batch[k] = a
		default:
			batch = append(batch, a)
		}
	}
	var window []WindowAxis
	for _, a := range x.Window {
		k := len(window) - 1
		switch {
		case a.N == 1:
		case k >= 0 && window[k].Windowed == a.N*a.Windowed && window[k].Operand == a.N*a.Operand &&
			window[k].Free == a.Free:
			a.N *= window[k].N
			window[k] = a
		default:
			window = append(window, a)
		}
	}
	x.Batch, x.Window = batch, window
}

// windowElements returns the number of elements of a window.
func (x *Indexing) windowElements() int64 {
	n := int64(1)
	for _, a := range x.Window {
		n *= a.N
	}
	return n
}

// vectors calls f for index vectors first to last-1, with the places of their windows in bytes: in the windowed array
// and in the operand, which is below 0 if the window does not lie in it and clamp is not set.
func (x *Indexing) vectors(starts []byte, first, last int64, clamp bool, f func(windowed, operand int64)) {
	var index [maxAxes]int64
	var at BatchAxis
	for d, rest := len(x.Batch)-1, first; d >= 0; d-- {
		a := x.Batch[d]
		index[d], rest = rest%a.N, rest/a.N
		at.Start, at.Windowed = at.Start+index[d]*a.Start, at.Windowed+index[d]*a.Windowed
		at.Operand += index[d] * a.Operand
	}
	for range last - first {
		f(at.Windowed, x.place(starts, at.Start, at.Operand, clamp))
		for d := len(x.Batch) - 1; d >= 0; d-- {
			a := x.Batch[d]
			at.Start, at.Windowed, at.Operand = at.Start+a.Start, at.Windowed+a.Windowed, at.Operand+a.Operand
			if index[d]++; index[d] < a.N {
				break
			}
			index[d] = 0
			at.Start, at.Windowed = at.Start-a.N*a.Start, at.Windowed-a.N*a.Windowed
			at.Operand -= a.N * a.Operand
		}
	}
}

// place returns where the window of the index vector at a place in starts lies.
func (x *Indexing) place(starts []byte, at, operand int64, clamp bool) int64 {
	for _, e := range x.Entries {
		i := x.Starts.At(starts, at)
		at += x.Vector
		if i < 0 {
			i += x.Wrap
		}
		switch {
		case clamp:
			i = max(0, min(i, e.Last))
		case i < 0 || i > e.Last:
			return -1
		}
		operand += i * e.Stride
	}
	return operand
}

// Gather copies the window of each index vector, moved so that it lies in src, to its place in dst.
func (x *Indexing) Gather(dst, src, starts []byte, p Parallel) {
	m := x.WindowMove()
	if x.Count == 0 || m.Tasks == 0 {
		return
	}
	loop, bytes := moveLoops[m.Kind][log2(m.Width)], m.Bytes()
	to, from := unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0])
	if bytes > taskBytes {
		x.vectors(starts, 0, x.Count, true, func(windowed, operand int64) {
			p(m.Tasks, func(i int64) { m.task(i, loop, unsafe.Add(to, windowed), unsafe.Add(from, operand)) })
		})
		return
	}
	part := max(1, taskBytes/max(bytes, 16))
	p(ceilDiv(x.Count, part), func(i int64) {
		x.vectors(starts, i*part, min(x.Count, (i+1)*part), true, func(windowed, operand int64) {
			moveBox(m.Axes, loop, unsafe.Add(to, windowed), unsafe.Add(from, operand))
		})
	})
}

// WindowMove plans the copy of one window from the operand.
func (x *Indexing) WindowMove() Move {
	axes := make([]Axis, len(x.Window))
	for i, a := range x.Window {
		axes[i] = Axis{a.N, a.Windowed / x.Width, a.Operand / x.Width}
	}
	return NewMove(x.Width, 0, 0, axes)
}

// Of returns the plan for elements of another width.
func (x *Indexing) Of(width int64) Indexing {
	y, scale := *x, func(n int64) int64 { return n / x.Width * width }
	y.Width, y.Slab, y.Bytes = width, scale(x.Slab), scale(x.Bytes)
	y.Batch, y.Window = slices.Clone(x.Batch), slices.Clone(x.Window)
	y.Entries = slices.Clone(x.Entries)
	for i, a := range y.Batch {
		y.Batch[i].Windowed, y.Batch[i].Operand = scale(a.Windowed), scale(a.Operand)
	}
	for i, a := range y.Window {
		y.Window[i].Windowed, y.Window[i].Operand = scale(a.Windowed), scale(a.Operand)
	}
	for i, e := range y.Entries {
		y.Entries[i].Stride = scale(e.Stride)
	}
	return y
}

// ColumnAxis is one axis of a gather whose windows lie across one another, in the order of the result: with Table it
// goes along index vectors, so many of them apart, else along windows.
type ColumnAxis struct{ N, Dst, Src, Table, Part int64 }

// Columns plans a gather whose windows lie across one another in the result: axes in its order, and the number of tasks
// that their parts make. It reports false if windows do not, so that they are better copied one by one.
func (x *Indexing) Columns() (axes []ColumnAxis, tasks int64, ok bool) {
	last := int64(0)
	for i, a := range x.Batch {
		step := int64(1)
		for _, b := range x.Batch[i+1:] {
			step *= b.N
		}
		axes = append(axes, ColumnAxis{N: a.N, Dst: a.Windowed, Table: step})
		last = a.Windowed
	}
	for _, a := range x.Window {
		ok = ok || a.Windowed > last
		axes = append(axes, ColumnAxis{N: a.N, Dst: a.Windowed, Src: a.Operand})
	}
	if !ok || len(x.Batch) == 0 || x.Count == 0 || x.windowElements() == 0 {
		return nil, 0, false
	}
	slices.SortStableFunc(axes, func(a, b ColumnAxis) int { return int(min(max(b.Dst-a.Dst, -1), 1)) })
	m := Move{Kind: Line, Width: x.Width}
	for _, a := range axes {
		m.Axes = append(m.Axes, Axis{N: a.N, Dst: a.Dst})
	}
	m.split()
	for i := range axes {
		axes[i].Part = m.Parts[i]
	}
	return axes, m.Tasks, true
}
