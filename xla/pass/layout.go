package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Layout makes every array row-major: layouts of shapes are dropped, and bitcasts, which are the one op that sees
// them, become transposes and reshapes. Inside a program a layout says nothing about values; that of a parameter or
// result stays in the module's entry layout, and custom calls keep theirs for their handlers. Computations with a
// bitcast between layouts of tiles or padding, or between types of different sizes, stay as they are.
func Layout() Pass {
	return Pass{Name: "layout", Run: func(m *hlo.Module) (*hlo.Module, error) {
		return edit(m, func(e *editor) {
			if slices.ContainsFunc(e.old.Instructions, isOddBitcast) {
				e.keepAllIf(false)
				return
			}
			l := &layouts{simplifier{editor: e, table: &ruleTable{}}}
			for _, in := range e.old.Instructions {
				l.visit(in)
			}
		}), nil
	}}
}

type layouts struct{ simplifier }

func (l *layouts) visit(in *hlo.Instruction) {
	l.like = in
	n := l.clone(in)
	switch {
	case in.Op == hlo.Bitcast && !l.isPinned(in):
		if n = l.bitcast(in); l.out[len(l.out)-1] == n {
			inherit(n, in)
		}
		l.dirty = true
		l.now[in.Index()] = n
		return
	case in.Op != hlo.CustomCall && hasLayout(in.Shape):
		n.Shape = in.Shape.WithoutLayout()
		l.dirty = true
	}
	l.now[in.Index()] = l.add(n)
}

func hasLayout(s shape.Shape) bool { return s.Layout != nil || slices.ContainsFunc(s.Elems, hasLayout) }

// isOrder reports whether a layout only says the order of dimensions.
func isOrder(y *shape.Layout) bool {
	return y == nil || y.Equal(shape.Layout{MinorToMajor: y.MinorToMajor})
}

// isOddBitcast reports whether in is a bitcast that is not a transpose and reshape.
func isOddBitcast(in *hlo.Instruction) bool {
	if in.Op != hlo.Bitcast {
		return false
	}
	o := in.Operands[0].Shape
	return !isOrder(o.Layout) || !isOrder(in.Shape.Layout) || !plain(o) || !plain(in.Shape) ||
		o.Type != in.Shape.Type && (o.Type.Bits() != in.Shape.Type.Bits() || o.Type == shape.Pred ||
			in.Shape.Type == shape.Pred || o.Type.IsComplex() || in.Shape.Type.IsComplex()) ||
		elements(o) != elements(in.Shape)
}

// bitcast makes what reads the operand's bytes, in the order of its layout, as the result's in the order of the
// result's.
func (l *layouts) bitcast(in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	x := l.of(o)
	if perm := majorToMinor(o.Shape); !isIdentity(perm) {
		x = l.transpose(x, perm)
	}
	if in.Shape.Type != x.Shape.Type {
		x = l.op(hlo.BitcastConvert, nil, x.Shape.WithType(in.Shape.Type), x)
	}
	perm := majorToMinor(in.Shape)
	if dims := pick(in.Shape.Dims, perm); !slices.Equal(dims, x.Shape.Dims) {
		x = l.reshape(x, dims)
	}
	if !isIdentity(perm) {
		x = l.transpose(x, inverse(perm))
	}
	return x
}

// majorToMinor lists the dimensions of s in the order in which they lie in memory.
func majorToMinor(s shape.Shape) []int64 {
	perm := make([]int64, s.Rank())
	for i := range perm {
		if perm[i] = int64(i); s.Layout != nil {
			perm[i] = s.Layout.MinorToMajor[len(perm)-1-i]
		}
	}
	return perm
}
