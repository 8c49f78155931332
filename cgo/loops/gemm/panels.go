package gemm

import "github.com/halo-xla/halo/cgo/loops/run"

// Panels is c[i, j] = sum over p < K of a[i, p] b[p, j] for i < M, by one thread, with columns of b that PackPanels
// packed before. The columns are those of Groups groups of N: those of group g begin g times GroupPanels bytes behind
// Panels, in b, and g times GroupC elements behind C. Elements of a that are neighbours along an index are so many
// apart; those of a row of c are side by side. Kinds are those of f32 and f64. Ends says what else is done to sums,
// where rows are not packed.
type Panels struct {
	A, Panels, C                run.Ref
	M, N, K                     int64
	RowA, ColumnA, RowC         int64
	Groups, GroupPanels, GroupC int64
	Kind                        Kind
	Rows                        Rows
	Bias, More                  run.Ref
	Ends                        Ends
	Most                        float32  // for Cap, above 0
	Windows                     *Windows // of WindowRows
}

// Rows is what is done with the rows of a.
type Rows int64

// What is done with rows: they are packed, or read where they lie, or copied first, since they are apart by what makes
// them fall on the same places of a cache. The terms of the latter two are side by side. Or rows are what windows see.
const (
	PackedRows Rows = iota
	NearRows
	CopiedRows
	WindowRows
)

// Ends is what is done to sums.
type Ends int64

// What is done to sums, in this order: a number for each column is added, and an array that lies as c does; what is at
// most 0 becomes 0; what is more than the product's Most becomes that.
const (
	AddBias Ends = 1 << iota
	AddMore
	Floor
	Cap
)
