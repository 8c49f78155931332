package pipeline

import (
	"slices"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Rows is a program over the rows of a space. A tile of rows goes through all phases before the next one begins.
// Pointers count from 0: Inputs, Outputs, saved values, rooms. Its results only depend on the shape and the instruction
// set, also where rows are reduced.
type Rows struct {
	Dims []int64 // of the space
	Lead int     // how many of Dims count the rows
	Lane int     // bytes of a lane: 4 or 8
	// Inputs and Outputs have elements for each place, or ByRow for each row. Outputs are Linear or Rowwise.
	Inputs, Outputs []Stream
	// Saved is how many values have a lane for each place of a tile, Rooms how many blocks there are besides.
	Saved, Rooms int
	// Mask is the number of a room, which says which lanes count.
	Mask   int
	Phases []Phase
	// Tile is how many rows go through the phases together, Group how many a task has. A tile has at most MaxTile rows.
	Tile, Group int64
	// Chunk is how many places are swept at once: those of a row, or less in a program that sweeps once.
	Chunk int64

	stepwise bool // without what is in sweeps.def, for tests
}

// MaxTile is the most rows of a tile for which there is a lane at every level.
const MaxTile = 16

// MaxSaved is the most bytes of a tile's saved values: half of the second cache of most processors, for what would be
// computed twice otherwise takes longer than reading it from there.
const MaxSaved = 256 << 10

// Phase is a step of Rows.
type Phase struct {
	// Sweeps says that the phase goes over the places of each row; otherwise it has a lane for each row.
	Sweeps bool
	Stages []Stage
	// Uses are the inputs, saved values and outputs of a sweep, or the outputs of the other phases.
	Uses []int
	// Splats are the values of rows that a sweep needs: From a room with a lane for each row To one with the row's.
	Splats []Spread
	// Folds are what a sweep reduces: stages acc_REDUCER, which take the number of Accumulator and of Mask, do that.
	Folds []Fold
	// Made does what the stages do: of a sweep, where all lanes count, or of other phases, which have no past.
	Made Made
}

// uses reports whether the sweep's pointer is another one for each block.
func (f *Phase) uses(pointer int) bool { return slices.Contains(f.Uses, pointer) }

// Level returns the level that the program runs at where there are all up to the best one: that of AVX2 for rows that
// are one or three of its blocks. Of those of AVX-512, which are twice as long, half a one would be left of each row.
func (p *Rows) Level(best run.ISA) run.ISA {
	block, wide := blockBytes[run.AVX2], blockBytes[run.AVX512]
	if bytes := p.Row() * int64(p.Lane); best == run.AVX512 && bytes < 2*wide && bytes%wide == block {
		return run.AVX2
	}
	return best
}

// stores returns how many outputs the phase uses.
func (p *Rows) stores(f *Phase) (n int) {
	for _, k := range f.Uses {
		if k >= len(p.Inputs) && k < len(p.Inputs)+len(p.Outputs) {
			n++
		}
	}
	return n
}

// Spread fills room To with a lane of room From.
type Spread struct{ From, To int }

// Fold makes a lane of room To from an accumulator.
type Fold struct {
	Reducer         string // a name of reducers.def
	Accumulator, To int
}

// Row returns the places of a row, Count the number of rows.
func (p *Rows) Row() int64 { return product(p.Dims[p.Lead:]) }

// Count returns the number of rows.
func (p *Rows) Count() int64 { return product(p.Dims[:p.Lead]) }

func product(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// Fits reports whether the program is within the limits.
func (p *Rows) Fits() bool {
	return len(p.Dims) <= MaxRank && len(p.Inputs)+len(p.Outputs)+p.Saved+p.Rooms <= MaxPointers
}
