package cpu

import (
	"fmt"

	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/cgo/onednn"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// known is a product by weights that are packed for our own kernels when a program is compiled.
type known struct {
	matrices
	of      *contraction
	kind    gemm.Kind
	rows    gemm.Rows  // what is done with those of lhs
	weights exec.Slice // packed
	gates   int        // of as many columns each
	ends    gemm.Ends  // what else is done to sums
	bias    exec.Slice // of the columns
	more    exec.Slice // an array that is added
	most    float32    // of what is more
	windows *windows   // what rows are, of WindowRows
	before  *thunk     // what comes before all pieces, nil if nothing does
	apart   bool       // every other piece of columns lies behind the result, by its size
}

// knownProduct multiplies f32 by known weights.
func knownProduct(l *exec.Lowering, c *contraction) *thunk {
	f, ok := matricesOf(&c.Contraction)
	kind := packedKinds[[2]shape.ElementType{c.lhsType, c.rhsType}]
	if !ok || f.swapped || c.weights == nil || len(f.a) != 1 || f.m == 1 || c.lhsType != shape.F32 ||
		c.rhsType != shape.F32 || c.outType != shape.F32 || !hasWideTiles() {
		return nil
	}
	if f.m > shortProduct && f.byLibrary() && onednn.Load() == nil {
		return nil
	}
	k := &known{matrices: f, of: c, kind: kind, gates: 1}
	k.rows = pick(f.transposeA, gemm.PackedRows, pick(f.strideA*4%page != 0, gemm.NearRows, gemm.CopiedRows))
	return k.thunk(l)
}

// byLibrary reports whether oneDNN multiplies many rows as fast or faster. At AVX2 it does not where whole panels are
// all there is, be they few, and sums may be shorter.
func (f *matrices) byLibrary() bool {
	sums, columns := shortSums, f.n < fewColumns
	if run.Level() == run.AVX2 {
		sums, columns = shortSums/4, columns && (f.n < fewColumns/2 || f.n%panelColumns != 0)
	}
	return f.n*f.k > manyWeights || f.k < sums || columns
}

// hasWideTiles reports whether tiles are such as were compared with oneDNN's: by instructions that multiply and add.
func hasWideTiles() bool { return run.Level() == run.AVX2 || run.Level() == run.AVX512 }

// Where there are more rows than shortProduct, and more weights than manyWeights, or sums shorter than shortSums, or
// fewer columns than fewColumns, oneDNN's matmul is as fast or faster.
const (
	shortProduct = 128
	manyWeights  = 1 << 20
	shortSums    = 64
	fewColumns   = 64
	panelColumns = 16 // of f32, at AVX2
)

// Pieces of products by packed weights: as many as leave each knownWork multiplications, up to knownPieces, two if they
// leave each a quarter of that, or so many that none has more than knownLong. Rows are divided first, since what
// comes next often wants whole rows, then columns down to what an epilogue takes as whole blocks, or twice that where
// there is something to do for each row.
const (
	knownWork    = 1 << 20
	knownLong    = 1 << 25
	knownPieces  = 16
	tallRows     = 288
	leastRows    = 48
	leastGated   = 12
	fewGated     = 4
	leastColumns = 128
)

// nearGates is how many weights of gates are read as fast by each thread as a part of them: those of half a second
// cache. Pieces of rows then have whole rows of the state, and hand nothing to each other from round to round. So have
// those of fewGated rows, a tile, of up to fewGates weights: they would wait longer for one another than for the third
// cache.
const (
	nearGates = 1 << 16
	fewGates  = 1 << 20
)

// blocks returns how many rows, and columns of each gate, which has so many, a piece has: by the shape alone.
func (k *known) blocks(units int) (rows, columns int) {
	rows, columns = k.m, units
	if k.windows != nil {
		return k.windowBlocks()
	}
	work, least := k.m*k.n*k.k, leastColumns
	if run.Level() == run.AVX2 {
		least /= 2 // as blocks are
	}
	if k.m >= 2*leastRows || k.rows != gemm.NearRows {
		least *= 2
	}
	wanted := max(min(4*work/knownWork, 2), min(work/knownWork, knownPieces), work/knownLong)
	for count := 2; count <= wanted; count *= 2 {
		wide, tall := columns >= 2*least, rows >= 2*k.leastRows()
		switch {
		case tall && (rows == k.m || rows > tallRows || !wide):
			rows = (rows/2 + 3) / 4 * 4
		case wide:
			columns = (columns/2 + least - 1) / least * least
		default:
			return rows, columns
		}
	}
	return rows, columns
}

// leastRows is how many rows a piece has at least.
func (k *known) leastRows() int {
	switch weights := k.n * k.k; {
	case run.Level() != run.AVX2 || k.gates < 2:
	case weights <= nearGates:
		return leastGated
	case weights <= fewGates && k.m == 2*fewGated:
		return fewGated
	}
	return leastRows
}

// thunk packs the weights and multiplies piece by piece.
func (k *known) thunk(l *exec.Lowering) *thunk {
	isa := run.Level()
	form := fmt.Sprint("loops panels ", isa, k.kind, k.n, k.k, k.strideB, k.transposeB, k.b)
	k.weights = l.PackOf(k.of.weights, form, k.kind.PanelsBytes(isa, int64(k.n), int64(k.k)), k.pack)
	t := k.inPieces()
	t.gated = func(gates int) *thunk {
		if units := k.n / gates; units%int(k.kind.PanelColumns(isa)) != 0 {
			return t
		}
		other := *k
		other.gates = gates
		return other.ending(other.inPieces())
	}
	return k.ending(t)
}

// ending offers what sums of t, the product with the ends that k has, may become after those.
func (k *known) ending(t *thunk) *thunk {
	if k.rows == gemm.PackedRows || k.strideC != k.n {
		return t
	}
	if k.ends < gemm.AddBias {
		t.biased = func(bias exec.Slice) *thunk { return k.with(gemm.AddBias, bias, k.more) }
	}
	if k.ends < gemm.AddMore {
		t.summed = func(more exec.Slice) *thunk { return k.with(gemm.AddMore, k.bias, more) }
	}
	if k.ends < gemm.Floor {
		t.floored = func() *thunk { return k.with(gemm.Floor, k.bias, k.more) }
	}
	if k.ends < gemm.Cap {
		t.capped = func(most float32) *thunk {
			other := *k
			other.most = most
			return other.with(gemm.Cap, k.bias, k.more)
		}
	}
	return t
}

// with is the product with one more end.
func (k *known) with(e gemm.Ends, bias, more exec.Slice) *thunk {
	other := *k
	other.ends, other.bias, other.more = k.ends|e, bias, more
	return other.ending(other.inPieces())
}

// uses are those of the product with its ends.
func (k *known) uses() []exec.Use {
	reads := []exec.Slice{k.of.lhs, k.weights}
	if k.windows != nil {
		reads = append(reads, k.windows.reads...)
	}
	if k.ends&gemm.AddBias != 0 {
		reads = append(reads, k.bias)
	}
	if k.ends&gemm.AddMore != 0 {
		reads = append(reads, k.more)
	}
	return append(exec.Reads(reads...), exec.Writes(k.of.out)...)
}

// inPieces multiplies piece by piece, each with columns of all gates.
func (k *known) inPieces() *thunk {
	list := k.pieces()
	var tasks [][]run.Record
	for _, p := range list {
		tasks = append(tasks, []run.Record{p.record})
	}
	t := recordThunk(k.name(), k.uses(), gemm.Tasks(tasks))
	if k.strideC == k.n {
		other := *k
		other.apart = true
		t.parts = &parts{list: list, apart: pick(k.gates > 1, other.pieces, nil)}
	}
	if k.before != nil {
		return sequence(k.before, t)
	}
	return t
}

// pieces are those of the product: of rows, and of columns of each gate.
func (k *known) pieces() (list []piece) {
	units := k.n / k.gates
	rows, columns := k.blocks(units)
	for m, some := 0, 0; m < k.m; m += some {
		if some = min(rows, k.m-m); k.windows != nil && k.m-m-some < windowRows {
			some = k.m - m
		}
		for n := 0; n < units; n += columns {
			apart := 0
			if k.apart && n/columns%2 == 1 {
				apart = k.m * k.n
			}
			list = append(list, k.piece(m, n, some, min(columns, units-n), apart))
		}
	}
	return list
}

// name is what reports call the product.
func (k *known) name() string {
	if k.windows != nil {
		return "loops windows"
	}
	return "loops panels"
}

// pack packs the weights.
func (k *known) pack(to []byte) error {
	row, column := int64(k.strideB), int64(1)
	if k.transposeB {
		row, column = column, row
	}
	k.kind.PackPanels(run.Level(), to, k.of.weights.Bytes()[4*k.b[0]:], int64(k.n), int64(k.k), row, column)
	return nil
}

// piece multiplies so many rows from row m on, and columns from column n of each gate on, to so far behind their place.
func (k *known) piece(m, n, rows, columns, apart int) piece {
	isa, gates, units := run.Level(), k.gates, k.n/k.gates
	p := gemm.Panels{A: ref(k.of.lhs), Panels: ref(k.weights), C: ref(k.of.out), M: int64(rows), N: int64(columns),
		K: int64(k.k), RowA: int64(k.strideA), ColumnA: 1, RowC: int64(k.strideC), Groups: int64(gates),
		GroupPanels: k.kind.PanelsBytes(isa, int64(units), int64(k.k)), GroupC: int64(units), Kind: k.kind, Rows: k.rows,
		Bias: ref(k.bias), More: ref(k.more), Ends: k.ends, Most: k.most}
	if k.transposeA {
		p.RowA, p.ColumnA = p.ColumnA, p.RowA
	}
	if k.windows != nil {
		var at int64
		p.Windows, at = k.windows.piece(m, rows, int64(k.n))
		p.A.Offset += 4 * at
	} else {
		p.A.Offset += 4 * (int64(k.a[0]) + int64(m)*p.RowA)
	}
	p.Panels.Offset += k.kind.PanelsBytes(isa, int64(n), int64(k.k))
	p.C.Offset += 4 * int64(k.c[0]+m*k.strideC+n+apart)
	p.More.Offset += 4 * int64(m*k.strideC+n)
	p.Bias.Offset += 4 * int64(n)
	q := piece{record: p.Record(isa), from: int64(m*units + n), n: int64(rows * columns), apart: int64(apart)}
	if columns < units || gates > 1 {
		q.columns, q.row = int64(columns), int64(units)
	}
	if gates > 1 {
		q.gates = int64(gates)
	}
	return q
}
