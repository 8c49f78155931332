package cpu

import (
	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/cgo/onednn"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// packedTypes are the types of our products of large matrices.
var packedTypes = map[shape.ElementType]gemm.Type{shape.F32: gemm.F32, shape.F64: gemm.F64}

// leastPacked is how many rows, columns and terms a product must have for packing both sides to pay.
const leastPacked = 64

// packedProduct multiplies large matrices by our own kernels, which pack each side once for all pieces.
func packedProduct(l *exec.Lowering, c *contraction) *thunk {
	kind, ok := packedTypes[c.outType]
	if !ok || c.lhsType != c.outType || c.rhsType != c.outType {
		return nil
	}
	f, ok := matricesOf(&c.Contraction)
	if !ok || len(f.a) > maxPieces || min(f.m, f.n, f.k) < leastPacked || f.bySgemm(c.outType) {
		return nil
	}
	p := f.packed(int64(c.outType.Bytes()))
	p.A, p.B, p.C = ref(c.lhs), ref(c.rhs), ref(c.out)
	if f.swapped {
		p.A, p.B = p.B, p.A
	}
	scratch := l.Scratch(p.Bytes(run.Level(), kind))
	p.Scratch = ref(scratch)
	return recordThunk("loops gemm", append(c.uses(), exec.Writes(scratch)...), p.Record(run.Level(), kind))
}

// page is the distance of rows that fall on the same places of the first cache.
const page = 4096

// bySgemm reports whether oneDNN's product of f32 is quicker: its pieces pack their own parts or nothing, which is slow
// where rows are pages apart.
func (f *matrices) bySgemm(t shape.ElementType) bool {
	apart := f.strideA*t.Bytes()%page == 0 || f.strideB*t.Bytes()%page == 0
	return t == shape.F32 && !apart && onednn.Load() == nil
}

// packed is the form of our own kernels, of elements of so many bytes.
func (f *matrices) packed(width int64) gemm.Packed {
	p := gemm.Packed{M: int64(f.m), N: int64(f.n), K: int64(f.k), RowA: int64(f.strideA), ColumnA: 1,
		RowB: int64(f.strideB), ColumnB: 1, RowC: int64(f.strideC)}
	if f.transposeA {
		p.RowA, p.ColumnA = p.ColumnA, p.RowA
	}
	if f.transposeB {
		p.RowB, p.ColumnB = p.ColumnB, p.RowB
	}
	for i := range f.a {
		a, b, c := int64(f.a[i]), int64(f.b[i]), int64(f.c[i])
		p.Places = append(p.Places, gemm.Place{A: width * a, B: width * b, C: width * c})
	}
	return p
}
