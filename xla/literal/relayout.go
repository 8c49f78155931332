package literal

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/halo-xla/halo/internal/memory"
	"github.com/halo-xla/halo/xla/shape"
)

// RowMajor returns l with its elements in row-major order, each in bytes of its own: l itself if they are, otherwise
// a copy without a layout. Tuples are done element by element.
func (l *Literal) RowMajor() *Literal {
	if l.shape.IsTuple() {
		elems := make([]*Literal, len(l.elems))
		same := true
		for i, e := range l.elems {
			elems[i] = e.RowMajor()
			same = same && elems[i] == e
		}
		if same {
			return l
		}
		return NewTuple(elems...)
	}
	out, err := l.RowMajorContext(context.Background())
	if err != nil {
		panic("literal: bug: " + err.Error())
	}
	return out
}

// RowMajorContext is RowMajor for an array. It fails with ctx's error when ctx ends first.
func (l *Literal) RowMajorContext(ctx context.Context) (*Literal, error) {
	if l.isDense() {
		return l, nil
	}
	out, err := l.relayout(nil, func() bool { return ctx.Err() != nil })
	if err == nil {
		err = ctx.Err()
	}
	return out, err
}

// Relayout returns a copy of the array l under another layout, nil for row-major. Padding that the layout describes
// gets the layout's padding value; padding that tiles make is 0. It fails if the layout does not fit l's shape.
func (l *Literal) Relayout(layout *shape.Layout) (*Literal, error) { return l.relayout(layout, never) }

// never is the stop of a move that nobody ends early.
func never() bool { return false }

// relayout is Relayout; what it returns is worth nothing once stop says true.
func (l *Literal) relayout(layout *shape.Layout, stop func() bool) (*Literal, error) {
	if !l.shape.IsArray() {
		return nil, fmt.Errorf("relayout of %s: want an array", l.shape)
	}
	s := l.shape.WithLayout(layout)
	n, err := storageBytes(s)
	if err != nil {
		return nil, err
	}
	if n > MaxBytes {
		return nil, fmt.Errorf("shape %s takes %d bytes, want at most %d", s.Text(), n, int64(MaxBytes))
	}
	out := &Literal{shape: s, sizes: l.sizes}
	sx, err := shape.NewIndexer(l.shape)
	if err != nil {
		return nil, err
	}
	return out, out.fill(l.unpacked(sx.Size()), sx, stop)
}

// fill makes the data of l: padding, and the elements that src has under sx; sx nil means that src is one element,
// for all.
func (l *Literal) fill(src []byte, sx *shape.Indexer, stop func() bool) error {
	dx, err := shape.NewIndexer(l.shape)
	if err != nil {
		return err
	}
	size, err := l.shape.PhysicalSize()
	if err != nil {
		return err
	}
	n := size * int64(l.shape.Type.Bytes())
	var dst []byte
	if y := l.shape.Layout; y == nil {
		dst = memory.Uncleared(n)
	} else if dst = make([]byte, n); y.PaddedDims != nil {
		fillWith(dst, paddingElement(l.shape.Type, y.PaddingValue))
	}
	p := newPlan(l.shape, dx, sx)
	p.stop = stop
	moveElements(dst, src, l.shape.Type.Bytes(), p)
	l.data = dst
	if bits := l.packedBits(); bits != 0 {
		l.data = pack(dst, bits)
	}
	return nil
}

// fillPadding sets the padding of a new literal, whose elements are 0.
func (l *Literal) fillPadding() {
	zero := make([]byte, l.shape.Type.Bytes())
	if err := l.fill(zero, nil, never); err != nil {
		panic("literal: bug: " + err.Error())
	}
}

// fillWith repeats elem over dst; a nil elem leaves dst as it is.
func fillWith(dst, elem []byte) {
	for n := copy(dst, elem); n > 0 && n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// paddingElement returns the bytes of a padding element, nil for zeros. Lowest and highest of a complex type have an
// imaginary part of 0.
func paddingElement(t shape.ElementType, p shape.PaddingValue) []byte {
	var v *Literal
	switch p {
	case shape.OnePad:
		v = One(t)
	case shape.LowestPad:
		v = mustConvert(MinValue(t.Component()), t)
	case shape.HighestPad:
		v = mustConvert(MaxValue(t.Component()), t)
	default:
		return nil
	}
	return v.data
}

// unpacked returns the elements as they lie in memory, size of them, each in bytes of its own.
func (l *Literal) unpacked(size int64) []byte {
	bits := l.packedBits()
	if bits == 0 {
		return l.data
	}
	out := make([]byte, size)
	mask := byte(1<<bits - 1)
	up := 0
	if l.shape.Type.IsSigned() {
		up = 8 - bits
	}
	for i := range out {
		at := i * bits
		v := l.data[at/8] >> (at % 8)
		if at%8+bits > 8 {
			v |= l.data[at/8+1] << (8 - at%8)
		}
		out[i] = byte(int8(v&mask<<up) >> up)
	}
	return out
}

// pack puts elements of one byte each into so many bits each, the first into the lowest.
func pack(data []byte, bits int) []byte {
	out := make([]byte, (len(data)*bits+7)/8)
	mask := byte(1<<bits - 1)
	for i, v := range data {
		at := i * bits
		v &= mask
		out[at/8] |= v << (at % 8)
		if at%8+bits > 8 {
			out[at/8+1] |= v >> (8 - at%8)
		}
	}
	return out
}

// axis is one loop of a move: n steps, with the positions that each adds.
type axis struct {
	n        int64
	src, dst int64   // distances, if there are no tables
	st, dt   []int64 // positions by step
}

// plan says how elements move between two arrays: all axes, the last of which is the fastest in the destination.
type plan struct {
	axes   []axis
	tables bool
	// each is set instead of axes where positions are no sums over the dimensions
	each *slowPlan
	stop func() bool // true once the rest need not be done
}

type slowPlan struct {
	dims   []int64
	dx, sx *shape.Indexer
}

func newPlan(s shape.Shape, dx, sx *shape.Indexer) plan {
	if slices.Contains(s.Dims, 0) {
		return plan{axes: []axis{{n: 0}}}
	}
	if !dx.Separable() || sx != nil && !sx.Separable() {
		return plan{each: &slowPlan{s.Dims, dx, sx}}
	}
	p := plan{tables: dx.Strides() == nil || sx != nil && sx.Strides() == nil}
	order := slices.Clone(shape.DefaultLayout(s.Rank()).MinorToMajor)
	if s.Layout != nil {
		order = slices.Clone(s.Layout.MinorToMajor)
	}
	slices.Reverse(order)
	for _, d := range order {
		if s.Dims[d] == 1 {
			continue
		}
		a := axis{n: s.Dims[d]}
		if p.tables {
			a.st, a.dt = positions(sx, s.Rank(), d, a.n), positions(dx, s.Rank(), d, a.n)
			a.src, a.dst = a.st[1], a.dt[1]
		} else {
			a.dst = dx.Strides()[d]
			if sx != nil {
				a.src = sx.Strides()[d]
			}
		}
		p.axes = append(p.axes, a)
	}
	if !p.tables {
		p.axes = joinAxes(p.axes)
	}
	if len(p.axes) == 0 {
		p.axes = []axis{{n: 1, src: 1, dst: 1, st: []int64{0}, dt: []int64{0}}}
	}
	return p
}

// positions returns what each index of dimension d adds to the position.
func positions(x *shape.Indexer, rank int, d, n int64) []int64 {
	out := make([]int64, n)
	if x == nil {
		return out
	}
	index := make([]int64, rank)
	for i := range out {
		index[d] = int64(i)
		out[i] = x.Linear(index)
	}
	return out
}

// joinAxes makes one axis of neighbours that are one run in both arrays.
func joinAxes(axes []axis) []axis {
	var out []axis
	for _, a := range axes {
		if k := len(out) - 1; k >= 0 && out[k].dst == a.n*a.dst && out[k].src == a.n*a.src {
			out[k] = axis{n: out[k].n * a.n, src: a.src, dst: a.dst}
			continue
		}
		out = append(out, a)
	}
	return out
}

// moveElements moves elements of width bytes from src to dst.
func moveElements(dst, src []byte, width int, p plan) {
	switch width {
	case 1:
		move(dst, src, p)
	case 2:
		move(cast[uint16](dst), cast[uint16](src), p)
	case 4:
		move(cast[uint32](dst), cast[uint32](src), p)
	case 8:
		move(cast[uint64](dst), cast[uint64](src), p)
	case 16:
		move(cast[complex128](dst), cast[complex128](src), p)
	}
}

func move[T any](dst, src []T, p plan) {
	if p.each != nil {
		moveEach(dst, src, p.each, p.stop)
		return
	}
	cols := p.axes[len(p.axes)-1]
	outer := slices.Clone(p.axes[:len(p.axes)-1])
	rows := axis{n: 1, st: []int64{0}, dt: []int64{0}}
	if k := len(outer) - 1; k >= 0 {
		if f := fastestSource(outer); outer[f].src < cols.src {
			k = f
		}
		rows = outer[k]
		outer = slices.Delete(outer, k, k+1)
	}
	runs := cols.runs(p.tables)
	index := make([]int64, len(outer))
	for {
		s, d := int64(0), int64(0)
		for k, i := range index {
			s, d = s+outer[k].from(i), d+outer[k].to(i)
		}
		switch {
		case runs != nil:
			moveRuns(dst, src, d, s, rows, runs, p.stop)
		case p.tables:
			moveTables(dst, src, d, s, rows, cols, p.stop)
		default:
			moveBlocks(dst, src, d, s, rows, cols, p.stop)
		}
		if !bump(index, outer) || p.stop() {
			return
		}
	}
}

func fastestSource(axes []axis) int {
	best, at := int64(math.MaxInt64), -1
	for k, a := range axes {
		if a.src < best {
			best, at = a.src, k
		}
	}
	return at
}

func bump(index []int64, axes []axis) bool {
	for k := len(index) - 1; k >= 0; k-- {
		index[k]++
		if index[k] < axes[k].n {
			return true
		}
		index[k] = 0
	}
	return false
}

func (a axis) from(i int64) int64 {
	if a.st != nil {
		return a.st[i]
	}
	return i * a.src
}

func (a axis) to(i int64) int64 {
	if a.dt != nil {
		return a.dt[i]
	}
	return i * a.dst
}

// run is a piece of an axis that is contiguous in both arrays.
type run struct{ src, dst, n int64 }

// runs cuts the axis into contiguous pieces; nil if they are too short to be worth it.
func (a axis) runs(tables bool) []run {
	if !tables {
		if a.src != 1 || a.dst != 1 {
			return nil
		}
		return []run{{n: a.n}}
	}
	var out []run
	for i := int64(0); i < a.n; i++ {
		if k := len(out) - 1; k >= 0 && out[k].src+out[k].n == a.st[i] && out[k].dst+out[k].n == a.dt[i] {
			out[k].n++
			continue
		}
		out = append(out, run{a.st[i], a.dt[i], 1})
	}
	if a.n < 4*int64(len(out)) {
		return nil
	}
	return out
}

func moveRuns[T any](dst, src []T, d, s int64, rows axis, runs []run, stop func() bool) {
	for i := range rows.n {
		if i%blockSize == 0 && stop() {
			return
		}
		rs, rd := s+rows.from(i), d+rows.to(i)
		for _, r := range runs {
			copy(dst[rd+r.dst:rd+r.dst+r.n], src[rs+r.src:rs+r.src+r.n])
		}
	}
}

// blockSize is the side of the squares in which elements move, so that the lines of both sides stay in the cache.
const blockSize = 32

func moveBlocks[T any](dst, src []T, d, s int64, rows, cols axis, stop func() bool) {
	for i0 := int64(0); i0 < rows.n; i0 += blockSize {
		i1 := min(i0+blockSize, rows.n)
		for j0 := int64(0); j0 < cols.n && !stop(); j0 += blockSize {
			j1 := min(j0+blockSize, cols.n)
			for i := i0; i < i1; i++ {
				from, to := s+i*rows.src+j0*cols.src, d+i*rows.dst+j0*cols.dst
				for range j1 - j0 {
					dst[to] = src[from]
					from, to = from+cols.src, to+cols.dst
				}
			}
		}
	}
}

func moveTables[T any](dst, src []T, d, s int64, rows, cols axis, stop func() bool) {
	for i0 := int64(0); i0 < rows.n; i0 += blockSize {
		i1 := min(i0+blockSize, rows.n)
		for j0 := int64(0); j0 < cols.n && !stop(); j0 += blockSize {
			j1 := min(j0+blockSize, cols.n)
			for i := i0; i < i1; i++ {
				rs, rd := s+rows.st[i], d+rows.dt[i]
				for j := j0; j < j1; j++ {
					dst[rd+cols.dt[j]] = src[rs+cols.st[j]]
				}
			}
		}
	}
}

// moveEach is for tiles that combine dimensions.
func moveEach[T any](dst, src []T, p *slowPlan, stop func() bool) {
	s := shape.Shape{Dims: p.dims}
	index := make([]int64, len(p.dims))
	for !stop() {
		from := int64(0)
		if p.sx != nil {
			from = p.sx.Linear(index)
		}
		dst[p.dx.Linear(index)] = src[from]
		if !s.BumpIndices(index) {
			return
		}
	}
}
