package cpu

import (
	"encoding/binary"
	"fmt"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/depthwise"
	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// Vectors of grouped convolutions have so many features; groups of a multiple of the next number have library kernels
// at AVX-512; and for groups of more than groupedOutputs that is the faster way. Where there are groupedRows, pieces
// have all features and ask for what the next row needs.
const (
	groupedLanes   = 8
	libraryLanes   = 16
	groupedOutputs = 96
	groupedRows    = 6
)

// groupedConvolution lowers a convolution in f32 of some groups of features, with features side by side. It returns nil
// for others, or where a library is as fast.
func groupedConvolution(l *exec.Lowering, s *kernel.Convolution, c *contraction) *thunk {
	f32 := c.lhsType == shape.F32 && c.rhsType == shape.F32 && c.outType == shape.F32
	if !run.Available() || !f32 || !isGrouped(s) {
		return nil
	}
	d, features := byRows(s, c), s.Out[s.Output.Feature]
	d.Groups = depthwise.Groups{Features: features, Inputs: s.RHS[s.Kernel.Feature],
		Outputs: features / int64(s.FeatureGroups), Vectors: features / groupedLanes}
	weights := c.rhs
	if c.weights != nil {
		form := fmt.Sprint("loops groups ", s.RHS, s.Kernel, s.Window)
		weights = l.PackOf(c.weights, form, c.rhs.Size, func(to []byte) error { return packGroups(to, c.weights.Bytes(), s) })
		d.Weights, d.Term, d.Vector = ref(weights), groupedLanes, shape.Product(s.RHS)/d.Vectors
	} else if d.Term, d.Vector = features, groupedLanes; !isSpatialFirst(s) || s.Kernel.Feature > s.Kernel.Batch {
		return nil
	}
	return depthwiseThunk(d, c.out, c.lhs, weights)
}

// isGrouped reports whether the native kernel takes the groups of a convolution, and no library kernel does it as fast.
func isGrouped(s *kernel.Convolution) bool {
	features, groups := s.Out[s.Output.Feature], int64(s.FeatureGroups)
	inputs, outputs := s.RHS[s.Kernel.Feature], features/groups
	library := run.Level() == run.AVX512 && inputs%libraryLanes == 0 && outputs%libraryLanes == 0
	return groups > 1 && inputs > 0 && outputs <= groupedOutputs && hasWideTiles() && !library && isByRows(s) &&
		features%groupedLanes == 0 && (outputs%groupedLanes == 0 || outputs%4 == 0 && inputs%4 == 0)
}

// packGroups brings weights to the order in which the kernel reads them: vector by vector of features, then tap by tap,
// then term by term.
func packGroups(to, weights []byte, s *kernel.Convolution) error {
	st, k := shape.Strides(s.RHS), s.Kernel
	taps := []int64{0}
	for i, w := range s.Window {
		before := taps
		taps = nil
		for _, at := range before {
			for t := range w.Size {
				taps = append(taps, at+int64(pick(w.Reversal, w.Size-1-t, t))*st[k.Spatial[i]])
			}
		}
	}
	for o := int64(0); o < s.RHS[k.Batch]; o += groupedLanes {
		for _, tap := range taps {
			for i := range s.RHS[k.Feature] {
				for lane := range int64(groupedLanes) {
					at := tap + i*st[k.Feature] + (o+lane)*st[k.Batch]
					binary.NativeEndian.PutUint32(to, binary.NativeEndian.Uint32(weights[4*at:]))
					to = to[4:]
				}
			}
		}
	}
	return nil
}

// groupedPieces computes all rows of d piece by piece: some rows of all features, or of some groups if rows are few.
func groupedPieces(d *depthwise.Convolution, uses []exec.Use) *thunk {
	var list []piece
	var tasks [][]run.Record
	rows, vectors := groupedBlocks(d)
	for first := int64(0); first < d.Rows; first += rows {
		for v := int64(0); v < d.Vectors; v += vectors {
			p := groupedPiece(d, first, min(rows, d.Rows-first), v, min(vectors, d.Vectors-v))
			list, tasks = append(list, p), append(tasks, []run.Record{p.record})
		}
	}
	t := recordThunk("loops groups", uses, gemm.Tasks(tasks))
	t.parts = &parts{list: list}
	return t
}

// groupedBlocks returns how many rows, and vectors of whole groups, a piece has: by the shape alone.
func groupedBlocks(d *depthwise.Convolution) (rows, vectors int64) {
	work := d.X.Out * d.Features * d.Y.Window * d.X.Window * d.Inputs // of a row
	if rows, vectors = max(knownWork/work, 1), d.Vectors; d.Rows >= groupedRows && work <= knownLong {
		return rows, vectors
	}
	unit := d.Outputs / groupedLanes
	for unit = max(unit, 1); unit*groupedLanes%d.Outputs != 0; unit++ {
	}
	return rows, min((knownWork*d.Vectors/work+unit)/unit*unit, vectors)
}

// groupedPiece computes some rows and vectors of d.
func groupedPiece(d *depthwise.Convolution, first, rows, v, vectors int64) piece {
	part, f, line := *d, v*groupedLanes, d.X.Out
	part.First, part.Rows, part.Task, part.Vectors = first, rows, rows, vectors
	part.Image.Offset += 4 * (f / d.Outputs * d.Inputs)
	part.Weights.Offset += 4 * v * d.Vector
	part.Result.Offset += 4 * f
	part.Bias.Offset += 4 * f
	p := piece{record: part.Record(run.Level()), from: first*line*d.Features + f, n: rows * line * vectors * groupedLanes}
	if vectors < d.Vectors {
		p.columns, p.row = vectors*groupedLanes, d.Features
	}
	return p
}
