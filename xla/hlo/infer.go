package hlo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// operandName returns how a message calls operand i of in: its name in the op table.
func operandName(in *Instruction, i int) string {
	names := strings.Fields(in.Op.Info().Operands)
	for k, name := range names {
		switch base, several := strings.CutSuffix(name, "..."); {
		case several:
			return fmt.Sprintf("%s operand %d", base, i)
		case k == i:
			return name
		}
	}
	return fmt.Sprintf("operand %d", i)
}

// checkArrays fails unless every operand of in is an array.
func checkArrays(in *Instruction) error {
	for i, o := range in.Operands {
		if !o.Shape.IsArray() {
			return fmt.Errorf("%s: got %v, want an array", operandName(in, i), o.Shape)
		}
	}
	return nil
}

// joinDim returns the size of a dimension that two operands share, and whether it is bounded dynamic: a size known on
// one side wins over an unknown one, a bounded one over the same static one. It fails if the sizes differ.
// Law: section 2.2 of the operation semantics, its table of dynamic sizes.
func joinDim(a, b int64, aDynamic, bDynamic bool) (n int64, dynamic, ok bool) {
	switch {
	case a == b:
		return a, aDynamic || bDynamic, true
	case a == shape.Unbounded && bDynamic, b == shape.Unbounded && aDynamic:
		return shape.Unbounded, true, true
	case a == shape.Unbounded:
		return b, false, true
	case b == shape.Unbounded:
		return a, false, true
	}
	return 0, false, false
}

// compatibleDim reports whether dimension i of a and dimension j of b can have the same size at run time.
func compatibleDim(a shape.Shape, i int, b shape.Shape, j int) bool {
	_, _, ok := joinDim(a.Dims[i], b.Dims[j], a.IsDynamicDim(i), b.IsDynamicDim(j))
	return ok
}

// joinDims returns the array shape, of a's element type, whose dimensions are those that a and b share.
func joinDims(a, b shape.Shape) (shape.Shape, bool) {
	if len(a.Dims) != len(b.Dims) {
		return a, false
	}
	if a.Dynamic == nil && b.Dynamic == nil && slices.Equal(a.Dims, b.Dims) && !IsUnbounded(a) { // most of the time
		return shape.Shape{Type: a.Type, Dims: slices.Clip(a.Dims)}, true
	}
	out := shape.Shape{Type: a.Type, Dims: make([]int64, len(a.Dims)), Dynamic: make([]bool, len(a.Dims))}
	for d := range a.Dims {
		var ok bool
		out.Dims[d], out.Dynamic[d], ok = joinDim(a.Dims[d], b.Dims[d], a.IsDynamicDim(d), b.IsDynamicDim(d))
		if !ok {
			return a, false
		}
	}
	if !slices.Contains(out.Dynamic, true) {
		out.Dynamic = nil
	}
	return out, true
}

// compatibleDims reports whether arrays of shapes a and b can have the same sizes at run time.
func compatibleDims(a, b shape.Shape) bool {
	_, ok := joinDims(a, b)
	return ok
}

// compatible reports whether a value can have both shapes at run time; layouts do not count.
func compatible(a, b shape.Shape) bool {
	if a.Type != b.Type || len(a.Elems) != len(b.Elems) || !compatibleDims(a, b) {
		return false
	}
	return slices.EqualFunc(a.Elems, b.Elems, compatible)
}

// sameDims returns the dimensions that in's operands share, with the element type of the first. It fails unless all
// are arrays of the same sizes.
func sameDims(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	out := in.Operands[0].Shape.WithoutLayout()
	for i, o := range in.Operands[1:] {
		var ok bool
		if out, ok = joinDims(out, o.Shape); !ok {
			return poison, fmt.Errorf("sizes differ: %s is %v, %s is %v",
				operandName(in, 0), in.Operands[0].Shape, operandName(in, i+1), o.Shape)
		}
	}
	return out, nil
}

// sameArrays returns the shape that in's operands share. It fails unless all are arrays of one element type and the
// same sizes.
func sameArrays(in *Instruction) (shape.Shape, error) {
	if err := sameTypes(in); err != nil {
		return poison, err
	}
	return sameDims(in)
}

// sameTypes fails unless all operands of in are arrays of one element type.
func sameTypes(in *Instruction) error {
	if err := checkArrays(in); err != nil {
		return err
	}
	t := in.Operands[0].Shape.Type
	for i, o := range in.Operands[1:] {
		if o.Shape.Type != t {
			return fmt.Errorf("element types differ: %s is %v, %s is %v",
				operandName(in, 0), t, operandName(in, i+1), o.Shape.Type)
		}
	}
	return nil
}

// checkDims fails unless every number in dims is one of 0 to rank-1 and, if asked, none is there twice and they
// ascend. name is what messages call the list.
func checkDims(name string, dims []int64, rank int, unique, sorted bool) error {
	seen := make([]uint64, shape.MaxRank/64) // on the stack
	if rank > shape.MaxRank {
		seen = make([]uint64, rank/64+1)
	}
	for i, d := range dims {
		if d < 0 || d >= int64(rank) {
			return fmt.Errorf("%s: dimension %d is out of range, want 0 to %d", name, d, rank-1)
		}
		word, bit := &seen[d/64], uint64(1)<<(d%64)
		twice := *word&bit != 0
		if *word |= bit; unique && twice {
			return fmt.Errorf("%s: dimension %d is there twice in %s", name, d, list(dims))
		}
		if sorted && i > 0 && dims[i-1] > d {
			return fmt.Errorf("%s: got %s, want ascending dimensions", name, list(dims))
		}
	}
	return nil
}

// checkDim fails unless d is a dimension of s. name is what messages call it.
func checkDim(name string, d int64, s shape.Shape) error {
	if d < 0 || d >= int64(len(s.Dims)) {
		return fmt.Errorf("%s: dimension %d is out of range for %v of rank %d", name, d, s, len(s.Dims))
	}
	return nil
}

// checkPermutation fails unless dims has each of 0 to rank-1 once.
func checkPermutation(name string, dims []int64, rank int) error {
	if len(dims) != rank {
		return fmt.Errorf("%s: got %d dimensions %s, want a permutation of %d", name, len(dims), list(dims), rank)
	}
	return checkDims(name, dims, rank, true, false)
}

// list is a dimension list as messages show it: "{0, 2}".
func list[T any](v []T) string {
	parts := make([]string, len(v))
	for i, x := range v {
		parts[i] = fmt.Sprint(x)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// scalars returns the scalar shapes of the given shapes' element types.
func scalars(shapes []shape.Shape) []shape.Shape {
	out := make([]shape.Shape, len(shapes))
	for i, s := range shapes {
		out[i] = shape.Array(s.Type)
	}
	return out
}

// checkScalarComputation fails unless c takes parameters of the shapes params and returns results: one as it is,
// several as a tuple. Dimensions do not count beyond the rank where they are unknown.
func checkScalarComputation(c *Computation, params []shape.Shape, results ...shape.Shape) error {
	if c == nil {
		return fmt.Errorf("computation is missing")
	}
	got, result := c.ProgramShape()
	if len(got) != len(params) {
		return fmt.Errorf("computation %s takes %d parameters, want %d", c.Name, len(got), len(params))
	}
	for i, p := range params {
		if !compatible(got[i], p) {
			return fmt.Errorf("computation %s: parameter %d is %v, want %v", c.Name, i, got[i], p)
		}
	}
	want := shape.TupleOf(results...)
	if len(results) == 1 && !result.IsTuple() {
		want = results[0]
	}
	if !compatible(result, want) {
		return fmt.Errorf("computation %s returns %v, want %v", c.Name, result, want)
	}
	return nil
}
