package xla

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/export"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// parseExported reads the program of a jax.export container. Its parameters have the names of the function's arguments.
func parseExported(p Program) (*hlo.Module, error) {
	e, err := export.Parse(p.Source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	m, err := (Program{Name: p.Name, Source: e.Module}).parse()
	if err != nil {
		return nil, err
	}
	if m, err = onPlatform(m, e.Platforms); err != nil {
		return nil, err
	}
	if len(e.Kept) == len(m.Entry.Parameters) {
		for _, i := range e.Kept {
			m.ParameterNames = append(m.ParameterNames, e.Inputs[i].Name)
		}
	}
	if leaves := m.Entry.Root.Shape.Leaves(); len(leaves) == len(e.Outputs) {
		for _, o := range e.Outputs {
			m.ResultNames = append(m.ResultNames, o.Name)
		}
	}
	return m, nil
}

// isIndex reports whether s is that of a number of a platform.
func isIndex(s shape.Shape) bool { return s.IsScalar() && (s.Type == shape.S32 || s.Type == shape.S64) }

// onPlatform fixes the first parameter of a program for several platforms: the number of the one it runs on, which is
// the CPU if that is among them. JAX gives it 64 bits where it was told to have types of 64 bits.
func onPlatform(m *hlo.Module, platforms []string) (*hlo.Module, error) {
	if len(platforms) < 2 || len(m.Entry.Parameters) == 0 || !isIndex(m.Entry.Parameters[0].Shape) {
		return m, nil
	}
	b := hlo.NewBuilder(m.Entry.Name)
	which := literal.ScalarOfInt(m.Entry.Parameters[0].Shape.Type, int64(max(slices.Index(platforms, "cpu"), 0)))
	args := []*hlo.Instruction{b.ConstantLiteral(which)}
	for i, p := range m.Entry.Parameters[1:] {
		args = append(args, b.Parameter(int64(i), p.Shape, p.Name))
	}
	entry, err := b.Build(b.Call(m.Entry, args...))
	if err != nil {
		return nil, err
	}
	n := hlo.NewModule(m.Name, entry)
	n.Config = m.Config
	return n, nil
}
