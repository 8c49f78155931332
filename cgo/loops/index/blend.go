package index

import (
	"slices"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Blend makes rows of Dst, Row floats each, of weighted sums of rows of Src: one for each place along the axes.
type Blend struct {
	Dst, Src run.Ref
	// Taps are where the Count terms of each sum are.
	Taps run.Ref
	// Spoiled is a byte that becomes 1 if a sum is infinite or NaN, and 0 if none is.
	Spoiled run.Ref
	// Row is the floats of a row, Part the rows of a task.
	Row, Count, Part int64
	Axes             []BlendAxis
	// Lanes says that the taps are Lanes, Count for each eight floats of a row, the same for all rows.
	Lanes bool
}

// Tap is a term of a sum: a row that begins At bytes behind the sum's place in Src, and what it is multiplied by.
type Tap struct {
	At     int64
	Weight float32
	_      float32
}

// Lanes is a term of eight sums that are neighbours: each multiplies one of the eight floats that begin At bytes behind
// their row's place in Src. The last eight of a row end where it does.
type Lanes struct {
	At, _  int64
	Lane   [8]int32
	Weight [8]float32
}

// BlendAxis is N steps from sum to sum: in bytes of the arrays, and in sums of the taps.
type BlendAxis struct{ N, Dst, Src, Taps int64 }

// MaxBlendAxes is how many axes a Blend may have.
const MaxBlendAxes = 8

// PackTaps returns taps as Blend reads them.
func PackTaps[T Tap | Lanes](list []T) []byte { return slices.Clone(run.Bytes(list)) }
