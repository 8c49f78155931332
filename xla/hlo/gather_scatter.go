package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/shape"
)

func inferScatter(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	if len(in.Operands) < 3 || len(in.Operands)%2 == 0 { // C5
		return poison, fmt.Errorf("got %d operands, want N inputs, the indices and N updates", len(in.Operands))
	}
	inputs, start, updates := scatterOperands(in)
	a := in.Attrs.(*ScatterAttrs)
	input, update := inputs[0].Shape, updates[0].Shape
	for i := range inputs {
		if err := checkScatterPair(inputs[i].Shape, updates[i].Shape, input, update); err != nil {
			return poison, fmt.Errorf("pair %d: %w", i, err)
		}
	}
	g := a.dims()
	if err := g.check(input, start.Shape, len(update.Dims)); err != nil {
		return poison, err
	}
	if err := g.checkUpdate(input, start.Shape, update); err != nil {
		return poison, err
	}
	return scatterResult(inputs, a.ToApply)
}

// scatterOperands returns the N inputs, the indices and the N updates.
func scatterOperands(in *Instruction) (inputs []*Instruction, start *Instruction, updates []*Instruction) {
	n := len(in.Operands) / 2
	return in.Operands[:n], in.Operands[n], in.Operands[n+1:]
}

// checkScatterPair checks one input and its update against each other and against the first ones.
func checkScatterPair(input, update, firstInput, firstUpdate shape.Shape) error {
	switch {
	case !compatibleDims(input, firstInput): // C1
		return fmt.Errorf("input is %v, want the sizes of the first, %v", input, firstInput)
	case !compatibleDims(update, firstUpdate): // C3
		return fmt.Errorf("update is %v, want the sizes of the first, %v", update, firstUpdate)
	case input.Type != update.Type: // C6
		return fmt.Errorf("element types differ: input is %v, update is %v", input.Type, update.Type)
	}
	return nil
}

// checkUpdate checks the sizes of the updates: windows that fit the operand, and one for each index vector. C4
func (g *indexDims) checkUpdate(operand, start, update shape.Shape) error {
	starts, window := g.startDims(len(start.Dims)), g.windowDims(len(operand.Dims))
	if want := len(starts) + len(g.offset); len(update.Dims) != want {
		return fmt.Errorf("update %v has rank %d, want %d: %d window and %d index dimensions",
			update, len(update.Dims), want, len(g.offset), len(starts))
	}
	for i, d := range g.offset {
		n, limit := update.Dims[d], operand.Dims[window[i]]
		if n != shape.Unbounded && limit != shape.Unbounded && n > limit {
			return fmt.Errorf("window is larger than the operand: dimension %d of update %v, dimension %d of %v", d, update,
				window[i], operand)
		}
	}
	for i, d := range g.batchDims(len(update.Dims)) {
		if !compatibleDim(update, int(d), start, int(starts[i])) {
			return fmt.Errorf("index sizes differ: dimension %d of update %v, dimension %d of indices %v", d, update,
				starts[i], start)
		}
	}
	return nil
}

// scatterResult checks the computation, which may work in types wider than the inputs', and returns the results' shape.
func scatterResult(inputs []*Instruction, c *Computation) (shape.Shape, error) {
	shapes := make([]shape.Shape, len(inputs))
	for i, in := range inputs {
		shapes[i] = in.Shape.WithoutLayout()
	}
	if c != nil && len(c.Parameters) == 2*len(inputs) {
		for i, p := range c.Parameters[:len(inputs)] {
			if promotable(shapes[i].Type, p.Shape.Type) { // C23
				shapes[i].Type = p.Shape.Type // C25
			}
		}
	}
	types := scalars(shapes)
	params := append(append([]shape.Shape(nil), types...), types...)
	if err := checkScalarComputation(c, params, types...); err != nil { // C23
		return poison, err
	}
	if len(shapes) == 1 { // C24
		return shapes[0], nil
	}
	return shape.TupleOf(shapes...), nil
}
