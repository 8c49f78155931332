// Package fft has native kernels for Fourier transforms: they follow the plans of package xla/fourier on many lines at
// once, one in each lane of a vector, and give the bits that the plans give.
package fft

import "github.com/halo-xla/halo/cgo/loops/run"

// Kind is what a line is before and after its transform.
type Kind int64

// The kinds.
const (
	Complex Kind = iota
	ForwardReal
	InverseReal
)

// Lines says where the numbers of lines lie: line (o, i) begins at number o*Outer + i*Inner, its elements are Step
// apart.
type Lines struct{ Outer, Inner, Step int64 }

// Transform is the transform of Outer by Inner lines of N numbers in time.
type Transform struct {
	Dst, Src, Plan, Work run.Ref
	To, From             Lines
	Outer, Inner, N      int64
	Root                 int64 // of the plan, an offset in Plan
	Kind                 Kind
	Forward, Wide        bool  // Wide: f64 and c128
	WorkBytes, Tasks     int64 // Work has WorkBytes for each task
	Lanes                int64 // Lanes(isa, wide), or 1
	ISA                  run.ISA
	Scale                float64 // of the results
}

type transformArgs struct {
	dst, src, plan, work run.Ref
	to, from             Lines
	outer, inner, n      int64
	half                 int64
	root, kind, forward  int64
	workBytes, tasks     int64
	lanes, wide, isa     int64
	scale                float64
}

// Record makes the record of t.
func (t Transform) Record() run.Record {
	return run.Pack(function(), &transformArgs{dst: t.Dst, src: t.Src, plan: t.Plan, work: t.Work, to: t.To, from: t.From,
		outer: t.Outer, inner: t.Inner, n: t.N, half: t.N/2 + 1, root: t.Root, kind: int64(t.Kind),
		forward: run.Bit(t.Forward), workBytes: t.WorkBytes, tasks: t.Tasks, lanes: t.Lanes, wide: run.Bit(t.Wide),
		isa: int64(t.ISA), scale: t.Scale})
}

// Lanes returns how many lines an instruction set transforms at once.
func Lanes(isa run.ISA, wide bool) int64 {
	lanes := [run.NumISA]int64{run.Base: 4, run.AVX2: 8, run.AVX512: 16, run.NEON: 4}[isa]
	if wide {
		return lanes / 2
	}
	return lanes
}
