package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// element computes the elements of in's leaves at a place.
type element func(g *graph, in *hlo.Instruction, ix index) []value

// elements are the ops of which one element can be computed from some of the operands': a loop over the result's
// elements is a kernel for them, and they may be parts of fusions.
var elements [hlo.NumOps]element

func init() {
	elements = [hlo.NumOps]element{
		hlo.Bitcast:            reshape,
		hlo.BitcastConvert:     bitcast,
		hlo.Broadcast:          broadcast,
		hlo.Compare:            compare,
		hlo.Complex:            complexOf,
		hlo.Concatenate:        concatenate,
		hlo.Constant:           constant,
		hlo.Convert:            convert,
		hlo.Convolution:        convolution,
		hlo.Copy:               identity,
		hlo.Dot:                dot,
		hlo.DynamicSlice:       dynamicSlice,
		hlo.DynamicUpdateSlice: dynamicUpdateSlice,
		hlo.Gather:             gather,
		hlo.Imag:               imaginaryPart,
		hlo.Iota:               iota_,
		hlo.Map:                mapped,
		hlo.Pad:                pad,
		hlo.RaggedDot:          raggedDot,
		hlo.Real:               realPart,
		hlo.Reduce:             reduceElement,
		hlo.ReducePrecision:    reducePrecision,
		hlo.ReduceWindow:       reduceWindow,
		hlo.Reshape:            reshape,
		hlo.Reverse:            reverse,
		hlo.ScaledDot:          scaledDot,
		hlo.Select:             choose,
		hlo.SelectAndScatter:   selectAndScatter,
		hlo.Slice:              slice,
		hlo.StochasticConvert:  stochasticConvert,
		hlo.Transpose:          transpose,
	}
	for op, text := range expressions {
		if text != "" {
			elements[op] = elementwise
		}
	}
}

func identity(g *graph, in *hlo.Instruction, ix index) []value {
	return []value{g.at(in.Operands[0], ix)}
}

func constant(g *graph, in *hlo.Instruction, ix index) []value {
	l, t := in.Attrs.(*hlo.ConstantAttrs).Literal, in.Shape.Type
	if in.Shape.IsScalar() {
		if narrow(t) {
			g.b.need(ctypes[t].uses)
			bits := uint64(l.Bytes()[0])
			if t.Bits() == 16 {
				bits |= uint64(l.Bytes()[1]) << 8
			}
			return []value{{fmt.Sprintf("(%s)%d", ctypes[t].store, bits), t, true}}
		}
		return []value{g.b.element(t, constantText(t, l.Wide(), 0))}
	}
	data := slices.Clone(l.RowMajor().Bytes())
	g.b.e.Tables = append(g.b.e.Tables, data)
	buf := Buffer{Table, len(g.b.e.Tables) - 1}
	return []value{g.b.load(buf, t, ix)}
}

func reshape(g *graph, in *hlo.Instruction, ix index) []value {
	o := in.Operands[0]
	same := in.Shape.Type == o.Shape.Type && in.Shape.Size() == o.Shape.Size()
	if !same || in.Shape.Layout != nil || o.Shape.Layout != nil {
		refuse("%s from %v to %v", in.Op, o.Shape, in.Shape)
	}
	return []value{g.at(o, g.b.as(ix, o.Shape.Dims))}
}

func broadcast(g *graph, in *hlo.Instruction, ix index) []value {
	o, a := in.Operands[0], in.Attrs.(*hlo.BroadcastAttrs)
	if o.Shape.Size() == 1 {
		return []value{g.at(o, index{flat: "0", dims: slices.Repeat([]string{"0"}, o.Shape.Rank()), of: o.Shape.Dims})}
	}
	if onesApart(in.Shape.Dims, o.Shape.Dims) && slices.IsSorted(a.Dimensions) {
		return []value{g.at(o, g.b.as(ix, o.Shape.Dims))}
	}
	from := g.b.broadcastFrom(ix, o.Shape.Dims, a.Dimensions)
	return []value{g.at(o, from)}
}

// broadcastFrom is the place of a broadcast's operand. Where the operand is the result's last dimensions, one division
// finds it.
func (b *body) broadcastFrom(ix index, of, dimensions []int64) index {
	k := len(ix.of) - len(of)
	trailing := ix.flat != ""
	for i, d := range dimensions {
		trailing = trailing && int(d) == k+i && of[i] == ix.of[d]
	}
	if trailing {
		return index{flat: b.integer(modulo(ix.flat, shape.Product(of))), of: of}
	}
	if b.leading(ix, of, dimensions) {
		return index{flat: b.integer(over(ix.flat, shape.Product(ix.of)/shape.Product(of))), of: of}
	}
	dims := b.coordinates(ix)
	out := make([]string, len(of))
	for i, d := range dimensions {
		out[i] = dims[d]
		if of[i] == 1 {
			out[i] = "0"
		}
	}
	return at(of, out)
}

// leading reports whether an operand is the first dimensions of a broadcast.
func (b *body) leading(ix index, of, dimensions []int64) bool {
	for i, d := range dimensions {
		if int(d) != i || of[i] != ix.of[d] {
			return false
		}
	}
	return ix.flat != ""
}

func transpose(g *graph, in *hlo.Instruction, ix index) []value {
	o := in.Operands[0]
	dims, out := g.b.coordinates(ix), make([]string, o.Shape.Rank())
	for i, d := range in.Attrs.(*hlo.TransposeAttrs).Dimensions {
		out[d] = dims[i]
	}
	return []value{g.at(o, at(o.Shape.Dims, out))}
}

func slice(g *graph, in *hlo.Instruction, ix index) []value {
	o := in.Operands[0]
	dims, out := g.b.coordinates(ix), make([]string, o.Shape.Rank())
	for d, s := range in.Attrs.(*hlo.SliceAttrs).Slice {
		out[d] = g.b.integer(plus(times(dims[d], max(s.Stride, 1)), num(s.Start)))
	}
	return []value{g.at(o, at(o.Shape.Dims, out))}
}

func reverse(g *graph, in *hlo.Instruction, ix index) []value {
	out := slices.Clone(g.b.coordinates(ix))
	for _, d := range in.Attrs.(*hlo.ReverseAttrs).Dimensions {
		if last := in.Shape.Dims[d] - 1; last > 0 {
			out[d] = g.b.integer(fmt.Sprintf("%d - %s", last, out[d]))
		}
	}
	return []value{g.at(in.Operands[0], at(in.Shape.Dims, out))}
}

func iota_(g *graph, in *hlo.Instruction, ix index) []value {
	d := in.Attrs.(*hlo.IotaAttrs).Dimension
	t := shape.S32
	if g.b.ix == "s64" {
		t = shape.S64
	}
	return []value{g.b.converted(value{text: g.b.integer(g.b.coordinates(ix)[d]), t: t}, in.Shape.Type)}
}

// pad reads the operand where there is one.
func pad(g *graph, in *hlo.Instruction, ix index) []value {
	b, o := g.b, in.Operands[0]
	var conditions []string
	dims, out := b.coordinates(ix), make([]string, o.Shape.Rank())
	for d, p := range in.Attrs.(*hlo.PadAttrs).Padding {
		n := o.Shape.Dims[d]
		at := b.integer(plus(dims[d], num(-p.Low)))
		out[d] = at
		if p.Interior > 0 {
			conditions = append(conditions, fmt.Sprintf("%s %% %d == 0", at, p.Interior+1))
			out[d] = b.integer(fmt.Sprintf("%s / %d", at, p.Interior+1))
		}
		if p.Low > 0 {
			conditions = append(conditions, at+" >= 0")
		}
		if p.High > 0 || n == 0 {
			conditions = append(conditions, fmt.Sprintf("%s < %d", out[d], n))
		}
	}
	if len(conditions) == 0 {
		return []value{g.at(o, at(o.Shape.Dims, out))}
	}
	return []value{b.choice(g.at(in.Operands[1], scalar()), strings.Join(conditions, " && "),
		func() value { return g.at(o, at(o.Shape.Dims, out)) })}
}

// choice is what some code computes where a condition holds, and other elsewhere.
func (b *body) choice(other value, condition string, code func() value) value {
	other = b.asRaw(other)
	n := b.name("w")
	b.line("%s %s = %s;", carrier(other), n, other.text)
	b.open("if (%s) {", condition)
	v := b.asRaw(code())
	b.line("%s = %s;", n, v.text)
	b.close("}")
	return value{n, other.t, other.raw}
}

// starts are the places at which a dynamic slice of some sizes begins.
func (g *graph) starts(list []*hlo.Instruction, dims, sizes []int64) []string {
	out := make([]string, len(dims))
	for d := range dims {
		out[d] = "0"
		if last := dims[d] - sizes[d]; last > 0 {
			v, place := startOf(list, d)
			out[d] = g.b.integer(fmt.Sprintf("(%s)clamp_start(%s, %d)", g.b.ix, g.at(v, place).text, last))
		}
	}
	return out
}

// startOf returns where the start of dimension d stands: a scalar of its own, or an element of a vector.
func startOf(list []*hlo.Instruction, d int) (*hlo.Instruction, index) {
	if len(list) == 1 && list[0].Shape.Rank() == 1 {
		return list[0], index{flat: num(int64(d)), dims: []string{num(int64(d))}, of: list[0].Shape.Dims}
	}
	return list[d], scalar()
}

func dynamicSlice(g *graph, in *hlo.Instruction, ix index) []value {
	o := in.Operands[0]
	from, dims := g.starts(in.Operands[1:], o.Shape.Dims, in.Shape.Dims), g.b.coordinates(ix)
	out := make([]string, len(from))
	for d := range out {
		out[d] = g.b.integer(plus(dims[d], from[d]))
	}
	return []value{g.at(o, at(o.Shape.Dims, out))}
}

// dynamicUpdateSlice reads the update where it lies.
func dynamicUpdateSlice(g *graph, in *hlo.Instruction, ix index) []value {
	b, o, u := g.b, in.Operands[0], in.Operands[1]
	if u.Shape.Size() == 0 {
		return []value{g.at(o, ix)}
	}
	from, dims := g.starts(in.Operands[2:], o.Shape.Dims, u.Shape.Dims), b.coordinates(ix)
	var conditions []string
	out := make([]string, len(from))
	for d, n := range u.Shape.Dims {
		out[d] = b.integer(differ(dims[d], from[d]))
		if n < o.Shape.Dims[d] {
			conditions = append(conditions, fmt.Sprintf("%s >= 0 && %s < %d", out[d], out[d], n))
		}
	}
	if len(conditions) == 0 {
		return []value{g.at(u, at(u.Shape.Dims, out))}
	}
	return []value{b.choice(g.at(o, ix), strings.Join(conditions, " && "),
		func() value { return g.at(u, at(u.Shape.Dims, out)) })}
}

// differ writes a difference.
func differ(x, y string) string {
	if y == "0" {
		return x
	}
	return x + " - " + y
}

// gather reads the operand at the clamped start that the index vector says.
func gather(g *graph, in *hlo.Instruction, ix index) []value {
	b, o, starts, a := g.b, in.Operands[0], in.Operands[1], in.Attrs.(*hlo.GatherAttrs)
	dims := b.coordinates(ix)
	var batch []string
	for d := range dims {
		if !slices.Contains(a.OffsetDims, int64(d)) {
			batch = append(batch, dims[d])
		}
	}
	out := make([]string, o.Shape.Rank())
	for d := range out {
		out[d] = "0"
	}
	for k, d := range a.StartIndexMap {
		if last := o.Shape.Dims[d] - a.SliceSizes[d]; last > 0 {
			v := g.at(starts, indexVector(starts.Shape.Dims, batch, a.IndexVectorDim, k))
			out[d] = b.integer(fmt.Sprintf("(%s)clamp_start(%s, %d)", b.ix, v.text, last))
		}
	}
	for k, d := range a.OperandBatchingDims {
		out[d] = batch[batchPosition(a.StartIndicesBatchingDims[k], a.IndexVectorDim)]
	}
	window := 0
	for d := range out {
		if slices.Contains(a.CollapsedSliceDims, int64(d)) || slices.Contains(a.OperandBatchingDims, int64(d)) {
			continue
		}
		out[d] = b.integer(plus(out[d], dims[a.OffsetDims[window]]))
		window++
	}
	return []value{g.at(o, at(o.Shape.Dims, out))}
}

// indexVector is the place of entry k of the index vector of a batch index.
func indexVector(of []int64, batch []string, dim int64, k int) index {
	if int(dim) == len(of) {
		return at(of, batch)
	}
	return at(of, slices.Insert(slices.Clone(batch), int(dim), num(int64(k))))
}

// batchPosition is the place of dimension d of the indices among those that are not the index vector.
func batchPosition(d, vector int64) int64 {
	if d > vector {
		return d - 1
	}
	return d
}

// mapped applies a computation.
func mapped(g *graph, in *hlo.Instruction, ix index) []value {
	args := make([]value, len(in.Operands))
	for i, o := range in.Operands {
		args[i] = g.at(o, ix)
	}
	return g.b.apply(in.Attrs.(*hlo.MapAttrs).ToApply, args)
}
