package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/index"
)

// The rows that a product without zeros adds may be short or lie apart, as where a line of an image becomes longer or
// shorter. Then eight sums that are neighbours are made side by side, of numbers that are neighbours, too, since the
// weights of neighbours mostly are.
const (
	abreast  = 8
	maxLanes = 16 // terms of eight sums
)

// inLanes has b make its sums eight by eight, if they and what they are made of lie in one piece each.
func (b *blend) inLanes(matrix kernel.Operand, columns, own kernel.Walk) *blend {
	width := int64(1)
	if last := len(b.axes) - 1; last >= 0 && b.axes[last].Src == 4 && b.axes[last].Dst == 4 {
		width, b.axes = b.axes[last].N, b.axes[:last]
	}
	from, ok1 := columns.Stride()
	to, ok2 := own.Stride()
	b.row = int64(len(b.taps)) * width
	span := int64(matrix.Columns.Len()) * width
	if !ok1 || !ok2 || int64(from) != width || int64(to) != width || min(span, b.row) < abreast ||
		len(b.axes) > index.MaxBlendAxes {
		return nil
	}
	most := min(maxLanes, matrix.Columns.Len()/blendGain)
	for i := int64(0); i < b.row; i += abreast {
		list := b.lanesOf(min(i, b.row-abreast), width, span)
		if len(list) > most {
			return nil
		}
		b.lanes = append(b.lanes, list)
	}
	return b
}

// lanesOf are the terms of the eight sums from number first on, each row of the matrix having width of them: of a span
// of floats.
func (b *blend) lanesOf(first, width, span int64) (list []index.Lanes) {
	var left [abreast][]index.Tap
	for l := range left {
		at := first + int64(l)
		for _, t := range b.taps[at/width] {
			left[l] = append(left[l], index.Tap{At: t.At + 4*(at%width), Weight: t.Weight})
		}
	}
	for {
		from, some := nearest(&left)
		if !some {
			return list
		}
		list = append(list, takeLanes(&left, min(from, 4*(span-abreast))))
	}
}

// nearest is where the first of the terms is, of which each sum has its own first.
func nearest(left *[abreast][]index.Tap) (at int64, some bool) {
	for _, taps := range left {
		if len(taps) > 0 && (!some || taps[0].At < at) {
			at, some = taps[0].At, true
		}
	}
	return at, some
}

// takeLanes takes the first term of each sum that is among the eight floats from a place on.
func takeLanes(left *[abreast][]index.Tap, from int64) index.Lanes {
	t := index.Lanes{At: from}
	for l, taps := range left {
		if len(taps) > 0 && taps[0].At < from+4*abreast {
			t.Lane[l], t.Weight[l], left[l] = int32(taps[0].At-from)/4, taps[0].Weight, taps[1:]
		}
	}
	return t
}
