package pipeline

import (
	"slices"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// shortBlocks is how many blocks a program has at most for which it does not pay to find out how its streams move: it
// looks for each block of each stream where it lies.
const shortBlocks = 4

// blockBytes is how many bytes of lanes a block has.
var blockBytes = [run.NumISA]int64{run.Base: 128, run.AVX2: 256, run.AVX512: 512, run.NEON: 128}

// isShort reports whether a program is one task of a few blocks.
func (p *Program) isShort(level run.ISA) bool {
	n := p.Elements()
	return 0 < n && n <= p.Task && n*int64(p.Lane) <= shortBlocks*blockBytes[level] && p.Edge.Row == 0
}

// ones are the inputs, of which those of a program on one element have one for all places, if no stage converts them.
func (p *Program) ones() []Stream {
	if p.Elements() != 1 {
		return p.Inputs
	}
	list := slices.Clone(p.Inputs)
	for i := range list {
		if k := list[i].Kind; (k == Linear || k == Strided) && (list[i].Size == p.Lane || list[i].Convert != "") {
			list[i].Kind = Splat
		}
	}
	return list
}

// markOnes says of which inputs the stages read one lane.
func markOnes(stages []Stage, inputs []Stream) []Stream {
	one, list := isOneOf(inputs), slices.Clone(inputs)
	for k := range list {
		list[k].one = one(k) && !wantBlock(stages, k)
	}
	return list
}
