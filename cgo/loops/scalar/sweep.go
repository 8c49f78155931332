package scalar

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Line is where a stream of a Sweep stands in the first round of the first line, and the bytes to the next outer and
// inner line and to the next round.
type Line struct {
	At                  run.Ref
	Outer, Inner, Round int64
}

// Sweep is a recurrence on Lines lines, of which Inner are between two outer ones: on each the packed program Start
// runs once and then Step Rounds times, each round with the results of the one before. A task is Grain lines.
type Sweep struct {
	Lines, Inner, Rounds, Grain int64
	Start, Step                 []byte
	StartStreams, StepStreams   []Line
}

type sweepArgs struct {
	lines, inner, rounds, grain                       int64
	startOffset, stepOffset, startStreams, stepStream int64
}

// Record makes the record of s.
func (s Sweep) Record() run.Record {
	a := sweepArgs{lines: s.Lines, inner: max(s.Inner, 1), rounds: s.Rounds, grain: max(s.Grain, 1)}
	var tail run.Tail
	const at = run.HeadBytes + int64(unsafe.Sizeof(sweepArgs{}))
	a.startOffset, a.stepOffset = tail.Add(at, s.Start), tail.Add(at, s.Step)
	a.startStreams, a.stepStream = tail.Add(at, run.Bytes(s.StartStreams)), tail.Add(at, run.Bytes(s.StepStreams))
	r := run.Pack(sweepFunction(), &a)
	r.Args = append(r.Args, tail...)
	return r
}
