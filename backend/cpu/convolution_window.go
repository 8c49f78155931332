package cpu

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// Products of windows want runs of so many elements at least, and so many features of the result. Places that all fall
// on the same lines of the nearest cache are so many elements further apart in a copy, which has mostApart bytes at
// most: what the second cache has.
const (
	leastRun     = 32
	leastOutputs = 32
	apart        = 16
	mostApart    = 2 << 20
)

// So many terms of a sum are made at once, of whole taps, where they lie; copies have no place for more than
// copiedTerms.
const (
	windowTerms = 2304
	copiedTerms = 512
)

// windowConvolution lowers a convolution by known weights to a product of what its windows see, which is read where it
// lies, and panels of weights. It returns nil where that is none of f32 whose features are side by side, or a library
// is as fast.
func windowConvolution(l *exec.Lowering, s *kernel.Convolution, c *contraction) *thunk {
	if !isWindowed(s, c) || !windowsPay(s, c) {
		return nil
	}
	of := *c
	of.Contraction, _ = s.Contraction()
	k := &known{of: &of, kind: gemm.ProductF32, rows: gemm.WindowRows, gates: 1}
	w := &windows{Convolution: s, strides: shape.Strides(s.LHS), l: l, tables: map[string]exec.Slice{}}
	if last := len(s.Window) - 1; fallsTogether(4 * int64(s.Window[last].Stride) * w.unit(last)) {
		if w.copied = s.Points() == 1; !w.copied {
			var pad *kernel.Padding
			if of.Contraction, pad = s.Apart(apart); pad.Bytes(4) > mostApart {
				return nil // a library is as fast
			}
			k.before = padThunk(l, pad, &of)
			w.Convolution = padded(s, pad)
			w.strides = shape.Strides(w.LHS)
		}
	}
	w.taps = w.tapOffsets()
	w.zero = l.Pack(make([]byte, 4*w.run()))
	w.reads = append(w.reads, w.zero)
	k.windows = w
	k.m, k.n, k.k = of.LHS.Rows.Len(), int(s.Out[s.Output.Feature]), len(w.taps)*int(w.run())
	k.strideC, k.c = k.n, []int{0}
	form := fmt.Sprint("loops windows ", run.Level(), of.RHS)
	k.weights = l.PackOf(of.weights, form, k.kind.PanelsBytes(run.Level(), int64(k.n), int64(k.k)), k.packWindows)
	return k.ending(k.inPieces())
}

// fallsTogether reports whether the rows of a tile that are so many bytes apart fall on more of the same lines of the
// nearest cache than it has ways: six, as those of AVX2 have, do not.
func fallsTogether(apart int64) bool { return run.Level() == run.AVX512 && apart%page == 0 }

// isWindowed reports whether windowConvolution takes a convolution.
func isWindowed(s *kernel.Convolution, c *contraction) bool {
	f32 := c.lhsType == shape.F32 && c.rhsType == shape.F32 && c.outType == shape.F32
	last := int64(len(s.LHS) - 1)
	order := s.Input.Feature == last && s.Output.Feature == last && s.Output.Batch == 0 &&
		slices.Equal(s.Output.Spatial, lastLabels(s))
	return f32 && c.weights != nil && s.FeatureGroups*s.BatchGroups == 1 && order &&
		s.Points() <= gemm.MostTaps && s.LHS[s.Input.Feature] >= leastRun && s.Out[s.Output.Feature] >= leastOutputs &&
		run.Available() && hasWideTiles()
}

// windowsPay reports whether products of windows are faster than oneDNN's convolutions: where weights are many or, if
// they have one tap, places are. Those of AVX2 are but for short runs of neighbours. Dilated arrays were compared there
// only.
func windowsPay(s *kernel.Convolution, c *contraction) bool {
	m := shape.Product(s.Out) / s.Out[s.Output.Feature]
	switch {
	case run.Level() != run.AVX512:
		return s.LHS[s.Input.Feature] >= 2*leastRun || isStrided(s) || isDilated(s)
	case isTransposed(s):
		return false
	case s.Points() == 1:
		return c.rhs.Size >= farWeights || m >= manyPlaces
	}
	return c.rhs.Size >= manyWindowBytes
}

// isDilated reports whether the taps of a window are no neighbours.
func isDilated(s *kernel.Convolution) bool {
	return slices.ContainsFunc(s.Window, func(w kernel.ConvolutionWindow) bool { return w.WindowDilation > 1 })
}

// lastLabels are the spatial dimensions of an array whose features come last, and whose batch comes first.
func lastLabels(s *kernel.Convolution) (list []int64) {
	for i := range s.Window {
		list = append(list, int64(i+1))
	}
	return list
}

// windows is a convolution whose places are the rows of a product.
type windows struct {
	*kernel.Convolution
	strides []int64 // of lhs
	l       *exec.Lowering
	copied  bool
	taps    []int64    // where those of a window begin
	zero    exec.Slice // of a tap outside
	tables  map[string]exec.Slice
	reads   []exec.Slice // the tables and zero
}

// run is how many terms a tap has side by side.
func (w *windows) run() int64 { return w.RHS[w.Kernel.Feature] }

// unit is how far apart neighbours along a spatial dimension of lhs are.
func (w *windows) unit(i int) int64 { return w.strides[w.Input.Spatial[i]] }

// tapOffsets are where the taps of a window begin that begins with lhs. Of a dilated lhs a window sees such taps alone
// as fall on its elements, which are so far apart in each.
func (w *windows) tapOffsets() []int64 {
	list := []int64{0}
	for i, v := range w.Window {
		before := list
		list = nil
		for _, at := range before {
			for t := range v.Size {
				list = append(list, at+int64(t*v.WindowDilation/v.BaseDilation)*w.unit(i))
			}
		}
	}
	return list
}

// piece says what n rows from row m on are, and where lhs and the result begin for it, in elements. Those windows come
// first that have all taps inside, then such as have the same ones inside: a tile leaves out what lies outside for all
// its rows.
func (w *windows) piece(m, n int, row int64) (p *gemm.Windows, at int64) {
	t := gemm.Table{Taps: w.taps}
	for i := range n {
		t.Rows = append(t.Rows, w.window(m+i))
		t.Rows[i].C = int64(i) * row
	}
	at = t.Rows[0].At
	for i := range t.Rows {
		t.Rows[i].At -= at
	}
	slices.SortStableFunc(t.Rows, func(a, b gemm.Window) int {
		return cmp.Or(-cmp.Compare(bits.OnesCount64(a.Inside)/len(w.taps), bits.OnesCount64(b.Inside)/len(w.taps)),
			cmp.Compare(b.Inside, a.Inside))
	})
	most := int64(pick(w.copied, copiedTerms, windowTerms))
	return &gemm.Windows{Zero: ref(w.zero), Table: ref(w.table(t.Bytes())), Taps: int64(len(w.taps)), Run: w.run(),
		Most: most, Copied: w.copied}, at
}

// table is where such a table lies.
func (w *windows) table(bytes []byte) exec.Slice {
	s, ok := w.tables[string(bytes)]
	if !ok {
		s = w.l.Pack(bytes)
		w.tables[string(bytes)], w.reads = s, append(w.reads, s)
	}
	return s
}

// window is place number m of the window. There may be millions: it takes no memory.
func (w *windows) window(m int) gemm.Window {
	inside, taps := uint64(1), 1 // of the dimensions behind
	var at int64
	for i := len(w.Window) - 1; i >= 0; i-- {
		v, out, size := w.Window[i], int(w.Out[w.Output.Spatial[i]]), int(w.LHS[w.Input.Spatial[i]])
		first := m%out*v.Stride - v.PadLow
		m /= out
		at += int64(upward(first, v.BaseDilation)) * w.unit(i)
		var all uint64
		for t := range v.Size {
			place := first + t*v.WindowDilation
			if place >= 0 && place%v.BaseDilation == 0 && place/v.BaseDilation < size {
				all |= inside << (t * taps)
			}
		}
		inside, taps = all, taps*v.Size
	}
	return gemm.Window{At: at + int64(m)*w.strides[w.Input.Batch], Inside: inside}
}

// upward is n/d, rounded up.
func upward(n, d int) int { return (max(n, 0)+d-1)/d + min(n, 0)/d }

// padded is a convolution whose lhs has been padded.
func padded(s *kernel.Convolution, pad *kernel.Padding) *kernel.Convolution {
	p := *s
	p.LHS, p.Window = pad.To, slices.Clone(s.Window)
	for i := range p.Window {
		p.Window[i].PadLow = 0
	}
	return &p
}

// Products whose weights are so many bytes that they come from far in each run, and places so few that all stay in the
// second cache while each weight goes by once, are far: their pieces have all places and some columns, so many pieces
// that each has windowWork multiplications, up to maxBlocks, and windowColumns at least.
const (
	farWeights      = 4 << 20
	manyWindowBytes = 512 << 10
	mostPlaces      = 400
	manyPlaces      = 512
	windowWork      = 4 << 20
	windowColumns   = 32
)

// isFar reports whether a product's weights come from far.
func (k *known) isFar() bool {
	return 4*k.n*k.k >= farWeights && k.m <= mostPlaces && len(k.windows.taps) > 1
}

// windowRows is how many rows of a product of windows are multiplied by a panel of columns before the next one: a piece
// has some times as many, the last one fewer more.
const (
	windowRows  = 48
	tallWindows = 4 // times so many rows at least, if there are as many
)

// windowBlocks is blocks of a product of windows.
func (k *known) windowBlocks() (rows, columns int) {
	if k.isFar() {
		return k.m, k.farColumns()
	}
	work, chunks := k.m*k.n*k.k, max(k.m/windowRows, 1)
	wanted := max(min(work/knownWork, knownPieces), work/knownLong, 1)
	tall := min(wanted, max(chunks/tallWindows, 1))
	wide := max(min(wanted/tall, k.n/(2*windowColumns)), 1)
	return (chunks + tall - 1) / tall * windowRows, (k.n/wide + windowColumns - 1) / windowColumns * windowColumns
}

// farColumns is how many columns a piece of a far product has: by the shape alone.
func (k *known) farColumns() int {
	columns, wanted := k.n, min(k.m*k.n*k.k/windowWork, maxBlocks)
	for (k.n+columns-1)/columns < wanted && columns > windowColumns {
		columns = (columns/2 + windowColumns - 1) / windowColumns * windowColumns
	}
	return columns
}

// packWindows brings the weights to panels, run by run of terms that are equally far apart: all panels at once if there
// is but one run, or else panel by panel, in which the runs follow each other.
func (k *known) packWindows(to []byte) error {
	isa, side, columns := run.Level(), k.of.RHS, k.n
	last := len(side.Columns) - 1
	runs, terms := places(side.First, side.Columns[:last]), side.Columns[last]
	if len(runs) > 1 {
		columns = int(k.kind.PanelColumns(isa))
	}
	apart, _ := side.Rows.Stride()
	for j := 0; j < k.n; j += columns {
		some := int64(min(columns, k.n-j))
		for _, first := range runs {
			k.kind.PackPanels(isa, to, k.of.weights.Bytes()[4*(int(first)+j*apart):], some, int64(terms.N),
				int64(terms.Stride), int64(apart))
			to = to[k.kind.PanelsBytes(isa, some, int64(terms.N)):]
		}
	}
	return nil
}

// places are those of a walk from a first one on.
func places(first int, w kernel.Walk) []int64 {
	list := []int64{}
	for _, o := range w.Offsets() {
		list = append(list, int64(first+o))
	}
	return list
}
