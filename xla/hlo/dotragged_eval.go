package hlo

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// evalRaggedDot makes an ordinary dot for each group, of copies of lhs in which other groups are left out.
func evalRaggedDot(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a, t := in.Attrs.(*RaggedDotAttrs), in.Shape.Type
	ls, rs := args[0].Shape(), args[1].Shape()
	s, err := raggedDims([]shape.Shape{ls, rs, args[2].Shape()}, a)
	if err != nil {
		return nil, err
	}
	if err := e.room(s); err != nil {
		return nil, err
	}
	mode, prefix, err := a.mode(ls.Rank())
	if err != nil {
		return nil, err
	}
	if alg, err := findAlgorithm(a.Algorithm); err != nil || alg != nil {
		return nil, fmt.Errorf("algorithm %s: %w", a.Algorithm, errors.Join(err, errors.ErrUnsupported))
	}
	d, one := a.withoutGroups(rs)
	r := &raggedDot{dotSizes: newDotSizes(ls, one, d), mode: mode, groups: groupsOf(ls, prefix, a.LHSRagged[0], args[2])}
	r.groupOf = permute(r.groups.of, ls.Dims, r.lhsOrder)
	if mode == raggedFree { // rhs with its groups in front
		r.rhsDims, r.rhsOrder = rs.Dims, slices.Concat(a.RHSGroup, a.RHSBatch,
			shape.OtherDims(rs.Rank(), a.RHSGroup, a.RHSBatch, a.RHSContracting), a.RHSContracting)
	}
	l, w := summands(args[0], t), summands(args[1], t)
	out := literal.MakeWide(l.Class, int(s.Size()))
	switch l.Class {
	case shape.SignedClass:
		err = raggedProducts(e, r, out.I, l.I, w.I)
	case shape.UnsignedClass:
		err = raggedProducts(e, r, out.U, l.U, w.U)
	case shape.FloatClass:
		err = raggedProducts(e, r, out.F, l.F, w.F)
	default:
		err = raggedProducts(e, r, out.C, l.C, w.C)
	}
	if err != nil {
		return nil, err
	}
	return literal.FromWide(s.WithType(t), sums(out, t)), nil
}

// raggedDot is the dot of one group and which group every element of lhs belongs to.
type raggedDot struct {
	*dotSizes
	mode    raggedMode
	groups  *groups
	groupOf []int32 // of lhs, B M K
}

// groups say for each element of lhs which group it is in, -1 for none.
type groups struct {
	n  int
	of []int32
}

// groupsOf numbers the elements of an array of shape s: along dimension ragged come first those of group 0, then those
// of group 1 and so on. sizes has the numbers of each, once or for each index of the dimensions prefix.
func groupsOf(s shape.Shape, prefix []int64, ragged int64, sizes *literal.Literal) *groups {
	w := wideAs(sizes, shape.S64).I
	dims := sizes.Shape().Dims
	g := &groups{n: int(dims[len(dims)-1]), of: make([]int32, s.Size())}
	prefix = prefix[:len(dims)-1]
	strides := shape.Strides(s.Dims)
	var rest []int64 // dimensions that make no difference
	for d := range int64(s.Rank()) {
		if d != ragged && !slices.Contains(prefix, d) {
			rest = append(rest, d)
		}
	}
	pick := func(dims []int64) []int {
		var n, st []int64
		for _, d := range dims {
			n, st = append(n, s.Dims[d]), append(st, strides[d])
		}
		return offsets(n, st)
	}
	others := pick(rest)
	for p, first := range pick(prefix) {
		here := groupAlong(int(s.Dims[ragged]), w[p*g.n:(p+1)*g.n])
		for i, group := range here {
			for _, o := range others {
				g.of[first+i*int(strides[ragged])+o] = group
			}
		}
	}
	return g
}

// groupAlong returns the groups of n elements.
func groupAlong(n int, sizes []int64) []int32 {
	out, i := make([]int32, n), 0
	for g, size := range sizes {
		for ; size > 0 && i < n; size-- {
			out[i] = int32(g)
			i++
		}
	}
	for ; i < n; i++ {
		out[i] = -1
	}
	return out
}

func raggedProducts[T number](e *Evaluator, r *raggedDot, out, lhs, rhs []T) error {
	lhs, rhs = permute(lhs, r.lhsDims, r.lhsOrder), permute(rhs, r.rhsDims, r.rhsOrder)
	matrix := r.n * r.k
	if matrix == 0 {
		return nil
	}
	for row := range r.b * r.m {
		if err := e.poll(row); err != nil {
			return err
		}
		b := row / r.m
		x, of := lhs[row*r.k:(row+1)*r.k], r.groupOf[row*r.k:(row+1)*r.k]
		for first := 0; first < len(x); {
			end := first + 1
			for end < len(x) && of[end] == of[first] {
				end++
			}
			if g := int(of[first]); g >= 0 {
				to, from := row*r.n, b*matrix
				switch r.mode {
				case raggedFree:
					from += g * r.b * matrix
				case raggedContracting:
					to += g * r.b * r.m * r.n
				}
				dotPart(out[to:to+r.n], x[first:end], rhs[from:from+matrix], first, r.k)
			}
			first = end
		}
	}
	return nil
}

// dotPart adds to each element of out the product of x with elements first and following of the next k elements of r.
func dotPart[T number](out, x, r []T, first, k int) {
	for j := range out {
		var s T
		for i, v := range r[j*k+first:][:len(x)] {
			s += T(x[i] * v)
		}
		out[j] += s
	}
}
