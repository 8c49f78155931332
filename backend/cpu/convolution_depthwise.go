package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/depthwise"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

const (
	depthwiseBytes    = 256 << 10 // of the result that are computed at a time, if they can be fewer
	depthwiseAhead    = 8 << 20   // from so many bytes of image and result on, memory is asked a row ahead
	depthwiseWide     = 4 << 20   // the same at AVX2 for windows of five places and more, of which most are read again
	depthwiseFeatures = 8         // for fewer, vectors have too little to do
)

// depthwiseConvolution lowers a convolution in f32 of one feature at a time, with features side by side. It returns nil
// for others.
func depthwiseConvolution(l *exec.Lowering, s *kernel.Convolution, c *contraction) *thunk {
	f32 := c.lhsType == shape.F32 && c.rhsType == shape.F32 && c.outType == shape.F32
	if !run.Available() || !f32 || !isDepthwise(s) {
		return nil
	}
	d := byRows(s, c)
	d.Task = max(depthwiseBytes/(4*d.X.Out*d.Channels), 1)
	d.Ahead = c.lhs.Size+c.out.Size >= aheadBytes(&d)
	return depthwiseThunk(d, c.out, c.lhs, c.rhs)
}

// byRows is a convolution as native ones have it, which go over rows of the result.
func byRows(s *kernel.Convolution, c *contraction) depthwise.Convolution {
	d := depthwise.Convolution{Image: ref(c.lhs), Weights: ref(c.rhs), Result: ref(c.out),
		Channels: s.LHS[s.Input.Feature], Y: depthwise.Axis{In: 1, Out: 1, Window: 1, Stride: 1, Dilation: 1}}
	axes := []*depthwise.Axis{&d.Y, &d.X}[2-len(s.Window):]
	for i, w := range s.Window {
		*axes[i] = depthwise.Axis{In: s.LHS[i+1], Out: s.Out[i+1], Window: int64(w.Size), Stride: int64(w.Stride),
			Dilation: int64(w.WindowDilation), Pad: int64(w.PadLow)}
	}
	d.Rows = s.Out[0] * d.Y.Out
	return d
}

// aheadBytes is how large image and result are of a convolution that asks ahead. A row asks for a row: of windows that
// move further, that is a part of what the next one needs.
func aheadBytes(d *depthwise.Convolution) int64 {
	if run.Level() == run.AVX2 && d.X.Window >= 5 && d.X.Stride == 1 && d.Y.Stride == 1 {
		return depthwiseWide
	}
	return depthwiseAhead
}

// depthwiseThunk returns the thunk that computes all rows of d, in parts of a task each, and offers what its sums may
// become after the ends that d has.
func depthwiseThunk(d depthwise.Convolution, out exec.Slice, reads ...exec.Slice) *thunk {
	uses := append(exec.Reads(reads...), exec.Writes(out)...)
	var t *thunk
	if d.Inputs > 0 {
		t = groupedPieces(&d, uses)
	} else {
		t = rowPieces(d, uses)
	}
	if d.Ends < depthwise.AddBias {
		t.biased = func(bias exec.Slice) *thunk {
			d.Bias = ref(bias)
			return depthwiseEnding(d, depthwise.AddBias, out, append(reads, bias)...)
		}
	}
	if d.Ends < depthwise.Floor {
		t.floored = func() *thunk { return depthwiseEnding(d, depthwise.Floor, out, reads...) }
	}
	if d.Ends < depthwise.Cap {
		t.capped = func(most float32) *thunk {
			d.Most = most
			return depthwiseEnding(d, depthwise.Cap, out, reads...)
		}
	}
	return t
}

// rowPieces computes all rows of d, in parts of a task each.
func rowPieces(d depthwise.Convolution, uses []exec.Use) *thunk {
	t := recordThunk("loops depthwise", uses, d.Record(run.Level()))
	row := d.X.Out * d.Channels
	var list []piece
	for part := d; part.First < d.Rows; part.First += d.Task {
		part.Rows = min(d.Task, d.Rows-part.First)
		list = append(list, piece{record: part.Record(run.Level()), from: part.First * row, n: part.Rows * row})
	}
	return t.inParts(list, d.Rows*row)
}

// depthwiseEnding is depthwiseThunk with one more end.
func depthwiseEnding(d depthwise.Convolution, e depthwise.Ends, out exec.Slice, reads ...exec.Slice) *thunk {
	d.Ends |= e
	return depthwiseThunk(d, out, reads...)
}

// isDepthwise reports whether each output feature of a convolution has an input feature of its own, in dimensions as
// native kernels have them, and weights too, features side by side.
func isDepthwise(s *kernel.Convolution) bool {
	features := int64(s.FeatureGroups)
	return features >= depthwiseFeatures && s.LHS[s.Input.Feature] == features && s.Out[s.Output.Feature] == features &&
		isByRows(s) && isSpatialFirst(s)
}

// isByRows reports whether a convolution has one or two dimensions whose places are laid out row by row, features side
// by side.
func isByRows(s *kernel.Convolution) bool {
	n := int64(len(s.Window))
	if n < 1 || n > 2 || s.BatchGroups > 1 || s.Input.Feature != n+1 || s.Output.Feature != n+1 || isTransposed(s) {
		return false
	}
	return slices.Equal(s.Input.Spatial, lastLabels(s)) && slices.Equal(s.Output.Spatial, lastLabels(s))
}

// isSpatialFirst reports whether the weights of a tap are side by side, behind those of the one before.
func isSpatialFirst(s *kernel.Convolution) bool {
	for i, w := range s.Window {
		if s.Kernel.Spatial[i] != int64(i) || w.Reversal {
			return false
		}
	}
	return true
}
