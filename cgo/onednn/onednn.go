// Package onednn calls oneDNN, of version 2 or 3, which is opened when it is first needed: products and convolutions,
// with what follows them done on the way.
//
// A [Spec] says what to compute. [New] makes a [Primitive] of it when a program is compiled, [Primitive.Packer] what
// brings weights into the layout that the primitive likes, and [Record] makes the record that runs primitives on parts
// of arrays. A call of the library uses one thread: work is split here, by shape alone, so that results have the
// same bits for every number of threads. Implementations that oneDNN itself calls reference code are refused.
package onednn

import (
	"fmt"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Type is the type of an array's elements.
type Type uint32

// The types.
const (
	F16  Type = 1
	BF16 Type = 2
	F32  Type = 3
	S32  Type = 4
	S8   Type = 5
	U8   Type = 6
)

// Array describes an array that a primitive reads or writes: sizes, and the distances of neighbours in elements. With
// Any the library picks the layout, which only weights may have. No dimensions: there is no such array.
type Array struct {
	Type          Type
	Dims, Strides []int64
	Any           bool
}

// Kind is what a primitive computes.
type Kind int32

// The kinds. Sizes are in oneDNN's order: batch, feature, space of src and dst; groups (if any), output feature, input
// feature, space of weights.
const (
	MatMul         Kind = iota // dst[..., M, N] = src[..., M, K] weights[..., K, N]
	Convolution                // cross-correlation
	Deconvolution              // its transpose
	WeightGradient             // of a Convolution from Src and the gradient of its Dst, which is read: Weights are written
)

// PostKind is something done to a result before it is written.
type PostKind int32

// The post-ops.
const (
	Sum      PostKind = iota // plus Alpha times what dst held
	Add                      // plus an operand
	Multiply                 // times an operand
	Relu                     // max(x, 0), Alpha x below 0
	Clip                     // to Alpha and Beta
	GeluErf
	GeluTanh
	Tanh
	Logistic
	Swish // x logistic(Alpha x)
)

// Post is a post-op. Operand is that of Add and Multiply, of the rank of dst, with sizes of 1 where it is broadcast.
type Post struct {
	Kind        PostKind
	Alpha, Beta float32
	Operand     Array
}

// Spec says what a primitive computes. A window has a number for each spatial dimension; Dilates count holes, so that 0
// is a dense window; Low and High pad with zeros and may be less than 0.
type Spec struct {
	Kind                        Kind
	Src, Weights, Bias, Dst     Array
	Strides, Dilates, Low, High []int64
	Posts                       []Post
}

// Piece is a primitive's work on parts of arrays, which begin so many bytes behind the operands.
type Piece struct {
	Primitive               *Primitive
	Src, Weights, Bias, Dst int64
	Posts                   []int64
}

// Operands are the arrays of a record. Those that a primitive has not are zero.
type Operands struct {
	Src, Weights, Bias, Dst run.Ref
	Posts                   []run.Ref
}

const (
	maxDims  = 8
	maxPosts = 6
)

func (s *Spec) check() error {
	if len(s.Posts) > maxPosts {
		return fmt.Errorf("onednn: %d post-ops, want at most %d", len(s.Posts), maxPosts)
	}
	for _, a := range []Array{s.Src, s.Weights, s.Bias, s.Dst} {
		if len(a.Dims) > maxDims {
			return fmt.Errorf("onednn: %d dimensions, want at most %d", len(a.Dims), maxDims)
		}
	}
	return nil
}
