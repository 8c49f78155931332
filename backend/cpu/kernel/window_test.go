package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// under returns the positions of the elements under each place, by the definition.
func under(w []WindowDim, dims, out []int64) [][]int64 {
	places := [][]int64{{0}}
	for d := range w {
		var next [][]int64
		for _, before := range places {
			for o := range out[d] {
				var list []int64
				for _, at := range before {
					for k := range w[d].Size {
						i := o*w[d].Stride - w[d].PadLow + k*w[d].WindowDilation
						if i >= 0 && i%w[d].BaseDilation == 0 && i/w[d].BaseDilation < dims[d] {
							list = append(list, at*dims[d]+i/w[d].BaseDilation)
						}
					}
				}
				next = append(next, list)
			}
		}
		places = next
	}
	return places
}

// laid returns the same from a plan.
func laid(p Window) [][]int64 {
	places := make([][]int64, p.Out)
	var walk func(axis int, out int64, at []int64)
	walk = func(axis int, out int64, at []int64) {
		if axis < len(p.Axes) {
			for o, t := range p.Axes[axis].Places {
				var next []int64
				for _, a := range at {
					for k := range t.N {
						next = append(next, a+t.At+k*t.Step)
					}
				}
				walk(axis+1, out+int64(o)*p.Axes[axis].Stride, next)
			}
			return
		}
		for _, s := range p.Line {
			for j := range s.N {
				for i := range max(s.Width, 1) {
					var list []int64
					for _, a := range at {
						for k := range s.Taps {
							list = append(list, a+s.At+j*s.Move+k*s.Step+i)
						}
					}
					places[out+(s.Out+j)*p.LineStride+i] = list
				}
			}
		}
	}
	walk(0, 0, []int64{0})
	return places
}

func TestWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for k := range 3000 {
		rank := r.IntN(4)
		w, dims, out := make([]WindowDim, rank), make([]int64, rank), make([]int64, rank)
		for d := range rank {
			w[d] = WindowDim{1, 1, 0, 1, 1}
			dims[d] = int64(r.IntN(12))
			out[d] = dims[d]
			if r.IntN(3) > 0 {
				n := func(m int) int64 { return int64(1 + r.IntN(m)) }
				w[d] = WindowDim{n(4), n(3), n(6) - 3, n(3), n(3)}
				out[d] = int64(r.IntN(9))
			}
		}
		if rank > 0 && k%50 == 0 { // segments that a wide plan cuts
			dims[rank-1], out[rank-1] = 5000, 5000-int64(r.IntN(9))
		}
		p, want := NewWindow(w, dims, out), under(w, dims, out)
		for _, p := range []Window{p, p.Wide()} {
			if got := laid(p); !slices.EqualFunc(got, want, slices.Equal) {
				t.Fatalf("%+v on %v, places %v: got %v, want %v\n%+v", w, dims, out, got, want, p)
			}
		}
	}
}
