package reduce

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Taps is N elements, the first at At and then every Step.
type Taps struct{ At, N, Step int64 }

// PlaceAxis is one dimension of the places of a window; see backend/cpu/kernel's.
type PlaceAxis struct {
	Stride int64
	Places []Taps
}

// Segment is N places of a line with alike taps, for a Pool Width of them side by side each.
type Segment struct{ Out, N, Move, At, Taps, Step, Width int64 }

// Plan is how windows lie on an array; see backend/cpu/kernel's Window.
type Plan struct {
	Axes       []PlaceAxis
	Line       []Segment
	LineStride int64
}

// Window is a reduction of windows by programs, as Fold is, or of one operand by a Pool.
type Window struct {
	Plan
	Operands            []Operand
	Tasks, Grain        int64 // Grain: segments of a task
	Start, Step, Finish []byte
	Pool                Pool
}

// Pool is a native loop that reduces windows of one operand; 0 is none.
type Pool uintptr

type planArgs struct {
	axes, segments, lineStride, terms, rows, axesAt, placesAt, lineAt int64
}

type axisArgs struct{ stride, n, places int64 }

// pack returns the plan's bytes.
func (p Plan) pack() []byte {
	a := planArgs{axes: int64(len(p.Axes)), segments: int64(len(p.Line)), lineStride: p.LineStride, terms: 1, rows: 1}
	var axes []axisArgs
	var places []Taps
	for _, x := range p.Axes {
		axes = append(axes, axisArgs{x.Stride, int64(len(x.Places)), int64(len(places))})
		places = append(places, x.Places...)
		a.rows *= int64(len(x.Places))
		most := int64(1)
		for _, t := range x.Places {
			most = max(most, t.N)
		}
		a.terms *= most
	}
	var tail run.Tail
	at := int64(unsafe.Sizeof(a))
	a.axesAt, a.placesAt = tail.Add(at, run.Bytes(axes)), tail.Add(at, run.Bytes(places))
	a.lineAt = tail.Add(at, run.Bytes(p.Line))
	return append(run.Append(nil, &a), tail...)
}

type windowArgs struct {
	pool                              uintptr
	operands, tasks, grain            int64
	start, step, finish, list, planAt int64
	_                                 int64
}

// Record makes the record of w.
func (w Window) Record() run.Record {
	a := windowArgs{pool: uintptr(w.Pool), operands: int64(len(w.Operands)), tasks: w.Tasks, grain: w.Grain}
	var tail run.Tail
	at := run.HeadBytes + int64(unsafe.Sizeof(a))
	if w.Pool == 0 {
		a.start, a.step = tail.Add(at, w.Start), tail.Add(at, w.Step)
		if w.Finish != nil {
			a.finish = tail.Add(at, w.Finish)
		}
	}
	a.list, a.planAt = tail.Add(at, run.Bytes(w.Operands)), tail.Add(at, w.Plan.pack())
	r := run.Pack(windowFunction(), &a)
	r.Args = append(r.Args, tail...)
	return r
}
