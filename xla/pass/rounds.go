package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Rounds takes products out of loops that go through an array row by row, if each round multiplies its row by what is
// the same in all of them, as a recurrent cell does its input: the product of all rows is the same, so that Hoist,
// which must follow, computes it before the loop, and a round takes its part of that. One large product is quicker than
// many small ones, and divided among threads.
func Rounds() Pass {
	return Pass{Name: "rounds", Run: func(m *hlo.Module) (*hlo.Module, error) {
		loops := countedBodies(m)
		keepHoistable(m, loops)
		return edit(m, func(e *editor) {
			w := loops[e.old]
			if w == nil || e.pins != nil {
				e.keepAll()
				return
			}
			l, _ := Trips(w)
			r := &rounder{editor: e, trips: l.Trips, same: invariants(e.old)}
			for _, in := range e.old.Instructions {
				if !r.multiplies(in) {
					e.keep(in)
				}
			}
		}), nil
	}}
}

// keepHoistable leaves those loops, by their bodies, that Hoist changes.
func keepHoistable(m *hlo.Module, loops map[*hlo.Computation]*hlo.Instruction) {
	flow := controlFlow(m)
	for _, c := range m.Computations {
		pins := pinned(c)
		for _, in := range c.Instructions {
			if a, ok := in.Attrs.(*hlo.WhileAttrs); ok && !(flow[c] && pins == nil && isHoistable(in, a.Body)) {
				delete(loops, a.Body)
			}
		}
	}
}

// mostInRounds is how many bytes all products of a loop's rows may take.
const mostInRounds = 4 * mostHoisted

// rounder looks at the body of a loop.
type rounder struct {
	*editor
	trips int64
	same  []bool
	bytes int64 // of products of all rows
}

// multiplies makes a product of a round's row the part of the product of all rows.
func (r *rounder) multiplies(in *hlo.Instruction) bool {
	a, ok := in.Attrs.(*hlo.DotAttrs)
	if !ok || !plain(in.Shape) || in.IsDynamic() || len(a.LHSBatch) > 0 || !r.same[in.Operands[1].Index()] ||
		r.same[in.Index()] {
		return false
	}
	slice, reshaped := rowOf(in.Operands[0])
	if slice == nil || !r.same[slice.Operands[0].Index()] || !reshaped && slices.Contains(a.LHSContracting, 0) {
		return false
	}
	dims := slices.Clone(in.Shape.Dims)
	if reshaped {
		other := *a
		other.LHSContracting = slices.Clone(a.LHSContracting)
		for i := range other.LHSContracting {
			other.LHSContracting[i]++
		}
		a, dims = &other, slices.Insert(dims, 0, 1)
	}
	all := slices.Clone(dims)
	all[0] = slice.Operands[0].Shape.Dims[0]
	bytes := shape.Product(all) * int64(in.Shape.Type.Bytes())
	stays := bytes > smallHoisted && (termsOf(in) < manyTerms || bytes > mostHoisted) // within the loop
	if all[0] > r.trips || stays || r.bytes+bytes > mostInRounds {
		return false
	}
	r.bytes += bytes
	product := r.make(in, hlo.Dot, a, shape.Array(in.Shape.Type, all...), r.of(slice.Operands[0]), r.of(in.Operands[1]))
	n := r.make(in, hlo.DynamicSlice, &hlo.DynamicSliceAttrs{Sizes: dims}, shape.Shape{}, r.begins(slice, product)...)
	if reshaped {
		n = r.make(in, hlo.Reshape, &hlo.ReshapeAttrs{}, in.Shape.WithoutLayout(), n)
	}
	r.replace(in, n)
	return true
}

// begins are the operands of the slice of product that is what slice is of its operand.
func (r *rounder) begins(slice, product *hlo.Instruction) []*hlo.Instruction {
	zero := r.make(slice, hlo.Constant, &hlo.ConstantAttrs{Literal: literal.Zero(slice.Operands[1].Shape.Type)},
		shape.Shape{})
	list := []*hlo.Instruction{product, r.of(slice.Operands[1])}
	for range product.Shape.Rank() - 1 {
		list = append(list, zero)
	}
	return list
}

// rowOf returns the slice that in is, or is a reshape of without the first dimension, if that is one whole place of the
// first dimension of an array, else nil.
func rowOf(in *hlo.Instruction) (slice *hlo.Instruction, reshaped bool) {
	slice = in
	if in.Op == hlo.Reshape {
		slice, reshaped = in.Operands[0], true
	}
	if slice.Op != hlo.DynamicSlice || !plain(slice.Shape) || slice.IsDynamic() {
		return nil, false
	}
	dims, of := slice.Shape.Dims, slice.Operands[0].Shape.Dims
	if len(dims) == 0 || len(slice.Operands) != 1+len(dims) || dims[0] != 1 || !slices.Equal(dims[1:], of[1:]) ||
		reshaped && !slices.Equal(in.Shape.Dims, dims[1:]) {
		return nil, false
	}
	return slice, reshaped
}
