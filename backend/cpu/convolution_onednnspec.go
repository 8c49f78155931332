package cpu

import (
	"fmt"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/onednn"
	"github.com/halo-xla/halo/xla/shape"
)

// primitive returns the convolution of some images and rows, and where its weights begin. It has the weights of an
// earlier one if it can.
func (p *convolutionPlan) primitive(images int, r rows) (placed, error) {
	key := fmt.Sprint(images, r.n, r.sources, r.low, r.high)
	if q, ok := p.made[key]; ok {
		return q, nil
	}
	s := onednn.Spec{Kind: onednn.Convolution,
		Src: p.activations(p.LHS, p.Input, onednnTypes[p.of.lhsType], images, r.sources),
		Dst: p.activations(p.Out, p.Output, onednnTypes[p.of.outType], images, r.n), Weights: p.weights()}
	if p.transposed {
		s.Kind = onednn.Deconvolution
	}
	s.Weights.Any = true
	p.window(&s, r)
	q, err := p.place(s)
	p.made[key] = q
	return q, err
}

// place makes a primitive with the weights of an earlier one, or else with weights of its own.
func (p *convolutionPlan) place(s onednn.Spec) (placed, error) {
	for _, like := range p.layouts {
		if q, err := onednn.New(s, like.Primitive); err == nil {
			return placed{q, like.weights}, nil
		}
	}
	q, err := onednn.New(s, nil)
	if err != nil {
		return placed{}, err
	}
	p.layouts = append(p.layouts, placed{q, p.size})
	defer func() { p.size += (q.WeightsBytes() + 63) &^ 63 }()
	return p.layouts[len(p.layouts)-1], nil
}

// activations describes images of lhs or of the result: batch, feature, space. oneDNN has fast convolutions for dense
// arrays only, also where there is one image and the distance of the next means nothing.
func (p *convolutionPlan) activations(dims []int64, l kernel.ConvolutionLabels, t onednn.Type,
	images, height int) onednn.Array {
	st := shape.Strides(dims)
	a := onednn.Array{Type: t, Dims: []int64{int64(images), dims[l.Feature]},
		Strides: []int64{st[l.Batch], st[l.Feature]}}
	for i, d := range l.Spatial {
		n := dims[d]
		if i == 0 {
			n = int64(height)
		}
		a.Dims, a.Strides = append(a.Dims, n), append(a.Strides, st[d])
	}
	if images == 1 && l.Batch == 0 && l.Spatial[0] == 1 {
		a.Strides[0] = int64(height) * st[1]
	}
	return a
}

// weights describes the kernel as it lies in memory: groups, output feature, input feature, space.
func (p *convolutionPlan) weights() onednn.Array {
	st, k := shape.Strides(p.RHS), p.Kernel
	a := onednn.Array{Type: onednnTypes[p.of.rhsType]}
	outputs := p.RHS[k.Batch]
	if g := int64(p.FeatureGroups); g > 1 {
		outputs /= g
		a.Dims, a.Strides = append(a.Dims, g), append(a.Strides, outputs*st[k.Batch])
	}
	a.Dims, a.Strides = append(a.Dims, outputs, p.RHS[k.Feature]), append(a.Strides, st[k.Batch], st[k.Feature])
	for _, d := range k.Spatial {
		a.Dims, a.Strides = append(a.Dims, p.RHS[d]), append(a.Strides, st[d])
	}
	return a
}

// window fills in how the window moves over rows r. The transpose of a convolution that moves by s dilates by s; its
// padding is what it cuts off.
func (p *convolutionPlan) window(s *onednn.Spec, r rows) {
	for i, w := range p.Window {
		out, in := int(p.Out[p.Output.Spatial[i]]), int(p.LHS[p.Input.Spatial[i]])
		span := (w.Size - 1) * w.WindowDilation
		low, stride := w.PadLow, w.Stride
		high := (out-1)*w.Stride + span + 1 - in - low
		if p.transposed {
			low, stride = span-w.PadLow, w.BaseDilation
			high = (in-1)*stride + span + 1 - out - low
		}
		if i == 0 {
			low, high = r.low, r.high
		}
		s.Strides, s.Dilates = append(s.Strides, int64(stride)), append(s.Dilates, int64(w.WindowDilation-1))
		s.Low, s.High = append(s.Low, int64(low)), append(s.High, int64(high))
	}
}

// turned are the dimensions of the weights in which oneDNN's window goes the other way: its transposed convolution has
// the window turned round.
func (p *convolutionPlan) turned() (list []int64) {
	for i, w := range p.Window {
		if w.Size > 1 && w.Reversal != p.transposed {
			list = append(list, p.Kernel.Spatial[i])
		}
	}
	return list
}

// flipped returns the weights with their window turned round where oneDNN's goes the other way.
func (p *convolutionPlan) flipped(weights []byte) []byte {
	turned := p.turned()
	if len(turned) == 0 {
		return weights
	}
	out := make([]byte, len(weights))
	m := kernel.Reverse(int64(p.of.rhsType.Bytes()), p.RHS, turned)
	m.Run(out, weights, kernel.Serial)
	return out
}
