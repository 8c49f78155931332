package hlo

import (
	"context"
	"fmt"

	"github.com/halo-xla/halo/internal/unsupported"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// CustomCallAttrs are the attributes of custom-call, row 90. The backend_config is among the common attributes.
type CustomCallAttrs struct {
	Target                string
	OperandLayouts        []shape.Shape
	OutputOperandAliasing Raw
	HasSideEffect         bool
	Schedule              Raw
	APIVersion            APIVersion
	Window                Window
	DimLabels             DimLabels
	FeatureGroupCount     int64
	BatchGroupCount       int64
	PaddingType           Raw
	CalledComputations    []*Computation
	ToApply               *Computation
	Literal               Raw
}

// Fields lists the attributes.
func (a *CustomCallAttrs) Fields() []Field {
	return []Field{
		{"window", "", &a.Window, Set},
		{"dim_labels", "", &a.DimLabels, Set},
		{"feature_group_count", "", &a.FeatureGroupCount, One},
		{"batch_group_count", "", &a.BatchGroupCount, One},
		{"padding_type", "", &a.PaddingType, Set},
		{"custom_call_target", "call_target_name", &a.Target, Always},
		{"operand_layout_constraints", "", &a.OperandLayouts, Set},
		{"custom_call_has_side_effect", "has_side_effect", &a.HasSideEffect, Set},
		{"literal", "", &a.Literal, Set},
		{"output_to_operand_aliasing", "", &a.OutputOperandAliasing, Set},
		{"schedule", "", &a.Schedule, Set},
		{"api_version", "api_version", &a.APIVersion, Set},
		{"to_apply", "", &a.ToApply, Set},
		{"called_computations", "called_computations", &a.CalledComputations, Set},
	}
}

// APIVersion is a custom call's calling convention.
type APIVersion uint8

// The calling conventions.
const (
	APIUnspecified APIVersion = iota
	APIOriginal
	APIStatusReturning
	APIStatusReturningUnified
	APITypedFFI
)

var apiVersionNames = names{
	"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
	"API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI",
}

func inferCustomCall(in *Instruction) (shape.Shape, error) {
	a := in.Attrs.(*CustomCallAttrs)
	if a.Target == "" {
		return poison, fmt.Errorf("custom_call_target is empty")
	}
	if int(a.APIVersion) >= len(apiVersionNames) { // row 90
		return poison, fmt.Errorf("api_version is %d, want 0 to %d", a.APIVersion, len(apiVersionNames)-1)
	}
	if a.OperandLayouts != nil {
		if len(a.OperandLayouts) != len(in.Operands) {
			return poison, fmt.Errorf("got %d operand layouts, want %d", len(a.OperandLayouts), len(in.Operands))
		}
		for i, s := range a.OperandLayouts {
			if !agrees(s, in.Operands[i].Shape) {
				return poison, fmt.Errorf("layout of operand %d is for %v, want %v", i, s, in.Operands[i].Shape)
			}
		}
	}
	if a.Target == runParallel && in.Common != nil && in.Common.Config != "" {
		if _, err := newParallel(in); err != nil {
			return poison, err
		}
	}
	return told(in)
}

// evalCustomCall calls the handler of the target, or what this package knows of it. Operands are in row-major order; a
// result may have any layout. A handler that panics fails.
func evalCustomCall(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	target := in.Attrs.(*CustomCallAttrs).Target
	var out *literal.Literal
	var err error
	if h, ok := lookup(e.Handlers, target); ok {
		return CallHandler(e.ctx, h, in, args)
	} else if b, ok := builtins[target]; ok && (b.fits == nil || b.fits(in)) {
		out, err = b.eval(e, in, args)
	} else {
		err = unsupportedTarget(target)
	}
	if err != nil {
		return nil, err
	}
	return returned(in, out)
}

// returned fails unless a call's value fits its shape. It is row-major then.
func returned(in *Instruction, out *literal.Literal) (*literal.Literal, error) {
	if !Fits(out.Shape(), in.Shape) {
		target := in.Attrs.(*CustomCallAttrs).Target
		return nil, fmt.Errorf("custom call %q returned %v, want %v", target, out.Shape(), in.Shape)
	}
	return out.RowMajor(), nil
}

func unsupportedTarget(target string) error {
	return unsupported.Error(fmt.Errorf("custom call %q: no function is registered for this target, give one in Handlers",
		target))
}

func lookup(h Handlers, target string) (Handler, bool) {
	if h == nil {
		return nil, false
	}
	return h.Lookup(target)
}

// CallHandler calls h for the custom call in with operands that are row-major, or in the layouts that the call asks
// for. The result, which may have any layout, is made row-major. It fails if h does, panics, or returns what does not
// fit.
func CallHandler(ctx context.Context, h Handler, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	args, err := laidOut(in, args)
	if err != nil {
		return nil, err
	}
	out, err := guarded(ctx, h, in, args)
	if err != nil {
		return nil, err
	}
	return returned(in, out)
}

// guarded calls h and makes an error of its panic.
func guarded(ctx context.Context, h Handler, in *Instruction,
	args []*literal.Literal) (out *literal.Literal, err error) {
	target := in.Attrs.(*CustomCallAttrs).Target
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("custom call %q panicked: %v", target, p)
		}
	}()
	out, err = h(ctx, in, args)
	if err != nil {
		return nil, fmt.Errorf("custom call %q: %w", target, err)
	}
	if out == nil {
		return nil, fmt.Errorf("custom call %q returned nothing", target)
	}
	return out, nil
}

// laidOut gives operands the layouts that the call constrains them to.
func laidOut(in *Instruction, args []*literal.Literal) ([]*literal.Literal, error) {
	layouts := in.Attrs.(*CustomCallAttrs).OperandLayouts
	if layouts == nil {
		return args, nil
	}
	out := make([]*literal.Literal, len(args))
	for i, l := range args {
		var err error
		if out[i], err = withLayouts(l, layouts[i]); err != nil {
			return nil, fmt.Errorf("operand %d: %w", i, err)
		}
	}
	return out, nil
}

// withLayouts returns l with its leaves in the layouts of s.
func withLayouts(l *literal.Literal, s shape.Shape) (*literal.Literal, error) {
	if s.IsTuple() {
		elems := make([]*literal.Literal, len(s.Elems))
		for i, e := range l.Elems() {
			var err error
			if elems[i], err = withLayouts(e, s.Elems[i]); err != nil {
				return nil, err
			}
		}
		return literal.NewTuple(elems...), nil
	}
	if !s.IsArray() || s.Layout == nil || s.Layout.IsDefault() || l.Shape().IsDynamic() {
		return l, nil
	}
	return l.Relayout(s.Layout)
}
