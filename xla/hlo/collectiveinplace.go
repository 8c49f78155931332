package hlo

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// The in-place collective-permute: operands input, output, input starts, output starts; attribute slice_sizes, one list
// of sizes a slice. A target's output gets the slices of its source's input, each from the source's input start to the
// target's output start, clamped as in dynamic-slice; the rest of output stays. Starts are a tuple of scalars, one a
// dimension, or a tuple of such tuples, one a slice. Law: row 117.

// slices returns the sizes in slice_sizes, "{{1,2},{3,4}}".
func (a *CollectivePermuteAttrs) slices() ([][]int64, error) {
	var sizes [][]int64
	text := strings.NewReplacer("{", "[", "}", "]").Replace(string(a.SliceSizes))
	if err := json.Unmarshal([]byte(text), &sizes); err != nil {
		return nil, fmt.Errorf("slice_sizes %s: want lists of sizes as {{1,2},{3,4}}", a.SliceSizes)
	}
	return sizes, nil
}

func inferInPlacePermute(in *Instruction) (shape.Shape, error) {
	if len(in.Operands) != 4 {
		return poison, fmt.Errorf("got %d operands, want 4: input, output and their starts", len(in.Operands))
	}
	sizes, err := in.Attrs.(*CollectivePermuteAttrs).slices()
	if err != nil {
		return poison, err
	}
	input, output := in.Operands[0].Shape, in.Operands[1].Shape
	if !input.IsArray() || input.Type != output.Type || input.Rank() != output.Rank() {
		return poison, fmt.Errorf("input is %v, output %v, want arrays of one type and rank", input, output)
	}
	for i, size := range sizes {
		if len(size) != input.Rank() {
			return poison, fmt.Errorf("slice %d has %d sizes, want %d", i, len(size), input.Rank())
		}
		for d, n := range size {
			if n < 0 || n > input.Dims[d] || n > output.Dims[d] {
				return poison, fmt.Errorf("slice %d takes %d in dimension %d of %v and %v", i, n, d, input, output)
			}
		}
	}
	for _, o := range in.Operands[2:] {
		if err := checkScalarStarts(o.Shape, len(sizes), input.Rank()); err != nil {
			return poison, err
		}
	}
	return output.WithoutLayout(), nil
}

// checkScalarStarts fails unless s has, for each of n slices, rank integer scalars.
func checkScalarStarts(s shape.Shape, n, rank int) error {
	if !s.IsTuple() {
		return fmt.Errorf("starts: got %v, want a tuple of scalars", s)
	}
	flat := s.Elems
	if rank > 0 && len(flat) > 0 && flat[0].IsTuple() {
		flat = nil
		for _, e := range s.Elems {
			flat = append(flat, e.Elems...)
		}
	}
	if len(flat) != n*rank {
		return fmt.Errorf("starts: got %v, want %d scalars for each of %d slices", s, rank, n)
	}
	for _, e := range flat {
		if !e.IsScalar() || !e.Type.IsInteger() {
			return fmt.Errorf("starts: got %v, want integer scalars", s)
		}
	}
	return nil
}

// scalarStarts returns the scalars of a starts operand, in order.
func scalarStarts(l *literal.Literal) []int64 {
	if l.Shape().IsTuple() {
		var v []int64
		for _, e := range l.Elems() {
			v = append(v, scalarStarts(e)...)
		}
		return v
	}
	w := l.Wide()
	if w.Class == shape.UnsignedClass {
		return []int64{int64(min(w.U[0], 1<<62))}
	}
	return []int64{w.I[0]}
}

// inPlacePermute returns the output of a device whose source's operands are members[source], -1 for none.
func inPlacePermute(a *CollectivePermuteAttrs, args []*literal.Literal, members [][]*literal.Literal,
	source int) ([]*literal.Literal, error) {
	if source < 0 {
		return args[1:2], nil
	}
	sizes, err := a.slices()
	if err != nil {
		return nil, err
	}
	from, to := members[source][0], args[1].Clone()
	fromStarts, toStarts := scalarStarts(members[source][2]), scalarStarts(args[3])
	for _, size := range sizes {
		r := len(size)
		copySlice(to, from, clampStarts(toStarts[:r], size, to), clampStarts(fromStarts[:r], size, from), size)
		fromStarts, toStarts = fromStarts[r:], toStarts[r:]
	}
	return []*literal.Literal{to}, nil
}

// clampStarts moves a slice of the given size so that it lies within l.
func clampStarts(at, size []int64, l *literal.Literal) []int64 {
	out := make([]int64, len(at))
	for d := range at {
		out[d] = max(0, min(at[d], l.Shape().Dims[d]-size[d]))
	}
	return out
}

// copySlice copies the box of the given size at from in src to the box at to in dst.
func copySlice(dst, src *literal.Literal, to, from, size []int64) {
	bytes := int64(dst.Shape().Type.Bytes())
	var walk func(d int, x, y int64)
	walk = func(d int, x, y int64) {
		if d == len(size) {
			copy(dst.Bytes()[x*bytes:(x+1)*bytes], src.Bytes()[y*bytes:])
			return
		}
		for i := range size[d] {
			walk(d+1, x*dst.Shape().Dims[d]+to[d]+i, y*src.Shape().Dims[d]+from[d]+i)
		}
	}
	walk(0, 0, 0)
}
