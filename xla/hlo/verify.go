package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/shape"
)

// NewInstruction makes an instruction and checks it as Infer does. told is the shape of ops that are told theirs; for
// others it may be the zero Shape, or the declared shape, with which the inferred one must be compatible.
func NewInstruction(op Opcode, a Attrs, told shape.Shape, operands []*Instruction, pos Pos) (*Instruction, error) {
	in := &Instruction{Op: op, Shape: told, Operands: operands, Attrs: a, Pos: pos}
	if err := in.Complete(); err != nil {
		return nil, err
	}
	return in, nil
}

// Complete does for an instruction in the caller's memory what NewInstruction does: its shape is the declared one.
func (in *Instruction) Complete() error {
	setDefaults(in.Op, in.Attrs)
	s, err := Infer(in)
	if err != nil {
		return err
	}
	if in.Shape.Type != shape.Invalid && !agrees(s, in.Shape) {
		return errorf(in, "result shape: got %v, want %v", in.Shape, s)
	}
	if in.Shape.Type == shape.Invalid {
		in.Shape = s
	}
	return nil
}

// agrees reports whether a declared shape can be what inference found: dimensions unknown on one side match any size.
func agrees(inferred, declared shape.Shape) bool {
	if inferred.Type != declared.Type || len(inferred.Dims) != len(declared.Dims) ||
		len(inferred.Elems) != len(declared.Elems) {
		return false
	}
	for d, n := range inferred.Dims {
		w := declared.Dims[d]
		if n != w && n != shape.Unbounded && w != shape.Unbounded && !inferred.IsDynamicDim(d) && !declared.IsDynamicDim(d) {
			return false
		}
	}
	for i := range inferred.Elems {
		if !agrees(inferred.Elems[i], declared.Elems[i]) {
			return false
		}
	}
	return true
}

// Verify checks every instruction of m by its op's rules, the shapes it declares against those inferred, that the calls
// form no cycle, that what the header says of results and parameters can be, and that collectives name devices of m.
func Verify(m *Module) error {
	if m.Entry == nil {
		return fmt.Errorf("module %s has no entry computation", m.Name)
	}
	done := map[*Computation]bool{}
	grid := collective.Grid{Replicas: m.Config.NumReplicas, Partitions: m.Config.NumPartitions}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			if err := verifyInstruction(in, done); err != nil {
				return err
			}
			if err := verifyDevices(in, grid); err != nil {
				return err
			}
		}
		done[c] = true
	}
	return verifyHeader(m)
}

func verifyInstruction(in *Instruction, done map[*Computation]bool) error {
	for _, c := range in.Called() {
		if !done[c] {
			return errorf(in, "computation %s is not defined before its caller", c.Name)
		}
	}
	s, err := Infer(in)
	if err != nil {
		return err
	}
	if !agrees(s, in.Shape) {
		return errorf(in, "result shape: got %v, want %v", in.Shape, s)
	}
	return nil
}
