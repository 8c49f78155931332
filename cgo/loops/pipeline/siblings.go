package pipeline

import "github.com/halo-xla/halo/cgo/loops/run"

// MaxTemps is how many values of a program of Siblings may be only tiles.
const MaxTemps = 64

// Siblings are reductions of values of one space, each along dimensions of its own, in one pass over memory. A tile of
// the values, Rows rows by Cols places, is computed and goes into all reductions before the next one. Its results only
// depend on the shape and the instruction set.
type Siblings struct {
	Dims []int64 // of the space: there is one
	List []Sibling
	// Values computes what is reduced and no array in memory, nil if there is nothing to do. The last Temps of its outputs
	// are needed nowhere else: their Refs do not count.
	Values *Program
	Temps  int
	// A task is one of Chunks of the first dimension and one of Strips of the last, Chunk and Strip of each.
	Chunks, Chunk, Strips, Strip int64
	Rows, Cols                   int64
	Each                         int64 // accumulators side by side that become one result in the end
}

// Sibling is one reduction: the loops at Ops, of package reduce, take the elements of X, an array over the space, or of
// temp number Temp-1 of the program, and the one at Init, into Out.
type Sibling struct {
	Ops          uintptr
	X, Init, Out run.Ref
	Temp         int
	Bits         int // of the elements
	// Strides are those of the results along the dimensions, 0 along the reduced ones.
	Strides []int64
	Results int64 // accumulators of one copy
	// Acc has room for Copies of the Results, AccBytes each.
	Acc run.Ref
}

// AccBytes is what an accumulator takes at most.
const AccBytes = 8

// by reports whether chunks and strips have accumulators of their own, since their places go into the same results.
func (p *Siblings) by(s *Sibling) (chunk, strip bool) {
	last := len(p.Dims) - 1
	return last > 0 && s.Strides[0] == 0, s.Strides[last] == 0
}

// Copies is how many sets of accumulators s has.
func (p *Siblings) Copies(s *Sibling) int64 {
	n := int64(1)
	chunk, strip := p.by(s)
	if chunk {
		n *= p.Chunks
	}
	if strip {
		n *= p.Strips
	}
	return n
}

// Fits reports whether the program is within the limits.
func (p *Siblings) Fits() bool {
	return len(p.Dims) <= MaxRank && p.Temps <= MaxTemps && (p.Values == nil || p.Values.Fits())
}
