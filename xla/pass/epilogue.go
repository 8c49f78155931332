package pass

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Epilogue puts a contraction and what is done to its elements afterwards into one fusion, of kind kOutput, so that a
// backend can do both to a part of the result while that is in cache: a bias, a sum, an activation. It takes the dots
// and convolutions which one fusion of kind kLoop alone reads, or one op on elements that elementwise reports, with one
// result of the same dimensions, if contracts reports that the contraction c may have the epilogue in. If apart, it
// also takes a dot of which a fusion reads nothing but gates: slices of its last dimension, each as large as all
// results; and another contraction that a fusion adds a bias to becomes a fusion with that. Transpositions are taken as
// contractions are, where there is none of those.
func Epilogue(contracts func(c, in *hlo.Instruction) bool, elementwise func(in *hlo.Instruction) bool,
	apart bool) Pass {
	return Pass{Name: "epilogue", Run: func(m *hlo.Module) (*hlo.Module, error) {
		flow := controlFlow(m)
		return edit(m, func(e *editor) {
			x := &epilogues{e, contracts, elementwise, apart, map[*hlo.Instruction]*hlo.Instruction{}}
			absorbed := map[*hlo.Instruction]bool{}
			if flow[e.old] {
				for _, in := range e.old.Instructions {
					if c := x.contractionOf(in); c != nil {
						x.of[in], absorbed[c] = c, true
						if b := x.otherBias(in, c); b != nil {
							absorbed[in.Operands[b.of]] = true
						}
					}
				}
			}
			if len(absorbed) == 0 {
				e.keepAllIf(false)
				return
			}
			for _, in := range e.old.Instructions {
				switch {
				case absorbed[in]:
				case x.of[in] != nil:
					x.join(in, x.of[in], x.biasOther(in, x.of[in]))
				default:
					e.keep(in)
				}
			}
		}), nil
	}}
}

// epilogues are the epilogues of one computation, with their contractions.
type epilogues struct {
	*editor
	contracts   func(c, in *hlo.Instruction) bool
	elementwise func(in *hlo.Instruction) bool
	apart       bool
	of          map[*hlo.Instruction]*hlo.Instruction
}

// contractionOf returns the contraction of which in can be the epilogue, the last of several, or nil.
func (x *epilogues) contractionOf(in *hlo.Instruction) *hlo.Instruction {
	if in.IsDynamic() || x.isPinned(in) || !x.follows(in) {
		return nil
	}
	var c *hlo.Instruction
	for i, o := range in.Operands {
		if !x.canBegin(o) || !x.leads(o, in) && !x.isGated(in, i) || !x.contracts(o, in) {
			continue
		}
		if c == nil || comesFirst(o, c) {
			c = o
		}
	}
	return c
}

// comesFirst reports whether o rather than c begins a fusion of what reads both.
func comesFirst(o, c *hlo.Instruction) bool {
	if isContraction(o) != isContraction(c) {
		return isContraction(o)
	}
	return o.Index() > c.Index()
}

func isContraction(o *hlo.Instruction) bool { return o.Op == hlo.Dot || o.Op == hlo.Convolution }

// canBegin reports whether o is a contraction or a transposition that only one instruction reads, and that may be taken
// into a fusion.
func (x *epilogues) canBegin(o *hlo.Instruction) bool {
	return (isContraction(o) || o.Op == hlo.Transpose) && o.Users() == 1 && o != x.old.Root && !x.isPinned(o) &&
		plain(o.Shape) && !o.IsDynamic()
}

// leads reports whether an array has the dimensions of the one result of in.
func (x *epilogues) leads(o, in *hlo.Instruction) bool {
	return plain(in.Shape) && o.Shape.SameDims(in.Shape)
}

// isGated reports whether all that the fusion in reads of its operand number i, a dot, are gates.
func (x *epilogues) isGated(in *hlo.Instruction, i int) bool {
	a, ok := in.Attrs.(*hlo.FusionAttrs)
	if !ok || !x.apart || in.Operands[i].Op != hlo.Dot {
		return false
	}
	results := a.Calls.Roots()
	for _, r := range results {
		if !plain(r.Shape) || !r.Shape.SameDims(results[0].Shape) || r == a.Calls.Parameters[i] {
			return false
		}
	}
	for _, user := range a.Calls.Instructions {
		if slices.Contains(user.Operands, a.Calls.Parameters[i]) && !isGate(user, results[0].Shape) {
			return false
		}
	}
	return true
}

// isGate reports whether in is a slice of its operand's last dimension, number n of those of shape s that make it up.
func isGate(in *hlo.Instruction, s shape.Shape) bool {
	if in.Op != hlo.Slice || s.Rank() == 0 || !in.Shape.SameDims(s) {
		return false
	}
	last := s.Rank() - 1
	of, n := in.Operands[0].Shape.Dims, s.Dims[last]
	for d, t := range in.Attrs.(*hlo.SliceAttrs).Slice {
		if t.Stride > 1 || d < last && of[d] != s.Dims[d] {
			return false
		}
	}
	return n > 0 && of[last]%n == 0 && in.Attrs.(*hlo.SliceAttrs).Slice[last].Start%n == 0
}

// follows reports whether in is a fusion or an op on elements that can come after a contraction.
func (x *epilogues) follows(in *hlo.Instruction) bool {
	if a, ok := in.Attrs.(*hlo.FusionAttrs); ok {
		return a.Kind == "kLoop" && (plain(in.Shape) || x.apart)
	}
	if in.Op.Info().Traits&hlo.Elementwise == 0 || !plain(in.Shape) || !x.elementwise(in) {
		return false
	}
	for _, o := range in.Operands {
		if !o.Shape.IsScalar() && !o.Shape.SameDims(in.Shape) {
			return false
		}
	}
	return true
}

// join makes the fusion of c and its epilogue in, in which the contraction of b has its bias already.
func (x *epilogues) join(in, c *hlo.Instruction, b *bias) {
	body, parameters, root := []*hlo.Instruction{in}, in.Operands, in
	if a, ok := in.Attrs.(*hlo.FusionAttrs); ok {
		body, parameters, root = a.Calls.Instructions, a.Calls.Parameters, a.Calls.Root
	}
	f := &fusion{now: map[*hlo.Instruction]*hlo.Instruction{}}
	for i, o := range in.Operands {
		if o != c && !b.alone(parameters[i], i) {
			f.now[parameters[i]] = f.input(o)
		}
	}
	first := f.begin(c)
	for i, o := range in.Operands {
		if o == c {
			f.now[parameters[i]] = first
		}
	}
	if b != nil {
		f.now[b.sum] = f.now[parameters[b.of]]
	}
	for _, in := range body {
		if f.now[in] == nil && !b.has(in) && in.Op != hlo.Parameter {
			x.copyInto(f, in)
		}
	}
	x.call(f, "kOutput", in, f.now[root])
}

// begin adds contraction c to the fusion's body.
func (f *fusion) begin(c *hlo.Instruction) *hlo.Instruction {
	first := *c
	first.Operands = make([]*hlo.Instruction, len(c.Operands))
	for i, o := range c.Operands {
		first.Operands[i] = f.input(o)
	}
	f.body = append(f.body, &first)
	return &first
}

// input returns the parameter of the fusion that stands for o.
func (f *fusion) input(o *hlo.Instruction) *hlo.Instruction {
	for i, known := range f.inputs {
		if known == o {
			return f.body[i]
		}
	}
	p := &hlo.Instruction{Name: "p_" + o.Name, Op: hlo.Parameter, Shape: o.Shape.WithoutLayout(),
		Attrs: &hlo.ParameterAttrs{Number: int64(len(f.inputs))}, Pos: o.Pos}
	f.inputs, f.body = append(f.inputs, o), append(f.body, p)
	return p
}

// copyInto adds a copy of b to the fusion's body.
func (x *epilogues) copyInto(f *fusion, b *hlo.Instruction) {
	n := *b
	n.Operands = make([]*hlo.Instruction, len(b.Operands))
	for i, o := range b.Operands {
		n.Operands[i] = f.now[o]
	}
	if a := x.calling(b); a != nil {
		n.Attrs = a
	}
	f.now[b], f.body = &n, append(f.body, &n)
}

// call adds the fusion and makes it stand for in.
func (x *epilogues) call(f *fusion, kind hlo.Raw, in, root *hlo.Instruction) {
	rename(f.body, nil)
	c, err := hlo.NewComputation(fmt.Sprintf("fused_%s", root.Name), f.body, root)
	if err != nil {
		panic(bug{err})
	}
	operands := make([]*hlo.Instruction, len(f.inputs))
	for i, o := range f.inputs {
		operands[i] = x.editor.of(o)
	}
	n := x.make(in, hlo.Fusion, &hlo.FusionAttrs{Kind: kind, Calls: c}, shape.Shape{}, operands...)
	inherit(n, in)
	x.replace(in, n)
}
