//go:build cgo

package gemm

// #include "panels.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// This does not compile unless C has a place for each tap.
var _ = [1]int{}[C.HALO_WINDOWS_TAPS-MostTaps]

type panelsArgs struct {
	a, panels, c                run.Ref
	m, n, k                     int64
	rowA, columnA, rowC         int64
	groups, groupPanels, groupC int64
	isa, kind, rows             int64
	bias, more                  run.Ref
	ends                        int64
	cap                         float64
	zero, table                 run.Ref
	taps, run, most, copied     int64
}

// PanelColumns is how many columns a panel has by an instruction set, which must know the kind.
func (k Kind) PanelColumns(isa run.ISA) int64 {
	return int64(C.halo_packed_kernel_of(C.int64_t(isa), C.int64_t(k)).columns)
}

// PanelsBytes is the memory that n packed columns of so many terms take by an instruction set, which must know the
// kind.
func (k Kind) PanelsBytes(isa run.ISA, n, terms int64) int64 {
	return int64(C.halo_panels_bytes(C.int64_t(isa), C.int64_t(k), C.int64_t(n), C.int64_t(terms)))
}

// PackPanels packs n columns of so many terms from b, which begins with the first, to memory of PanelsBytes. Neighbours
// are so many elements apart.
func (k Kind) PackPanels(isa run.ISA, to, b []byte, n, terms, rowB, columnB int64) {
	C.halo_panels_pack(C.int64_t(isa), C.int64_t(k), unsafe.Pointer(unsafe.SliceData(to)),
		unsafe.Pointer(unsafe.SliceData(b)), C.int64_t(n), C.int64_t(terms), C.int64_t(rowB), C.int64_t(columnB))
}

// Record makes the record of the product by an instruction set, which must know its kind. No size may be 0.
func (p *Panels) Record(isa run.ISA) run.Record {
	a := panelsArgs{a: p.A, panels: p.Panels, c: p.C, m: p.M, n: p.N, k: p.K, rowA: p.RowA, columnA: p.ColumnA,
		rowC: p.RowC, groups: max(p.Groups, 1), groupPanels: p.GroupPanels, groupC: p.GroupC, isa: int64(isa),
		kind: int64(p.Kind), rows: int64(p.Rows), bias: p.Bias, more: p.More, ends: int64(p.Ends),
		cap: float64(p.Most)}
	if w := p.Windows; w != nil {
		a.zero, a.table, a.taps, a.run, a.most = w.Zero, w.Table, w.Taps, w.Run, w.Most
		if w.Copied {
			a.copied = 1
		}
	}
	return run.Pack(unsafe.Pointer(C.halo_panels), &a)
}
