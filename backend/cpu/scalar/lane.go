package scalar

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// CompileLane compiles a computation on arrays of sizes lane that makes each element of those at the same place: the
// program does it for one place. It fails as Compile does, and with errors.ErrUnsupported for other computations.
func CompileLane(c *hlo.Computation, lane []int64) (*Program, error) {
	one, err := scalarized(c, lane, 0)
	if err != nil {
		return nil, err
	}
	return Compile(one)
}

// scalarized returns c with scalars in the place of the arrays of sizes lane.
func scalarized(c *hlo.Computation, lane []int64, depth int) (*hlo.Computation, error) {
	if depth > maxDepth {
		return nil, unsupported("calls are too deep")
	}
	out := &hlo.Computation{Name: c.Name}
	done := make(map[*hlo.Instruction]*hlo.Instruction, len(c.Instructions))
	for _, in := range c.Instructions {
		s, err := laneShape(in.Shape, lane)
		if err != nil {
			return nil, err
		}
		one := &hlo.Instruction{Name: in.Name, Op: in.Op, Shape: s, Attrs: in.Attrs}
		for _, o := range in.Operands {
			one.Operands = append(one.Operands, done[o])
		}
		if err := scalarize(one, in, lane, depth); err != nil {
			return nil, err
		}
		out.Instructions, done[in] = append(out.Instructions, one), one
	}
	out.Root = done[c.Root]
	for _, p := range c.Parameters {
		if !p.Shape.IsArray() || !slices.Equal(p.Shape.Dims, lane) {
			return nil, unsupported("parameter %v of a computation on %v", p.Shape, lane)
		}
		out.Parameters = append(out.Parameters, done[p])
	}
	for _, s := range c.Root.Shape.Leaves() {
		if !slices.Equal(s.Dims, lane) {
			return nil, unsupported("result %v of a computation on %v", s, lane)
		}
	}
	return out, nil
}

// laneShape is s with scalars in the place of arrays of sizes lane.
func laneShape(s shape.Shape, lane []int64) (shape.Shape, error) {
	if s.IsTuple() {
		elems := make([]shape.Shape, len(s.Elems))
		for i, e := range s.Elems {
			var err error
			if elems[i], err = laneShape(e, lane); err != nil {
				return s, err
			}
		}
		return shape.TupleOf(elems...), nil
	}
	if !s.IsArray() || s.IsDynamic() || len(s.Dims) > 0 && !slices.Equal(s.Dims, lane) {
		return s, unsupported("%v in a computation on %v", s, lane)
	}
	return shape.Array(s.Type), nil
}

// laneOps are the ops, besides the elementwise ones, that do the same at every place.
var laneOps = map[hlo.Opcode]bool{hlo.Parameter: true, hlo.Tuple: true, hlo.GetTupleElement: true, hlo.Copy: true,
	hlo.OptimizationBarrier: true, hlo.Clamp: true}

// scalarize makes one, a copy of in, an op on scalars.
func scalarize(one, in *hlo.Instruction, lane []int64, depth int) error {
	switch {
	case in.Op.Info().Traits&hlo.Elementwise != 0 || laneOps[in.Op]:
		return nil
	case in.Op == hlo.Broadcast:
		if from := in.Operands[0].Shape.Dims; len(from) > 0 && !inOrder(in.Attrs.(*hlo.BroadcastAttrs).Dimensions) {
			return unsupported("broadcast of %v", in.Operands[0].Shape)
		}
		one.Op, one.Attrs = hlo.Copy, nil
		return nil
	case in.Op == hlo.Constant:
		return splat(one, in.Attrs.(*hlo.ConstantAttrs).Literal)
	case in.Op == hlo.Call || in.Op == hlo.Fusion:
		c, err := scalarized(called(in), lane, depth+1)
		one.Op, one.Attrs = hlo.Call, &hlo.CallAttrs{ToApply: c}
		return err
	}
	return unsupported("%s in a computation on %v", in.Op, lane)
}

func inOrder(dims []int64) bool {
	for i, d := range dims {
		if int64(i) != d {
			return false
		}
	}
	return true
}

// splat makes one a scalar constant if all elements of l are the same.
func splat(one *hlo.Instruction, l *literal.Literal) error {
	if !l.Shape().IsArray() || l.Shape().Size() == 0 {
		return unsupported("constant %v", l.Shape())
	}
	l = l.RowMajor()
	n := l.Shape().Type.Bytes()
	for i := n; i < len(l.Bytes()); i++ {
		if l.Bytes()[i] != l.Bytes()[i-n] {
			return unsupported("constant %v", l.Shape())
		}
	}
	first, err := literal.FromBytes(shape.Array(l.Shape().Type), l.Bytes()[:n])
	one.Attrs = &hlo.ConstantAttrs{Literal: first}
	return err
}
