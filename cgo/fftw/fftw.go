// Package fftw calls FFTW, which is opened at run time where it is installed: it is under the GPL, and nothing here
// needs it.
package fftw

import "github.com/halo-xla/halo/cgo/loops/run"

// Kind is what rows are before and after.
type Kind int64

// The kinds, in the order of fftw.h.
const (
	Forward     Kind = iota // complex numbers
	Backward                // the reverse, not scaled
	RealForward             // reals to the first half of their spectra
	RealInverse             // the reverse, not scaled
)

// Problem is the transform of contiguous rows of N numbers in time, from one array to another. Wide is f64.
type Problem struct {
	Wide    bool
	Kind    Kind
	N, Rows int64
}

// Plan is a transform that is ready to run as a record: tasks do Chunk rows each.
type Plan struct {
	Problem
	Chunk       int64
	whole, last [2]uintptr // for aligned arrays, and for any
}

// tasks returns how many tasks do all rows.
func (p *Plan) tasks() int64 { return (p.Rows + p.Chunk - 1) / p.Chunk }

type problemArgs struct{ wide, kind, n, rows int64 }

func (p Problem) args() problemArgs {
	a := problemArgs{kind: int64(p.Kind), n: p.N, rows: p.Rows}
	if p.Wide {
		a.wide = 1
	}
	return a
}

type recordArgs struct {
	dst, src     run.Ref
	whole        problemArgs
	tasks, chunk int64
	plans, last  [2]uintptr
	scale        float64
}

// Record makes the record of p from src to dst, two arrays, whose results are multiplied by scale.
func (p *Plan) Record(dst, src run.Ref, scale float64) run.Record {
	return run.Pack(function(), &recordArgs{dst, src, p.args(), p.tasks(), p.Chunk, p.whole, p.last, scale})
}
