package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// inferRaggedAllToAll: input T[N,…], output T[M,…] with the same inner sizes, and four integer vectors of one length, a
// multiple of the number of members. The result has output's shape.
func inferRaggedAllToAll(in *Instruction) (shape.Shape, error) {
	size, operands, err := groupedArrays(in, &in.Attrs.(*RaggedAllToAllAttrs).CollectiveAttrs)
	if err != nil {
		return poison, err
	}
	input, output, sizes := operands[0], operands[1], operands[2]
	if input.Rank() < 1 || input.Rank() != output.Rank() || input.Type != output.Type {
		return poison, fmt.Errorf("input is %v, output %v, want arrays of one type and rank of at least 1", input, output)
	}
	if !compatibleDims(withDim(input, 0, 0), withDim(output, 0, 0)) {
		return poison, fmt.Errorf("input is %v, output %v, want the same sizes after dimension 0", input, output)
	}
	for i, s := range operands[2:] {
		if !s.Type.IsInteger() || s.Rank() != 1 || s.Type != sizes.Type || !compatibleDims(s, sizes) {
			return poison, fmt.Errorf("%s: got %v, want an integer vector as %s, %v",
				operandName(in, i+2), s, operandName(in, 2), sizes)
		}
	}
	if n := sizes.Dims[0]; size > 0 && n != shape.Unbounded && (n == 0 || n%size != 0) {
		return poison, fmt.Errorf("%d offsets, want a multiple of the group's size %d", n, size)
	}
	return output.WithoutLayout(), nil
}

// evalRaggedAllToAll: each device cuts its input in rows from input_offsets[k], send_sizes[k] of them, for member k,
// who puts them in its output from the sender's output_offsets[k]; several entries for a member follow each other.
// What nobody writes stays as it is in output.
func evalRaggedAllToAll(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := &in.Attrs.(*RaggedAllToAllAttrs).CollectiveAttrs
	t, err := e.member(in, a)
	if err != nil {
		return nil, err
	}
	if err := checkTeamSize(in, shapesOf(args), in.Shape, t.size()); err != nil {
		return nil, err
	}
	members, err := meet(e, in, t, args, all)
	if err != nil {
		return nil, err
	}
	out := args[1].Clone()
	each := int(args[2].Shape().Dims[0]) / t.size()
	for from, m := range members {
		for k := t.place * each; k < (t.place+1)*each; k++ {
			want := int64At(args[5], from*each+k-t.place*each)
			if err := copyRows(out, m, k, want); err != nil {
				return nil, fmt.Errorf("rows from place %d of the group: %w", from, err)
			}
		}
	}
	return out, nil
}

// copyRows copies entry k of a sender with operands m to out; want is how many rows the receiver expects.
func copyRows(out *literal.Literal, m []*literal.Literal, k int, want int64) error {
	at, n, to := int64At(m[2], k), int64At(m[3], k), int64At(m[4], k)
	rows, space := m[0].Shape().Dims[0], out.Shape().Dims[0]
	switch {
	case n != want:
		return fmt.Errorf("%d are sent, and recv_sizes says %d", n, want)
	case n < 0 || at < 0 || at > rows-n:
		return fmt.Errorf("%d from row %d, and the input has %d", n, at, rows)
	case to < 0 || to > space-n:
		return fmt.Errorf("%d to row %d, and the output has %d", n, to, space)
	}
	_, width := stripes(m[0].Shape(), 1)
	w := int64(width)
	copy(out.Bytes()[to*w:(to+n)*w], m[0].Bytes()[at*w:(at+n)*w])
	return nil
}

// int64At returns element i of an integer vector; what is beyond int64 becomes negative.
func int64At(l *literal.Literal, i int) int64 {
	w := l.Wide()
	if w.Class == shape.UnsignedClass {
		return int64(w.U[i])
	}
	return w.I[i]
}
