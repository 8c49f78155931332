package hlo

// Window is one WindowDim a dimension; its text is "{size=3x3 stride=2x2 pad=1_1x0_0 lhs_dilate=1x2 rhs_dilate=2x1 rhs_reversal=1x0}".
type Window []WindowDim

// WindowDim is a window along one dimension. Stride and the dilations of 0 mean 1. PadLow and PadHigh may be negative.
type WindowDim struct {
	Size, Stride    int64
	PadLow, PadHigh int64
	BaseDilation    int64 // of the input: lhs_dilate
	WindowDilation  int64 // of the kernel: rhs_dilate
	Reversal        bool
}

// ReduceWindowAttrs: row 102.
type ReduceWindowAttrs struct {
	Window  Window
	ToApply *Computation
}

// Fields lists the attributes.
func (a *ReduceWindowAttrs) Fields() []Field {
	return []Field{{"window", "", &a.Window, Always}, {"to_apply", "", &a.ToApply, Always}}
}

// SelectAndScatterAttrs: row 104.
type SelectAndScatterAttrs struct {
	Window          Window
	Select, Scatter *Computation
}

// Fields lists the attributes.
func (a *SelectAndScatterAttrs) Fields() []Field {
	return []Field{{"window", "", &a.Window, Always}, {"select", "", &a.Select, Always}, {"scatter", "", &a.Scatter, Always}}
}
