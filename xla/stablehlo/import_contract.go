package stablehlo

import (
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
)

// importDotGeneral imports a contraction.
func importDotGeneral(c *ctx, op *Op) error {
	attrs, err := attrsOf(op, hlo.Dot, dotAttrs)
	if err != nil {
		return err
	}
	if a := attrs.(*hlo.DotAttrs); a.Algorithm != "" && len(op.Operands) > 0 {
		if s, err := shapeOf(op.Operands[0].Type); err != nil || !s.Type.IsFloat() { // the algorithm speaks of floats
			other := *a
			other.Algorithm, attrs = "", &other
		}
	}
	return c.simple(op, hlo.Dot, attrs)
}

func dotAttrs(op *Op, _ hlo.Opcode) (hlo.Attrs, error) {
	a := &hlo.DotAttrs{}
	if err := setAttrs(op, a); err != nil {
		return nil, err
	}
	if err := setNumbers(op, "dot_dimension_numbers", "dot", a); err != nil {
		return nil, err
	}
	if op.Attr("algorithm") == nil {
		return a, nil
	}
	for _, p := range a.Precision { // dot_general C21
		if p != hlo.DefaultPrecision {
			return nil, op.wrong("precision_config", "DEFAULT since there is an algorithm")
		}
	}
	var err error
	a.Algorithm, err = algorithm(op)
	return a, err
}

// importDot imports the old dot of vectors and matrices, which contracts lhs's last dimension with rhs's first.
func importDot(c *ctx, op *Op) error {
	a := &hlo.DotAttrs{RHSContracting: []int64{0}}
	if err := setAttrs(op, a); err != nil {
		return err
	}
	if len(op.Operands) != 2 {
		return op.Errorf("has %d operands, want 2", len(op.Operands))
	}
	lhs, rhs := rankOf(op.Operands[0]), rankOf(op.Operands[1])
	if lhs < 1 || lhs > 2 || rhs < 1 || rhs > 2 {
		return op.Errorf("operands have %d and %d dimensions, want 1 or 2", lhs, rhs)
	}
	a.LHSContracting = []int64{int64(lhs - 1)}
	return c.simple(op, hlo.Dot, a)
}

// importRaggedDot imports a contraction whose groups have sizes of their own.
func importRaggedDot(c *ctx, op *Op) error {
	a := &hlo.RaggedDotAttrs{}
	if err := setAttrs(op, a); err != nil {
		return err
	}
	if err := setNumbers(op, "ragged_dot_dimension_numbers", "ragged_dot", a); err != nil {
		return err
	}
	return c.simple(op, hlo.RaggedDot, a)
}

// algorithm reads a dot's algorithm. Law: StableHLO dot_general C22 to C29.
func algorithm(op *Op) (hlo.Raw, error) {
	d, ok := op.Attr("algorithm").(*DialectAttr)
	if !ok {
		return "", op.wrong("algorithm", "#stablehlo.dot_algorithm<...>")
	}
	var a hlo.DotAlgorithm
	for key, to := range map[string]*string{
		"lhs_precision_type": &a.LHSPrecisionType, "rhs_precision_type": &a.RHSPrecisionType,
		"accumulation_type": &a.AccumulationType,
	} {
		t, ok := d.Fields.Lookup(key).(TypeAttr)
		if !ok {
			return "", op.wrong("algorithm", key+" is a type")
		}
		*to = t.Type.String()
	}
	for key, to := range map[string]*int64{
		"lhs_component_count": &a.LHSComponentCount, "rhs_component_count": &a.RHSComponentCount,
		"num_primitive_operations": &a.NumPrimitiveOperations,
	} {
		if *to, ok = intOf(d.Fields.Lookup(key)); !ok {
			return "", op.wrong("algorithm", key+" is a number")
		}
	}
	imprecise, _ := d.Fields.Lookup("allow_imprecise_accumulation").(BoolAttr)
	a.AllowImpreciseAccumulation = bool(imprecise)
	name, err := a.Name()
	if err != nil {
		return "", op.Errorf("attribute %v", err)
	}
	return name, nil
}

// importGather imports gather and dynamic_gather, whose slice sizes are an operand.
func importGather(c *ctx, op *Op) error {
	code := opcodeOf(op)
	a, err := attrsOf(op, code, gatherAttrs)
	if err != nil {
		return err
	}
	return c.simple(op, code, a)
}

func gatherAttrs(op *Op, code hlo.Opcode) (hlo.Attrs, error) {
	a := code.Info().Attrs()
	if err := setAttrs(op, a); err != nil {
		return nil, err
	}
	return a, setNumbers(op, "dimension_numbers", "gather", a)
}

// importTorchIndexSelect imports the old torch_index_select as a gather of whole slices along one dimension.
func importTorchIndexSelect(c *ctx, op *Op) error {
	dim, err := op.Int("dim")
	if err != nil {
		return err
	}
	batch, err := op.Int("batch_dims")
	if err != nil {
		return err
	}
	if len(op.Operands) != 2 {
		return op.Errorf("has %d operands, want 2", len(op.Operands))
	}
	operand, ok := op.Operands[0].Type.(*TensorType)
	index, ok2 := op.Operands[1].Type.(*TensorType)
	if !ok || !ok2 || batch < 0 || batch > dim || dim >= int64(len(operand.Dims)) || batch > int64(len(index.Dims)) {
		return op.Errorf("dim is %d and batch_dims %d, want 0 <= batch_dims <= dim < rank of the operand", dim, batch)
	}
	rank, indexRank := int64(len(operand.Dims)), int64(len(index.Dims))
	a := &hlo.GatherAttrs{CollapsedSliceDims: []int64{dim}, StartIndexMap: []int64{dim}, IndexVectorDim: indexRank}
	for d := range rank {
		size := operand.Dims[d]
		if d < batch {
			a.OperandBatchingDims = append(a.OperandBatchingDims, d)
			a.StartIndicesBatchingDims = append(a.StartIndicesBatchingDims, d)
			size = 1
		} else if d == dim {
			size = 1
		} else if d < dim {
			a.OffsetDims = append(a.OffsetDims, d)
		} else {
			a.OffsetDims = append(a.OffsetDims, d+indexRank-batch-1)
		}
		if size == Dynamic {
			return unsupported(op, "operand %s has dimensions of unknown size", operand)
		}
		a.SliceSizes = append(a.SliceSizes, size)
	}
	return c.simple(op, hlo.Gather, a)
}

// importConvolution imports convolution and dynamic_conv, whose padding is an operand.
func importConvolution(c *ctx, op *Op) error {
	a := &hlo.ConvolutionAttrs{}
	labels, err := dimLabels(op)
	if err != nil {
		return err
	}
	a.DimLabels = labels
	for name, to := range map[string]*int64{
		"feature_group_count": &a.FeatureGroupCount, "batch_group_count": &a.BatchGroupCount,
	} {
		if *to, err = op.Int(name); err != nil {
			return err
		}
		if *to <= 0 { // convolution C21, C22
			return op.wrong(name, "a positive number")
		}
	}
	if op.Attr("precision_config") != nil {
		if a.Precision, err = precision(op, "precision_config"); err != nil {
			return err
		}
	}
	if a.Window, err = kernelWindow(op, labels); err != nil {
		return err
	}
	return c.simple(op, opcodeOf(op), a)
}

// kernelWindow reads a convolution's window; its sizes are the kernel's spatial ones.
func kernelWindow(op *Op, labels hlo.DimLabels) (hlo.Window, error) {
	if len(op.Operands) < 2 {
		return nil, op.Errorf("has %d operands, want an input and a kernel", len(op.Operands))
	}
	kernel, ok := op.Operands[1].Type.(*TensorType)
	if !ok {
		return nil, op.Errorf("kernel is %s, want a tensor", op.Operands[1].Type)
	}
	if input, ok := op.Operands[0].Type.(*TensorType); ok && !TypesEqual(input.Elem, kernel.Elem) { // convolution C27
		return nil, op.Errorf("elements differ: the input's are %s, the kernel's %s", input.Elem, kernel.Elem)
	}
	sizes := make([]int64, len(labels.KernelSpatial))
	for i, d := range labels.KernelSpatial {
		if d < 0 || d >= int64(len(kernel.Dims)) {
			return nil, op.Errorf("dimension %d of the kernel %s is out of range", d, kernel)
		}
		if sizes[i] = kernel.Dims[d]; sizes[i] == Dynamic {
			sizes[i] = 0 // known when the program is refined
		}
	}
	return window(op, sizes, "lhs_dilation", "rhs_dilation")
}

// dimLabels reads the dimension numbers of a convolution.
func dimLabels(op *Op) (hlo.DimLabels, error) {
	var l hlo.DimLabels
	d, ok := op.Attr("dimension_numbers").(*DialectAttr)
	if !ok || !strings.HasSuffix(d.Name, ".conv") {
		return l, op.wrong("dimension_numbers", "#stablehlo.conv<...>")
	}
	numbers := &Op{Name: op.Name, Pos: op.Pos, Operands: op.Operands, Attrs: d.Fields}
	for name, ptr := range map[string]any{
		"input_batch_dimension": &l.InputBatch, "input_feature_dimension": &l.InputFeature,
		"input_spatial_dimensions": &l.InputSpatial, "kernel_input_feature_dimension": &l.KernelInput,
		"kernel_output_feature_dimension": &l.KernelOutput, "kernel_spatial_dimensions": &l.KernelSpatial,
		"output_batch_dimension": &l.OutputBatch, "output_feature_dimension": &l.OutputFeature,
		"output_spatial_dimensions": &l.OutputSpatial,
	} {
		if err := setField(numbers, name, ptr); err != nil {
			return l, err
		}
	}
	return l, nil
}
