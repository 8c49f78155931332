package cpu

import (
	"math"
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/index"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// A product by a known matrix of few numbers other than 0, such as resizes an image, is made without its zeros: as
// weighted sums of at most maxTaps rows of the other array, a blendGain-th of the terms or fewer. Zeros times what is
// infinite or NaN are NaN, so each row of the other array must have a weight somewhere: then some sum is not finite
// either, and all is multiplied anew.
const (
	maxTaps    = 8
	blendGain  = 4
	blendRow   = 16      // floats
	blendLeast = 1 << 14 // floats of a result
	blendPart  = 1 << 16 // floats of a task
)

// blend is how a product is made without zeros.
type blend struct {
	x, out exec.Slice
	row    int64
	axes   []index.BlendAxis
	taps   [][]index.Tap
	lanes  [][]index.Lanes // of each eight sums in a row; nil: rows are made of rows
}

// blended makes the dot of c without zeros, or returns nil if there are too many other numbers.
func blended(l *exec.Lowering, c *contraction) *thunk {
	b := blendOf(c, [2]*literal.Literal{l.Constant(0), l.Constant(1)})
	if b == nil {
		return nil
	}
	spoiled, taps := l.Scratch(1), l.Pack(b.pack())
	r := index.Blend{Dst: ref(b.out), Src: ref(b.x), Taps: ref(taps), Spoiled: ref(spoiled), Row: b.row,
		Count: b.count(), Part: max(blendPart/b.row, 1), Axes: b.axes, Lanes: b.lanes != nil}
	uses := append(exec.Reads(b.x, taps), exec.Writes(b.out, spoiled)...)
	fast := recordThunk("loops blend", uses, r.Record(run.Level()))
	return sequence(fast, contract(l, *c).onlyIf(spoiled, fast.kernel))
}

// onlyIf runs t if the predicate at s is true; kernel is its name in reports.
func (t *thunk) onlyIf(s exec.Slice, kernel string) *thunk {
	uses := append(exec.Reads(s), t.uses...)
	if t.run == nil {
		branches := []*run.Segment{newSegment([]*thunk{t}), newSegment(nil)}
		return recordThunk(kernel, uses, run.Conditional(ref(s), true, branches)).keeping(t).calling(t.calls)
	}
	return goThunk(kernel, uses, func(r *exec.Run) error {
		if r.Bytes(s)[0] == 0 {
			return nil
		}
		return t.run(r)
	}).keeping(t).calling(t.calls)
}

// blendOf is the way without zeros, by the operand that is known, or nil.
func blendOf(c *contraction, known [2]*literal.Literal) *blend {
	batch, m, n, k := c.Sizes()
	if !run.Available() || c.split != nil || batch != 1 || k < blendGain || m*n < blendLeast || c.lhsType != shape.F32 ||
		c.rhsType != shape.F32 || c.outType != shape.F32 {
		return nil
	}
	if known[1] != nil {
		return newBlend(c.RHS, c.LHS, c.Out.Columns, c.Out.Rows, known[1]).at(c.lhs, c.out)
	}
	if known[0] != nil {
		return newBlend(c.LHS, c.RHS, c.Out.Rows, c.Out.Columns, known[0]).at(c.rhs, c.out)
	}
	return nil
}

// newBlend multiplies x by a matrix; the rows of each lie in the result as own and rows say.
func newBlend(matrix, x kernel.Operand, own, rows kernel.Walk, value *literal.Literal) *blend {
	b := &blend{}
	steps, ok := refined(x.Rows, rows)
	if !ok {
		return nil
	}
	for _, a := range steps {
		b.axes = append(b.axes, index.BlendAxis{N: int64(a.n), Src: 4 * int64(a.first), Dst: 4 * int64(a.second)})
	}
	if b.taps, ok = tapsOf(matrix, x.Columns.Offsets(), kernel.Cast[float32](value.RowMajor().Bytes())); !ok {
		return nil
	}
	last := len(b.axes) - 1
	if last < 0 || b.axes[last].Src != 4 || b.axes[last].Dst != 4 || b.axes[last].N < blendRow {
		return b.inLanes(matrix, x.Columns, own)
	}
	b.row, b.axes = b.axes[last].N, b.axes[:last]
	each := int64(len(b.taps))
	for _, s := range own {
		each /= int64(s.N)
		b.axes = append(b.axes, index.BlendAxis{N: int64(s.N), Dst: 4 * int64(s.Stride), Taps: each})
	}
	if len(b.axes) > index.MaxBlendAxes {
		return nil
	}
	return b
}

// at says where the arrays are.
func (b *blend) at(x, out exec.Slice) *blend {
	if b != nil {
		b.x, b.out = x, out
	}
	return b
}

// tapsOf returns the terms of each row of a matrix that are not 0, of rows that lie at offsets, if they are few, and if
// each of those rows is in some term.
func tapsOf(matrix kernel.Operand, offsets []int, values []float32) (list [][]index.Tap, ok bool) {
	columns := matrix.Columns.Offsets()
	most, seen := min(maxTaps, len(columns)/blendGain), make([]bool, len(columns))
	for _, row := range matrix.Rows.Offsets() {
		var taps []index.Tap
		for k, column := range columns {
			v := values[matrix.First+row+column]
			if v == 0 {
				continue
			}
			if len(taps) == most || math.IsInf(float64(v), 0) || v != v {
				return nil, false
			}
			taps, seen[k] = append(taps, index.Tap{At: 4 * int64(offsets[k]), Weight: v}), true
		}
		list = append(list, taps)
	}
	return list, !slices.Contains(seen, false)
}

// count is how many terms a sum has at most.
func (b *blend) count() int64 {
	if b.lanes != nil {
		return mostOf(b.lanes)
	}
	return mostOf(b.taps)
}

// pack returns as many terms for each sum, some of them 0.
func (b *blend) pack() []byte {
	if b.lanes != nil {
		return index.PackTaps(filled(b.lanes))
	}
	return index.PackTaps(filled(b.taps))
}

// mostOf is the length of the longest list.
func mostOf[T any](lists [][]T) (n int64) {
	for _, list := range lists {
		n = max(n, int64(len(list)))
	}
	return n
}

// filled is all of the lists, each as long as the longest.
func filled[T any](lists [][]T) (all []T) {
	n := int(mostOf(lists))
	for _, list := range lists {
		all = append(append(all, list...), make([]T, n-len(list))...)
	}
	return all
}

// refinedStep is n steps of two walks.
type refinedStep struct{ n, first, second int }

// refined are the steps of two walks of as many places, if those of one are parts of the other's.
func refined(a, b kernel.Walk) (list []refinedStep, ok bool) {
	a, b = slices.Clone(a), slices.Clone(b)
	for len(a) > 0 && len(b) > 0 {
		x, y := &a[len(a)-1], &b[len(b)-1]
		n := min(x.N, y.N)
		if x.N%n != 0 || y.N%n != 0 {
			return nil, false
		}
		list = append(list, refinedStep{n, x.Stride, y.Stride})
		a, b = without(a, n), without(b, n)
	}
	slices.Reverse(list)
	return list, a.Len() == b.Len()
}

// without is w without n places of its last step.
func without(w kernel.Walk, n int) kernel.Walk {
	last := &w[len(w)-1]
	if last.N == n {
		return w[:len(w)-1]
	}
	last.N, last.Stride = last.N/n, last.Stride*n
	return w
}

// turnsBlend reports whether a dot without zeros writes its result as in transposes it.
func turnsBlend(in *hlo.Instruction) bool {
	dot := in.Operands[0]
	var known [2]*literal.Literal
	for i, o := range dot.Operands {
		if a, ok := o.Attrs.(*hlo.ConstantAttrs); ok {
			known[i] = a.Literal
		}
	}
	c := turnedDot(in)
	return blendOf(&c, known) != nil
}

// turnedDot is the contraction of a dot whose result lies as in transposes it.
func turnedDot(in *hlo.Instruction) contraction {
	dot, strides := in.Operands[0], make([]int, in.Shape.Rank())
	for i, s := range shape.Strides(in.Shape.Dims) {
		strides[in.Attrs.(*hlo.TransposeAttrs).Dimensions[i]] = int(s)
	}
	a, c := dot.Attrs.(*hlo.DotAttrs), dotOf(dot)
	ends := [...]int{0, len(a.LHSBatch), dot.Operands[0].Shape.Rank() - len(a.LHSContracting), len(strides)}
	for i, w := range []*kernel.Walk{&c.Out.Batch, &c.Out.Rows, &c.Out.Columns} {
		*w = nil
		for d := ends[i]; d < ends[i+1]; d++ {
			*w = w.Then(kernel.Step{N: int(dot.Shape.Dims[d]), Stride: strides[d]})
		}
	}
	return c
}

// isTurned reports whether a fusion is a dot and the transpose of its result.
func isTurned(a *hlo.FusionAttrs) bool {
	root := a.Calls.Root
	return a.Kind == "kInput" && root.Op == hlo.Transpose && root.Operands[0].Op == hlo.Dot
}

// lowerTurnedDot lowers such a fusion.
func lowerTurnedDot(l *exec.Lowering, root *hlo.Instruction) *thunk {
	c := turnedDot(root)
	var numbers []int
	for _, o := range root.Operands[0].Operands {
		numbers = append(numbers, int(o.Attrs.(*hlo.ParameterAttrs).Number))
	}
	inner := l.Inner(root.Operands[0], numbers, l.Result())
	c.lhs, c.rhs, c.out, c.weights = inner.Operand(0), inner.Operand(1), l.Result(), inner.Constant(1)
	if t := blended(inner, &c); t != nil {
		return t
	}
	return contract(inner, c)
}
