package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/cgo/onednn"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// packedKinds are the kinds of our products of large matrices by the types of the operands.
var packedKinds = map[[2]shape.ElementType]gemm.Kind{
	{shape.F32, shape.F32}: gemm.ProductF32, {shape.F64, shape.F64}: gemm.ProductF64,
	{shape.F16, shape.F16}: gemm.ProductF16, {shape.BF16, shape.BF16}: gemm.ProductBF16,
	{shape.S8, shape.S8}: gemm.ProductS8S8, {shape.S8, shape.U8}: gemm.ProductS8U8,
	{shape.U8, shape.S8}: gemm.ProductU8S8, {shape.U8, shape.U8}: gemm.ProductU8U8,
}

// packedResults are what sums become in results, by the type of sums and that of the result.
var packedResults = map[[2]shape.ElementType]gemm.Rounding{
	{shape.F32, shape.F32}: gemm.Sums, {shape.F32, shape.F16}: gemm.ToF16, {shape.F32, shape.BF16}: gemm.ToBF16,
	{shape.F64, shape.F64}: gemm.Sums, {shape.U32, shape.S32}: gemm.Sums, {shape.U32, shape.U32}: gemm.Sums,
}

// packedKind is how our own kernels multiply c, if they do.
func (f *matrices) packedKind(c *contraction) (kind gemm.Kind, to gemm.Rounding, ok bool) {
	types := [2]shape.ElementType{c.lhsType, c.rhsType}
	if f.swapped {
		types[0], types[1] = types[1], types[0]
	}
	kind, ok1 := packedKinds[types]
	sum := kernel.SumType(c.lhsType, c.rhsType, c.outType)
	to, ok2 := packedResults[[2]shape.ElementType{sum, c.outType}]
	own := sum.IsFloat() == c.lhsType.IsFloat() && (sum == shape.F64) == (c.lhsType == shape.F64) // what kernels sum in
	return kind, to, ok1 && ok2 && own && kind.Knows(run.Level()) && f.paysPacking(kind, c.weights != nil) &&
		len(f.a) <= maxPieces
}

// leastPacked is how many rows, columns and terms a product must have for packing both sides to pay.
const leastPacked = 64

// paysPacking reports whether a product is large enough to pack both sides. oneDNN takes 6 ns to pack a byte of
// integers and twice our time for a bf16, so that of what is not packed before fewer rows are enough.
func (f *matrices) paysPacking(kind gemm.Kind, known bool) bool {
	least := min(f.m, f.n, f.k)
	switch {
	case known || least >= leastPacked:
		return least >= leastPacked
	case kind == gemm.ProductBF16:
		return f.m >= minRowBlock && min(f.n, f.k) >= leastPacked
	case kind == gemm.ProductF32 && f.fewTerms():
		return true
	case kind == gemm.ProductF32 && f.termsApart():
		return f.m >= leastPacked/4 && f.k >= leastPacked/2 && f.n >= leastPacked
	}
	return kind >= gemm.ProductS8S8 && f.m >= minRowBlock && f.n >= fewPacked
}

// fewPacked is how many columns of integers pay, of which a panel has 16 or 32.
const fewPacked = 4

// packedProduct multiplies large matrices by our own kernels, which pack each side once for all pieces.
func packedProduct(l *exec.Lowering, c *contraction) *thunk {
	f, ok := matricesOf(&c.Contraction)
	if !ok {
		return nil
	}
	kind, to, ok := f.packedKind(c)
	if !ok || c.lhsType == c.outType && (f.bySmall(c.outType) || kind == gemm.ProductF32 && f.bySgemm()) {
		return nil
	}
	p := f.packed(c)
	p.Kind, p.Rounding = kind, to
	scratch := l.Scratch(p.Bytes(run.Level()))
	p.Scratch = ref(scratch)
	return recordThunk("loops gemm", append(c.uses(), exec.Writes(scratch)...), p.Record(run.Level()))
}

// packedFirst reports whether our own kernels are quicker than oneDNN's matmul: for f16, which they make f32 as they
// pack, and, unless there are instructions for whole tiles, for integers, and for bf16 that they make f32 too or that
// is not packed before.
func (f *matrices) packedFirst(c *contraction) bool {
	kind, _, ok := f.packedKind(c)
	switch {
	case !ok:
		return false
	case kind == gemm.ProductBF16:
		return (c.weights == nil || kind.Widens(run.Level())) && !onednn.Tiles()
	case kind >= gemm.ProductS8S8:
		return !onednn.Tiles()
	}
	return kind == gemm.ProductF16
}

// page is the distance of rows that fall on the same places of the first cache.
const page = 4096

// bySgemm reports whether oneDNN's product of f32 is quicker: its pieces pack their own parts or nothing, which is slow
// where rows are pages apart, and by vectors of 8 where terms are half a page apart in b, or a quarter in a.
func (f *matrices) bySgemm() bool {
	apart := f.strideA*4%page == 0 || f.strideB*4%page == 0 || f.termsApart() ||
		run.Level() == run.AVX2 && f.transposeA && f.strideA*4%(page/4) == 0
	return !apart && !f.fewTerms() && onednn.Load() == nil
}

// A result of so many elements does not fit the second cache, and takes more time than few terms do. Shorter rows than
// these were slower by our kernels.
const (
	farResult = 1 << 20
	longRows  = 1 << 10
)

// fewTerms reports whether a product has so few terms that its result takes the time, which our kernels write once.
func (f *matrices) fewTerms() bool {
	most := 16
	if run.Level() == run.AVX2 {
		most = 8
	}
	return 4 <= f.k && f.k <= most && f.m*f.n >= farResult && f.m >= leastPacked && f.n >= longRows
}

// termsApart reports whether terms are so far apart in b that few of them and few rows pay packing with vectors of 8.
func (f *matrices) termsApart() bool {
	return run.Level() == run.AVX2 && !f.transposeB && f.strideB*4%(page/2) == 0
}

// packed is the form of our own kernels.
func (f *matrices) packed(c *contraction) gemm.Packed {
	p := gemm.Packed{A: ref(c.lhs), B: ref(c.rhs), C: ref(c.out), M: int64(f.m), N: int64(f.n), K: int64(f.k),
		RowA: int64(f.strideA), ColumnA: 1, RowB: int64(f.strideB), ColumnB: 1, RowC: int64(f.strideC)}
	if f.swapped {
		p.A, p.B = p.B, p.A
	}
	if f.transposeA {
		p.RowA, p.ColumnA = p.ColumnA, p.RowA
	}
	if f.transposeB {
		p.RowB, p.ColumnB = p.ColumnB, p.RowB
	}
	in, out := int64(c.lhsType.Bytes()), int64(c.outType.Bytes())
	for i := range f.a {
		p.Places = append(p.Places, gemm.Place{A: in * int64(f.a[i]), B: in * int64(f.b[i]), C: out * int64(f.c[i])})
	}
	return p
}
