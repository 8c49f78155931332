package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

const (
	maxPlanes  = 64      // size of the innermost dimension of arrays that are taken apart
	longEnough = 32      // size of it from which on its rows are long enough for vectors
	minPlanes  = 1 << 12 // elements of those
	maxPlaneOp = 512     // operations on planes, beyond which there are too many for one fusion
	planeGrows = 8       // how many times as large they are at least as what they have their planes of
)

// Planes takes arrays with a short innermost dimension apart, one array for each of its indices, where they are made of
// broadcasts and end in reductions: points in space that are all compared with one another, and their like. What was a
// reduction of the short dimension becomes an operation, and rows are long.
func Planes() Pass {
	return Pass{Name: "planes", Run: func(m *hlo.Module) (*hlo.Module, error) {
		flow := controlFlow(m)
		return edit(m, func(e *editor) {
			p := &planer{editor: e}
			if !flow[e.old] || e.pins != nil || !p.find() || p.operations() > maxPlaneOp {
				e.keepAllIf(false)
				return
			}
			for _, in := range e.old.Instructions {
				p.visit(in)
			}
		}), nil
	}}
}

// planer takes the arrays of one computation apart.
type planer struct {
	*editor
	apart  []bool               // which instructions, by index
	planes [][]*hlo.Instruction // what stands for those
}

// find marks what can be taken apart: first all that may be, then less and less, until nothing outside has a share in
// it but reductions. It reports whether anything is left.
func (p *planer) find() bool {
	list := p.old.Instructions
	p.apart, p.planes = make([]bool, len(list)), make([][]*hlo.Instruction, len(list))
	for i, in := range list {
		p.apart[i] = isPlanar(in) && in != p.old.Root
	}
	for changed := true; changed; {
		changed = false
		for i, in := range list {
			if p.apart[i] && !p.hasPlanes(in) {
				p.apart[i], changed = false, true
			}
			for _, o := range in.Operands {
				if k := o.Index(); p.apart[k] && !p.apart[i] && !p.reduces(in, o) {
					p.apart[k], changed = false, true
				}
			}
		}
	}
	return slices.ContainsFunc(list, func(in *hlo.Instruction) bool {
		return in.Op == hlo.Reduce && p.apart[in.Operands[0].Index()]
	})
}

// operations returns how many operations on elements the planes are.
func (p *planer) operations() int64 {
	n := int64(0)
	for i, in := range p.old.Instructions {
		if p.apart[i] && in.Op != hlo.Broadcast {
			n += in.Shape.Dims[in.Shape.Rank()-1]
		}
	}
	return n
}

// isPlanar reports whether in may be taken apart for itself.
func isPlanar(in *hlo.Instruction) bool {
	if !plain(in.Shape) || in.IsDynamic() || in.Shape.Rank() < 2 || in.HasSideEffect() {
		return false
	}
	if n := in.Shape.Dims[in.Shape.Rank()-1]; n < 2 || n > maxPlanes || elements(in.Shape) < minPlanes {
		return false
	}
	switch in.Op {
	case hlo.Broadcast:
		turned := slices.Contains(in.Attrs.(*hlo.BroadcastAttrs).Dimensions, int64(in.Shape.Rank()-1))
		return !turned || elements(in.Operands[0].Shape)*planeGrows <= elements(in.Shape)
	case hlo.Clamp, hlo.Map, hlo.BitcastConvert:
		return false
	}
	return in.Op.Info().Traits&hlo.Elementwise != 0 && len(in.Operands) > 0
}

// hasPlanes reports whether all operands of in are taken apart, if that matters.
func (p *planer) hasPlanes(in *hlo.Instruction) bool {
	if in.Op == hlo.Broadcast {
		return true
	}
	for _, o := range in.Operands {
		if !p.apart[o.Index()] || !o.Shape.SameDims(in.Shape) {
			return false
		}
	}
	return true
}

// reduces reports whether in is a reduction of o alone, by one operation, of the short dimension or with that too short
// for vectors.
func (p *planer) reduces(in, o *hlo.Instruction) bool {
	if in.Op != hlo.Reduce || len(in.Operands) != 2 || in.Operands[0] != o || !plain(in.Shape) {
		return false
	}
	a := in.Attrs.(*hlo.ReduceAttrs)
	if last := int64(o.Shape.Rank() - 1); o.Shape.Dims[last] >= longEnough && !slices.Contains(a.Dimensions, last) {
		return false
	}
	root := a.ToApply.Root
	return len(a.Dimensions) > 0 && root.Op.Info().Traits&hlo.Commutative != 0 && len(a.ToApply.Instructions) == 3 &&
		len(root.Operands) == 2 && root.Operands[0] != root.Operands[1] && root.Shape.Type == o.Shape.Type &&
		root.Operands[0].Op == hlo.Parameter && root.Operands[1].Op == hlo.Parameter
}

func (p *planer) visit(in *hlo.Instruction) {
	switch {
	case p.apart[in.Index()] && in.Op == hlo.Broadcast:
		p.planes[in.Index()] = p.broadcast(in)
	case p.apart[in.Index()]:
		p.planes[in.Index()] = p.operation(in)
	case in.Op == hlo.Reduce && p.apart[in.Operands[0].Index()]:
		p.replace(in, p.reduce(in))
	default:
		p.keep(in)
	}
}

// broadcast makes the planes of a broadcast: of slices of its operand, turned so that those are in one piece, or of all
// of it.
func (p *planer) broadcast(in *hlo.Instruction) []*hlo.Instruction {
	x, to := p.of(in.Operands[0]), in.Attrs.(*hlo.BroadcastAttrs).Dimensions
	last := in.Shape.Rank() - 1
	dims, n := in.Shape.Dims[:last], in.Shape.Dims[last]
	at := slices.Index(to, int64(last))
	if at < 0 {
		one := p.make(in, hlo.Broadcast, &hlo.BroadcastAttrs{Dimensions: to}, shape.Array(x.Shape.Type, dims...), x)
		return slices.Repeat([]*hlo.Instruction{one}, int(n))
	}
	perm := []int64{int64(at)}
	for d := range to {
		if d != at {
			perm = append(perm, int64(d))
		}
	}
	turned := p.make(in, hlo.Transpose, &hlo.TransposeAttrs{Dimensions: perm}, shape.Shape{}, x)
	rest := slices.Delete(slices.Clone(to), at, at+1)
	list := make([]*hlo.Instruction, n)
	for k := range list {
		s := make(hlo.SliceDims, len(perm))
		for d, size := range turned.Shape.Dims {
			s[d] = hlo.SliceDim{Limit: size, Stride: 1}
		}
		s[0] = hlo.SliceDim{Start: int64(k), Limit: int64(k) + 1, Stride: 1}
		one := p.make(in, hlo.Slice, &hlo.SliceAttrs{Slice: s}, shape.Shape{}, turned)
		one = p.make(in, hlo.Reshape, &hlo.ReshapeAttrs{}, shape.Array(x.Shape.Type, turned.Shape.Dims[1:]...), one)
		spread := &hlo.BroadcastAttrs{Dimensions: rest}
		list[k] = p.make(in, hlo.Broadcast, spread, shape.Array(x.Shape.Type, dims...), one)
	}
	return list
}

// operation makes the planes of an op on elements; equal operands have one plane in common.
func (p *planer) operation(in *hlo.Instruction) []*hlo.Instruction {
	last := in.Shape.Rank() - 1
	list := make([]*hlo.Instruction, in.Shape.Dims[last])
	for k := range list {
		operands := make([]*hlo.Instruction, len(in.Operands))
		for i, o := range in.Operands {
			operands[i] = p.planes[o.Index()][k]
		}
		list[k] = p.make(in, in.Op, in.Attrs, shape.Array(in.Shape.Type, in.Shape.Dims[:last]...), operands...)
	}
	return list
}

// reduce makes a reduction of planes.
func (p *planer) reduce(in *hlo.Instruction) *hlo.Instruction {
	a, planes, init := in.Attrs.(*hlo.ReduceAttrs), p.planes[in.Operands[0].Index()], p.of(in.Operands[1])
	last := int64(in.Operands[0].Shape.Rank() - 1)
	others := slices.DeleteFunc(slices.Clone(a.Dimensions), func(d int64) bool { return d == last })
	rest := &hlo.ReduceAttrs{Dimensions: others, ToApply: p.current(a.ToApply)}
	if len(others) == len(a.Dimensions) {
		parts := make([]*hlo.Instruction, len(planes))
		for k, x := range planes {
			r := p.make(in, hlo.Reduce, rest, shape.Shape{}, x, init)
			one := shape.Array(r.Shape.Type, append(slices.Clone(r.Shape.Dims), 1)...)
			parts[k] = p.make(in, hlo.Reshape, &hlo.ReshapeAttrs{}, one, r)
		}
		join := &hlo.ConcatenateAttrs{Dimension: hlo.OneDim(in.Shape.Rank() - 1)}
		return p.make(in, hlo.Concatenate, join, shape.Shape{}, parts...)
	}
	op, sum := a.ToApply.Root.Op, planes[0]
	if len(others) == 0 {
		sum = p.make(in, op, nil, shape.Shape{}, p.make(in, hlo.Broadcast, &hlo.BroadcastAttrs{Dimensions: []int64{}},
			sum.Shape.WithoutLayout(), init), sum)
	}
	for _, x := range planes[1:] {
		sum = p.make(in, op, nil, shape.Shape{}, sum, x)
	}
	if len(others) > 0 {
		return p.make(in, hlo.Reduce, rest, shape.Shape{}, sum, init)
	}
	return sum
}
