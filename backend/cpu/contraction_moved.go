package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
)

// fewMoved is how many elements of a result and terms of its sums make it worth while to move operands.
const fewMoved = 1 << 14

// movedProduct multiplies matrices of which one or both do not lie as BLAS has them, once they are moved to where they
// do: a transposed matrix whose elements are all summed up, or a dimension between those that are.
func movedProduct(l *exec.Lowering, c *contraction) *thunk {
	b, m, n, k := c.Sizes()
	if _, ours := vectorTypes[c.outType]; !ours || b*m*n*k < fewMoved || c.lhsType != c.outType || c.rhsType != c.outType {
		return nil
	}
	moved, width := *c, int64(c.outType.Bytes())
	left, ok1 := straighten(&moved.LHS, c.lhs, width)
	right, ok2 := straighten(&moved.RHS, c.rhs, width)
	f, ok := matricesOf(&moved.Contraction)
	if !ok || !ok1 || !ok2 || left == nil && right == nil {
		return nil
	}
	if fn, _, _ := f.multiplier(c.outType); fn == nil { // before memory is asked for
		return nil
	}
	var list []*thunk
	moved.lhs, list = brought(l, left, c.lhs, list)
	moved.rhs, list = brought(l, right, c.rhs, list)
	t := vectorProduct(l, &moved)
	if t == nil {
		t = blasProduct(l, &moved)
	}
	if t == nil {
		return nil
	}
	return sequence(append(list, t)...)
}

// brought adds a move of an operand to a list, if there is one, and returns where it is then.
func brought(l *exec.Lowering, m *kernel.Move, from exec.Slice, list []*thunk) (exec.Slice, []*thunk) {
	if m == nil {
		return from, list
	}
	to := l.Scratch(from.Size)
	t := recordThunk("loops transpose", append(exec.Reads(from), exec.Writes(to)...),
		moveRecord(run.Level(), []box{{move: *m, dst: to, src: from}}))
	return to, append(list, t)
}

// straighten puts the rows of an operand at from side by side and returns the move that brings them there, nil if BLAS
// takes the operand as it lies. It fails if its elements would be more than there are.
func straighten(o *kernel.Operand, from exec.Slice, width int64) (*kernel.Move, bool) {
	if isMatrix(o) {
		return nil, true
	}
	rows, columns := o.Rows.Len(), o.Columns.Len()
	each := int64(o.Batch.Len() * rows * columns)
	if each*width > from.Size {
		return nil, false
	}
	var axes []kernel.Axis
	for _, s := range concatWalks(o.Batch, o.Rows, o.Columns) {
		each /= int64(s.N)
		axes = append(axes, kernel.Axis{N: int64(s.N), Dst: each, Src: int64(s.Stride)})
	}
	m := kernel.NewMove(width, 0, int64(o.First), axes)
	*o = kernel.Operand{Batch: kernel.Walk{}.Then(kernel.Step{N: o.Batch.Len(), Stride: rows * columns}),
		Rows:    kernel.Walk{}.Then(kernel.Step{N: rows, Stride: columns}),
		Columns: kernel.Walk{}.Then(kernel.Step{N: columns, Stride: 1})}
	return &m, true
}

// isMatrix says whether BLAS takes an operand as it lies.
func isMatrix(o *kernel.Operand) bool {
	row, ok1 := o.Rows.Stride()
	column, ok2 := o.Columns.Stride()
	if !ok1 || !ok2 {
		return false
	}
	_, stride := form(o.Rows.Len(), o.Columns.Len(), row, column)
	return stride > 0
}
