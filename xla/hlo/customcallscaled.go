package hlo

import (
	"encoding/json"
	"slices"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// blockScaledDot is the target by which JAX writes products of MX and NVFP4 numbers for CUDA:
//
//	lhs T[b,m,k]  rhs T[b,n,k]  lhs_scale S[b,m,k/block]  rhs_scale S[b,n,k/block]  factor U[]   ->   U[b,m,n]
//
// b may be missing, and so may factor, or rhs_scale too. Scales may have more rows, and blocks if the backend_config
// says how long these are: the rest is padding.
const blockScaledDot = "__op$block_scaled_dot"

func init() {
	builtins[blockScaledDot] = builtin{evalExpanded, func(in *Instruction) bool { return expanded(in) != nil }}
	expansions[blockScaledDot] = expandBlockScaledDot
}

func expandBlockScaledDot(b *Builder, in *Instruction, x []*Instruction) *Instruction {
	rank := in.Shape.Rank()
	if len(x) < 3 || len(x) > 5 || rank < 2 || rank > 3 ||
		slices.ContainsFunc(x[:min(4, len(x))], func(o *Instruction) bool { return o.Shape.Rank() != rank }) {
		return nil
	}
	block, scales := blockSize(in), [2]*Instruction{nil, b.ConstantLiteral(literal.One(shape.F32))}
	for i, scale := range x[2:min(4, len(x))] {
		if scales[i] = unpadded(b, scale, x[i].Shape.Dims, block); scales[i] == nil {
			return nil
		}
	}
	last := []int64{int64(rank - 1)}
	a := DotAttrs{LHSContracting: last, RHSContracting: last}
	if rank == 3 {
		a.LHSBatch, a.RHSBatch = []int64{0}, []int64{0}
	}
	product := b.ScaledDot(x[0], x[1], scales[0], scales[1], a, in.Shape.Type)
	if len(x) < 5 {
		return product
	}
	if !x[4].Shape.IsScalar() {
		return nil
	}
	return b.Mul(product, b.Broadcast(x[4], in.Shape.Dims))
}

// blockSize is how many elements share a scale, if the call says so, else 0.
func blockSize(in *Instruction) int64 {
	var config struct {
		Dot struct {
			BlockSize json.Number `json:"block_size"`
		} `json:"block_scaled_dot_backend_config"`
	}
	if in.Common == nil || json.Unmarshal([]byte(in.Common.Config), &config) != nil {
		return 0
	}
	n, err := config.Dot.BlockSize.Int64()
	if err != nil {
		return 0
	}
	return n
}

// unpadded returns the scales that are for an array of sizes dims; nil if there are too few.
func unpadded(b *Builder, scale *Instruction, dims []int64, block int64) *Instruction {
	limits, last := slices.Clone(dims), len(dims)-1
	limits[last] = scale.Shape.Dims[last]
	if block > 0 {
		if dims[last]%block != 0 {
			return nil
		}
		limits[last] = dims[last] / block
	}
	for d, n := range limits {
		if n < 0 || n > scale.Shape.Dims[d] || d == 0 && last == 2 && n != scale.Shape.Dims[0] {
			return nil
		}
	}
	if slices.Equal(limits, scale.Shape.Dims) {
		return scale
	}
	return b.Slice(scale, make([]int64, len(limits)), limits, nil)
}
