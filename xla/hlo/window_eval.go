package hlo

import (
	"slices"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func evalReduceWindow(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := in.Attrs.(*ReduceWindowAttrs)
	r, operand := newReduction(a.ToApply, args), args[0].Shape()
	s, err := a.Window.slide(operand)
	if err != nil {
		return nil, err
	}
	if err := e.room(s); err != nil {
		return nil, err
	}
	if op, ok := simpleReducer(a.ToApply); ok && r.n == 1 && len(a.Window) > 0 {
		w, err := r.simpleWindow(e, op, a.Window, operand.Dims)
		if err != nil {
			return nil, err
		}
		return literal.FromWide(s.WithType(r.types[0]), w), nil
	}
	out := r.results(int(s.Size()))
	if err := r.generalWindow(e, a.Window, operand.Dims, out); err != nil {
		return nil, err
	}
	return r.literal(s, out), nil
}

// generalWindow reduces windows with any computation. A window that begins where the one before began, and has its
// elements and more, goes on from that one's result: running sums are linear.
func (r *reduction) generalWindow(e *Evaluator, w Window, dims []int64, out []literal.Wide) error {
	ap, err := e.applier(r.c)
	if err != nil {
		return err
	}
	runs := w.taps(dims, dims, shape.Strides(dims))
	p := newPlaces(runs, growing(runs))
	rest, last := make([]tapRun, len(w)), make([]tapRun, len(w))
	cells, round := make([]Cell, 2*r.n), 0
	var buf []tap
	for place := 0; p.more; place++ {
		taps := p.here
		if place > 0 && grown(rest, p.here, last) {
			taps = rest
		} else {
			copy(cells, r.inits)
		}
		buf = appendTaps(buf[:0], tap{}, taps)
		for _, t := range buf {
			if err := e.poll(round); err != nil {
				return err
			}
			round++
			for n, x := range r.inputs {
				cells[r.n+n] = cellAt(x, t.operand)
			}
			if err := ap.apply(cells, cells[:r.n]); err != nil {
				return err
			}
		}
		for n := range out {
			setCell(out[n], p.at, cells[n])
		}
		copy(last, p.here)
		p.next()
	}
	return nil
}

// simpleWindow reduces windows with op: short sums element by element, all else one dimension after the other, which
// gives the same as the order does not matter or is lost in the rounding.
func (r *reduction) simpleWindow(e *Evaluator, op Opcode, w Window, dims []int64) (literal.Wide, error) {
	short := r.rounds(op, w.size())
	return r.plain(e, op, plainLoop{window: w, dims: dims, byDimension: !short, rounded: short})
}

// size is the number of elements of the window, at most a little more than those of a short sum.
func (w Window) size() int {
	n := 1
	for _, d := range w {
		n = min(n*int(min(d.Size, shortSum+1)), shortSum+1)
	}
	return n
}

// windowEach reduces each window's elements in row-major order onto init.
func windowEach[T any](e *Evaluator, x []T, init T, w Window, dims []int64, f fold[T]) ([]T, error) {
	runs := w.taps(dims, dims, shape.Strides(dims))
	size := 1
	for _, r := range runs {
		size *= len(r)
	}
	out := make([]T, size)
	var taps []tap
	var window []T
	for p := newPlaces(runs, -1); p.more; p.next() {
		taps, window = appendTaps(taps[:0], tap{}, p.here), window[:0]
		if err := e.spend(len(taps)); err != nil {
			return nil, err
		}
		for _, t := range taps {
			window = append(window, x[t.operand])
		}
		out[p.at] = f.run(init, window)
	}
	return out, nil
}

// windowPasses reduces along each dimension in turn, then puts init before each result. Windows without elements give
// init.
func windowPasses[T any](e *Evaluator, x []T, init T, w Window, dims []int64, f fold[T]) ([]T, error) {
	dims = slices.Clone(dims)
	var empty []bool
	for d := range w {
		runs := w[d].taps(dims[d], 1, 1)
		outer, inner := 1, 1
		for i, n := range dims {
			if i < d {
				outer *= int(n)
			} else if i > d {
				inner *= int(n)
			}
		}
		var err error
		if x, err = windowPass(e, x, runs, outer, int(dims[d]), inner, f); err != nil {
			return nil, err
		}
		empty = markEmpty(empty, runs, outer, int(dims[d]), inner)
		dims[d] = int64(len(runs))
	}
	out := make([]T, len(x))
	for i := range out {
		out[i] = init
		if empty == nil || !empty[i] {
			f.row(out[i:i+1], x[i:i+1])
		}
	}
	return out, nil
}

// markEmpty returns which results have no elements: those of places without taps, and those that had none before. It is
// nil if all have some.
func markEmpty(before []bool, runs []tapRun, outer, n, inner int) []bool {
	if before == nil && !slices.ContainsFunc(runs, func(r tapRun) bool { return r.n == 0 }) {
		return nil
	}
	out := make([]bool, outer*len(runs)*inner)
	for i := range outer {
		for o, r := range runs {
			row := out[(i*len(runs)+o)*inner:][:inner]
			for j := range row {
				row[j] = r.n == 0
			}
			if before == nil {
				continue
			}
			for t := range r.n {
				for j, b := range before[(i*n+r.operand+t*r.step.operand)*inner:][:inner] {
					row[j] = row[j] || b
				}
			}
		}
	}
	return out
}

// windowPass reduces along the middle dimension of x, outer by n by inner.
func windowPass[T any](e *Evaluator, x []T, runs []tapRun, outer, n, inner int, f fold[T]) ([]T, error) {
	out := make([]T, outer*len(runs)*inner)
	if len(out) == 0 {
		return out, nil
	}
	pass := passForward[T]
	if growsBackward(runs) {
		pass = passBackward[T]
	}
	for i := range outer {
		src, dst := x[i*n*inner:][:n*inner], out[i*len(runs)*inner:][:len(runs)*inner]
		if err := pass(e, dst, src, runs, inner, f); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// passForward reduces each window from its first element on, or from the window before if that is its beginning.
func passForward[T any](e *Evaluator, dst, src []T, runs []tapRun, inner int, f fold[T]) error {
	var last tapRun
	for o, r := range runs {
		row, from := dst[o*inner:][:inner], 0
		switch {
		case r.n == 0:
			last = r
			continue
		case last.n > 0 && r.n >= last.n && r.operand == last.operand && r.step == last.step:
			copy(row, dst[(o-1)*inner:][:inner])
			from = last.n
		default:
			copy(row, src[r.operand*inner:][:inner])
			from = 1
		}
		for t := from; t < r.n; t++ {
			f.row(row, src[(r.operand+t*r.step.operand)*inner:][:inner])
			if err := e.spend(inner); err != nil {
				return err
			}
		}
		last = r
	}
	return nil
}

// growsBackward reports whether each window is the next one with one more element in front, as in sums to the end.
func growsBackward(runs []tapRun) bool {
	for o := 1; o < len(runs); o++ {
		r, next := runs[o-1], runs[o]
		if next.n == 0 || r.n != next.n+1 || r.step != next.step || r.operand+r.step.operand != next.operand {
			return false
		}
	}
	return len(runs) > 1
}

func passBackward[T any](e *Evaluator, dst, src []T, runs []tapRun, inner int, f fold[T]) error {
	end := len(runs) - 1
	if err := passForward(e, dst[end*inner:], src, runs[end:], inner, f); err != nil {
		return err
	}
	for o := end - 1; o >= 0; o-- {
		row := dst[o*inner:][:inner]
		copy(row, src[runs[o].operand*inner:][:inner])
		f.row(row, dst[(o+1)*inner:][:inner])
		if err := e.spend(inner); err != nil {
			return err
		}
	}
	return nil
}

func evalSelectAndScatter(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a, s := in.Attrs.(*SelectAndScatterAttrs), args[0].Shape()
	sel, err := e.applier(a.Select)
	if err != nil {
		return nil, err
	}
	scatter, err := e.applier(a.Scatter)
	if err != nil {
		return nil, err
	}
	t := a.Scatter.Root.Shape.Type
	operand, source, init := args[0].Wide(), wideAs(args[1], t), cellAt(wideAs(args[2], t), 0)
	out := literal.MakeWide(t.Class(), operand.Len())
	for i := range out.Len() {
		setCell(out, i, init)
	}
	cells, result := make([]Cell, 2), make([]Cell, 1)
	var buf []tap
	for p := newPlaces(a.Window.taps(s.Dims, s.Dims, shape.Strides(s.Dims)), -1); p.more; p.next() {
		buf = appendTaps(buf[:0], tap{}, p.here)
		if err := e.spend(len(buf)); err != nil {
			return nil, err
		}
		if len(buf) == 0 { // all in padding: row 104 leaves it open
			continue
		}
		chosen := buf[0].operand
		for _, t := range buf[1:] {
			cells[0], cells[1] = cellAt(operand, chosen), cellAt(operand, t.operand)
			if err := sel.apply(cells, result); err != nil {
				return nil, err
			}
			if result[0].I == 0 {
				chosen = t.operand
			}
		}
		cells[0], cells[1] = cellAt(out, chosen), cellAt(source, p.at) // the document's order, not the evaluator's: E22
		if err := scatter.apply(cells, result); err != nil {
			return nil, err
		}
		setCell(out, chosen, result[0])
	}
	return literal.FromWide(shape.Array(t, s.Dims...), out), nil
}
