package pass

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// refineRule appends what stands for an old instruction on args.
type refineRule func(f *frame, in *hlo.Instruction, args []*value) (*value, error)

// refineRules are those of ops whose sizes are their own matter; all others are plain.
var refineRules [hlo.NumOps]refineRule

func init() { // since rules run computations, which look into the table
	refineRules = [hlo.NumOps]refineRule{
		hlo.AddDependency: (*frame).through, hlo.Call: (*frame).call, hlo.Conditional: (*frame).conditional,
		hlo.Constant: (*frame).keepConstant, hlo.Copy: (*frame).through, hlo.CustomCall: (*frame).customCall,
		hlo.Domain: (*frame).through, hlo.Fusion: (*frame).call, hlo.GetDimensionSize: (*frame).dimensionSize,
		hlo.GetTupleElement: (*frame).tupleElement, hlo.OptimizationBarrier: (*frame).through,
		hlo.RealDynamicSlice: (*frame).slice, hlo.Tuple: (*frame).tuple, hlo.While: (*frame).while,
	}
}

// plain makes an op static by the rules of its sizes, and computes it if its operands are known.
func (f *frame) plain(in *hlo.Instruction, args []*value) (*value, error) {
	operands := f.instructions(args)
	if !in.IsDynamic() && !hlo.TakesSizes(in.Op) {
		c := *in
		c.Operands = operands
		return f.folded(&c, args), nil
	}
	n, err := hlo.Refine(in, operands, f.sizesOf(in, args))
	if err != nil {
		return nil, err
	}
	if n == nil {
		return nil, &hlo.Error{In: in, Err: fmt.Errorf("refine: its sizes are not followed: %w", errors.ErrUnsupported)}
	}
	return f.folded(n, args), nil
}

// folded adds n, or the constant that it is if its operands are small and known.
func (f *frame) folded(n *hlo.Instruction, args []*value) *value {
	if l := foldKnown(n, args); l != nil {
		return &value{known: l}
	}
	return &value{in: f.add(n)}
}

func foldKnown(n *hlo.Instruction, args []*value) *literal.Literal {
	if neverFolded[n.Op] && n.Op != hlo.Iota && n.Op != hlo.Broadcast || combining[n.Op] {
		return nil
	}
	if n.HasSideEffect() || !small(n.Shape) {
		return nil
	}
	known := make([]*literal.Literal, len(n.Operands))
	for i := range n.Operands {
		if known[i] = args[i].known; known[i] == nil {
			return nil
		}
	}
	l, err := evaluate(n, known)
	if err != nil {
		return nil // the program fails, and shall do so when it runs
	}
	return l
}

func small(s shape.Shape) bool {
	n, ok := s.CheckedSize()
	return plain(s) && ok && n <= maxKnown
}

// sizesOf returns the values of operands of in.
func (f *frame) sizesOf(in *hlo.Instruction, args []*value) func(i int) (*literal.Literal, error) {
	return func(i int) (*literal.Literal, error) {
		if args[i].known != nil {
			return args[i].known, nil
		}
		return nil, f.unknown(in, args[i])
	}
}

// maxNeeded bounds the elements of parameters whose values are asked for.
const maxNeeded = 64

// unknown is the error for sizes that in takes from v: it asks for the parameters of the entry that v is computed from.
func (f *frame) unknown(in *hlo.Instruction, v *value) error {
	needed := map[int]bool{}
	f.trace(f.instruction(v), needed, map[*hlo.Instruction]bool{})
	e := &NeedsValues{}
	for i, asked := range needed {
		if !asked {
			return &hlo.Error{In: in, Err: fmt.Errorf("refine: its sizes depend on data, such as parameter %d: %w", i,
				errors.ErrUnsupported)}
		}
		e.Parameters = append(e.Parameters, i)
	}
	if len(needed) == 0 {
		return &hlo.Error{In: in, Err: fmt.Errorf("refine: its sizes are not known: %w", errors.ErrUnsupported)}
	}
	slices.Sort(e.Parameters)
	return e
}

// trace finds the parameters of the entry that in depends on, and whether they are few integers.
func (f *frame) trace(in *hlo.Instruction, needed map[int]bool, seen map[*hlo.Instruction]bool) {
	if seen[in] {
		return
	}
	seen[in] = true
	switch p, ok := in.Attrs.(*hlo.ParameterAttrs); {
	case ok && f.outer == nil:
		n, fits := in.Shape.CheckedSize()
		needed[int(p.Number)] = in.Shape.IsArray() && in.Shape.Type.IsInteger() && fits && n <= maxNeeded
	case ok:
		f.outer.trace(f.outer.instruction(f.init), needed, seen)
	}
	for _, o := range in.Operands {
		f.trace(o, needed, seen)
	}
}

// through is for ops that hand on their first operand.
func (f *frame) through(in *hlo.Instruction, args []*value) (*value, error) {
	if args[0].known != nil {
		return args[0], nil
	}
	c := *in
	c.Operands = f.instructions(args)
	c.Shape = c.Operands[0].Shape.WithLayout(in.Shape.Layout)
	return &value{in: f.add(&c)}, nil
}

func (f *frame) keepConstant(in *hlo.Instruction, _ []*value) (*value, error) {
	if l := literalOf(in); small(in.Shape) && l != nil {
		return &value{known: l.RowMajor()}, nil
	}
	c := *in
	return &value{in: f.add(&c)}, nil
}

func (f *frame) tuple(_ *hlo.Instruction, args []*value) (*value, error) {
	return &value{elems: append([]*value{}, args...)}, nil
}

func (f *frame) tupleElement(in *hlo.Instruction, args []*value) (*value, error) {
	return f.elem(args[0], int(in.Attrs.(*hlo.GetTupleElementAttrs).Index)), nil
}

func (f *frame) dimensionSize(in *hlo.Instruction, args []*value) (*value, error) {
	n := args[0].shape().Dims[in.Attrs.(*hlo.DimensionAttrs).Dimension]
	return &value{known: literal.ScalarOfInt(in.Shape.Type, n)}, nil
}

// call puts what is called in place.
func (f *frame) call(in *hlo.Instruction, args []*value) (*value, error) {
	return f.run(in.Called()[0], args)
}

// slice makes a dynamic slice of one that starts where the program says when it runs, if it has a known size: its
// limits are its starts and known numbers, as JAX writes slices of symbolic sizes. Both take what is within bounds.
func (f *frame) slice(in *hlo.Instruction, args []*value) (*value, error) {
	sizes, ok := f.sliceSizes(args)
	if !ok {
		return f.plain(in, args)
	}
	s := shape.Array(in.Shape.Type, sizes...)
	if !hlo.Fits(s, in.Shape) {
		return nil, &hlo.Error{In: in, Err: fmt.Errorf("refine: got the sizes %v, want %v", sizes, in.Shape)}
	}
	starts := f.instruction(args[1])
	n := &hlo.Instruction{Name: in.Name, Op: hlo.DynamicSlice, Shape: s, Common: in.Common, Pos: in.Pos,
		Attrs: &hlo.DynamicSliceAttrs{Sizes: sizes}, Operands: []*hlo.Instruction{f.instruction(args[0])}}
	for d := range sizes {
		one := f.add(&hlo.Instruction{Name: "start", Op: hlo.Slice, Shape: shape.Array(starts.Shape.Type, 1),
			Operands: []*hlo.Instruction{starts},
			Attrs:    &hlo.SliceAttrs{Slice: hlo.SliceDims{{Start: int64(d), Limit: int64(d) + 1, Stride: 1}}}})
		scalar := f.add(&hlo.Instruction{Name: "start", Op: hlo.Reshape, Attrs: &hlo.ReshapeAttrs{},
			Shape: shape.Array(starts.Shape.Type), Operands: []*hlo.Instruction{one}})
		n.Operands = append(n.Operands, scalar)
	}
	_, err := hlo.Infer(n)
	return &value{in: f.add(n)}, err
}

// sliceSizes returns the sizes of a slice of stride 1 whose limits are its unknown starts plus known sizes.
func (f *frame) sliceSizes(args []*value) ([]int64, bool) {
	starts, limits, strides := args[1], args[2], args[3].known
	if starts.known != nil || limits.in == nil || limits.in.Op != hlo.Add || strides == nil {
		return nil, false
	}
	if slices.ContainsFunc(hlo.Integers(strides), func(n int64) bool { return n != 1 }) {
		return nil, false
	}
	for k, o := range limits.in.Operands {
		if l := literalOf(limits.in.Operands[1-k]); o == starts.in && l != nil {
			return hlo.Integers(l), true
		}
	}
	return nil, false
}

func (f *frame) customCall(in *hlo.Instruction, args []*value) (*value, error) {
	if hlo.IsShapeAssertion(in) {
		return f.shapeAssertion(in, args)
	}
	if hlo.IsMark(in) && in.IsDynamic() {
		return args[0], nil
	}
	n, err := hlo.RefineCustomCall(in, f.instructions(args), f.sizesOf(in, args))
	if err != nil {
		return nil, err
	}
	return &value{in: f.add(n)}, nil
}

// shapeAssertion drops an assertion that holds.
func (f *frame) shapeAssertion(in *hlo.Instruction, args []*value) (*value, error) {
	known := make([]*literal.Literal, len(args))
	for i := range args {
		var err error
		if known[i], err = f.sizesOf(in, args)(i); err != nil {
			return nil, err
		}
	}
	if err := hlo.AssertShapes(in, known); err != nil {
		return nil, &hlo.Error{In: in, Err: err}
	}
	return &value{elems: []*value{}}, nil
}

// inner returns a frame for a computation of one parameter that stands for v, and that parameter's value: known where
// keep says so for its parts, of which there is one unless v is a tuple.
func (f *frame) inner(old *hlo.Computation, v *value, keep func(i int) *literal.Literal) (*frame, *value) {
	g := &frame{refiner: f.refiner, outer: f, init: v}
	p := *old.Parameters[0]
	p.Shape, p.Attrs = v.shape(), &hlo.ParameterAttrs{}
	now := &value{in: g.add(&p)}
	if !p.Shape.IsTuple() {
		now.known = keep(0)
		return g, now
	}
	now.elems = make([]*value, len(p.Shape.Elems))
	for i := range p.Shape.Elems {
		if l := keep(i); l != nil {
			now.elems[i] = &value{known: l}
		} else {
			g.elem(now, i)
		}
	}
	return g, now
}

// parts returns what is known of the elements of v, or of v itself if it is no tuple.
func (v *value) parts() []*literal.Literal {
	if !v.shape().IsTuple() {
		return []*literal.Literal{v.known}
	}
	out := make([]*literal.Literal, len(v.shape().Elems))
	for i := range v.elems {
		if v.elems[i] != nil {
			out[i] = v.elems[i].known
		}
	}
	return out
}

// while follows a loop: what every round leaves as it was is known in all of them. It assumes that of all that is known
// at the start, and gives up what turns out to change until the rest does not.
func (f *frame) while(in *hlo.Instruction, args []*value) (*value, error) {
	a, init := in.Attrs.(*hlo.WhileAttrs), args[0]
	known := init.parts()
	var body *hlo.Computation
	for stable := false; !stable; { // each round counts as instructions, so that nested loops end
		g, p := f.inner(a.Body, init, func(i int) *literal.Literal { return known[i] })
		root, err := g.run(a.Body, []*value{p})
		if err != nil {
			return nil, err
		}
		if !root.shape().Compatible(init.shape()) {
			return nil, &hlo.Error{In: in, Err: fmt.Errorf("refine: a round makes %v of %v: %w", root.shape(), init.shape(),
				errors.ErrUnsupported)}
		}
		if stable = keepEqual(known, root.parts()); !stable {
			continue
		}
		if body, err = g.finish(a.Body, root); err != nil {
			return nil, err
		}
	}
	g, p := f.inner(a.Condition, init, func(i int) *literal.Literal { return known[i] })
	root, err := g.run(a.Condition, []*value{p})
	if err != nil {
		return nil, err
	}
	condition, err := g.finish(a.Condition, root)
	if err != nil {
		return nil, err
	}
	c := *in
	c.Operands, c.Shape = []*hlo.Instruction{f.instruction(init)}, init.shape()
	c.Attrs = &hlo.WhileAttrs{Condition: condition, Body: body}
	return f.partly(f.add(&c), known), nil
}

// keepEqual forgets what is not the same in known and next, and reports whether that was nothing.
func keepEqual(known, next []*literal.Literal) bool {
	same := true
	for i, l := range known {
		if l != nil && (next[i] == nil || !bytes.Equal(l.RowMajor().Bytes(), next[i].RowMajor().Bytes())) {
			known[i], same = nil, false
		}
	}
	return same
}

// partly is the value of in, of which parts are known.
func (f *frame) partly(in *hlo.Instruction, known []*literal.Literal) *value {
	v := &value{in: in}
	if !in.Shape.IsTuple() {
		v.known = known[0]
		return v
	}
	v.elems = make([]*value, len(known))
	for i, l := range known {
		if l != nil {
			v.elems[i] = &value{known: l}
		}
	}
	return v
}

// conditional takes the branch that is known to run, or makes all of them static: they must then agree.
func (f *frame) conditional(in *hlo.Instruction, args []*value) (*value, error) {
	branches := in.Attrs.(*hlo.ConditionalAttrs).Branches
	if l := args[0].known; l != nil {
		i := branchOf(l, len(branches))
		return f.run(branches[i], args[i+1:i+2])
	}
	c := *in
	made := make([]*hlo.Computation, len(branches))
	for i, b := range branches {
		parts := args[i+1].parts()
		g, p := f.inner(b, args[i+1], func(k int) *literal.Literal { return parts[k] })
		root, err := g.run(b, []*value{p})
		if err != nil {
			return nil, err
		}
		if made[i], err = g.finish(b, root); err != nil {
			return nil, err
		}
		if first := made[0].Root.Shape; !made[i].Root.Shape.Compatible(first) {
			return nil, &hlo.Error{In: in, Err: fmt.Errorf("refine: branch %d makes %v and branch 0 %v: %w", i,
				made[i].Root.Shape, first, errors.ErrUnsupported)}
		}
	}
	c.Operands, c.Attrs, c.Shape = f.instructions(args), &hlo.ConditionalAttrs{Branches: made}, made[0].Root.Shape
	return &value{in: f.add(&c)}, nil
}

// branchOf is the number of the branch that runs for l: the first for true, and the last for numbers out of range.
func branchOf(l *literal.Literal, branches int) int64 {
	w := l.Wide()
	switch {
	case w.Class == shape.PredClass && w.B[0]:
		return 0
	case w.Class == shape.PredClass:
		return 1
	case w.I[0] < 0 || w.I[0] >= int64(branches):
		return int64(branches) - 1
	}
	return w.I[0]
}
