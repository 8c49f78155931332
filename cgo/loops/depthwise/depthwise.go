// Package depthwise has native convolutions in f32 whose output features each have an input feature of their own, or
// some of them.
package depthwise

import (
	"github.com/halo-xla/halo/cgo/loops/run"
)

// Axis is a dimension of the image: the places that it and the result have, and how the window moves along it. Window,
// Stride and Dilation are at least 1; Pad is how far the window sticks out before the first place.
type Axis struct{ In, Out, Window, Stride, Dilation, Pad int64 }

// Ends say what is done to sums that have all their terms.
type Ends int64

// What is done to sums, in this order: a number for each feature is added; what is at most 0 becomes 0; what is more
// than the convolution's Most becomes that.
const (
	AddBias Ends = 1 << iota
	Floor
	Cap
)

// Convolution is result[n, y, x, c] = the sum over i and j of image[n, y*Stride+i*Dilation-Pad, ...x and j, c] times
// weights[i, j, c], where those lie in the image.
type Convolution struct {
	Image, Weights, Result run.Ref
	// Bias has a number for each c, for AddBias.
	Bias     run.Ref
	Ends     Ends
	Most     float32 // for Cap
	Channels int64
	// Rows of the result from First on are computed, Task of them at a time; those of all images are counted.
	First, Rows, Task int64
	// Ahead has each row ask for what the next needs, for images and results that the caches do not hold.
	Ahead bool
	Y, X  Axis
	Groups
}

// Groups says that c does not stand for one feature alone: the result has Features of them, and each Outputs have the
// same Inputs of the image. There are Vectors of eight, whose weights begin Vector elements apart, and have one element
// for each term, Term elements apart: term by term within taps, those row by row. Outputs are a multiple of eight, or
// they and Inputs are multiples of four. The kernel is that of AVX2. The zero value is for features by themselves.
type Groups struct{ Features, Inputs, Outputs, Vectors, Term, Vector int64 }
