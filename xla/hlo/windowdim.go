package hlo

import (
	"fmt"
	"math"

	"github.com/halo-xla/halo/xla/shape"
)

// newWindow makes a window of lists as builder methods take them: empty lists mean ones, empty padding zeros.
func newWindow(sizes, strides, baseDilations, windowDilations []int64, padding [][2]int64) (Window, error) {
	w := make(Window, len(sizes))
	if n := len(padding); n != 0 && n != len(w) {
		return nil, fmt.Errorf("padding: got %d pairs, want %d", n, len(w))
	}
	for _, l := range []struct {
		name  string
		list  []int64
		field func(w *WindowDim) *int64
	}{
		{"window strides", strides, func(w *WindowDim) *int64 { return &w.Stride }},
		{"base dilations", baseDilations, func(w *WindowDim) *int64 { return &w.BaseDilation }},
		{"window dilations", windowDilations, func(w *WindowDim) *int64 { return &w.WindowDilation }},
	} {
		if n := len(l.list); n != 0 && n != len(w) {
			return nil, fmt.Errorf("%s: got %d numbers, want %d", l.name, n, len(w))
		}
		for d := range w {
			*l.field(&w[d]) = 1
			if len(l.list) > 0 {
				*l.field(&w[d]) = l.list[d]
			}
			if n := *l.field(&w[d]); n < 1 {
				return nil, fmt.Errorf("%s: got %d for dim %d, want 1 or more", l.name, n, d)
			}
		}
	}
	for d, n := range sizes {
		w[d].Size = n
		if len(padding) > 0 {
			w[d].PadLow, w[d].PadHigh = padding[d][0], padding[d][1]
		}
	}
	return w, nil
}

// pad sets the padding of kind for an operand with the sizes dims; rows 93 and 102.
func (w Window) pad(kind PaddingKind, dims []int64) {
	if kind != SamePadding || len(dims) != len(w) {
		return
	}
	for d := range w {
		if n := dims[d]; n >= 0 {
			stride := orOne(w[d].Stride)
			out := n/stride + min(n%stride, 1)
			total := max((out-1)*stride+w[d].Size-n, 0)
			w[d].PadLow, w[d].PadHigh = total/2, total-total/2
		}
	}
}

// slide returns the dimensions of the places that w has on an array of shape s. It fails if w has another rank, a
// number of it is out of range or sizes overflow. StableHLO reduce_window C4 to C12, C14 to C16; row 94.
func (w Window) slide(s shape.Shape) (shape.Shape, error) {
	if len(w) != s.Rank() {
		return poison, fmt.Errorf("window has %d dimensions, want %d as %v", len(w), s.Rank(), s)
	}
	out := shape.Shape{Type: s.Type}
	for d := range w {
		n, err := w[d].slide(s.Dims[d])
		if err != nil {
			return poison, fmt.Errorf("window dim %d: %w", d, err)
		}
		out = appendDim(out, shape.Shape{Dims: []int64{n}, Dynamic: []bool{s.IsDynamicDim(d)}}, 0)
	}
	return out, nil
}

// slide returns the number of places along a dimension of size n; Unbounded if n is.
func (w WindowDim) slide(n int64) (int64, error) {
	for _, c := range []struct {
		name  string
		value int64
	}{{"size", w.Size}, {"stride", orOne(w.Stride)}, {"base dilation", orOne(w.BaseDilation)},
		{"window dilation", orOne(w.WindowDilation)}} {
		if c.value < 1 {
			return 0, fmt.Errorf("%s is %d, want 1 or more", c.name, c.value)
		}
	}
	if n == shape.Unbounded {
		return n, nil
	}
	extent := float64(n)*float64(orOne(w.BaseDilation)) + math.Abs(float64(w.PadLow)) + math.Abs(float64(w.PadHigh))
	if extent+float64(w.Size)*float64(orOne(w.WindowDilation)) > 1<<62 {
		return 0, fmt.Errorf("sizes overflow: %d elements under %+v", n, w)
	}
	padded, size := w.PadLow+dilated(n, orOne(w.BaseDilation))+w.PadHigh, dilated(w.Size, orOne(w.WindowDilation))
	if padded <= 0 || size > padded {
		return 0, nil
	}
	return (padded-size)/orOne(w.Stride) + 1, nil
}

// dilated returns the size of n elements with dilation-1 holes between neighbours.
func dilated(n, dilation int64) int64 {
	if n == 0 {
		return 0
	}
	return (n-1)*dilation + 1
}
