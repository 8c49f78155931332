package hlo

import "github.com/halo-xla/halo/xla/shape"

// CustomCallAttrs: row 90. The backend_config is among the common attributes.
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
