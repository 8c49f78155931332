package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/batch"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// fewMatrices is how many small matrices make it worth while to work on them side by side: twice as many if they have
// parts of fewElements and more.
const (
	fewMatrices = 4
	fewElements = 256
)

// Products of matrices of at most so many multiplications, by their type, and rows, columns or terms are made side by
// side: larger ones fill vectors by themselves.
var mostBatched = map[shape.ElementType]int{shape.F32: 343, shape.F64: 144}

const mostLines = 12

// sideBySide says whether matrices of type t are worked on at the same time, each of which has parts of so many
// elements.
func sideBySide(t shape.ElementType, matrices int64, elements ...int64) bool {
	sum := int64(0)
	for _, e := range elements {
		sum += e
	}
	return ownLinalg(t) && matrices >= fewMatrices*min(1+sum/fewElements, 2) && batch.Fits(elements...)
}

// batchedProduct multiplies many small matrices at once.
func batchedProduct(_ *exec.Lowering, c *contraction) *thunk {
	if c.lhsType != c.outType || c.rhsType != c.outType {
		return nil
	}
	b, m, n, k := c.Sizes()
	if max(m, n, k) > mostLines || m*n*k > mostBatched[c.outType] {
		return nil
	}
	if !sideBySide(c.outType, int64(b), int64(m*k), int64(k*n), int64(m*n)) {
		return nil
	}
	width := c.outType.Bytes()
	rhs := kernel.Operand{First: c.RHS.First, Batch: c.RHS.Batch, Rows: c.RHS.Columns, Columns: c.RHS.Rows}
	l, ok1 := batchMatrix(c.LHS, ref(c.lhs), width)
	r, ok2 := batchMatrix(rhs, ref(c.rhs), width)
	o, ok3 := batchMatrix(c.Out, ref(c.out), width)
	if !ok1 || !ok2 || !ok3 {
		return nil
	}
	p := batch.Product{A: l, B: r, C: o, M: int64(m), N: int64(n), K: int64(k), Batch: int64(b),
		Wide: c.outType == shape.F64}
	return recordThunk("loops batched product", c.uses(), p.Record(run.Level()))
}

// batchMatrix is an operand of elements of so many bytes, if its matrices lie one behind the other.
func batchMatrix(o kernel.Operand, at run.Ref, width int) (m batch.Matrix, ok bool) {
	each, ok1 := o.Batch.Stride()
	row, ok2 := o.Rows.Stride()
	column, ok3 := o.Columns.Stride()
	rows, columns := o.Rows.Len(), o.Columns.Len()
	down := (columns == 1 || column == 1) && (rows == 1 || row == columns)
	across := (rows == 1 || row == 1) && (columns == 1 || column == rows)
	at.Offset += int64(o.First * width)
	return batch.Matrix{At: at, Row: int64(row), Column: int64(column)},
		ok1 && ok2 && ok3 && each == rows*columns && (down || across)
}

// mostTransposed are, by bytes of an element, the lesser side and the elements of matrices up to which many are
// transposed at once: larger ones are made of squares by themselves.
var mostTransposed = map[int64][2]int64{4: {8, 64}, 8: {6, 36}}

// batchedTranspose transposes many small matrices of an array of shape s at once, nil if perm does something else.
func batchedTranspose(l *exec.Lowering, s shape.Shape, perm []int64) *thunk {
	var walk kernel.Walk
	strides := shape.Strides(s.Dims)
	for _, d := range perm {
		walk = walk.Then(kernel.Step{N: int(s.Dims[d]), Stride: int(strides[d])})
	}
	width := widthOf(s)
	if len(walk) != 3 || walk[1].Stride != 1 || walk[2].Stride != walk[1].N || width != 4 && width != 8 {
		return nil
	}
	t := batch.Transpose{Dst: ref(l.Result()), Src: ref(l.Operand(0)), M: int64(walk[2].N), N: int64(walk[1].N),
		Batch: int64(walk[0].N), Wide: width == 8}
	most, each := mostTransposed[width], t.M*t.N
	if min(t.M, t.N) > most[0] || each > most[1] || !run.Available() || t.Batch < fewMatrices || !batch.Fits(each, each) {
		return nil
	}
	uses := append(exec.Reads(l.Operand(0)), exec.Writes(l.Result())...)
	return recordThunk("loops batched transpose", uses, t.Record(run.Level()))
}

// batchedCholesky factors many small matrices at once. info is as factorThunk has it.
func batchedCholesky(t shape.ElementType, n, count int64, lower bool, out, a, info exec.Slice, uses []exec.Use) *thunk {
	c := batch.Cholesky{Dst: ref(out), Src: ref(a), Info: ref(info), N: n, Batch: count, Lower: lower,
		Report: info.Slot != exec.NoSlot, Wide: t == shape.F64}
	return recordThunk("loops batched cholesky", uses, c.Record(run.Level()))
}

// batchedSolve solves many small triangular systems at once.
func batchedSolve(l *exec.Lowering, s kernel.Solve, uses []exec.Use) *thunk {
	x := batch.Solve{Dst: ref(l.Result()), A: ref(l.Operand(0)), B: ref(l.Operand(1)), M: s.M, K: s.K,
		Batch: batchOf(l.In.Shape), Left: s.Left, Lower: s.Lower, Unit: s.Unit, Flipped: s.Transposed,
		Wide: l.In.Shape.Type == shape.F64}
	return recordThunk("loops batched solve", uses, x.Record(run.Level()))
}

// batchedRoutine returns a factorization of many small matrices at once, nil if there is none.
func batchedRoutine(l *exec.Lowering, r *lapack.Routine) *thunk {
	p, t, wide := r.Problem, r.Operands[0].Shape.Type, r.Operands[0].Shape.Type == shape.F64
	in := func(i int) exec.Slice { return l.Operands(r.Operands[i].Index)[0] }
	at := func(i int) exec.Slice { return l.Results()[r.Results[i].Index] }
	uses := append(exec.Reads(in(0)), exec.Writes(l.Results()...)...)
	small, isa := min(p.M, p.N), run.Level()
	switch {
	case p.Routine == "getrf" && len(r.Results) == 3 && sideBySide(t, p.Batch, p.M*p.N, small, 1):
		u := batch.LU{Dst: ref(at(0)), Src: ref(in(0)), Pivots: ref(at(1)), Info: ref(at(2)), M: p.M, N: p.N,
			Batch: p.Batch, Wide: wide}
		return recordThunk("loops batched lu", uses, u.Record(isa))
	case p.Routine == "geqrf" && len(r.Results) == 2 && sideBySide(t, p.Batch, p.M*p.N, small):
		q := batch.QR{Dst: ref(at(0)), Src: ref(in(0)), Factors: ref(at(1)), M: p.M, N: p.N, Batch: p.Batch, Wide: wide}
		return recordThunk("loops batched qr", uses, q.Record(isa))
	case p.Routine == "orgqr" && len(r.Results) == 1:
		factors := r.Operands[1].Shape.Dims
		each := factors[len(factors)-1]
		if !sideBySide(t, p.Batch, p.M*p.N, each) {
			return nil
		}
		q := batch.Q{Dst: ref(at(0)), Src: ref(in(0)), Factors: ref(in(1)), M: p.M, N: p.N, K: p.K, Each: each,
			Batch: p.Batch, Wide: wide}
		return recordThunk("loops batched q", append(uses, exec.Reads(in(1))...), q.Record(isa))
	}
	return nil
}
