package hlo

import (
	"strings"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// CustomCallOptions are what XLA's custom calls take besides target, operands and shape. The zero value is the form of
// 2017.
type CustomCallOptions struct {
	// Opaque is handed to the function: XLA's opaque, in text the backend_config.
	Opaque string
	// HasSideEffect keeps the call even when nobody uses its result.
	HasSideEffect bool
	// OutputOperandAliasing says which results live in which operands, as text: "{{0}: (1, {})}".
	OutputOperandAliasing string
	// Literal is a constant that goes with the call; nil for none.
	Literal *literal.Literal
	// Schedule is "SCHEDULE_LATEST", "SCHEDULE_EARLIEST" or "".
	Schedule string
	// APIVersion is the calling convention.
	APIVersion APIVersion
}

// CustomCall calls the function that the host registered as target with operands.
//
//	operands T_i   result s, which may be a tuple
//
// It fails if target is empty or begins with "$", which is kept for internal use. Law: row 90.
func (b *Builder) CustomCall(target string, operands []*Instruction, s shape.Shape, o CustomCallOptions) *Instruction {
	return b.customCall(&CustomCallAttrs{Target: target}, operands, s, o)
}

// CustomCallWithComputation is CustomCall with a computation that the function may use.
//
//	operands T_i   result s
//
// It fails as CustomCall does. Law: row 90.
func (b *Builder) CustomCallWithComputation(target string, operands []*Instruction, computation *Computation,
	s shape.Shape, o CustomCallOptions) *Instruction {
	return b.customCall(&CustomCallAttrs{Target: target, ToApply: computation}, operands, s, o)
}

// CustomCallWithLayout is CustomCall with the layouts in which the function gets its operands and gives its result: s
// and operandShapes have them.
//
//	operands T_i   result s
//
// It fails if a layout is missing or a shape is not that of its operand, or as CustomCall does. Law: row 90.
func (b *Builder) CustomCallWithLayout(target string, operands []*Instruction, s shape.Shape,
	operandShapes []shape.Shape, o CustomCallOptions) *Instruction {
	for _, l := range append([]shape.Shape{s}, operandShapes...) {
		if !hasLayout(l) {
			return b.fail(CustomCall, "the shape %v has no layout", l)
		}
	}
	if operandShapes == nil {
		operandShapes = []shape.Shape{}
	}
	return b.customCall(&CustomCallAttrs{Target: target, OperandLayouts: operandShapes}, operands, s, o)
}

// CustomCallWithConvDnums is CustomCallWithLayout for functions that convolve: window and dimension numbers go with
// it. operandShapes may be nil.
//
//	operands T_i   result s
//
// It fails as CustomCall does. Law: row 90.
func (b *Builder) CustomCallWithConvDnums(target string, operands []*Instruction, s shape.Shape,
	operandShapes []shape.Shape, window Window, dims DimLabels, o CustomCallOptions) *Instruction {
	a := &CustomCallAttrs{Target: target, OperandLayouts: operandShapes, Window: window, DimLabels: dims}
	return b.customCall(a, operands, s, o)
}

func (b *Builder) customCall(a *CustomCallAttrs, operands []*Instruction, s shape.Shape,
	o CustomCallOptions) *Instruction {
	if strings.HasPrefix(a.Target, "$") {
		return b.fail(CustomCall, "target %q begins with $, which is kept for internal use", a.Target)
	}
	a.HasSideEffect, a.Schedule, a.APIVersion = o.HasSideEffect, Raw(o.Schedule), o.APIVersion
	a.OutputOperandAliasing = Raw(o.OutputOperandAliasing)
	if o.Literal != nil {
		a.Literal = Raw(o.Literal.String())
	}
	in := b.add(CustomCall, a, s, operands...)
	if o.Opaque != "" {
		c := Common{}
		if in.Common != nil {
			c = *in.Common
		}
		c.Config = o.Opaque
		in.Common = &c
	}
	return in
}
