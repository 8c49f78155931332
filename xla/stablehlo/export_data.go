package stablehlo

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func exportConstant(b *writer, in *hlo.Instruction) (node, error) {
	return b.constant(in, in.Attrs.(*hlo.ConstantAttrs).Literal)
}

// constant writes l, a tuple as its parts.
func (b *writer) constant(in *hlo.Instruction, l *literal.Literal) (node, error) {
	if l.Shape().IsTuple() {
		n := node{tuple: true}
		for _, e := range l.Elems() {
			elem, err := b.constant(in, e)
			if err != nil {
				return n, err
			}
			n.elems = append(n.elems, elem)
		}
		return n, nil
	}
	if l.DynamicSizes() != nil || l.Shape().IsDynamic() || !l.Shape().IsArray() {
		return node{}, fmt.Errorf("a constant of shape %v: %w", l.Shape(), errors.ErrUnsupported)
	}
	dense, err := denseOf(l)
	if err != nil {
		return node{}, err
	}
	return b.op(in, "stablehlo.constant", l.Shape(), nil, named("value", dense))
}

// integers writes a constant vector.
func (b *writer) integers(v []int64) (*Value, error) {
	l, err := literal.FromSlice(v)
	if err != nil {
		return nil, err
	}
	dense, err := denseOf(l)
	if err != nil {
		return nil, err
	}
	return b.value("stablehlo.constant", l.Shape(), nil, named("value", dense))
}

func exportSlice(b *writer, in *hlo.Instruction) (node, error) {
	s := in.Attrs.(*hlo.SliceAttrs).Slice
	return b.named(in, "stablehlo.slice",
		named("start_indices", column(s, func(d hlo.SliceDim) int64 { return d.Start })),
		named("limit_indices", column(s, func(d hlo.SliceDim) int64 { return d.Limit })),
		named("strides", column(s, func(d hlo.SliceDim) int64 { return d.Stride })))
}

func exportPad(b *writer, in *hlo.Instruction) (node, error) {
	p := in.Attrs.(*hlo.PadAttrs).Padding
	return b.named(in, "stablehlo.pad",
		named("edge_padding_low", column(p, func(d hlo.PadDim) int64 { return d.Low })),
		named("edge_padding_high", column(p, func(d hlo.PadDim) int64 { return d.High })),
		named("interior_padding", column(p, func(d hlo.PadDim) int64 { return d.Interior })))
}

// column is one field of a list.
func column[T any](list []T, f func(T) int64) DenseArrayAttr {
	v := make([]int64, len(list))
	for i, e := range list {
		v[i] = f(e)
	}
	return numbers(v)
}

// exportDynamicSlice writes dynamic slices and updates; starts in one vector are taken apart.
func exportDynamicSlice(b *writer, in *hlo.Instruction) (node, error) {
	operands, err := b.operands(in)
	if err != nil {
		return node{}, err
	}
	first := 1
	if in.Op == hlo.DynamicUpdateSlice {
		first = 2
	}
	if len(in.Operands) == first+1 && in.Operands[first].Shape.Rank() == 1 {
		starts := operands[first]
		operands = operands[:first:first]
		t := in.Operands[first].Shape.Type
		for d := range int64(in.Operands[0].Shape.Rank()) {
			one, err := b.value("stablehlo.slice", shape.Array(t, 1), []*Value{starts},
				named("start_indices", numbers([]int64{d})),
				named("limit_indices", numbers([]int64{d + 1})), named("strides", numbers([]int64{1})))
			if err != nil {
				return node{}, err
			}
			if one, err = b.value("stablehlo.reshape", shape.Array(t), []*Value{one}); err != nil {
				return node{}, err
			}
			operands = append(operands, one)
		}
	}
	attrs, err := fieldAttrs(in.Attrs)
	if err != nil {
		return node{}, err
	}
	return b.op(in, in.Op.Info().MLIR, in.Shape, operands, attrs...)
}

// exportDynamicReshape joins sizes that are scalars to a vector.
func exportDynamicReshape(b *writer, in *hlo.Instruction) (node, error) {
	if len(in.Operands) == 2 && in.Operands[1].Shape.Rank() == 1 {
		return exportGeneric(b, in)
	}
	operands, err := b.operands(in)
	if err != nil {
		return node{}, err
	}
	sizes := make([]*Value, len(operands)-1)
	for i, o := range in.Operands[1:] {
		if o.Shape.Type != in.Operands[1].Shape.Type {
			return node{}, fmt.Errorf("sizes of different types: %w", errors.ErrUnsupported)
		}
		if sizes[i], err = b.value("stablehlo.reshape", o.Shape.WithDims(1), []*Value{operands[i+1]}); err != nil {
			return node{}, err
		}
	}
	var list *Value
	if len(sizes) == 0 {
		list, err = b.integers(nil)
	} else {
		list, err = b.value("stablehlo.concatenate", in.Operands[1].Shape.WithDims(int64(len(sizes))), sizes,
			named("dimension", number64(0)))
	}
	if err != nil {
		return node{}, err
	}
	return b.op(in, "stablehlo.dynamic_reshape", in.Shape, []*Value{operands[0], list})
}

func exportGather(b *writer, in *hlo.Instruction) (node, error) {
	return b.named(in, in.Op.Info().MLIR, named("dimension_numbers", numbersAttr("gather", in.Attrs)))
}

func exportScatter(b *writer, in *hlo.Instruction) (node, error) {
	return b.applied(in, "stablehlo.scatter", in.Called(),
		named("scatter_dimension_numbers", numbersAttr("scatter", in.Attrs)))
}

func exportDot(b *writer, in *hlo.Instruction) (node, error) {
	extra := []NamedAttr{named("dot_dimension_numbers", numbersAttr("dot", in.Attrs))}
	if a := in.Attrs.(*hlo.DotAttrs).Algorithm; a != "" {
		alg, err := algorithmAttr(a, in.Operands[0].Shape.Type, in.Operands[1].Shape.Type)
		if err != nil {
			return node{}, err
		}
		if alg != nil {
			extra = append(extra, named("algorithm", alg))
		}
	}
	return b.named(in, "stablehlo.dot_general", extra...)
}

// algorithmAttr spells out an algorithm: the types it computes in, its numbers of parts.
func algorithmAttr(name hlo.Raw, lhs, rhs shape.ElementType) (Attr, error) {
	if name == "dot_unset" {
		return nil, nil
	}
	d, ok := hlo.DotAlgorithmOf(name)
	if !ok {
		return nil, fmt.Errorf("dot algorithm %s: %w", name, errors.ErrUnsupported)
	}
	if d.LHSPrecisionType == "f8" {
		d.LHSPrecisionType, d.RHSPrecisionType = lhs.MLIR(), rhs.MLIR()
	}
	return &DialectAttr{Name: "stablehlo.dot_algorithm", Fields: DictAttr{
		named("lhs_precision_type", TypeAttr{FloatType{d.LHSPrecisionType}}),
		named("rhs_precision_type", TypeAttr{FloatType{d.RHSPrecisionType}}),
		named("accumulation_type", TypeAttr{FloatType{d.AccumulationType}}),
		named("lhs_component_count", number64(d.LHSComponentCount)),
		named("rhs_component_count", number64(d.RHSComponentCount)),
		named("num_primitive_operations", number64(d.NumPrimitiveOperations)),
		named("allow_imprecise_accumulation", BoolAttr(d.AllowImpreciseAccumulation)),
	}}, nil
}

func exportRaggedDot(b *writer, in *hlo.Instruction) (node, error) {
	return b.named(in, "chlo.ragged_dot", named("ragged_dot_dimension_numbers", numbersAttr("ragged_dot", in.Attrs)))
}

func exportConvolution(b *writer, in *hlo.Instruction) (node, error) {
	w := in.Attrs.(*hlo.ConvolutionAttrs).Window
	extra := windowAttrs(w, "lhs_dilation", "rhs_dilation")
	if in.Op == hlo.DynamicConvolution {
		extra = slices.DeleteFunc(extra, func(a NamedAttr) bool { return a.Name == "padding" })
	}
	reversed := make([]bool, len(w))
	for i, d := range w {
		reversed[i] = d.Reversal
	}
	extra = append(extra, named("window_reversal", flags(reversed)))
	operands, err := b.alike(in)
	if err != nil {
		return node{}, err
	}
	attrs, err := fieldAttrs(in.Attrs)
	if err != nil {
		return node{}, err
	}
	return b.op(in, in.Op.Info().MLIR, in.Shape, operands, append(attrs, extra...)...)
}

// alike returns in's operands, the first two with one element type: HLO lets them differ, StableHLO does not.
func (b *writer) alike(in *hlo.Instruction) ([]*Value, error) {
	operands, err := b.operands(in)
	if err != nil {
		return nil, err
	}
	x, y := in.Operands[0].Shape, in.Operands[1].Shape
	switch {
	case x.Type == y.Type:
	case x.Type.Class() != y.Type.Class() || x.Type.Bits() == y.Type.Bits():
		return nil, fmt.Errorf("operands of the types %v and %v: %w", x.Type, y.Type, errors.ErrUnsupported)
	case x.Type.Bits() < y.Type.Bits():
		operands[0], err = b.value("stablehlo.convert", x.WithType(y.Type), []*Value{operands[0]})
	default:
		operands[1], err = b.value("stablehlo.convert", y.WithType(x.Type), []*Value{operands[1]})
	}
	return operands, err
}

// windowAttrs are a window's strides, dilations and padding.
func windowAttrs(w hlo.Window, base, kernel string) []NamedAttr {
	return []NamedAttr{
		named("window_strides", column(w, func(d hlo.WindowDim) int64 { return max(d.Stride, 1) })),
		named("padding", pairTable(len(w), func(i int) (int64, int64) { return w[i].PadLow, w[i].PadHigh })),
		named(base, column(w, func(d hlo.WindowDim) int64 { return max(d.BaseDilation, 1) })),
		named(kernel, column(w, func(d hlo.WindowDim) int64 { return max(d.WindowDilation, 1) })),
	}
}

// exportReduceWindow writes reduce-window and select-and-scatter.
func exportReduceWindow(b *writer, in *hlo.Instruction) (node, error) {
	var w hlo.Window
	switch a := in.Attrs.(type) {
	case *hlo.ReduceWindowAttrs:
		w = a.Window
	case *hlo.SelectAndScatterAttrs:
		w = a.Window
	}
	if slices.ContainsFunc(w, func(d hlo.WindowDim) bool { return d.Reversal }) {
		return node{}, fmt.Errorf("a window that is reversed: %w", errors.ErrUnsupported)
	}
	extra := windowAttrs(w, "base_dilations", "window_dilations")
	extra = append(extra, named("window_dimensions", column(w, func(d hlo.WindowDim) int64 { return d.Size })))
	if in.Op == hlo.SelectAndScatter {
		for _, d := range w {
			if d.BaseDilation > 1 || d.WindowDilation > 1 {
				return node{}, fmt.Errorf("a dilated window: %w", errors.ErrUnsupported)
			}
		}
		extra = slices.DeleteFunc(extra,
			func(a NamedAttr) bool { return a.Name == "base_dilations" || a.Name == "window_dilations" })
	}
	return b.applied(in, in.Op.Info().MLIR, in.Called(), extra...)
}

// exportRng adds the operand that says the shape.
func exportRng(b *writer, in *hlo.Instruction) (node, error) {
	operands, attrs, err := b.parts(in)
	if err != nil {
		return node{}, err
	}
	sizes, err := b.integers(in.Shape.Dims)
	if err != nil {
		return node{}, err
	}
	return b.op(in, "stablehlo.rng", in.Shape, append(operands, sizes), attrs...)
}

// exportTopK writes the largest elements as CHLO's op, the smallest as MHLO's.
func exportTopK(b *writer, in *hlo.Instruction) (node, error) {
	a := in.Attrs.(*hlo.TopKAttrs)
	operands, err := b.operands(in)
	if err != nil {
		return node{}, err
	}
	if a.Largest {
		return b.op(in, "chlo.top_k", in.Shape, operands, named("k", number64(a.K)))
	}
	return b.op(in, "mhlo.topk", in.Shape, operands, named("k", number64(a.K)), named("largest", BoolAttr(false)))
}

func exportScan(b *writer, in *hlo.Instruction) (node, error) {
	a := in.Attrs.(*hlo.ScanAttrs)
	segments := DenseArrayAttr{Elem: IntType{Width: 32}, Elems: []string{
		fmt.Sprint(int64(len(in.Operands)) - a.NumCarries), fmt.Sprint(a.NumCarries)}}
	results := int64(1)
	if in.Shape.IsTuple() {
		results = int64(len(in.Shape.Elems))
	}
	out := DenseArrayAttr{Elem: IntType{Width: 32},
		Elems: []string{fmt.Sprint(results - a.NumCarries), fmt.Sprint(a.NumCarries)}}
	return b.applied(in, "chlo.scan", in.Called(), named("operandSegmentSizes", segments),
		named("resultSegmentSizes", out))
}

// exportBitcast writes the bytes under another shape: in the order of memory a reshape, between two transposes.
func exportBitcast(b *writer, in *hlo.Instruction) (node, error) {
	operands, err := b.operands(in)
	if err != nil {
		return node{}, err
	}
	from, to := in.Operands[0].Shape, in.Shape
	if from.Type.Bits() != to.Type.Bits() || !plainLayout(from) || !plainLayout(to) || from.IsDynamic() || to.IsDynamic() {
		return node{}, fmt.Errorf("a bitcast of %s to %s: %w", from.Text(), to.Text(), errors.ErrUnsupported)
	}
	v := operands[0]
	order := majorToMinor(from)
	if v, err = b.transposed(v, from, order); err != nil {
		return node{}, err
	}
	physical := to.WithDims(picked(to.Dims, majorToMinor(to))...)
	if v, err = b.value("stablehlo.reshape", physical.WithType(from.Type), []*Value{v}); err != nil {
		return node{}, err
	}
	if from.Type != to.Type {
		if v, err = b.value("stablehlo.bitcast_convert", physical, []*Value{v}); err != nil {
			return node{}, err
		}
	}
	back := make([]int64, len(to.Dims))
	for i, d := range majorToMinor(to) {
		back[d] = int64(i)
	}
	v, err = b.transposed(v, physical, back)
	return node{value: v}, err
}

// plainLayout reports whether the elements lie one behind the other, in whatever order.
func plainLayout(s shape.Shape) bool {
	l := s.Layout
	return l == nil || len(l.Tiles) == 0 && l.PaddedDims == nil && l.ElementBits == 0
}

// majorToMinor lists the dimensions from slowest to fastest in memory.
func majorToMinor(s shape.Shape) []int64 {
	l := s.Layout
	if l == nil {
		l = shape.DefaultLayout(s.Rank())
	}
	order := slices.Clone(l.MinorToMajor)
	slices.Reverse(order)
	return order
}

func picked(v, at []int64) []int64 {
	out := make([]int64, len(at))
	for i, d := range at {
		out[i] = v[d]
	}
	return out
}

// transposed writes a transpose of v, of shape s, unless it changes nothing.
func (b *writer) transposed(v *Value, s shape.Shape, perm []int64) (*Value, error) {
	if slices.IsSorted(perm) {
		return v, nil
	}
	return b.value("stablehlo.transpose", s.WithDims(picked(s.Dims, perm)...), []*Value{v},
		named("permutation", numbers(perm)))
}
