package emit

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// shortSum is how many terms are summed step by step as the definition has them. Law: docs/numerics.md.
const shortSum = 256

// sumType is the type in which products with results of type t are summed.
func sumType(t shape.ElementType) shape.ElementType {
	if narrow(t) {
		return shape.F32
	}
	return t
}

// addProduct adds the product of x and y to an accumulator. Floats are multiplied and added with one rounding.
func (b *body) addProduct(acc string, t shape.ElementType, x, y value) {
	x, y = b.plain(b.converted(x, t)), b.plain(b.converted(y, t))
	switch t {
	case shape.F32:
		b.line("%s = fmaf(%s, %s, %s);", acc, x.text, y.text, acc)
	case shape.F64:
		b.line("%s = fma(%s, %s, %s);", acc, x.text, y.text, acc)
	default:
		b.line("%s = x_add(%s, x_mul(%s, %s));", acc, acc, x.text, y.text)
	}
}

// zero declares a sum of type t.
func (b *body) zero(t shape.ElementType) value {
	b.need(ctypes[t].uses)
	n := b.name("w")
	b.line("%s %s = {};", ctypes[t].value, n)
	return value{text: n, t: t}
}

// sum is what an accumulator of products holds, as an element of type t.
func (b *body) sum(acc value, t shape.ElementType) value {
	v := b.frozen(acc.t, acc.text)
	if acc.t == t && ctypes[t].wrap != "" {
		return b.element(t, fill(ctypes[t].wrap, v.text))
	}
	return b.converted(v, t)
}

// dot sums products over the contracting dimensions.
func dot(g *graph, in *hlo.Instruction, ix index) []value {
	b, a := g.b, in.Attrs.(*hlo.DotAttrs)
	lhs, rhs := in.Operands[0], in.Operands[1]
	x, y := b.dotPlaces(in, a, b.coordinates(ix))
	split := splitOf(in)
	acc := b.zero(sumType(in.Shape.Type))
	b.contracting(a, lhs, x, y)
	b.addProducts(acc.text, acc.t, g.at(lhs, at(lhs.Shape.Dims, x)), g.at(rhs, at(rhs.Shape.Dims, y)), split)
	b.closes(len(a.LHSContracting))
	return []value{b.roundedSum(acc, in.Shape.Type, split)}
}

// scaledDot sums products of elements times the scales of their blocks, which f64 holds.
func scaledDot(g *graph, in *hlo.Instruction, ix index) []value {
	b, a := g.b, in.Attrs.(*hlo.DotAttrs)
	x, y := b.dotPlaces(in, a, b.coordinates(ix))
	split := splitOf(in)
	acc := b.zero(shape.F64)
	b.contracting(a, in.Operands[0], x, y)
	b.addProducts(acc.text, acc.t, g.scaled(in, 0, x), g.scaled(in, 1, y), split)
	b.closes(len(a.LHSContracting))
	return []value{b.roundedSum(acc, in.Shape.Type, split)}
}

// scaled is an element of operand i times its block's scale, in f64.
func (g *graph) scaled(in *hlo.Instruction, i int, dims []string) value {
	b, of, scale := g.b, in.Operands[i].Shape.Dims, in.Operands[i+2]
	blocks := make([]string, scale.Shape.Rank())
	for d, n := range scale.Shape.Dims {
		blocks[d] = b.integer(over(dims[d], of[d]/max(n, 1)))
	}
	v := b.converted(g.at(in.Operands[i], at(of, dims)), shape.F64)
	s := b.converted(g.at(scale, at(scale.Shape.Dims, blocks)), shape.F64)
	return b.element(shape.F64, v.text+" * "+s.text)
}

// contracting opens the loops over the contracting dimensions, and sets the operands' coordinates there.
func (b *body) contracting(a *hlo.DotAttrs, lhs *hlo.Instruction, x, y []string) {
	for i, d := range a.LHSContracting {
		k := b.loop(lhs.Shape.Dims[d])
		x[d], y[a.RHSContracting[i]] = k, k
	}
}

// dotPlaces gives the coordinates of a dot's result to the operands; those of contracting dimensions stay "".
func (b *body) dotPlaces(in *hlo.Instruction, a *hlo.DotAttrs, dims []string) (x, y []string) {
	x, y = make([]string, in.Operands[0].Shape.Rank()), make([]string, in.Operands[1].Shape.Rank())
	for i, d := range a.LHSBatch {
		x[d], y[a.RHSBatch[i]] = dims[i], dims[i]
	}
	dims = dims[len(a.LHSBatch):]
	for d := range x {
		if !slices.Contains(a.LHSBatch, int64(d)) && !slices.Contains(a.LHSContracting, int64(d)) {
			x[d], dims = dims[0], dims[1:]
		}
	}
	for d := range y {
		if !slices.Contains(a.RHSBatch, int64(d)) && !slices.Contains(a.RHSContracting, int64(d)) {
			y[d], dims = dims[0], dims[1:]
		}
	}
	return x, y
}

// convolution sums products over a window and the features of a group. What lies in padding is left out.
func convolution(g *graph, in *hlo.Instruction, ix index) []value {
	b, a := g.b, in.Attrs.(*hlo.ConvolutionAttrs)
	l, r, n := in.Operands[0].Shape.Dims, in.Operands[1].Shape.Dims, a.DimLabels
	dims := b.coordinates(ix)
	acc := b.zero(sumType(in.Shape.Type))
	x, y := make([]string, len(l)), make([]string, len(r))
	features, outputs := r[n.KernelInput], r[n.KernelOutput]
	out := dims[n.OutputFeature]
	x[n.InputBatch] = dims[n.OutputBatch]
	if groups := max(a.BatchGroupCount, 1); groups > 1 {
		x[n.InputBatch] = b.integer(plus(times(over(out, outputs/groups), l[n.InputBatch]/groups), dims[n.OutputBatch]))
	}
	y[n.KernelOutput] = out
	opened := b.spatialTaps(a, in, dims, x, y)
	k := b.loop(features)
	x[n.InputFeature], y[n.KernelInput] = k, k
	if groups := max(a.FeatureGroupCount, 1); groups > 1 {
		x[n.InputFeature] = b.integer(plus(times(over(out, outputs/groups), features), k))
	}
	p, q := g.at(in.Operands[0], at(l, x)), g.at(in.Operands[1], at(r, y))
	if in.Shape.Type == shape.F32 && shape.Product(r)/max(outputs, 1) <= shortSum { // the evaluator rounds each product
		p, q = b.plain(b.converted(p, acc.t)), b.plain(b.converted(q, acc.t))
		b.line("%s += %s * %s;", acc.text, p.text, q.text)
	} else {
		b.addProduct(acc.text, acc.t, p, q)
	}
	b.closes(opened + 1)
	return []value{b.sum(acc, in.Shape.Type)}
}

// spatialTaps opens the loops over the window and sets the spatial coordinates of operand and kernel.
func (b *body) spatialTaps(a *hlo.ConvolutionAttrs, in *hlo.Instruction, dims, x, y []string) int {
	n, opened := a.DimLabels, 0
	for i, d := range n.InputSpatial {
		k := b.loop(in.Operands[1].Shape.Dims[n.KernelSpatial[i]])
		opened++
		w := a.Window[i]
		w.Size = in.Operands[1].Shape.Dims[n.KernelSpatial[i]]
		place, conditions := b.tap(hlo.WindowDim{Size: w.Size, Stride: w.Stride, PadLow: w.PadLow, PadHigh: w.PadHigh,
			BaseDilation: w.BaseDilation, WindowDilation: w.WindowDilation}, in.Operands[0].Shape.Dims[d],
			dims[n.OutputSpatial[i]], k)
		if len(conditions) > 0 {
			b.open("if (%s) {", joined(conditions))
			opened++
		}
		x[d], y[n.KernelSpatial[i]] = place, k
		if w.Reversal {
			y[n.KernelSpatial[i]] = b.integer(differ(num(w.Size-1), k))
		}
	}
	return opened
}

// tile sizes of a dot: a block of 16 by 16 threads computes 64 by 64 results, 16 products of each at a time.
const (
	dotTile  = 64
	dotDepth = 16
)

// emitDot multiplies matrices tile by tile, whatever the order of the dimensions.
func emitDot(e *Emission, in *hlo.Instruction) {
	a := in.Attrs.(*hlo.DotAttrs)
	lhs, rhs := in.Operands[0].Shape.Dims, in.Operands[1].Shape.Dims
	var kept, depth int64 = 1, 1
	for d, n := range lhs {
		if !slices.Contains(a.LHSBatch, int64(d)) && !slices.Contains(a.LHSContracting, int64(d)) {
			kept *= n
		}
	}
	batch := int64(1)
	for _, d := range a.RHSContracting {
		depth *= rhs[d]
	}
	for _, d := range a.LHSBatch {
		batch *= lhs[d]
	}
	if in.Shape.Size() == 0 {
		return
	}
	columns := in.Shape.Size() / batch / kept
	if depth < dotDepth || kept < dotDepth || columns < dotDepth || batch > 65535 {
		if !emitSkinny(e, in) {
			emitLoop(e, in)
		}
		return
	}
	b := newBody(e, sizesOf(in)...)
	g := b.newGraphOf(in)
	t := &dotTiles{b: b, g: g, in: in, batch: batch, rows: kept, columns: columns, depth: depth, split: splitOf(in)}
	e.add(t.kernel())
}

// dotTiles is a dot of matrices rows by depth and depth by columns, batch of them.
type dotTiles struct {
	b                           *body
	g                           *graph
	in                          *hlo.Instruction
	batch, rows, columns, depth int64
	sum                         shape.ElementType
	split                       *split
}

func (t *dotTiles) kernel() *Kernel {
	b := t.b
	t.sum = sumType(t.in.Shape.Type)
	value := ctypes[t.sum].value
	b.need(ctypes[t.sum].uses)
	b.line("__shared__ %s left[%d][%d], right[%d][%d];", value, dotDepth, dotTile, dotDepth, dotTile)
	b.line("const s32 tx = threadIdx.x %% 16, ty = threadIdx.x / 16;")
	b.line("const %s row0 = (%s)blockIdx.y * %d, column0 = (%s)blockIdx.x * %d, z = blockIdx.z;", b.ix, b.ix, dotTile,
		b.ix, dotTile)
	b.line("%s sums[4][4] = {};", value)
	b.open("for (%s k0 = 0; k0 < %d; k0 += %d) {", b.ix, t.depth, dotDepth)
	t.fetch("left", "row0", t.rows, true)
	t.fetch("right", "column0", t.columns, false)
	b.line("__syncthreads();")
	t.multiply(value)
	b.line("__syncthreads();")
	b.close("}")
	t.store()
	return b.kernel3("dot", [3]int64{ceil(t.columns, dotTile), ceil(t.rows, dotTile), t.batch}, [3]int{256, 1, 1})
}

// fetch brings a tile of an operand into shared memory, zeros beyond its edges.
func (t *dotTiles) fetch(to, first string, limit int64, left bool) {
	b := t.b
	b.open("for (s32 q = threadIdx.x; q < %d; q += 256) {", dotDepth*dotTile)
	if t.depthInnermost(left) {
		b.line("const s32 kk = q %% %d, ii = q / %d;", dotDepth, dotDepth)
	} else {
		b.line("const s32 ii = q %% %d, kk = q / %d;", dotTile, dotTile)
	}
	b.line("const %s i = %s + ii, k = k0 + kk;", b.ix, first)
	b.line("%s v = {};", ctypes[t.sum].value)
	b.open("if (i < %d && k < %d) {", limit, t.depth)
	v := b.plain(b.converted(t.element(left), t.sum))
	b.line("v = %s;", v.text)
	b.close("}")
	b.line("%s[kk][ii] = v;", to)
	b.close("}")
}

// depthInnermost reports whether an operand's last dimension is a contracting one.
func (t *dotTiles) depthInnermost(left bool) bool {
	a, o := t.in.Attrs.(*hlo.DotAttrs), t.in.Operands[1]
	list := a.RHSContracting
	if left {
		list, o = a.LHSContracting, t.in.Operands[0]
	}
	return slices.Contains(list, int64(o.Shape.Rank()-1))
}

// element is element (i, k) of the left matrix or (k, i) of the right one, of batch z.
func (t *dotTiles) element(left bool) value {
	b, a := t.b, t.in.Attrs.(*hlo.DotAttrs)
	o, batch, contracting := t.in.Operands[1], a.RHSBatch, a.RHSContracting
	if left {
		o, batch, contracting = t.in.Operands[0], a.LHSBatch, a.LHSContracting
	}
	of := o.Shape.Dims
	var kept []int64
	for d := range of {
		if !slices.Contains(batch, int64(d)) && !slices.Contains(contracting, int64(d)) {
			kept = append(kept, int64(d))
		}
	}
	dims := make([]string, len(of))
	for k, list := range [][]int64{batch, kept, contracting} {
		sizes := make([]int64, len(list))
		for i, d := range list {
			sizes[i] = of[d]
		}
		for i, x := range b.coordinates(index{flat: []string{"z", "i", "k"}[k], of: sizes}) {
			dims[list[i]] = x
		}
	}
	return t.g.at(o, at(of, dims))
}

// multiply adds the products of a tile.
func (t *dotTiles) multiply(value string) {
	b := t.b
	b.line("#pragma unroll")
	b.open("for (s32 k = 0; k < %d; k++) {", dotDepth)
	b.line("%s x[4], y[4];", value)
	b.line("for (s32 i = 0; i < 4; i++) x[i] = left[k][ty * 4 + i], y[i] = right[k][tx + 16 * i];")
	b.line("#pragma unroll")
	b.open("for (s32 i = 0; i < 16; i++) {")
	sum := "sums[i / 4][i % 4]"
	b.addProducts(sum, t.sum, valueOf("x[i / 4]", t.sum), valueOf("y[i % 4]", t.sum), t.split)
	b.close("}")
	b.close("}")
}

func valueOf(text string, t shape.ElementType) value { return value{text: text, t: t} }

// store writes the sums.
func (t *dotTiles) store() {
	b := t.b
	b.line("#pragma unroll")
	b.open("for (s32 q = 0; q < 16; q++) {")
	b.line("const %s i = row0 + ty * 4 + q / 4, j = column0 + tx + q %% 4 * 16;", b.ix)
	b.open("if (i < %d && j < %d) {", t.rows, t.columns)
	v := b.roundedSum(valueOf("sums[q / 4][q % 4]", t.sum), t.in.Shape.Type, t.split)
	b.store(Buffer{Result, 0}, b.integer(fmt.Sprintf("(z * %d + i) * %d + j", t.rows, t.columns)), v)
	b.close("}")
	b.close("}")
}

func ceil(n, d int64) int64 { return (n + d - 1) / d }
