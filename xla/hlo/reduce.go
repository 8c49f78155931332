package hlo

// ReduceAttrs: row 101.
type ReduceAttrs struct {
	Dimensions []int64
	ToApply    *Computation
}

// Fields lists the attributes.
func (a *ReduceAttrs) Fields() []Field {
	return []Field{{"dimensions", "dimensions", &a.Dimensions, Always}, {"to_apply", "", &a.ToApply, Always}}
}

// MapAttrs: row 82.
type MapAttrs struct {
	Dimensions []int64
	ToApply    *Computation
}

// Fields lists the attributes.
func (a *MapAttrs) Fields() []Field {
	return []Field{{"dimensions", "dimensions", &a.Dimensions, Always}, {"to_apply", "", &a.ToApply, Always}}
}

// ScanAttrs: ToApply takes M elements and K carries and gives N outputs and K carries; it runs along Dimension.
type ScanAttrs struct {
	Dimension     int64
	NumCarries    int64
	IsReverse     bool
	IsAssociative bool
	ToApply       *Computation
}

// Fields lists the attributes.
func (a *ScanAttrs) Fields() []Field {
	return []Field{
		{"scan_dimension", "dimension", &a.Dimension, Always},
		{"num_carries", "", &a.NumCarries, Set},
		{"is_reverse", "is_reverse", &a.IsReverse, Set},
		{"is_associative", "is_associative", &a.IsAssociative, Set},
		{"to_apply", "", &a.ToApply, Always},
	}
}
