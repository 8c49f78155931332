package gemm

import "github.com/halo-xla/halo/cgo/loops/run"

// Windows is c[i, j] = sum over p of a[Rows[i] + term p] b[p, j] in f32, by one thread: the terms are runs of Run
// elements, which begin at Taps behind the row's first. Panels are as those of [Panels] are. Elements of a row of c are
// side by side, rows RowC elements apart.
type Windows struct {
	A, Panels, C       run.Ref
	Rows, Taps         []int64
	Run, Columns, RowC int64
}
