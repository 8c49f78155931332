package cpu

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/cgo/onednn"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// onednnConvolution lowers a convolution to oneDNN's, or to its transpose if lhs is dilated. Weights that are known are
// packed at compile, others whenever it runs. It returns nil where oneDNN has no such thing.
func onednnConvolution(l *exec.Lowering, s *kernel.Convolution, c *contraction) *thunk {
	if !run.Available() || s.BatchGroups > 1 || len(s.Window) < 1 || len(s.Window) > 3 || onednn.Load() != nil ||
		!onednnProduct(c.lhsType, c.rhsType, c.outType) {
		return nil
	}
	p := &convolutionPlan{Convolution: s, of: c, transposed: isTransposed(s), made: map[string]placed{}}
	if !p.fits() || p.pieces() != nil {
		return nil
	}
	name := "onednn " + p.layouts[0].Info()
	if c.weights != nil || len(p.turned()) == 0 {
		return byPacked(l, c, p, p.size, name)
	}
	turned := *c
	turned.rhs = l.Scratch(c.rhs.Size)
	return byPacked(l, &turned, p, p.size, name, p.turn(l, turned.rhs, c.rhs))
}

// turn writes the weights of a run with their window turned round.
func (p *convolutionPlan) turn(l *exec.Lowering, to, from exec.Slice) *thunk {
	m := kernel.Reverse(int64(p.of.rhsType.Bytes()), p.RHS, p.turned())
	t := moveThunk(l, box{move: m, dst: to, src: from})
	t.uses = append(exec.Reads(from), exec.Writes(to)...)
	return t
}

// thunk convolves with packed weights.
func (p *convolutionPlan) thunk(name string, uses []exec.Use, o onednn.Operands) *thunk {
	t := recordThunk(name, uses, onednn.Record(o, p.list)).keeping(p.list).calling(p.calls())
	if p.Output.Batch != 0 || p.Output.Spatial[0] != 1 {
		return t
	}
	width, elements := int64(p.of.outType.Bytes()), int64(1)
	for _, d := range p.Out {
		elements *= d
	}
	var list []piece
	for i, q := range p.list {
		list = append(list, piece{record: onednn.Record(o, p.list[i:i+1]), from: q.Dst / width, n: p.elements[i]})
	}
	return t.inParts(list, elements)
}

// calls are those that convolve the pieces.
func (p *convolutionPlan) calls() exec.Calls {
	share := float64(slices.Max(p.elements)) / float64(max(shape.Product(p.Out), 1))
	return vendorCalls(len(p.list), share*p.flops(), share*float64(p.of.lhs.Size+p.of.out.Size), p.of.lhsType)
}

// flops is about how many operations the whole takes.
func (p *convolutionPlan) flops() float64 {
	_, m, k, terms := p.of.Sizes()
	return 2 * float64(m) * float64(k) * float64(terms) * float64(p.FeatureGroups)
}

func (p *convolutionPlan) form() string {
	return fmt.Sprint("onednn convolution ", *p.Convolution, p.of.lhsType, p.of.rhsType, p.of.outType)
}

func (p *convolutionPlan) plain() []byte { return p.flipped(p.of.weights.Bytes()) }

func (p *convolutionPlan) packers() (list []onednn.Piece, err error) {
	for _, like := range p.layouts {
		q, err := like.Packer(p.weights())
		if err != nil {
			return nil, err
		}
		list = append(list, onednn.Piece{Primitive: q, Dst: like.weights})
	}
	return list, nil
}

// isTransposed says whether lhs is dilated, so that the convolution is the transpose of a strided one.
func isTransposed(s *kernel.Convolution) bool {
	return slices.ContainsFunc(s.Window, func(w kernel.ConvolutionWindow) bool { return w.BaseDilation > 1 })
}

// convolutionPlan makes the pieces of a convolution: images, or parts of the rows of one.
type convolutionPlan struct {
	*kernel.Convolution
	of         *contraction
	transposed bool
	layouts    []placed // primitives whose weights are laid out differently
	size       int64    // bytes of the weights in all layouts
	list       []onednn.Piece
	elements   []int64 // of the pieces' results, if those are dense
	made       map[string]placed
}

// placed is a primitive and where its weights begin among the packed ones, in bytes.
type placed struct {
	*onednn.Primitive
	weights int64
}

// fits says whether windows move as oneDNN has it.
func (p *convolutionPlan) fits() bool {
	if splitsPair(p.of.lhsType, p.RHS[p.Kernel.Feature]) {
		return false
	}
	for _, w := range p.Window {
		if p.transposed && w.Stride > 1 {
			return false
		}
	}
	return true
}

// rows is a range of the first spatial dimension of the result, and what it needs of lhs.
type rows struct{ from, n, source, sources, low, high int }

// rowParts splits the rows of an image in parts of n.
func (p *convolutionPlan) rowParts(n int) []rows {
	var list []rows
	needs := p.needs
	if p.transposed {
		needs = p.spreads
	}
	for from, out := 0, int(p.Out[p.Output.Spatial[0]]); from < out; from += n {
		list = append(list, needs(from, min(n, out-from)))
	}
	return list
}

// needs are the rows of lhs, and the padding, that n rows of the result are made of.
func (p *convolutionPlan) needs(from, n int) rows {
	r, in, w := rows{from: from, n: n}, int(p.LHS[p.Input.Spatial[0]]), p.Window[0]
	first, end := from*w.Stride-w.PadLow, (from+n-1)*w.Stride-w.PadLow+(w.Size-1)*w.WindowDilation+1
	if n == int(p.Out[p.Output.Spatial[0]]) {
		r.sources, r.low, r.high = in, w.PadLow, end-in
		return r
	}
	r.low, r.high = max(-first, 0), max(end-in, 0)
	r.source = min(max(first, 0), in)
	r.sources = min(end, in) - r.source
	return r
}

// spreads is needs of a transposed convolution, whose padding is what it cuts off the rows that those of lhs become.
func (p *convolutionPlan) spreads(from, n int) rows {
	r, in, w := rows{from: from, n: n}, int(p.LHS[p.Input.Spatial[0]]), p.Window[0]
	span, stride := (w.Size-1)*w.WindowDilation, w.BaseDilation
	r.low, r.sources = span-w.PadLow, in
	if n < int(p.Out[p.Output.Spatial[0]]) {
		first, end := from-w.PadLow, from+n-1+span-w.PadLow // of the rows spread, stride apart
		r.source = min((max(first, 0)+stride-1)/stride, in)
		r.sources = min((end+stride)/stride, in) - r.source
		r.low += from - r.source*stride
	}
	r.high = (r.sources-1)*stride + span + 1 - n - r.low
	return r
}

// blockBytes is how many bytes a piece reads and writes at most, if it can be smaller: depthwise convolutions compute
// little, and what follows a piece finds it in cache.
const blockBytes = 1 << 20

// minRows and minSpread are how many rows a part has at least, of a convolution and of a transposed one, whose parts
// read all weights for fewer operations. Rows of a volume are planes, each of which may be a part. Convolutions of
// fewer than blockFlops are up to fewBlocks parts of fewConvolved.
const (
	minRows      = 3
	minSpread    = 8
	fewConvolved = 5_000_000
)

// parts returns how many images, and how many rows of one, make a piece: a function of the shape alone.
func (p *convolutionPlan) parts() (images, height int) {
	n, out := int(p.Out[p.Output.Batch]), int(p.Out[p.Output.Spatial[0]])
	flops := p.flops()
	bytes := float64(p.of.lhs.Size + p.of.out.Size)
	few := min(flops/fewConvolved, fewBlocks)
	want := int(max(min(max(flops/blockFlops, bytes/blockBytes, few), maxBlocks), flops/longFlops))
	if want < 2 {
		return n, out
	}
	images = max(n/want, 1)
	if images > 1 {
		return images, out
	}
	least := p.leastRows()
	parts := min((want+n-1)/n, max(out/least, 1))
	height = (out + parts - 1) / parts
	if p.transposed {
		height = (height + least - 1) / least * least
	}
	return 1, height
}

// leastRows is how many rows a part has at least. Those of a transposed convolution begin where a row of lhs does, and
// are all if there are rows that none of lhs becomes.
func (p *convolutionPlan) leastRows() int {
	w := p.Window[0]
	switch {
	case !p.transposed && len(p.Window) > 2:
		return 1
	case !p.transposed:
		return minRows
	case w.BaseDilation > (w.Size-1)*w.WindowDilation+1:
		return int(p.Out[p.Output.Spatial[0]])
	}
	return (minSpread + w.BaseDilation - 1) / w.BaseDilation * w.BaseDilation
}

func (p *convolutionPlan) pieces() error {
	images, height := p.parts()
	lhs, out := shape.Strides(p.LHS), shape.Strides(p.Out)
	list := p.rowParts(height)
	if !slices.ContainsFunc(list, func(r rows) bool { return r.sources <= 0 }) {
		return p.lay(list, images, lhs, out)
	}
	return p.lay(p.rowParts(int(p.Out[p.Output.Spatial[0]])), images, lhs, out)
}

// lay makes the pieces of row parts, for every so many images.
func (p *convolutionPlan) lay(list []rows, images int, lhs, out []int64) error {
	n := int(p.Out[p.Output.Batch])
	for image := 0; image < n; image += images {
		for _, r := range list {
			q, err := p.primitive(min(images, n-image), r)
			if err != nil {
				return err
			}
			src := int64(image)*lhs[p.Input.Batch] + int64(r.source)*lhs[p.Input.Spatial[0]]
			dst := int64(image)*out[p.Output.Batch] + int64(r.from)*out[p.Output.Spatial[0]]
			p.elements = append(p.elements, int64(min(images, n-image)*r.n)*out[p.Output.Spatial[0]])
			p.list = append(p.list, onednn.Piece{Primitive: q.Primitive, Weights: q.weights,
				Src: src * int64(p.of.lhsType.Bytes()), Dst: dst * int64(p.of.outType.Bytes())})
		}
	}
	return nil
}
