package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/cgo/loops/reduce"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// selectAndScatter is select-and-scatter by programs. Tasks are strips of groups of rows that never meet in a result,
// so that sources are combined in their order.
type selectAndScatter struct {
	kernel.Window
	start, sel, scatter        *scalar.Program
	operand, source, init, out exec.Slice
	xBytes, outBytes, results  int64
	fill, groups, rows         int64
	apart                      bool
	chooser, adder, side       uintptr
	strips, strip              int64
}

// fillGrain is how many results a task fills with the init value.
const fillGrain = 1 << 16

func lowerSelectAndScatter(l *exec.Lowering) (exec.Thunk, error) {
	a, x := attrsOf[*hlo.SelectAndScatterAttrs](l), operandShape(l, 0)
	from, to := []shape.ElementType{x.Type}, []shape.ElementType{a.Scatter.Parameters[0].Shape.Type}
	t := &selectAndScatter{Window: kernel.NewWindow(windowDims(a.Window), x.Dims, operandShape(l, 1).Dims),
		operand: l.Operand(0), source: l.Operand(1), init: l.Operand(2), out: l.Result(),
		xBytes: widthOf(x), outBytes: widthOf(l.In.Shape), results: x.Size()}
	var err error
	if t.start, err = converting(from, to); err != nil {
		return nil, err
	}
	if t.sel, err = scalar.Compile(a.Select); err != nil {
		return nil, unsupportedComputation(a.Select, err)
	}
	if t.scatter, err = convertingStep(a.Scatter, from, to); err != nil {
		return nil, unsupportedComputation(a.Scatter, err)
	}
	if run.Available() {
		t.chooser, t.adder = nativeChooser(a.Select, x.Type), nativeAdder(a.Scatter, x.Type)
		if t.chooser != 0 && t.adder != 0 && t.sideBySide() && t.LineStride == 1 {
			t.side = nativeSide(a.Select, x.Type)
		}
	}
	t.split()
	return t.thunk(), nil
}

// split finds groups and strips that never meet: places of leading axes with one tap each that nobody else has, and
// elements side by side.
func (t *selectAndScatter) split() {
	t.groups, t.strips, t.fill, t.apart = 1, 1, t.results, true
	for _, a := range t.Axes {
		if !a.Apart() {
			break
		}
		t.groups *= int64(len(a.Places))
		t.fill /= max(int64(len(a.Places)), 1)
		t.apart = t.apart && even(a.Places, t.fill)
	}
	t.rows = t.Rows() / max(t.groups, 1)
	if t.sideBySide() {
		n := t.Line[0].N
		t.strips = max(1, min(n/64, 16/max(t.groups, 1)))
		t.strip = (n + t.strips - 1) / t.strips
	}
	if t.apart = t.apart && t.groups > 1 && t.strips == 1 && t.groups*t.fill == t.results; !t.apart {
		t.fill = fillGrain
	}
}

// even reports whether the places' elements begin every size elements, from 0 on.
func even(places []kernel.Taps, size int64) bool {
	for i, p := range places {
		if p.At != int64(i)*size {
			return false
		}
	}
	return true
}

// sideBySide reports whether places of the line have one tap each, side by side.
func (t *selectAndScatter) sideBySide() bool {
	return len(t.Line) == 1 && t.Line[0].Taps == 1 && t.Line[0].Move == 1
}

func (t *selectAndScatter) thunk() *thunk {
	uses := append(exec.Reads(t.operand, t.source, t.init), exec.Writes(t.out)...)
	if !run.Available() || !t.start.Native() || !t.sel.Native() || !t.scatter.Native() {
		return goThunk("go select-and-scatter by program", uses, t.runGo)
	}
	name := "loops select-and-scatter"
	if t.chooser == 0 || t.adder == 0 {
		name += " by program"
	}
	return recordThunk(name, uses, reduce.Choose{Plan: planOf(t.Window),
		Operand: ref(t.operand), Source: ref(t.source), Init: ref(t.init), Out: ref(t.out), XBytes: t.xBytes,
		OutBytes: t.outBytes, Results: t.results, Fill: t.fill, Groups: t.groups, Rows: t.rows, Apart: t.apart,
		Strips: t.strips, Strip: t.strip, Start: t.start.Pack(), Select: t.sel.Pack(), Scatter: t.scatter.Pack(),
		Chooser: t.chooser, Adder: t.adder, Side: t.side}.Record())
}

func (t *selectAndScatter) runGo(r *exec.Run) error {
	var fault firstError
	r.Parallel((t.results+fillGrain-1)/fillGrain, func(i int64) {
		out := r.Bytes(t.out)[i*fillGrain*t.outBytes : min((i+1)*fillGrain, t.results)*t.outBytes]
		fault.set(t.start.Machine(r.Context()).Apply(1, []scalar.Stream{{Data: r.Bytes(t.init)}, {Data: out}}))
		for done := t.outBytes; done < int64(len(out)); done *= 2 {
			copy(out[done:], out[:done])
		}
	})
	r.Parallel(t.groups*t.strips, func(i int64) {
		w := &chooser{selectAndScatter: t, x: r.Bytes(t.operand), source: r.Bytes(t.source), out: r.Bytes(t.out),
			sel: t.sel.Machine(r.Context()), scatter: t.scatter.Machine(r.Context()), keep: make([]byte, 1)}
		group := i / t.strips
		for row := group * t.rows; row < (group+1)*t.rows && r.Cancelled() == nil; row++ {
			fault.set(w.row(row, i%t.strips))
		}
	})
	return fault.orCancelled(r)
}

// chooser is what one task has.
type chooser struct {
	*selectAndScatter
	x, source, out, keep []byte
	sel, scatter         *scalar.Machine
	taps                 []int64
}

func (w *chooser) row(row, strip int64) error {
	var to int64
	w.taps, to = w.Row(row, w.taps)
	for _, s := range w.Line {
		first, end := int64(0), s.N
		if w.strips > 1 {
			first, end = strip*w.strip, min((strip+1)*w.strip, s.N)
		}
		for j := first; j < end && len(w.taps) > 0 && s.Taps > 0; j++ {
			if err := w.place(s, j, to+(s.Out+j)*w.LineStride); err != nil {
				return err
			}
		}
	}
	return nil
}

// place combines the source's element at from into the result that place j of s chooses.
func (w *chooser) place(s kernel.Segment, j, from int64) error {
	best := int64(-1)
	for _, at := range w.taps {
		for k := range s.Taps {
			tap := at + s.At + k*s.Step + j*s.Move
			if best < 0 {
				best = tap
				continue
			}
			streams := [3]scalar.Stream{{Data: w.x, At: best * w.xBytes}, {Data: w.x, At: tap * w.xBytes}, {Data: w.keep}}
			if err := w.sel.Apply(1, streams[:]); err != nil {
				return err
			}
			if w.keep[0] == 0 {
				best = tap
			}
		}
	}
	out := scalar.Stream{Data: w.out, At: best * w.outBytes}
	streams := [3]scalar.Stream{out, {Data: w.source, At: from * w.xBytes}, out}
	return w.scatter.Apply(1, streams[:])
}
