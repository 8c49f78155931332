package pass

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// Bind makes constants of parameters of m's entry whose values are known by number: weights, most often. The
// parameters that are left get the numbers 0 to P-1 in their order. It fails if there is no such parameter, a value has
// another type or size than its parameter, or a bound parameter is donated or shares memory with a result.
func Bind(m *hlo.Module, values map[int64]*literal.Literal) (*hlo.Module, error) {
	if len(values) == 0 {
		return m, nil
	}
	if err := checkBinding(m, values); err != nil {
		return nil, err
	}
	place, next := make([]int64, len(m.Entry.Parameters)), int64(0)
	for i := range place {
		if place[i] = -1; values[int64(i)] == nil {
			place[i], next = next, next+1
		}
	}
	me := &moduleEditor{m: m, made: map[*hlo.Computation]*hlo.Computation{}}
	e := me.editor(m.Entry)
	e.dirty = true
	for _, in := range m.Entry.Instructions {
		bindInstruction(e, in, place, values)
	}
	me.made[m.Entry] = e.finish()
	n := me.module()
	bindConfig(&n.Config, place)
	n.ParameterNames = left(m.ParameterNames, place)
	return n, nil
}

func checkBinding(m *hlo.Module, values map[int64]*literal.Literal) error {
	for i, l := range values {
		if i < 0 || i >= int64(len(m.Entry.Parameters)) {
			return fmt.Errorf("bind: %s has no parameter %d, want 0 to %d", m.Name, i, len(m.Entry.Parameters)-1)
		}
		if p := m.Entry.Parameters[i]; l == nil || !l.Shape().Compatible(p.Shape) {
			return &hlo.Error{In: p, Err: fmt.Errorf("bind parameter %d: got %v, want %v", i, shapeOf(l), p.Shape)}
		}
	}
	bound := func(x hlo.ParameterIndex) bool { return values[x.Parameter] != nil }
	if k := slices.IndexFunc(m.Config.BufferDonor, bound); k >= 0 {
		return fmt.Errorf("bind: parameter %d is donated", m.Config.BufferDonor[k].Parameter)
	}
	for _, a := range m.Config.Alias {
		if bound(a.ParameterIndex) {
			return fmt.Errorf("bind: parameter %d shares memory with a result", a.Parameter)
		}
	}
	return nil
}

func shapeOf(l *literal.Literal) string {
	if l == nil {
		return "no value"
	}
	return l.Shape().String()
}

// bindInstruction copies in: a bound parameter becomes a constant, another one gets its new number.
func bindInstruction(e *editor, in *hlo.Instruction, place []int64, values map[int64]*literal.Literal) {
	n := e.keep(in)
	a, ok := in.Attrs.(*hlo.ParameterAttrs)
	switch {
	case !ok:
	case place[a.Number] < 0:
		l := rowMajor(values[a.Number])
		*n = hlo.Instruction{Name: in.Name, Op: hlo.Constant, Shape: l.Shape(), Attrs: &hlo.ConstantAttrs{Literal: l},
			Common: in.Common, Pos: in.Pos}
	case place[a.Number] != a.Number:
		b := *a
		b.Number = place[a.Number]
		n.Attrs = &b
	}
}

// rowMajor returns l with row-major arrays, those of tuples too.
func rowMajor(l *literal.Literal) *literal.Literal {
	switch {
	case l.Shape().IsTuple():
		elems := make([]*literal.Literal, len(l.Elems()))
		for i, x := range l.Elems() {
			elems[i] = rowMajor(x)
		}
		return literal.NewTuple(elems...)
	case l.Shape().IsArray():
		return l.RowMajor()
	}
	return l
}

// bindConfig renames the parameters in what the module's line says.
func bindConfig(c *hlo.ModuleConfig, place []int64) {
	c.EntryParams = left(c.EntryParams, place)
	c.Alias, c.BufferDonor = slices.Clone(c.Alias), slices.Clone(c.BufferDonor)
	for i := range c.Alias {
		c.Alias[i].Parameter = place[c.Alias[i].Parameter]
	}
	for i := range c.BufferDonor {
		c.BufferDonor[i].Parameter = place[c.BufferDonor[i].Parameter]
	}
}

// left returns those of the parameters' properties whose parameters have a place; nil if none has been said.
func left[T any](all []T, place []int64) []T {
	var kept []T
	for i, x := range all {
		if i < len(place) && place[i] >= 0 {
			kept = append(kept, x)
		}
	}
	return kept
}
