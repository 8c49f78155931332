package hlo

// BatchNormAttrs: rows 98 to 100. Epsilon is a float32 value.
type BatchNormAttrs struct {
	Epsilon      float64
	FeatureIndex int64
}

// Fields lists the attributes.
func (a *BatchNormAttrs) Fields() []Field {
	return []Field{{"epsilon", "epsilon", &a.Epsilon, Always}, {"feature_index", "feature_index", &a.FeatureIndex, Always}}
}
