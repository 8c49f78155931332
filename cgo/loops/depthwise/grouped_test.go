package depthwise_test

import (
	"slices"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/depthwise"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/runtest"
)

// TestGroupedVectors has two to five groups of one feature and eight results, an odd number of vectors too, and wants
// nothing written behind the result.
func TestGroupedVectors(t *testing.T) {
	runtest.Level(t, run.AVX2)
	const places, taps, lanes = 9, 3, 8
	for groups := int64(2); groups <= 5; groups++ {
		features := lanes * groups
		image, weights := counting(places*groups), counting(taps*features)
		want := counting(places*features + 2*lanes)
		got := slices.Clone(want)
		for i := range places * features {
			place, f := i/features, i%features
			want[i] = 0
			for k := range int64(taps) {
				if x := place + k - 1; x >= 0 && x < places {
					want[i] += image[x*groups+f/lanes] * weights[k*features+f]
				}
			}
		}
		c := depthwise.Convolution{Weights: run.Ref{Slot: 1}, Result: run.Ref{Slot: 2}, Channels: groups, Rows: 1, Task: 1,
			Y:      depthwise.Axis{In: 1, Out: 1, Window: 1, Stride: 1, Dilation: 1},
			X:      depthwise.Axis{In: places, Out: places, Window: taps, Stride: 1, Dilation: 1, Pad: 1},
			Groups: depthwise.Groups{Features: features, Inputs: 1, Outputs: lanes, Vectors: groups, Term: features, Vector: lanes}}
		runtest.Execute(t, 1, runtest.Slots(image, weights, got), c.Record(run.AVX2))
		if !slices.Equal(got, want) { // sums of small integers are exact
			t.Errorf("%d groups: got %v, want %v", groups, got, want)
		}
	}
}

// counting are n small numbers.
func counting(n int64) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(i%13 - 6)
	}
	return list
}
