package hlo

// ConvolutionAttrs: rows 93 and 94.
type ConvolutionAttrs struct {
	Window            Window
	DimLabels         DimLabels
	FeatureGroupCount int64
	BatchGroupCount   int64
	Precision         Precision
}

// Fields lists the attributes.
func (a *ConvolutionAttrs) Fields() []Field {
	return []Field{
		{"window", "", &a.Window, Set},
		{"dim_labels", "dimension_numbers", &a.DimLabels, Always},
		{"feature_group_count", "feature_group_count", &a.FeatureGroupCount, One},
		{"batch_group_count", "batch_group_count", &a.BatchGroupCount, One},
		{"operand_precision", "precision_config", &a.Precision, Set},
	}
}

// DimLabels says which dimension is batch, feature and spatial: "b01f_01io->b01f".
type DimLabels struct {
	InputBatch, InputFeature   int64
	InputSpatial               []int64
	KernelInput, KernelOutput  int64
	KernelSpatial              []int64
	OutputBatch, OutputFeature int64
	OutputSpatial              []int64
	// Unknown lists dimensions that text marks "?": they are in none of the above.
	InputUnknown, KernelUnknown, OutputUnknown []int64
}
