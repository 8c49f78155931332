package stablehlo

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
)

// computationOf imports a region whose block's arguments are a computation's parameters, as reduce has one. The
// computation returns one value, or a tuple.
func (c *ctx) computationOf(op *Op, region int, name string) (*hlo.Computation, error) {
	block, err := op.Block(region)
	if err != nil {
		return nil, err
	}
	r := c.region(op, name)
	if err := r.parameters(block.Args, op); err != nil {
		return nil, err
	}
	results, err := r.body(block, op)
	if err != nil {
		return nil, err
	}
	return r.build(results, len(results) != 1, op)
}

// regions wants an op to have n regions.
func regions(op *Op, n int) error {
	if len(op.Regions) != n {
		return op.Errorf("has %d regions, want %d", len(op.Regions), n)
	}
	return nil
}

// withComputation imports an op of one region, whose computation goes to to.
func (c *ctx) withComputation(op *Op, code hlo.Opcode, a hlo.Attrs, to **hlo.Computation, name string) error {
	if err := regions(op, 1); err != nil {
		return err
	}
	var err error
	if *to, err = c.computationOf(op, 0, name); err != nil {
		return err
	}
	return c.simple(op, code, a)
}

func importReduce(c *ctx, op *Op) error {
	a := &hlo.ReduceAttrs{}
	if err := setAttrs(op, a); err != nil {
		return err
	}
	if len(op.Operands) > 0 {
		if t, ok := op.Operands[0].Type.(*TensorType); ok {
			if err := wholeArrays(op, without(t.Dims, a.Dimensions)); err != nil {
				return err
			}
		}
	}
	return c.withComputation(op, hlo.Reduce, a, &a.ToApply, "reducer")
}

// without returns dims but those at the places of gone.
func without(dims, gone []int64) []int64 {
	var rest []int64
	for d, n := range dims {
		if !slices.Contains(gone, int64(d)) {
			rest = append(rest, n)
		}
	}
	return rest
}

// wholeArrays finds reductions whose computation works on arrays of some of the dimensions kept, which StableHLO's
// verifier
// allows and HLO does not have. Others, right or wrong, are left to the rules of HLO.
func wholeArrays(op *Op, kept []int64) error {
	init, ok := op.Operands[len(op.Operands)-1].Type.(*TensorType)
	if !ok || len(init.Dims) == 0 {
		return nil
	}
	k := 0
	for _, n := range kept {
		if k < len(init.Dims) && (n == init.Dims[k] || n == Dynamic) {
			k++
		}
	}
	if k < len(init.Dims) {
		return nil
	}
	return unsupported(op, "its computation works on arrays of type %s", init)
}

func importMap(c *ctx, op *Op) error {
	a := &hlo.MapAttrs{}
	if err := setAttrs(op, a); err != nil {
		return err
	}
	return c.withComputation(op, hlo.Map, a, &a.ToApply, "mapped")
}

func importSort(c *ctx, op *Op) error {
	a := &hlo.SortAttrs{}
	dim, err := op.IntOr("dimension", -1)
	if err != nil {
		return err
	}
	if dim < 0 && len(op.Operands) > 0 { // sort C4
		dim += int64(rankOf(op.Operands[0]))
	}
	a.Dimension = hlo.OneDim(dim)
	if a.IsStable, err = op.Bool("is_stable"); err != nil {
		return err
	}
	return c.withComputation(op, hlo.Sort, a, &a.ToApply, "comparator")
}

func importScatter(c *ctx, op *Op) error {
	a := &hlo.ScatterAttrs{}
	if err := setAttrs(op, a); err != nil {
		return err
	}
	if err := setNumbers(op, "scatter_dimension_numbers", "scatter", a); err != nil {
		return err
	}
	return c.withComputation(op, hlo.Scatter, a, &a.ToApply, "scatterer")
}

func importReduceWindow(c *ctx, op *Op) error {
	a := &hlo.ReduceWindowAttrs{}
	var err error
	if a.Window, err = operandWindow(op); err != nil {
		return err
	}
	sizes := make([]int64, len(a.Window))
	for i, d := range a.Window {
		sizes[i] = d.Size
	}
	if err := wholeArrays(op, sizes); err != nil {
		return err
	}
	return c.withComputation(op, hlo.ReduceWindow, a, &a.ToApply, "reducer")
}

func importSelectAndScatter(c *ctx, op *Op) error {
	a := &hlo.SelectAndScatterAttrs{}
	if err := regions(op, 2); err != nil {
		return err
	}
	var err error
	if a.Window, err = operandWindow(op); err != nil {
		return err
	}
	if a.Select, err = c.computationOf(op, 0, "select"); err != nil {
		return err
	}
	if a.Scatter, err = c.computationOf(op, 1, "scatter"); err != nil {
		return err
	}
	return c.simple(op, hlo.SelectAndScatter, a)
}

// importScan imports a scan; the operands are inputs and then carries, whose numbers operandSegmentSizes has.
func importScan(c *ctx, op *Op) error {
	a := &hlo.ScanAttrs{}
	segments, err := op.Ints("operandSegmentSizes")
	if err != nil {
		return err
	}
	if len(segments) != 2 || segments[0]+segments[1] != int64(len(op.Operands)) {
		return op.wrong("operandSegmentSizes", "two numbers whose sum is that of the operands")
	}
	if a.Dimension, err = op.Int("dimension"); err != nil {
		return err
	}
	if a.IsReverse, err = op.Bool("is_reverse"); err != nil {
		return err
	}
	a.NumCarries = segments[1]
	return c.withComputation(op, hlo.Scan, a, &a.ToApply, "scanned")
}

// operandWindow reads the window over all dimensions of the first operand, as reduce_window and
// select_and_scatter have it.
func operandWindow(op *Op) (hlo.Window, error) {
	if len(op.Operands) == 0 {
		return nil, op.Errorf("has no operands")
	}
	rank := rankOf(op.Operands[0])
	sizes := make([]int64, rank)
	for i := range sizes {
		sizes[i] = 1
	}
	sizes, err := op.IntsOr("window_dimensions", sizes)
	if err != nil {
		return nil, err
	}
	if len(sizes) != rank {
		return nil, op.wrong("window_dimensions", "one size a dimension of the operand")
	}
	return window(op, sizes, "base_dilations", "window_dilations")
}

// window reads a window of given sizes. base and kernel are the names of the dilations.
func window(op *Op, sizes []int64, base, kernel string) (hlo.Window, error) {
	w := make(hlo.Window, len(sizes))
	for i, n := range sizes {
		w[i] = hlo.WindowDim{Size: n, Stride: 1, BaseDilation: 1, WindowDilation: 1}
	}
	for name, field := range map[string]func(*hlo.WindowDim) *int64{
		"window_strides": func(d *hlo.WindowDim) *int64 { return &d.Stride },
		base:             func(d *hlo.WindowDim) *int64 { return &d.BaseDilation },
		kernel:           func(d *hlo.WindowDim) *int64 { return &d.WindowDilation },
	} {
		if op.Attr(name) == nil {
			continue
		}
		list, err := op.Ints(name)
		if err != nil {
			return nil, err
		}
		if len(list) != len(w) {
			return nil, op.wrong(name, "one number a dimension of the window")
		}
		for i, n := range list {
			if n <= 0 {
				return nil, op.wrong(name, "positive numbers")
			}
			*field(&w[i]) = n
		}
	}
	return w, windowPadding(op, w)
}

func windowPadding(op *Op, w hlo.Window) error {
	if op.Attr("padding") != nil {
		v, rows, cols, err := matrix(op, "padding")
		if err != nil {
			return err
		}
		if int(rows) != len(w) || rows > 0 && cols != 2 {
			return op.wrong("padding", "a pair a dimension of the window")
		}
		for i := range w {
			w[i].PadLow, w[i].PadHigh = v[2*i], v[2*i+1]
		}
	}
	if op.Attr("window_reversal") == nil {
		return nil
	}
	flags, err := op.Bools("window_reversal")
	if err != nil {
		return err
	}
	if len(flags) != len(w) {
		return op.wrong("window_reversal", "one flag a dimension of the window")
	}
	for i, f := range flags {
		w[i].Reversal = f
	}
	return nil
}
