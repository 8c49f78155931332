package hlo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// expansion builds what a custom call means of its operands x; nil: this call has no such form.
type expansion func(b *Builder, in *Instruction, x []*Instruction) *Instruction

// expansions are the custom calls of builtins that are ops under another name, or a few of them.
var expansions = map[string]expansion{
	"TopK":                                expandTopK,
	"mhlo.topk":                           expandTopK,
	"ApproxTopK":                          expandApproxTopK,
	"PartialReduce":                       expandApproxTopK,
	"stablehlo.dynamic_top_k":             expandDynamicTopK,
	"stablehlo.dynamic_reduce_window":     expandDynamicReduceWindow,
	"stablehlo.dynamic_rng_bit_generator": expandDynamicRngBitGenerator,
	"X64Combine":                          expandX64Combine,
	"xla.sdy.ShardingGroup":               expandNothing,
}

// opTargets are the targets that mean one op on one operand.
var opTargets = map[string]Opcode{
	"mhlo.erf": Erf, "mhlo.tan": Tan, "mhlo.acos": Acos, "mhlo.acosh": Acosh, "mhlo.asin": Asin, "mhlo.asinh": Asinh,
	"mhlo.atan": Atan, "mhlo.atanh": Atanh, "mhlo.cosh": Cosh, "mhlo.sinh": Sinh,
}

// ExpandCustomCall returns a computation of ops with the meaning of the custom call in, whose parameters are in's
// operands. It is nil if in has none: its target belongs to a handler or is not known, or the call depends on values
// that are not constants.
func ExpandCustomCall(in *Instruction) *Computation {
	target := in.Attrs.(*CustomCallAttrs).Target
	known, ok := builtins[target]
	if !ok || known.fits != nil && !known.fits(in) {
		return nil
	}
	return expanded(in)
}

// expanded is ExpandCustomCall of a call that fits its target.
func expanded(in *Instruction) *Computation {
	b := NewBuilder(in.Name)
	x := make([]*Instruction, len(in.Operands))
	for i, o := range in.Operands {
		x[i] = b.Parameter(int64(i), o.Shape, "p"+strconv.Itoa(i))
	}
	root := expand(b, in, in.Attrs.(*CustomCallAttrs).Target, x)
	if root == nil {
		return nil
	}
	c, err := b.Build(root)
	if err != nil || !agrees(c.Root.Shape, in.Shape) {
		return nil
	}
	return c
}

func expand(b *Builder, in *Instruction, target string, x []*Instruction) *Instruction {
	if isMark(target) {
		return x[0]
	}
	if op, ok := opTargets[target]; ok {
		return b.add(op, nil, shape.Shape{}, x...)
	}
	if f := expansions[target]; f != nil {
		return f(b, in, x)
	}
	return nil
}

// isMark reports whether target is a mark for the compiler.
func isMark(target string) bool {
	return slices.Contains(marks, target)
}

func expandNothing(b *Builder, _ *Instruction, _ []*Instruction) *Instruction { return b.Tuple() }

func expandTopK(b *Builder, in *Instruction, x []*Instruction) *Instruction {
	values := in.Shape.Elems[0]
	k := values.Dims[len(values.Dims)-1]
	if v, ok := note(in, "k"); ok {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return nil
		}
		k = n
	}
	largest, _ := note(in, "largest")
	a := &TopKAttrs{K: k, Largest: largest != "false" && !takesLess(in)}
	return b.add(TopK, a, shape.Shape{}, x[0])
}

// expandDynamicTopK takes k from the result's shape.
func expandDynamicTopK(b *Builder, in *Instruction, x []*Instruction) *Instruction {
	if !in.Shape.IsTuple() || len(in.Shape.Elems) != 2 || in.Shape.Elems[0].Rank() == 0 || in.Shape.IsDynamic() {
		return nil
	}
	dims := in.Shape.Elems[0].Dims
	return b.add(TopK, &TopKAttrs{K: dims[len(dims)-1], Largest: true}, shape.Shape{}, x[0])
}

// expandApproxTopK sorts and takes the first: exact where the call would allow misses.
func expandApproxTopK(b *Builder, in *Instruction, x []*Instruction) *Instruction {
	n := len(x) / 2
	results := in.ResultShapes()
	dim, err := reductionDim(in, x[0].Shape.Rank())
	if err != nil {
		return nil
	}
	sorted := b.Sort(x[:n], in.Called()[0], dim, true)
	out := make([]*Instruction, n)
	for i := range out {
		out[i] = sorted
		if n > 1 {
			out[i] = b.GetTupleElement(sorted, int64(i))
		}
		out[i] = b.SliceInDim(out[i], 0, results[i].Dims[dim], 1, dim)
	}
	if !in.Shape.IsTuple() {
		return out[0]
	}
	return b.Tuple(out...)
}

func expandDynamicReduceWindow(b *Builder, in *Instruction, x []*Instruction) *Instruction {
	n := len(x) - 5
	constant := func(i int) (*literal.Literal, error) {
		if c, ok := in.Operands[i].Attrs.(*ConstantAttrs); ok {
			return c.Literal, nil
		}
		return nil, fmt.Errorf("operand %d is no constant", i)
	}
	w, err := dynamicWindow(constant, x[0].Shape.Rank(), n)
	if err != nil {
		return nil
	}
	return b.add(ReduceWindow, &ReduceWindowAttrs{Window: w, ToApply: in.Called()[0]}, shape.Shape{}, x[:n]...)
}

// expandDynamicRngBitGenerator takes the sizes from the result's shape.
func expandDynamicRngBitGenerator(b *Builder, in *Instruction, x []*Instruction) *Instruction {
	if !in.Shape.IsTuple() || len(in.Shape.Elems) != 2 || in.Shape.IsDynamic() {
		return nil
	}
	return b.RngBitGenerator(algorithmOf(in), x[0], in.Shape.Elems[1])
}

// algorithmOf is the generator that a custom call names.
func algorithmOf(in *Instruction) RandomAlgorithm {
	algorithm, _ := note(in, "rng_algorithm")
	switch {
	case strings.Contains(algorithm, "THREE_FRY"):
		return RngThreeFry
	case strings.Contains(algorithm, "PHILOX"):
		return RngPhilox
	}
	return RngDefault
}

func expandX64Combine(b *Builder, in *Instruction, x []*Instruction) *Instruction {
	low, high := b.ConvertElementType(x[0], shape.U64), b.ConvertElementType(x[1], shape.U64)
	up := b.ConstantLiteral(literal.ScalarOfInt(shape.U64, 32))
	return b.BitcastConvertType(b.Or(low, b.ShiftLeft(high, up)), in.Shape.Type)
}

// AssertShapes fails with the message of in, a custom call of shape_assertion, if its first operand is false.
func AssertShapes(in *Instruction, args []*literal.Literal) error {
	_, err := evalShapeAssertion(nil, in, args)
	return err
}
