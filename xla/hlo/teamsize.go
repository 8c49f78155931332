package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/shape"
)

// teamSizes compare the number n of members with the shapes of a collective's operands and result.
var teamSizes = map[Opcode]func(in *Instruction, operands []shape.Shape, result shape.Shape, n int) error{
	AllGather: gathersFrom, AllGatherStart: gathersFrom, AllToAll: exchangesAmong, RaggedAllToAll: offsetsFor,
	ReduceScatter: scattersAmong,
}

// checkTeamSize fails if a team of n does not fit the shapes of in's operands, or its result's.
func checkTeamSize(in *Instruction, operands []shape.Shape, result shape.Shape, n int) error {
	if check := teamSizes[in.Op]; check != nil {
		return check(in, operands, result, n)
	}
	return nil
}

func gathersFrom(in *Instruction, operands []shape.Shape, result shape.Shape, n int) error {
	for i, part := range operands {
		if whole, ok := toldPart(result, i, len(operands)); ok {
			if err := checkMembers(whole, part, int64(in.Attrs.(*AllGatherAttrs).Dimension), n); err != nil {
				return err
			}
		}
	}
	return nil
}

func scattersAmong(in *Instruction, operands []shape.Shape, result shape.Shape, n int) error { // row 118
	d := int64(in.Attrs.(*ReduceScatterAttrs).Dimension)
	for i, whole := range operands {
		if err := checkDivides(whole, d, n); err != nil {
			return err
		}
		if part, ok := toldPart(result, i, len(operands)); ok {
			if err := checkMembers(whole, part, d, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func exchangesAmong(in *Instruction, operands []shape.Shape, _ shape.Shape, n int) error {
	d := in.Attrs.(*AllToAllAttrs).Dimension
	if !d.Set && len(operands) != n {
		return fmt.Errorf("got %d operands, and the group has %d devices", len(operands), n)
	}
	for _, s := range operands {
		if d.Set {
			if err := checkDivides(s, d.Value, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func offsetsFor(_ *Instruction, operands []shape.Shape, _ shape.Shape, n int) error {
	if entries := operands[2].Dims[0]; entries%int64(n) != 0 {
		return fmt.Errorf("%d offsets, and the group has %d devices", entries, n)
	}
	return nil
}

// checkMembers fails unless whole is n times part along dimension d, where the program says how large they are.
func checkMembers(whole, part shape.Shape, d int64, n int) error {
	if w, p := whole.Dims[d], part.Dims[d]; w != shape.Unbounded && p != shape.Unbounded &&
		!whole.IsDynamicDim(int(d)) && w != p*int64(n) {
		return fmt.Errorf("dimension %d of %v is not %d times that of %v, and the group has %d devices", d, whole, n, part, n)
	}
	return nil
}

func checkDivides(s shape.Shape, d int64, n int) error {
	if s.Dims[d]%int64(n) != 0 {
		return fmt.Errorf("dimension %d of %v does not divide among the %d devices of the group", d, s, n)
	}
	return nil
}
