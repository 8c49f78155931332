package pass

import (
	"context"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

const (
	// maxFoldedBytes bounds the results that Fold makes constants of, maxFoldOperandBytes what it reads for them.
	maxFoldedBytes      = 64 << 10
	maxFoldOperandBytes = 1 << 20
	// maxMovedBytes bounds the constants that are transposed, reversed or sliced, for which the reference is fast.
	maxMovedBytes = 1 << 22
	// maxFoldProduct bounds result elements times operand elements of ops that combine many of the one for each of the
	// other.
	maxFoldProduct = 1 << 22
)

// Fold does small ops on constants while the program is compiled, by the reference. Broadcasts and counts stay, since
// they are cheaper than reading the array; what has an effect, is random or calls functions outside stays too.
func Fold() Pass {
	var t ruleTable
	addFolding(&t)
	return rewritePass("fold", &t)
}

// addFolding adds folding to the rules of all ops that can be folded, as the last resort.
func addFolding(t *ruleTable) {
	for op := range t {
		if !neverFolded[op] && hlo.Opcode(op).Info().Traits&hlo.SideEffect == 0 {
			t[op] = append(t[op], fold)
		}
	}
}

// neverFolded are the ops that stay even on constants.
var neverFolded = [hlo.NumOps]bool{
	hlo.Constant: true, hlo.Parameter: true, hlo.Broadcast: true, hlo.Iota: true, hlo.Tuple: true,
	hlo.GetTupleElement: true, hlo.OptimizationBarrier: true, hlo.AddDependency: true, hlo.AfterAll: true,
	hlo.CustomCall: true, hlo.ReplicaId: true, hlo.PartitionId: true, hlo.RngBitGenerator: true, hlo.While: true,
	hlo.Conditional: true, hlo.Call: true, hlo.Fusion: true, hlo.Bitcast: true, hlo.Domain: true,
	hlo.DynamicIota: true, hlo.CopyStart: true, hlo.CopyDone: true, hlo.SetDimensionSize: true,
}

// combining are the ops whose work is more than their operands and results are large.
var combining = [hlo.NumOps]bool{
	hlo.Dot: true, hlo.Convolution: true, hlo.DynamicConvolution: true, hlo.ReduceWindow: true, hlo.RaggedDot: true,
	hlo.ScaledDot: true, hlo.SelectAndScatter: true, hlo.TriangularSolve: true, hlo.Cholesky: true, hlo.Fft: true,
	hlo.Scan: true, hlo.Scatter: true, hlo.Sort: true,
}

// fold is the rule.
func fold(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if len(in.Operands) == 0 || !plain(in.Shape) || in.HasSideEffect() {
		return nil
	}
	most, read := int64(maxFoldedBytes), int64(maxFoldOperandBytes)
	if in.Op == hlo.Transpose || in.Op == hlo.Reverse || in.Op == hlo.Slice {
		most, read = maxMovedBytes, maxMovedBytes
	}
	size, err := in.Shape.ByteSize()
	if err != nil || size > most {
		return nil
	}
	args, ok := known(in, read)
	if !ok || combining[in.Op] && !cheap(in) {
		return nil
	}
	l, err := evaluate(in, args)
	if err != nil {
		return nil // the program fails, and shall do so when it runs
	}
	if one := uniform(l); one != nil {
		return s.filled(one, in.Shape)
	}
	return s.constant(l)
}

// known returns the values of in's operands if all are constants of at most most bytes, or small counts or broadcasts
// of constants.
func known(in *hlo.Instruction, most int64) ([]*literal.Literal, bool) {
	args := make([]*literal.Literal, len(in.Operands))
	for i, o := range in.Operands {
		size, err := o.Shape.ByteSize()
		if err != nil || size > most || !plain(o.Shape) {
			return nil, false
		}
		if args[i] = literalOf(o); args[i] == nil {
			if args[i] = smallValue(o); args[i] == nil {
				return nil, false
			}
		}
	}
	return args, true
}

// maxSmall is the most elements of a count or broadcast that is written out so that an op on it can be folded.
const maxSmall = 64

// smallValue returns the value of a small count or broadcast of a constant.
func smallValue(in *hlo.Instruction) *literal.Literal {
	if elements(in.Shape) > maxSmall {
		return nil
	}
	var args []*literal.Literal
	switch in.Op {
	case hlo.Iota:
	case hlo.Broadcast:
		l := literalOf(in.Operands[0])
		if l == nil {
			return nil
		}
		args = []*literal.Literal{l}
	default:
		return nil
	}
	l, err := evaluate(in, args)
	if err != nil {
		return nil
	}
	return l
}

// cheap bounds the work of a combining op.
func cheap(in *hlo.Instruction) bool {
	work := max(1, elements(in.Shape))
	most := int64(1)
	for _, o := range in.Operands {
		most = max(most, elements(o.Shape))
	}
	return most <= maxFoldProduct/work
}

// maxFoldSteps bounds the steps of one folded instruction: computations that are applied to elements count.
const maxFoldSteps = 1 << 16

// evaluate returns in's value on args by the reference.
func evaluate(in *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
	list := make([]*hlo.Instruction, 0, len(args)+1)
	for _, l := range args {
		list = append(list, &hlo.Instruction{Name: "c", Op: hlo.Constant, Shape: l.Shape(),
			Attrs: &hlo.ConstantAttrs{Literal: l}})
	}
	n := &hlo.Instruction{Name: in.Name, Op: in.Op, Shape: in.Shape.WithoutLayout(), Attrs: in.Attrs,
		Operands: slices.Clone(list), Pos: in.Pos}
	c, err := hlo.NewComputation("fold", append(list, n), n)
	if err != nil {
		return nil, err
	}
	return hlo.Evaluate(context.Background(), &hlo.Module{Name: "fold", Entry: c}, nil,
		hlo.EvalOptions{MaxSteps: maxFoldSteps})
}
