package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// A result of few elements with long sums, as that of a dot product or of the gradient of weights, has too few pieces
// to keep many threads busy. Its sums are made in parts then, a number that depends on the shape alone, and the parts
// are added by a second contraction, with ones. So are those of a vector and the columns of a matrix, since each part
// reads whole rows.
const (
	maxSumParts = 16
	maxPartial  = 1 << 18 // elements of the partial results
	minTerms    = 2048    // of a part
	rowTerms    = 64      // of one whose terms are rows of a matrix
)

// sumParts returns in how many parts of equal size the sums of c should be made; 1: in one.
func sumParts(c *contraction) int {
	b, m, n, k := c.Sizes()
	rows, columns := blocks(m, n, k, 1)
	least := minTerms
	if f, fn := c.vectorForm(); fn != nil && f.across(c.outType) {
		m, n, least = f.m, f.n, rowTerms
		rows, columns = f.blocks(c.outType)
	}
	pieces := b * ((m + rows - 1) / rows) * ((n + columns - 1) / columns)
	wanted := max(wantedBlocks(m, n, k, 1), fewOf(m, n, k))
	want := min(int(wanted)*b/pieces, maxSumParts, k/least, maxPartial/(b*m*n))
	l, r := c.LHS.Columns, c.RHS.Columns
	if want < 2 || len(l) == 0 || len(r) == 0 || l[0].N != r[0].N {
		return 1
	}
	for parts := want; parts > 1; parts-- {
		if l[0].N%parts == 0 {
			return parts
		}
	}
	return 1
}

// contractParts makes the sums of c in parts.
func contractParts(l *exec.Lowering, c contraction, parts int) *thunk {
	b, m, n, _ := c.Sizes()
	t := kernel.SumType(c.lhsType, c.rhsType, c.outType)
	results := b * m * n
	partial := l.Scratch(int64(parts * results * t.Bytes()))
	first := c
	first.LHS.Batch, first.LHS.Columns = partColumns(c.LHS, parts)
	first.RHS.Batch, first.RHS.Columns = partColumns(c.RHS, parts)
	first.Out = kernel.Operand{Batch: kernel.Walk{}.Then(kernel.Step{N: b, Stride: m * n}).Then(
		kernel.Step{N: parts, Stride: results}), Rows: kernel.Walk{}.Then(kernel.Step{N: m, Stride: n}),
		Columns: kernel.Walk{}.Then(kernel.Step{N: n, Stride: 1})}
	first.out, first.outType = partial, t
	second := contraction{lhsType: t, rhsType: t, outType: c.outType, lhs: partial, out: c.out}
	second.LHS = kernel.Operand{Rows: kernel.Walk{}.Then(kernel.Step{N: results, Stride: 1}),
		Columns: kernel.Walk{}.Then(kernel.Step{N: parts, Stride: results})}
	second.RHS = kernel.Operand{Columns: kernel.Walk{}.Then(kernel.Step{N: parts, Stride: 1})}
	second.Out = kernel.Operand{First: c.Out.First, Rows: concatWalks(c.Out.Batch, c.Out.Rows, c.Out.Columns)}
	second.rhs = l.Pack(ones(t, parts))
	return sequence(contract(l, first), contract(l, second))
}

// partColumns makes the first step of an operand's columns a batch step of so many parts and one within a part.
func partColumns(o kernel.Operand, parts int) (batch, columns kernel.Walk) {
	s := o.Columns[0]
	batch = o.Batch.Then(kernel.Step{N: parts, Stride: s.N / parts * s.Stride})
	columns = kernel.Walk{}.Then(kernel.Step{N: s.N / parts, Stride: s.Stride})
	return batch, concatWalks(columns, o.Columns[1:])
}

func concatWalks(list ...kernel.Walk) kernel.Walk {
	var w kernel.Walk
	for _, other := range list {
		for _, s := range other {
			w = w.Then(s)
		}
	}
	return w
}

// ones is n ones of type t.
func ones(t shape.ElementType, n int) []byte {
	var b []byte
	for range n {
		b = append(b, literal.One(t).Bytes()...)
	}
	return b
}
