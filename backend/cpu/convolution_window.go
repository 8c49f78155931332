package cpu

import (
	"fmt"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// windows is a convolution by known weights that is a product of what its windows see, which is read where it lies, and
// panels of weights.
type windows struct {
	of         *contraction
	rows, taps []int64 // where windows begin, and runs of their elements, in lhs
	run        int64
	n          int        // features of the result
	weights    exec.Slice // packed
}

// Products of windows pay where weights are so many bytes that they come from far in each run, and places so few that
// all stay in the second cache while each weight goes by once. They want runs of so many elements at least, and places
// that do not all fall on the same lines of the nearest cache: those are so many elements further apart in a copy.
const (
	farWeights = 4 << 20
	mostPlaces = 204
	leastRun   = 64
	apart      = 16
)

// windowConvolution lowers a convolution to a product of its windows. It returns nil where that is none of f32 by known
// weights whose features are side by side, or a library is as fast.
func windowConvolution(l *exec.Lowering, s *kernel.Convolution, c *contraction) *thunk {
	f32 := c.lhsType == shape.F32 && c.rhsType == shape.F32 && c.outType == shape.F32
	if !f32 || c.weights == nil || c.rhs.Size < farWeights || s.FeatureGroups*s.BatchGroups > 1 || isTransposed(s) ||
		!run.Available() || !hasWideTiles() {
		return nil
	}
	of := *c
	w := &windows{of: &of}
	var pad *kernel.Padding
	of.Contraction, pad = s.Contraction()
	if !w.fits() {
		return nil
	}
	if w.collide() {
		if of.Contraction, pad = s.Apart(apart); !w.fits() {
			return nil
		}
	}
	if pad == nil {
		return w.thunk(l)
	}
	return sequence(padThunk(l, pad, &of), w.thunk(l))
}

// fits finds the windows' runs, and reports whether they and the result lie as the kernels want them.
func (w *windows) fits() bool {
	c := &w.of.Contraction
	last := len(c.LHS.Columns) - 1
	row, ok := c.Out.Rows.Stride()
	column, ok1 := c.Out.Columns.Stride()
	if !ok || !ok1 || last < 0 || c.LHS.Columns[last].Stride != 1 || c.LHS.Columns[last].N < leastRun ||
		c.LHS.Rows.Len() > mostPlaces {
		return false
	}
	w.n = c.Out.Columns.Len()
	w.rows, w.taps = places(c.LHS.First, c.LHS.Rows), places(0, c.LHS.Columns[:last])
	w.run = int64(c.LHS.Columns[last].N)
	return column == 1 && w.n >= windowColumns && (row == w.n || len(w.rows) == 1)
}

// collide reports whether neighbouring places fall on the same lines of the nearest cache.
func (w *windows) collide() bool { return len(w.rows) > 1 && (w.rows[1]-w.rows[0])*4%page == 0 }

// places are those of a walk from a first one on.
func places(first int, w kernel.Walk) []int64 {
	list := []int64{}
	for _, o := range w.Offsets() {
		list = append(list, int64(first+o))
	}
	return list
}

// Pieces of products of windows have some columns: so many pieces that each has windowWork multiplications, up to
// maxBlocks, and windowColumns at least.
const (
	windowWork    = 4 << 20
	windowColumns = 32
)

// columns is how many a piece has: by the shape alone.
func (w *windows) columns() int {
	columns, wanted := w.n, min(len(w.rows)*w.n*w.terms()/windowWork, maxBlocks)
	for (w.n+columns-1)/columns < wanted && columns > windowColumns {
		columns = (columns/2 + windowColumns - 1) / windowColumns * windowColumns
	}
	return columns
}

// terms is how many a sum has.
func (w *windows) terms() int { return int(w.run) * len(w.taps) }

// thunk packs the weights and multiplies piece by piece.
func (w *windows) thunk(l *exec.Lowering) *thunk {
	isa := run.Level()
	form := fmt.Sprint("loops windows ", isa, w.of.RHS)
	w.weights = l.PackOf(w.of.weights, form, gemm.ProductF32.PanelsBytes(isa, int64(w.n), int64(w.terms())), w.pack)
	var list []piece
	var tasks [][]run.Record
	columns := w.columns()
	for n := 0; n < w.n; n += columns {
		p := w.piece(n, min(columns, w.n-n))
		list, tasks = append(list, p), append(tasks, []run.Record{p.record})
	}
	t := recordThunk("loops windows", append(exec.Reads(w.of.lhs, w.weights), exec.Writes(w.of.out)...), gemm.Tasks(tasks))
	t.parts = &parts{list: list}
	return t
}

// piece multiplies so many columns from column n on.
func (w *windows) piece(n, columns int) piece {
	q := gemm.Windows{A: ref(w.of.lhs), Panels: ref(w.weights), C: ref(w.of.out), Rows: w.rows, Taps: w.taps,
		Run: w.run, Columns: int64(columns), RowC: int64(w.n)}
	q.Panels.Offset += int64(n * w.terms() * 4)
	q.C.Offset += int64(w.of.Out.First+n) * 4
	p := piece{record: q.Record(run.Level()), from: int64(n), n: int64(len(w.rows) * columns)}
	if columns < w.n {
		p.columns, p.row = int64(columns), int64(w.n)
	}
	return p
}

// pack brings the weights to panels, run by run of terms that are equally far apart: all panels at once if there is but
// one run, or else panel by panel, in which the runs follow each other.
func (w *windows) pack(to []byte) error {
	isa, side, columns := run.Level(), w.of.RHS, w.n
	last := len(side.Columns) - 1
	runs, terms := places(side.First, side.Columns[:last]), side.Columns[last]
	if len(runs) > 1 {
		columns = int(gemm.ProductF32.PanelColumns(isa))
	}
	apart, _ := side.Rows.Stride()
	for j := 0; j < w.n; j += columns {
		some := int64(min(columns, w.n-j))
		for _, first := range runs {
			gemm.ProductF32.PackPanels(isa, to, w.of.weights.Bytes()[4*(int(first)+j*apart):], some, int64(terms.N),
				int64(terms.Stride), int64(apart))
			to = to[gemm.ProductF32.PanelsBytes(isa, some, int64(terms.N)):]
		}
	}
	return nil
}
