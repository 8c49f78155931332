package hlo

// SortAttrs are the attributes of sort, row 105. The reference sorts stably whatever IsStable says.
type SortAttrs struct {
	Dimension OneDim
	IsStable  bool
	ToApply   *Computation
}

// Fields lists the attributes.
func (a *SortAttrs) Fields() []Field {
	return []Field{
		{"dimensions", "dimension", &a.Dimension, Always},
		{"is_stable", "is_stable", &a.IsStable, Set},
		{"to_apply", "", &a.ToApply, Always},
	}
}

// TopKAttrs are the attributes of topk, row 106.
type TopKAttrs struct {
	K        int64
	Largest  bool
	IsStable bool
}

// Fields lists the attributes.
func (a *TopKAttrs) Fields() []Field {
	return []Field{{"k", "k", &a.K, Always}, {"largest", "largest", &a.Largest, Always},
		{"is_stable", "", &a.IsStable, Set}}
}
