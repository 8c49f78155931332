// Package cudnn calls NVIDIA's library of convolutions, which is opened at run time, by its graphs of operations. How a
// convolution is done is chosen once, and runs as a command of cgo/cuda's arrays.
package cudnn

import (
	"errors"
	"fmt"
)

// Type is the type of an array's elements, by the library's numbers.
type Type int64

// The types of elements.
const (
	F32  Type = 0
	F64  Type = 1
	F16  Type = 2
	BF16 Type = 9
)

// MaxSpace is how many dimensions of space a convolution may have.
const MaxSpace = 3

// Tensor is an array as it lies in memory: its sizes and the distances of neighbours, in elements. Its dimensions are
// the batch, the features and space; of weights the output features, the input features of a group and space.
type Tensor struct {
	Type          Type
	Dims, Strides [2 + MaxSpace]int64
}

// Kind says which array of a convolution is computed from the others.
type Kind int64

// The kinds. Y is the convolution of X with W, a sum of products with the window not reversed; the others are its
// gradients by X and by W.
const (
	Forward Kind = iota
	BackwardData
	BackwardFilter
)

// Convolution is one to be done. The number of groups is how often the features of W go into those of X.
type Convolution struct {
	Kind Kind
	// Space is the number of its dimensions of space, 2 or 3.
	Space   int
	X, W, Y Tensor
	// Sum is the type of sums: F32, or F64.
	Sum Type
	// Stride and Dilation are of the window, Pre and Post are paddings, none below 0.
	Stride, Dilation, Pre, Post [MaxSpace]int64
	// Added says that an array that lies as Y does is added to it, and Bias that a number for each feature is added then,
	// in the type of sums. The library knows no array without a bias.
	Added, Bias bool
	// TF32 lets operands of f32 be rounded to TF32. Sums are f32.
	TF32 bool
}

// Way is how a convolution is done: which of what one of the library's modes proposes, the number of its engine, a bit
// for each numerical note of that, and the bytes of workspace that it takes. It holds for the library's version and the
// kind of device that it was proposed for.
type Way struct{ Mode, Index, Engine, Notes, Work int64 }

// Rounds reports whether the way rounds operands of f32 to TF32: whether it is on tensor cores.
func (w Way) Rounds() bool { return w.Notes&1 != 0 }

// Error is a call of the library that has failed.
type Error struct {
	// Call is the library's function or what was asked of it, Name what it calls the status, Said what it says besides.
	Call, Name, Said string
	Status           int
}

// Error returns the call, the name of the status and what the library has said.
func (e *Error) Error() string {
	text := fmt.Sprintf("cudnn: %s: %s", e.Call, e.Name)
	if e.Said != "" {
		text += ": " + e.Said
	}
	return text
}

// The library's statuses begin with the number of their kind.
const (
	notReady     = 1
	badParameter = 2
	notSupported = 3
)

// Is makes errors.Is find errors.ErrUnsupported where the library does not do what it is asked, or cannot be used.
func (e *Error) Is(target error) bool {
	kind := e.Status / 1000
	return target == errors.ErrUnsupported && (kind == notReady || kind == badParameter || kind == notSupported)
}

// checkVersion fails with errors.ErrUnsupported for versions whose functions may not be those of cudnn.h, and for a
// library that was made for another CUDA than the major version wanted, 0 for any.
func checkVersion(path string, version, runtime, major int) error {
	if version/10000 != 9 {
		return fmt.Errorf("cudnn: %s has version %s, want 9: %w", path, versionText(version), errors.ErrUnsupported)
	}
	if made := runtime / 1000; major != 0 && made != major {
		return fmt.Errorf("cudnn: %s is for CUDA %d, want CUDA %d: %w", path, made, major, errors.ErrUnsupported)
	}
	return nil
}

func versionText(v int) string { return fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100) }
