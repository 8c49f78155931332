package hlo

// BroadcastAttrs maps dimension i of the operand to dimension Dimensions[i] of the result.
type BroadcastAttrs struct{ Dimensions []int64 }

// Fields lists the attributes.
func (a *BroadcastAttrs) Fields() []Field {
	return []Field{{"dimensions", "broadcast_dimensions", &a.Dimensions, Always}}
}

// DynamicBroadcastAttrs are a broadcast's whose sizes are an operand.
type DynamicBroadcastAttrs struct{ Dimensions, KnownExpanding, KnownNonexpanding []int64 }

// Fields lists the attributes.
func (a *DynamicBroadcastAttrs) Fields() []Field {
	return []Field{
		{"dimensions", "broadcast_dimensions", &a.Dimensions, Always},
		{"known_expanding_dimensions", "known_expanding_dimensions", &a.KnownExpanding, Set},
		{"known_nonexpanding_dimensions", "known_nonexpanding_dimensions", &a.KnownNonexpanding, Set},
	}
}

// ReshapeAttrs: InferredDimension is the bounded dynamic dimension that takes what is left, -1 for none.
type ReshapeAttrs struct{ InferredDimension Optional }

// Fields lists the attributes.
func (a *ReshapeAttrs) Fields() []Field {
	return []Field{{"inferred_dimension", "", &a.InferredDimension, Set}}
}

// TransposeAttrs: dimension i of the result is dimension Dimensions[i] of the operand.
type TransposeAttrs struct{ Dimensions []int64 }

// Fields lists the attributes.
func (a *TransposeAttrs) Fields() []Field {
	return []Field{{"dimensions", "permutation", &a.Dimensions, Always}}
}

// ReverseAttrs lists the dimensions that are reversed.
type ReverseAttrs struct{ Dimensions []int64 }

// Fields lists the attributes.
func (a *ReverseAttrs) Fields() []Field {
	return []Field{{"dimensions", "dimensions", &a.Dimensions, Always}}
}

// ConcatenateAttrs has the one dimension along which the operands are joined.
type ConcatenateAttrs struct{ Dimension OneDim }

// Fields lists the attributes.
func (a *ConcatenateAttrs) Fields() []Field {
	return []Field{{"dimensions", "dimension", &a.Dimension, Always}}
}

// IotaAttrs has the dimension along which an iota counts.
type IotaAttrs struct{ Dimension int64 }

// Fields lists the attributes.
func (a *IotaAttrs) Fields() []Field {
	return []Field{{"iota_dimension", "iota_dimension", &a.Dimension, Always}}
}

// PadAttrs has one PadDim a dimension.
type PadAttrs struct{ Padding Padding }

// Fields lists the attributes.
func (a *PadAttrs) Fields() []Field { return []Field{{"padding", "", &a.Padding, Always}} }

// Padding is one PadDim a dimension; its text is "0_1x2_-1_3".
type Padding []PadDim

// PadDim says how a dimension is padded: Low and High may be negative, which crops; Interior elements go between
// neighbours.
type PadDim struct{ Low, High, Interior int64 }
