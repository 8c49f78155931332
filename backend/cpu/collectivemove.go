package cpu

import (
	"fmt"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// permuteInPlace copies slices of the source's input to the output, whose rest stays. Its operands are input, output
// and, leaf by leaf, their starts. Row 117.
type permuteInPlace struct {
	sizes         [][]int64
	input, output shape.Shape
	starts        []shape.ElementType // of the leaves from operand 2 on
}

func newPermuteInPlace(l *exec.Lowering, sizes [][]int64) *permuteInPlace {
	p := &permuteInPlace{sizes: sizes, input: l.In.Operands[0].Shape, output: l.In.Operands[1].Shape}
	for _, o := range l.In.Operands[2:] {
		for _, s := range o.Shape.Leaves() {
			p.starts = append(p.starts, s.Type)
		}
	}
	return p
}

func (p *permuteInPlace) do(_ *exec.Run, members []member) error {
	rank := p.input.Rank()
	half := len(p.starts) / 2
	return present(members, func(_ int, m member) error {
		copy(m.out[0], m.in[1])
		if m.team.Source < 0 {
			return nil
		}
		from := members[m.team.Source]
		for k, size := range p.sizes {
			at := p.clamped(from, k*rank, size, p.input)
			to := p.clamped(m, half+k*rank, size, p.output)
			kernel.CopyBox(m.out[0], from.in[0], p.output.Dims, p.input.Dims, to, at, size, int64(p.input.Type.Bytes()))
		}
		return nil
	})
}

// clamped returns the starts of a slice that m has from leaf first on, moved so that it lies within s.
func (p *permuteInPlace) clamped(m member, first int, size []int64, s shape.Shape) []int64 {
	at := make([]int64, len(size))
	for d := range at {
		t := p.starts[first+d]
		v := kernel.IntAt(m.in[2+first+d], t, 0)
		if v < 0 && t.IsUnsigned() {
			v = s.Dims[d]
		}
		at[d] = max(0, min(v, s.Dims[d]-size[d]))
	}
	return at
}

// ragged is ragged-all-to-all: operands input, output, and the vectors input offsets, send sizes, output offsets and
// receive sizes.
type ragged struct {
	rows, space, width int64 // rows of input and output, and the bytes of one
	entries            int64
	index              shape.ElementType
}

// lowerRaggedAllToAll sends rows of each member to the others.
func lowerRaggedAllToAll(l *exec.Lowering) (exec.Thunk, error) {
	s := l.In.OperandShapes()
	row := kernel.NewStripes(s[0].Dims, 1, int64(s[0].Type.Bytes()))
	g := &ragged{s[0].Dims[0], s[1].Dims[0], row.Width, s[2].Dims[0], s[2].Type}
	return newCollective(l, &collective{do: g.do}), nil
}

func (g *ragged) do(_ *exec.Run, members []member) error {
	each := g.entries / int64(len(members))
	return present(members, func(place int, m member) error {
		copy(m.out[0], m.in[1])
		for from, sender := range members {
			for k := range each {
				want := kernel.IntAt(m.in[5], g.index, int64(from)*each+k)
				if err := g.copyRows(m, sender, int64(place)*each+k, want); err != nil {
					return fmt.Errorf("rows from place %d of the group: %w", from, err)
				}
			}
		}
		return nil
	})
}

// copyRows copies entry k of a sender to m, which expects so many rows.
func (g *ragged) copyRows(m, sender member, k, want int64) error {
	at, n := kernel.IntAt(sender.in[2], g.index, k), kernel.IntAt(sender.in[3], g.index, k)
	to := kernel.IntAt(sender.in[4], g.index, k)
	switch {
	case n != want:
		return fmt.Errorf("%d are sent, and recv_sizes says %d", n, want)
	case n < 0 || at < 0 || at > g.rows-n:
		return fmt.Errorf("%d from row %d, and the input has %d", n, at, g.rows)
	case to < 0 || to > g.space-n:
		return fmt.Errorf("%d to row %d, and the output has %d", n, to, g.space)
	}
	copy(m.out[0][to*g.width:(to+n)*g.width], sender.in[0][at*g.width:])
	return nil
}
