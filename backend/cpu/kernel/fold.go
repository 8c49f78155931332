package kernel

import (
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// Extent is one axis of an array: how many steps, and how many elements apart.
type Extent struct{ N, Stride int64 }

// Fold is which elements of a row-major array go into which result of a reduction. Axes next to each other and of one
// kind are joined; the last one is the run: its elements lie side by side.
type Fold struct {
	// Kept and Reduced are the other axes, slowest first.
	Kept, Reduced []Extent
	Run           int64
	// RunReduced says that a run goes into one result; else each of its elements goes into one of its own.
	RunReduced bool
}

// NewFold returns the fold of an array of sizes dims along the dimensions reduced.
func NewFold(dims, reduced []int64) Fold {
	var sizes []int64
	var kinds []bool
	for d, n := range dims {
		kind := slices.Contains(reduced, int64(d))
		switch last := len(sizes) - 1; {
		case n == 1: // belongs to either kind
		case last >= 0 && kinds[last] == kind:
			sizes[last] *= n
		default:
			sizes, kinds = append(sizes, n), append(kinds, kind)
		}
	}
	if len(sizes) == 0 {
		return Fold{Run: 1, RunReduced: true}
	}
	last, stride := len(sizes)-1, int64(1)
	f := Fold{Run: sizes[last], RunReduced: kinds[last]}
	for d := last; d >= 0; stride, d = stride*sizes[d], d-1 {
		switch x := (Extent{sizes[d], stride}); {
		case d == last:
		case kinds[d]:
			f.Reduced = append(f.Reduced, x)
		default:
			f.Kept = append(f.Kept, x)
		}
	}
	slices.Reverse(f.Kept)
	slices.Reverse(f.Reduced)
	return f
}

// Width is how many results a run has.
func (f Fold) Width() int64 {
	if f.RunReduced {
		return 1
	}
	return f.Run
}

// Rows is how many runs go into one result, or into Width results side by side.
func (f Fold) Rows() int64 { return Count(f.Reduced) }

// Count returns how many places the axes have together.
func Count(axes []Extent) int64 {
	n := int64(1)
	for _, a := range axes {
		n *= a.N
	}
	return n
}

// At returns the position of place i of the axes, counted with the last axis fastest.
func At(axes []Extent, i int64) int64 {
	at := int64(0)
	for d := len(axes) - 1; d >= 0 && i > 0; d-- {
		at += i % axes[d].N * axes[d].Stride
		i /= axes[d].N
	}
	return at
}

// Around returns the product of the sizes before dimension d, its size, and the product of those behind it.
func Around(dims []int64, d int) (outer, n, inner int64) {
	return shape.Product(dims[:d]), dims[d], shape.Product(dims[d+1:])
}
