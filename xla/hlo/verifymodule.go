package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/shape"
)

// verifyHeader checks what the module's header says of its entry: which results live in which parameters, and which
// parameters are donated.
func verifyHeader(m *Module) error {
	outputs, parts := map[string]bool{}, map[string]bool{}
	for _, a := range m.Config.Alias {
		if err := verifyAlias(m.Entry, a); err != nil {
			return err
		}
		output, part := fmt.Sprint(a.Output), a.ParameterIndex.String()
		switch {
		case outputs[output]:
			return errorf(m.Entry.Root, "input_output_alias: result %s is there twice", braces(a.Output))
		case parts[part]:
			return errorf(m.Entry.Root, "input_output_alias: parameter %s is there twice", part)
		}
		outputs[output], parts[part] = true, true
	}
	for _, d := range m.Config.BufferDonor {
		if _, err := partOf(m.Entry, d); err != nil {
			return errorf(m.Entry.Root, "buffer_donor: %v", err)
		}
	}
	return nil
}

// verifyAlias wants a result and a parameter to be there and to be arrays of one size in bytes, as XLA does.
func verifyAlias(entry *Computation, a Alias) error {
	out, ok := subshape(entry.Root.Shape, a.Output)
	if !ok {
		return errorf(entry.Root, "input_output_alias: the result %v has no part %s", entry.Root.Shape, braces(a.Output))
	}
	in, err := partOf(entry, a.ParameterIndex)
	if err != nil {
		return errorf(entry.Root, "input_output_alias: %v", err)
	}
	if !out.IsArray() || !in.IsArray() {
		return errorf(entry.Root, "input_output_alias: result %s is %v and parameter %s is %v, want arrays",
			braces(a.Output), out, a.ParameterIndex, in)
	}
	n, errOut := out.WithoutLayout().ByteSize()
	k, errIn := in.WithoutLayout().ByteSize()
	if errOut == nil && errIn == nil && n != k && !out.IsDynamic() && !in.IsDynamic() {
		return errorf(entry.Root, "input_output_alias: result %s is %v, of %d bytes, and parameter %s is %v, of %d",
			braces(a.Output), out, n, a.ParameterIndex, in, k)
	}
	return nil
}

// String returns "0" for a whole parameter, else "0 part {1}".
func (x ParameterIndex) String() string {
	if len(x.Index) == 0 {
		return fmt.Sprint(x.Parameter)
	}
	return fmt.Sprintf("%d part %s", x.Parameter, braces(x.Index))
}

func braces(index []int64) string { return string(appendInts(nil, index)) }

// partOf returns the shape of a part of a parameter.
func partOf(entry *Computation, x ParameterIndex) (shape.Shape, error) {
	if x.Parameter < 0 || x.Parameter >= int64(len(entry.Parameters)) {
		return shape.Shape{}, fmt.Errorf("there is no parameter %d among %d", x.Parameter, len(entry.Parameters))
	}
	s := entry.Parameters[x.Parameter].Shape
	part, ok := subshape(s, x.Index)
	if !ok {
		return part, fmt.Errorf("parameter %d is %v and has no part %s", x.Parameter, s, braces(x.Index))
	}
	return part, nil
}

// subshape returns the part of a tuple that a path leads to.
func subshape(s shape.Shape, path []int64) (shape.Shape, bool) {
	for _, i := range path {
		if !s.IsTuple() || i < 0 || i >= int64(len(s.Elems)) {
			return s, false
		}
		s = s.Elems[i]
	}
	return s, true
}

// verifyDevices wants the devices that an instruction names to be among those that its module has, where that says how
// many these are.
func verifyDevices(in *Instruction, grid collective.Grid) error {
	if grid == (collective.Grid{}) {
		return nil
	}
	if a, ok := in.Attrs.(*CollectivePermuteAttrs); ok {
		mode, err := groupMode(in.Op, a.ChannelID, a.UseGlobalDeviceIDs)
		if err == nil {
			_, err = grid.Pairs(mode, a.SourceTargetPairs)
		}
		if err != nil {
			return errorf(in, "source_target_pairs: %v", err)
		}
	} else if a := teamAttrs(in); a != nil {
		mode, err := groupMode(in.Op, a.ChannelID, a.UseGlobalDeviceIDs)
		if err == nil {
			err = collective.CheckIDs(mode, a.ReplicaGroups.Groups, mode.Count(grid))
		}
		if err != nil {
			return errorf(in, "replica_groups: %v", err)
		}
	}
	return nil
}
