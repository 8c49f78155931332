package customcall

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// SiteOf describes the custom call in. It fails if an attribute or an alias cannot be read, or a shape is dynamic.
func SiteOf(in *hlo.Instruction) (*ffi.Site, error) {
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
	if s.Aliases, err = aliases(in, string(a.OutputOperandAliasing)); err != nil {
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

// aliases reads "{{0}: (1, {}), ...}": results and the operands whose memory they have.
func aliases(in *hlo.Instruction, text string) ([]ffi.Alias, error) {
	rest := strings.ReplaceAll(strings.TrimSpace(text), " ", "")
	if rest == "" || rest == "{}" {
		return nil, nil
	}
	var list []ffi.Alias
	rest = strings.TrimSuffix(strings.TrimPrefix(rest, "{"), "}")
	for rest != "" {
		var out, operand, path string
		var ok1, ok2, ok3 bool
		out, rest, ok1 = strings.Cut(strings.TrimPrefix(rest, "{"), "}:(")
		operand, rest, ok2 = strings.Cut(rest, ",{")
		path, rest, ok3 = strings.Cut(rest, "}")
		if !ok1 || !ok2 || !ok3 {
			return nil, fmt.Errorf("got %q, want {{result}: (operand, {part}), ...}", text)
		}
		rest = strings.TrimPrefix(rest[min(len(rest), strings.IndexByte(rest+")", ')')+1):], ",")
		n, err := strconv.Atoi(operand)
		if err != nil || n < 0 || n >= len(in.Operands) {
			return nil, fmt.Errorf("operand %q, want 0 to %d", operand, len(in.Operands)-1)
		}
		to, err := leafAt(in.Shape, out)
		if err != nil {
			return nil, fmt.Errorf("result %w", err)
		}
		from, err := leafAt(in.Operands[n].Shape, path)
		if err != nil {
			return nil, fmt.Errorf("operand %d %w", n, err)
		}
		for _, o := range in.Operands[:n] {
			from += o.Shape.LeafCount()
		}
		list = append(list, ffi.Alias{Result: to, Operand: from})
	}
	return list, nil
}

// leafAt returns the number of the leaf of s at path, "1,0".
func leafAt(s shape.Shape, path string) (int, error) {
	n := 0
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return r == ',' }) {
		i, err := strconv.Atoi(part)
		if err != nil || i < 0 || !s.IsTuple() || i >= len(s.Elems) {
			return 0, fmt.Errorf("{%s}: %v has no such part", path, s)
		}
		for _, e := range s.Elems[:i] {
			n += e.LeafCount()
		}
		s = s.Elems[i]
	}
	if s.IsTuple() {
		return 0, fmt.Errorf("{%s}: %v is a tuple, want an array", path, s)
	}
	return n, nil
}
