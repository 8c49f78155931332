package kernel

import "github.com/halo-xla/halo/xla/shape"

// WindowDim is a window along one dimension of an array; stride and dilations are at least 1.
type WindowDim struct {
	Size, Stride, PadLow, BaseDilation, WindowDilation int64
}

// trivial reports whether the places of w on n elements, out of them, are the elements.
func (w WindowDim) trivial(n, out int64) bool {
	return w.Size == 1 && w.Stride == 1 && w.PadLow == 0 && w.BaseDilation == 1 && n == out
}

// Taps is N elements of an operand, the first at At and then every Step.
type Taps struct{ At, N, Step int64 }

// taps returns the elements under place o of the window on n elements: padding and holes have none.
func (w WindowDim) taps(o, n int64) Taps {
	base, dilation := w.BaseDilation, w.WindowDilation
	first := o*w.Stride - w.PadLow
	low, high := max(0, -floorDiv(-first, base)), min(n-1, floorDiv(first+(w.Size-1)*dilation, base))
	for low <= high && (low*base-first)%dilation != 0 {
		low++
	}
	step := dilation / divisor(base, dilation)
	if low > high {
		return Taps{Step: step}
	}
	return Taps{low, (high-low)/step + 1, step}
}

// divisor returns the greatest common divisor.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// floorDiv returns a/b rounded down, for positive b.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// PlaceAxis is one dimension of the places of a window: for each place, which elements of the operand are under it.
// Distances are in elements; Stride is that of the places in the result.
type PlaceAxis struct {
	Stride int64
	Places []Taps
}

// Segment is N places of a line side by side that have alike taps: those of place j are j*Move elements further. In a
// plan that is Wide each of the N is Width places side by side, whose taps are side by side.
type Segment struct{ Out, N, Move, At, Taps, Step, Width int64 }

// Window is how windows lie on an array: every place is an index of the axes and a place of the line. Taps of the axes
// come first, in the order of the axes, then those of the line, which is the order of the elements in memory.
type Window struct {
	Axes []PlaceAxis
	Line []Segment
	// LineStride is how far places of the line are apart in the result, Out how many there are in all, Terms the most
	// elements that are under one.
	LineStride, Out, Terms int64
}

// lineWidth is how many elements must lie side by side under one place for the line to be these.
const lineWidth = 8

// NewWindow returns how the window w lies on an array of sizes dims; out are the numbers of places.
func NewWindow(w []WindowDim, dims, out []int64) Window {
	w, dims, out = joined(w, dims, out)
	last := len(w) - 1
	p := Window{Out: shape.Product(out), Terms: 1}
	from, to := int64(1), int64(1) // strides
	var axes []PlaceAxis
	if last >= 0 && w[last].trivial(dims[last], out[last]) && (dims[last] >= lineWidth || last == 0) {
		p.Line, p.LineStride = []Segment{{N: dims[last], Move: 1, Taps: 1}}, 1
		from, to, last = dims[last], dims[last], last-1
	}
	line := last
	if last >= 0 && p.Line == nil && w[last].trivial(dims[last], out[last]) { // few side by side: each an axis's place
		line--
	}
	for d := last; d >= 0; d-- {
		places := make([]Taps, out[d])
		for o := range places {
			t := w[d].taps(int64(o), dims[d])
			places[o] = Taps{t.At * from, t.N, t.Step * from}
		}
		p.Terms *= mostTaps(places)
		if p.Line == nil && d == line {
			p.Line, p.LineStride = append([]Segment{}, segments(places)...), to
		} else {
			axes = append(axes, PlaceAxis{to, places})
		}
		from, to = from*dims[d], to*out[d]
	}
	for i := len(axes) - 1; i >= 0; i-- {
		p.Axes = append(p.Axes, axes[i])
	}
	if p.Line == nil {
		p.Line, p.LineStride = []Segment{{N: 1, Taps: 1}}, 1
	}
	return p
}

// joined joins dimensions next to each other where the window is one element.
func joined(w []WindowDim, dims, out []int64) (jw []WindowDim, jd, jo []int64) {
	before := false
	for d := range w {
		same := w[d].trivial(dims[d], out[d])
		if same && before {
			jd[len(jd)-1] *= dims[d]
			jo[len(jo)-1] *= out[d]
			continue
		}
		jw, jd, jo, before = append(jw, w[d]), append(jd, dims[d]), append(jo, out[d]), same
	}
	return jw, jd, jo
}

func mostTaps(places []Taps) int64 {
	n := int64(0)
	for _, t := range places {
		n = max(n, t.N)
	}
	return n
}

// Apart reports whether every place of the axis has one element, which is under no other place.
func (a PlaceAxis) Apart() bool {
	for i, t := range a.Places {
		if t.N != 1 || i > 0 && t.At <= a.Places[i-1].At {
			return false
		}
	}
	return true
}

// Rows returns how many places the axes have.
func (p Window) Rows() int64 {
	n := int64(1)
	for _, a := range p.Axes {
		n *= int64(len(a.Places))
	}
	return n
}

// Row returns the positions of the axes' taps for a row, in order, in buf if it has room, and the row's place in the
// result.
func (p Window) Row(row int64, buf []int64) (taps []int64, out int64) {
	taps = append(buf[:0], 0)
	for d := len(p.Axes) - 1; d >= 0; d-- {
		a := p.Axes[d]
		i := row % int64(len(a.Places))
		row /= int64(len(a.Places))
		out += i * a.Stride
		t, n := a.Places[i], len(taps)
		for k := int64(1); k < t.N; k++ {
			for _, at := range taps[:n] {
				taps = append(taps, at+t.At+k*t.Step)
			}
		}
		for j := range taps[:n] {
			taps[j] += t.At
		}
		if t.N == 0 {
			taps = taps[:0]
		}
	}
	return taps, out
}

// segments joins places whose taps move on evenly.
func segments(places []Taps) []Segment {
	var list []Segment
	for o, t := range places {
		if k := len(list) - 1; k >= 0 && list[k].Taps == t.N {
			s := &list[k]
			if move := t.At - places[o-1].At; s.N == 1 || move == s.Move {
				s.Move, s.N = move, s.N+1
				continue
			}
		}
		list = append(list, Segment{Out: int64(o), N: 1, At: t.At, Taps: t.N, Step: t.Step})
	}
	return list
}
