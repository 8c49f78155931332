package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// featuresFirst returns the names of the convolutions, by computation, that stay as they are with the features before
// space: those that are products of weights and images as these lie, and that no array joins to what is best with the
// features last, another convolution or a transpose.
func featuresFirst(m *hlo.Module) map[*hlo.Computation]map[string]bool {
	first := map[*hlo.Computation]map[string]bool{}
	for _, c := range m.Computations {
		if hasConvolution(c) {
			first[c] = neighboursOf(c).apart()
		}
	}
	return first
}

// neighbours are the arrays of a computation whose dimensions lie in one order or are transposed.
type neighbours struct {
	of    *hlo.Computation
	other map[*hlo.Instruction][]*hlo.Instruction // operands and users
	last  map[*hlo.Instruction]bool               // those best with the features last
}

func neighboursOf(c *hlo.Computation) *neighbours {
	n := &neighbours{c, map[*hlo.Instruction][]*hlo.Instruction{}, map[*hlo.Instruction]bool{}}
	for _, in := range c.Instructions {
		if !carries(in) {
			continue
		}
		for i, o := range in.Operands {
			if carries(o) && (i == 0 || in.Op != hlo.Convolution) {
				n.other[in], n.other[o] = append(n.other[in], o), append(n.other[o], in)
			}
		}
	}
	return n
}

// carries reports whether the order of in's dimensions follows from its operands', or theirs from its.
func carries(in *hlo.Instruction) bool {
	return in.Op.Info().Traits&hlo.Elementwise != 0 || slices.Contains(carriers, in.Op)
}

var carriers = []hlo.Opcode{hlo.Convolution, hlo.Transpose, hlo.Reshape, hlo.Pad, hlo.Slice, hlo.Concatenate,
	hlo.ReduceWindow}

// apart returns the names of the convolutions that nothing joins to features last.
func (n *neighbours) apart() map[string]bool {
	for _, in := range n.of.Instructions {
		if in.Op == hlo.Transpose || in.Op == hlo.Convolution && !isImages(in) {
			n.spread(in)
		}
	}
	names := map[string]bool{}
	for _, in := range n.of.Instructions {
		if in.Op == hlo.Convolution && !n.last[in] {
			names[in.Name] = true
		}
	}
	return names
}

// spread notes that in and all that it is joined to are best with the features last.
func (n *neighbours) spread(in *hlo.Instruction) {
	if n.last[in] {
		return
	}
	n.last[in] = true
	for _, o := range n.other[in] {
		n.spread(o)
	}
}

// leastPlaces is how many places an image has at least whose features lie apart: they are the columns of a product,
// which fill panels.
const leastPlaces = 64

// isImages reports whether a convolution of F32 is the product of weights and each image, whose features come first,
// and transposes around one with the features last, which reads weights faster, would move more than there are.
func isImages(in *hlo.Instruction) bool {
	if !isPointwise(in) || in.Shape.Size() == 0 {
		return false
	}
	lhs, out := in.Operands[0].Shape, in.Shape
	return out.Size()/(out.Dims[0]*out.Dims[1]) >= leastPlaces && lhs.Size()+out.Size() >= in.Operands[1].Shape.Size()
}

// isPointwise reports whether windows are one element, and images of F32 lie with their features first.
func isPointwise(in *hlo.Instruction) bool {
	a, lhs := in.Attrs.(*hlo.ConvolutionAttrs), in.Operands[0].Shape
	l := &a.DimLabels
	for _, w := range a.Window {
		if w.Size != 1 || max(w.Stride, 1) != 1 || max(w.BaseDilation, 1) != 1 || w.PadLow != 0 || w.PadHigh != 0 {
			return false
		}
	}
	return len(a.Window) > 0 && in.Shape.Type == shape.F32 && lhs.Type == shape.F32 &&
		in.Operands[1].Shape.Type == shape.F32 && max(a.FeatureGroupCount, 1) == 1 && max(a.BatchGroupCount, 1) == 1 &&
		isIdentity(slices.Concat([]int64{l.InputBatch, l.InputFeature}, l.InputSpatial)) &&
		isIdentity(slices.Concat([]int64{l.OutputBatch, l.OutputFeature}, l.OutputSpatial))
}
