package cpu

import (
	"math"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/linalg"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/cgo/openblas"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// leastLinalg is the size of matrices from which libraries factor and solve, and leastOwn that from which our native
// kernels do, which solve smaller systems, too, for at least manySides. Smaller ones are done side by side if there are
// some, else wide, with the bits of the reference.
const (
	leastLinalg = 64
	leastOwn    = 16
	manySides   = 64
)

// blasLinalg makes records of linear algebra for elements of one type.
type blasLinalg struct {
	cholesky func(openblas.Cholesky) run.Record
	solve    func(openblas.Solve) run.Record
}

// blasLinalgs are the types that OpenBLAS is used for. Narrow floats go through the kernels in Go.
var blasLinalgs = map[shape.ElementType]blasLinalg{
	shape.C64:  {openblas.CholeskyRecord[complex64], openblas.SolveRecord[complex64]},
	shape.C128: {openblas.CholeskyRecord[complex128], openblas.SolveRecord[complex128]},
}

// linalgBy returns OpenBLAS's records for matrices n by n of type t, if it shall do them.
func linalgBy(t shape.ElementType, n int64) (blasLinalg, bool) {
	b, ok := blasLinalgs[t]
	return b, ok && n >= leastLinalg && n <= math.MaxInt16<<4 && run.Available() && openblas.Load() == nil
}

// ownLinalg says whether our kernels factor matrices of type t.
func ownLinalg(t shape.ElementType) bool {
	return run.Available() && (t == shape.F32 || t == shape.F64)
}

// factorThunk makes what factors positive matrices of type t, nil if that is left to the kernel in Go. info is where
// the first columns that are not positive go, with the slot exec.NoSlot for none.
func factorThunk(t shape.ElementType, n, batch int64, lower bool, out, a, info exec.Slice) *thunk {
	uses := append(exec.Reads(a), exec.Writes(out)...)
	report := info.Slot != exec.NoSlot
	if report {
		uses = append(uses, exec.Writes(info)...)
	}
	if sideBySide(t, batch, n*n, 1) {
		return batchedCholesky(t, n, batch, lower, out, a, info, uses)
	}
	if ownLinalg(t) && n >= leastOwn {
		c := linalg.Cholesky{Dst: ref(out), Src: ref(a), Info: ref(info), N: n, Batch: batch, Lower: lower, Report: report}
		c.Wide = t == shape.F64
		return recordThunk("loops cholesky", uses, c.Record(run.Level()))
	}
	if blas, ok := linalgBy(t, n); ok {
		c := openblas.Cholesky{Dst: ref(out), Src: ref(a), N: n, Batch: batch, Lower: lower, Report: report}
		c.Info = ref(info)
		return recordThunk("openblas cholesky", uses, blas.cholesky(c)).calling(choleskyCalls(batch, n, t))
	}
	return nil
}

// lowerCholesky factors a batch of matrices. Row 96.
func lowerCholesky(l *exec.Lowering) (exec.Thunk, error) {
	a, out, s := l.Operand(0), l.Result(), l.In.Shape
	rank := len(s.Dims)
	n, batch, lower := s.Dims[rank-1], batchOf(s), l.In.Attrs.(*hlo.CholeskyAttrs).Lower
	uses := append(exec.Reads(a), exec.Writes(out)...)
	t := factorThunk(s.Type, n, batch, lower, out, a, exec.Slice{Slot: exec.NoSlot})
	if t == nil {
		t = goThunk("go cholesky", uses, func(r *exec.Run) error {
			kernel.Cholesky(r.Parallel, r.Bytes(out), r.Bytes(a), s.Type, n, lower)
			return nil
		})
	}
	return t.overwriting(exec.Pair{Result: out.Slot, Operand: a.Slot}), nil
}

// choleskyCalls are those that factor a batch of matrices n by n: for each block of 32 columns one that solves, and one
// for each 128 rows below.
func choleskyCalls(batch, n int64, t shape.ElementType) exec.Calls {
	blocks := (n + 31) / 32
	return productCalls(int(batch*blocks*(2+n/256)), int(n), 32, 64, t)
}

// batchOf returns how many matrices an array has.
func batchOf(s shape.Shape) int64 {
	return shape.Product(s.Dims[:len(s.Dims)-2])
}

// lowerTriangularSolve solves a batch of triangular systems. Row 97.
func lowerTriangularSolve(l *exec.Lowering) (exec.Thunk, error) {
	a, b, out, s := l.Operand(0), l.Operand(1), l.Result(), l.In.Shape
	solve := newSolve(l.In)
	uses := append(exec.Reads(a, b), exec.Writes(out)...)
	t := solveThunk(l, solve, uses)
	if t == nil {
		t = goThunk("go triangular solve", uses, func(r *exec.Run) error {
			kernel.TriangularSolve(r.Parallel, r.Bytes(out), r.Bytes(a), r.Bytes(b), s.Type, solve)
			return nil
		})
	}
	return t.overwriting(exec.Pair{Result: out.Slot, Operand: b.Slot}), nil
}

// solveThunk makes what solves systems by native code, nil if that is left to the kernel in Go.
func solveThunk(l *exec.Lowering, s kernel.Solve, uses []exec.Use) *thunk {
	a, b, out, of := l.Operand(0), l.Operand(1), l.Result(), l.In.Shape
	if sideBySide(of.Type, batchOf(of), s.M*s.M, s.M*s.K) {
		return batchedSolve(l, s, uses)
	}
	if ownLinalg(of.Type) && (s.M >= leastOwn && s.K > 0 || s.M > 0 && s.K >= manySides) {
		x := linalg.Solve{Dst: ref(out), A: ref(a), B: ref(b), M: s.M, K: s.K, Batch: batchOf(of), Left: s.Left,
			Lower: s.Lower, Unit: s.Unit, Flipped: s.Transposed, Wide: of.Type == shape.F64}
		x.Chunk = ownChunk(s.K, int64(of.Type.Bytes()))
		x.PerTask = max(1, taskFlops/(s.M*s.M*x.Chunk))
		scratch := l.Scratch(x.Bytes())
		x.Scratch = ref(scratch)
		return recordThunk("loops triangular solve", append(uses, exec.Writes(scratch)...), x.Record(run.Level()))
	}
	blas, ok := linalgBy(of.Type, s.M)
	if !ok || s.K == 0 || s.K > math.MaxInt32 {
		return nil
	}
	x := openblas.Solve{Dst: ref(out), A: ref(a), B: ref(b), M: s.M, K: s.K, Batch: batchOf(of)}
	x.Left, x.Lower, x.Unit = s.Left, s.Lower, s.Unit
	x.Transposed, x.Adjoint = s.Transposed, s.Adjoined
	x.Chunk = solveChunk(s)
	chunks := x.Batch * ((x.K + x.Chunk - 1) / x.Chunk)
	calls := productCalls(int(chunks), int(x.M), int(x.Chunk), int(x.M), of.Type)
	return recordThunk("openblas trsm", uses, blas.solve(x)).calling(calls)
}

// ownChunk is how many right-hand sides of elements of so many bytes our kernels solve at a time: those that fill the
// registers, or fewer where that leaves threads without any.
func ownChunk(k, bytes int64) int64 {
	most := 256 / bytes
	if k <= 4*most {
		most /= 2
	}
	return min(most, (k+15)&^15)
}

// solveChunk is how many right-hand sides a task solves: about 2 million operations, and at least 16.
func solveChunk(s kernel.Solve) int64 {
	return min(s.K, max(16, (1<<21/(s.M*s.M)+15)&^15))
}

// newSolve is what in says to the kernels.
func newSolve(in *hlo.Instruction) kernel.Solve {
	a, b := in.Attrs.(*hlo.TriangularSolveAttrs), in.Shape.Dims
	rows, columns := b[len(b)-2], b[len(b)-1]
	s := kernel.Solve{
		M: rows, K: columns, Left: a.LeftSide, Lower: a.Lower, Unit: a.UnitDiagonal,
		Transposed: a.TransposeA != hlo.NoTranspose, Adjoined: a.TransposeA == hlo.Adjoint,
	}
	if !s.Left {
		s.M, s.K = columns, rows
	}
	return s
}
