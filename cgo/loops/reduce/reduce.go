// Package reduce has native kernels that reduce arrays and windows of arrays.
package reduce

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Axis is an axis of an array: how many steps, and how many elements apart.
type Axis struct{ N, Stride int64 }

// Operand is one of the arrays that are reduced together: elements, init value, accumulators and results.
type Operand struct {
	X, Init, Acc, Out          run.Ref
	XBytes, AccBytes, OutBytes int64 // of an element
}

// Fold is a reduction by programs, packed as backend/cpu/scalar's Program.Pack does: Start makes accumulators of init
// values, Step accumulators of accumulators and elements, and Finish, nil if accumulators are results, results of
// accumulators.
type Fold struct {
	Operands            []Operand
	Kept, Reduced       []Axis
	Run                 int64
	RunReduced          bool
	Tasks               int64
	Places              int64 // kept places of a task
	Strip               int64 // results of a task, if a task has less than a kept place's
	Start, Step, Finish []byte
}

type foldArgs struct {
	operands, kept, reduced, run, runReduced int64
	tasks, places, strip                     int64
	start, step, finish, axes, list          int64
}

// Record makes the record of f.
func (f Fold) Record() run.Record {
	a := foldArgs{operands: int64(len(f.Operands)), kept: int64(len(f.Kept)), reduced: int64(len(f.Reduced)), run: f.Run,
		runReduced: run.Bit(f.RunReduced), tasks: f.Tasks, places: f.Places, strip: f.Strip}
	var tail run.Tail
	at := run.HeadBytes + int64(unsafe.Sizeof(a))
	a.start, a.step = tail.Add(at, f.Start), tail.Add(at, f.Step)
	if f.Finish != nil {
		a.finish = tail.Add(at, f.Finish)
	}
	a.axes = tail.Add(at, run.Bytes(append(append([]Axis(nil), f.Kept...), f.Reduced...)))
	a.list = tail.Add(at, run.Bytes(f.Operands))
	r := run.Pack(foldFunction(), &a)
	r.Args = append(r.Args, tail...)
	return r
}
