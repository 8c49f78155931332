package hlo

// SliceAttrs has one SliceDim a dimension.
type SliceAttrs struct{ Slice SliceDims }

// Fields lists the attributes.
func (a *SliceAttrs) Fields() []Field { return []Field{{"slice", "", &a.Slice, Always}} }

// SliceDims is one SliceDim a dimension; its text is "{[0:4:2], [1:3]}".
type SliceDims []SliceDim

// SliceDim takes the elements Start, Start+Stride, ... below Limit; Stride is 1 where text has none.
type SliceDim struct{ Start, Limit, Stride int64 }

// DynamicSliceAttrs has the sizes of the slice.
type DynamicSliceAttrs struct{ Sizes []int64 }

// Fields lists the attributes.
func (a *DynamicSliceAttrs) Fields() []Field {
	return []Field{{"dynamic_slice_sizes", "slice_sizes", &a.Sizes, Always}}
}
