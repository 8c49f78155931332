package customcall

import (
	"fmt"

	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// siteOf describes the custom call in. It fails if an attribute or an alias cannot be read, or a shape is dynamic.
func siteOf(in *hlo.Instruction) (*ffi.Site, error) {
	a := in.Attrs.(*hlo.CustomCallAttrs)
	s := &ffi.Site{Target: a.Target, Version: ffi.Version(a.APIVersion), Tuple: in.Shape.IsTuple(),
		HasSideEffect: a.HasSideEffect}
	for i, o := range in.Operands {
		from := o.Shape.WithoutLayout()
		if a.OperandLayouts != nil {
			from = a.OperandLayouts[i]
		}
		if err := leaves(&s.Operands, from); err != nil {
			return nil, fmt.Errorf("operand %d: %w", i, err)
		}
	}
	if err := leaves(&s.Results, in.Shape); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	for _, c := range a.CalledComputations {
		s.Called = append(s.Called, c.Name)
	}
	if in.Common != nil {
		s.Config = in.Common.Config
	}
	var err error
	if s.Version == ffi.TypedFFI {
		if s.Attrs, err = ffi.ParseAttrs(s.Config); err != nil {
			return nil, fmt.Errorf("backend_config: %w", err)
		}
	}
	if s.Aliases, err = aliases(in, a.OutputOperandAliasing); err != nil {
		return nil, fmt.Errorf("output_to_operand_aliasing: %w", err)
	}
	return s, nil
}

// leaves appends the arrays and tokens of s.
func leaves(list *[]ffi.Value, s shape.Shape) error {
	switch {
	case s.IsTuple():
		for _, e := range s.Elems {
			if err := leaves(list, e); err != nil {
				return err
			}
		}
		return nil
	case s.IsToken():
		*list = append(*list, ffi.Value{Type: shape.Token})
		return nil
	case !s.IsArray() || s.IsDynamic():
		return fmt.Errorf("%v is no array of static sizes", s)
	}
	v := ffi.Value{Type: s.Type, Dims: s.Dims}
	if y := s.Layout; y != nil && !y.IsDefault() {
		v.MinorToMajor = y.MinorToMajor
	}
	*list = append(*list, v)
	return nil
}

// aliases are the leaves of results that have the memory of operands.
func aliases(in *hlo.Instruction, text hlo.Raw) ([]ffi.Alias, error) {
	told, err := hlo.ParseAliases(text)
	if err != nil {
		return nil, err
	}
	var list []ffi.Alias
	for _, a := range told {
		n := a.Parameter
		if n < 0 || n >= int64(len(in.Operands)) {
			return nil, fmt.Errorf("got operand %d, want 0 to %d", n, len(in.Operands)-1)
		}
		to, err := leafAt(in.Shape, a.Output)
		if err != nil {
			return nil, fmt.Errorf("%s: result %w", hlo.AliasesText([]hlo.Alias{a}), err)
		}
		from, err := leafAt(in.Operands[n].Shape, a.Index)
		if err != nil {
			return nil, fmt.Errorf("%s: operand %w", hlo.AliasesText([]hlo.Alias{a}), err)
		}
		for _, o := range in.Operands[:n] {
			from += o.Shape.LeafCount()
		}
		list = append(list, ffi.Alias{Result: to, Operand: from})
	}
	return list, nil
}

// leafAt returns the number of the leaf of s at path.
func leafAt(s shape.Shape, path []int64) (int, error) {
	n := 0
	for _, i := range path {
		if i < 0 || !s.IsTuple() || i >= int64(len(s.Elems)) {
			return 0, fmt.Errorf("%v has no such part", s)
		}
		for _, e := range s.Elems[:i] {
			n += e.LeafCount()
		}
		s = s.Elems[i]
	}
	if s.IsTuple() {
		return 0, fmt.Errorf("part %v is a tuple, want an array", s)
	}
	return n, nil
}
