package hlo

// ReducePrecisionAttrs are the attributes of reduce-precision, row 103.
type ReducePrecisionAttrs struct{ ExponentBits, MantissaBits int64 }

// Fields lists the attributes.
func (a *ReducePrecisionAttrs) Fields() []Field {
	return []Field{{"exponent_bits", "exponent_bits", &a.ExponentBits, Always},
		{"mantissa_bits", "mantissa_bits", &a.MantissaBits, Always}}
}

// DimensionAttrs names one dimension: get-dimension-size and set-dimension-size.
type DimensionAttrs struct{ Dimension OneDim }

// Fields lists the attributes.
func (a *DimensionAttrs) Fields() []Field {
	return []Field{{"dimensions", "dimension", &a.Dimension, Always}}
}
