//go:build cgo

package batch

// #cgo LDFLAGS: -lm
// #include "batch.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// part is an array of a record.
type part struct {
	src, dst           run.Ref
	elements, integers int64
}

type args struct {
	part                                     [3]part
	op, m, n, k                              int64
	rows, columns                            [3]int64
	lower, unit, clean, batch, perTask, wide int64
	isa                                      int64
}

// This does not compile unless C has as much memory for a block as Fits says.
var _ = [1]int{}[C.BATCH_ELEMENTS-most]

// absent is a place that there is none of.
var absent = run.Ref{Slot: -1}

func reads(at run.Ref, elements int64) part { return part{at, absent, elements, 0} }

func writes(at run.Ref, elements int64) part { return part{absent, at, elements, 0} }

func integers(at run.Ref, elements int64) part { return part{absent, at, elements, 1} }

func changes(dst, src run.Ref, elements int64) part { return part{src, dst, elements, 0} }

// record makes the record of a with its parts. Tasks have so many elements that they take some ten microseconds.
func record(isa run.ISA, a args, parts ...part) run.Record {
	sum := int64(0)
	for i := range a.part {
		a.part[i] = writes(absent, 0)
		if i < len(parts) {
			a.part[i] = parts[i]
			sum += parts[i].elements
		}
	}
	a.perTask, a.isa = max(most*4/max(sum, 1), 1), int64(isa)
	return run.Pack(unsafe.Pointer(C.halo_batch), &a)
}

// Record makes the record of p by the kernels of an instruction set.
func (p *Product) Record(isa run.ISA) run.Record {
	return record(isa, args{op: C.BATCH_PRODUCT, m: p.M, n: p.N, k: p.K, batch: p.Batch, wide: run.Bit(p.Wide),
		rows: [3]int64{p.A.Row, p.B.Row, p.C.Row}, columns: [3]int64{p.A.Column, p.B.Column, p.C.Column}},
		reads(p.A.At, p.M*p.K), reads(p.B.At, p.K*p.N), writes(p.C.At, p.M*p.N))
}

// Record makes the record of l by the kernels of an instruction set.
func (l *LU) Record(isa run.ISA) run.Record {
	return record(isa, args{op: C.BATCH_LU, m: l.M, n: l.N, batch: l.Batch, wide: run.Bit(l.Wide)},
		changes(l.Dst, l.Src, l.M*l.N), integers(l.Pivots, min(l.M, l.N)), integers(l.Info, 1))
}

// Record makes the record of c by the kernels of an instruction set.
func (c *Cholesky) Record(isa run.ISA) run.Record {
	info := absent
	if c.Report {
		info = c.Info
	}
	return record(isa, args{op: C.BATCH_CHOLESKY, m: c.N, n: c.N, batch: c.Batch, lower: run.Bit(c.Lower),
		clean: run.Bit(!c.Report), wide: run.Bit(c.Wide)}, changes(c.Dst, c.Src, c.N*c.N), integers(info, 1))
}

// Record makes the record of s by the kernels of an instruction set. The transpose of a triangular matrix, and one on
// the right, are read as the other triangle.
func (s *Solve) Record(isa run.ISA) run.Record {
	a := args{op: C.BATCH_SOLVE, m: s.M, n: s.K, batch: s.Batch, unit: run.Bit(s.Unit), wide: run.Bit(s.Wide),
		lower: run.Bit(s.Lower != (s.Flipped == s.Left)), rows: [3]int64{s.M, s.K}, columns: [3]int64{1, 1}}
	if s.Flipped == s.Left {
		a.rows[0], a.columns[0] = 1, s.M
	}
	if !s.Left {
		a.rows[1], a.columns[1] = 1, s.M
	}
	return record(isa, a, reads(s.A, s.M*s.M), changes(s.Dst, s.B, s.M*s.K))
}

// Record makes the record of q by the kernels of an instruction set.
func (q *QR) Record(isa run.ISA) run.Record {
	return record(isa, args{op: C.BATCH_QR, m: q.M, n: q.N, batch: q.Batch, wide: run.Bit(q.Wide)},
		changes(q.Dst, q.Src, q.M*q.N), writes(q.Factors, min(q.M, q.N)))
}

// Record makes the record of q by the kernels of an instruction set.
func (q *Q) Record(isa run.ISA) run.Record {
	return record(isa, args{op: C.BATCH_Q, m: q.M, n: q.N, k: q.K, batch: q.Batch, wide: run.Bit(q.Wide)},
		changes(q.Dst, q.Src, q.M*q.N), reads(q.Factors, q.Each))
}

// Record makes the record of t by the kernels of an instruction set.
func (t *Transpose) Record(isa run.ISA) run.Record {
	return record(isa, args{op: C.BATCH_TRANSPOSE, m: t.M, n: t.N, batch: t.Batch, wide: run.Bit(t.Wide)},
		reads(t.Src, t.M*t.N), writes(t.Dst, t.M*t.N))
}
