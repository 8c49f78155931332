package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Piece is a box of an array whose elements are those of another: the first one's place in both, and how far apart the
// next ones of each axis are, in elements of row-major arrays.
type Piece struct {
	Of       *hlo.Instruction
	To, From int64
	Axes     []PieceAxis
}

// PieceAxis is a dimension of a piece: N steps.
type PieceAxis struct{ N, To, From int64 }

// maxPieces bounds the pieces of a concatenation.
const maxPieces = 128

// Pieces puts a concatenation and what only chooses the elements of its operands (slices, reverses, broadcasts,
// transposes, other concatenations) into one fusion, of kind kLoop: arrays that are rolled, halves that change places,
// patches side by side. Each element is then copied once, from where it is.
func Pieces() Pass {
	return Pass{Name: "pieces", Run: func(m *hlo.Module) (*hlo.Module, error) {
		flow := controlFlow(m)
		return edit(m, func(e *editor) {
			x := &epilogues{editor: e}
			needed, joined := x.pieces(flow[e.old])
			if len(joined) == 0 {
				e.keepAllIf(false)
				return
			}
			for _, in := range e.old.Instructions {
				switch {
				case joined[in]:
					x.joinPieces(in)
				case needed[in.Index()]:
					e.keep(in)
				}
			}
		}), nil
	}}
}

// pieces finds the concatenations that become fusions, and what else remains.
func (x *epilogues) pieces(flow bool) (needed []bool, joined map[*hlo.Instruction]bool) {
	needed, joined = make([]bool, len(x.old.Instructions)), map[*hlo.Instruction]bool{}
	for _, in := range slices.Backward(x.old.Instructions) {
		choice := x.chooses(in) || in.Op == hlo.Concatenate && !x.isPinned(in)
		if !choice || in == x.old.Root {
			needed[in.Index()] = true
		}
		if !needed[in.Index()] {
			continue
		}
		if flow && in.Op == hlo.Concatenate && slices.ContainsFunc(in.Operands, x.chooses) {
			_, joined[in] = PiecesOf(in, x.chooses)
		}
		x.need(in, joined[in], needed)
	}
	return needed, joined
}

// need notes that what in reads is needed, if it is joined behind what chooses elements for it.
func (x *epilogues) need(in *hlo.Instruction, joined bool, needed []bool) {
	seen := map[*hlo.Instruction]bool{}
	for next := in.Operands; len(next) > 0; {
		o := next[0]
		switch next = next[1:]; {
		case !joined || !x.chooses(o):
			needed[o.Index()] = true
		case !seen[o]:
			seen[o], next = true, slices.Concat(o.Operands, next)
		}
	}
}

// chooses reports whether in only chooses elements of its operands, and nothing keeps it from being left out.
func (x *epilogues) chooses(in *hlo.Instruction) bool {
	known := in.Op == hlo.Concatenate || through[in.Op] != nil && (in.Op != hlo.Reshape || sameButOnes(in))
	return known && plain(in.Shape) && !in.IsDynamic() && !x.isPinned(in)
}

// joinPieces makes the fusion of a concatenation and what chooses the elements of its operands.
func (x *epilogues) joinPieces(in *hlo.Instruction) {
	f := &fusion{now: map[*hlo.Instruction]*hlo.Instruction{}}
	x.copyChoices(f, in)
	x.call(f, "kLoop", in, f.now[in])
}

// copyChoices adds copies of in, and of what chooses elements for it, to the fusion's body.
func (x *epilogues) copyChoices(f *fusion, in *hlo.Instruction) {
	for _, o := range in.Operands {
		switch {
		case f.now[o] != nil:
		case x.chooses(o):
			x.copyChoices(f, o)
		default:
			f.now[o] = f.input(o)
		}
	}
	x.copyInto(f, in)
}

// region is a box of a result, and where its elements are in some instruction: the first at index at, an axis along one
// dimension or, if that is -1, along none.
type region struct {
	to   int64
	axes []regionAxis
	at   []int64
}

type regionAxis struct {
	n, to     int64
	dim, step int64
}

// PiecesOf returns of what pieces root consists, through whatever chooses reports to do nothing but choose elements, of
// the ops that Pieces knows. It fails if they are too many.
func PiecesOf(root *hlo.Instruction, chooses func(*hlo.Instruction) bool) ([]Piece, bool) {
	dims := root.Shape.Dims
	r := region{at: make([]int64, len(dims))}
	for d, stride := range shape.Strides(dims) {
		r.axes = append(r.axes, regionAxis{dims[d], stride, int64(d), 1})
	}
	p := &piecing{chooses: chooses, steps: 16 * maxPieces}
	p.concatenate(root, r)
	return p.list, !p.failed && len(p.list) <= maxPieces
}

// piecing is the search for pieces, which ends after so many steps.
type piecing struct {
	chooses func(*hlo.Instruction) bool
	list    []Piece
	steps   int
	failed  bool
}

// add adds the pieces of a region of in.
func (p *piecing) add(in *hlo.Instruction, r region) {
	if p.steps--; p.steps < 0 || len(p.list) > maxPieces {
		p.failed = true
	}
	switch {
	case p.failed || slices.ContainsFunc(r.axes, func(a regionAxis) bool { return a.n == 0 }):
	case !p.chooses(in):
		p.list = append(p.list, r.piece(in))
	case in.Op == hlo.Concatenate:
		p.concatenate(in, r)
	default:
		p.add(in.Operands[0], through[in.Op](in, r))
	}
}

// concatenate adds the pieces of each operand's part of a region.
func (p *piecing) concatenate(in *hlo.Instruction, r region) {
	dim, first := int64(in.Attrs.(*hlo.ConcatenateAttrs).Dimension), int64(0)
	for _, o := range in.Operands {
		n := o.Shape.Dims[dim]
		if part, ok := r.between(dim, first, first+n); ok {
			p.add(o, part)
		}
		first += n
	}
}

// between is the part of r with indices from first to limit along dimension dim, relative to first.
func (r region) between(dim, first, limit int64) (region, bool) {
	r.axes, r.at = slices.Clone(r.axes), slices.Clone(r.at)
	for k := range r.axes {
		a := &r.axes[k]
		if a.dim != dim || a.step == 0 {
			continue
		}
		low, high := first-r.at[dim], limit-1-r.at[dim] // of i times step
		if a.step < 0 {
			low, high = -high, -low
		}
		step := max(a.step, -a.step)
		begin, end := max(ceilDiv(low, step), 0), min(floorDiv(high, step)+1, a.n)
		if begin >= end {
			return r, false
		}
		r.to, r.at[dim], a.n = r.to+begin*a.to, r.at[dim]+begin*a.step, end-begin
	}
	r.at[dim] -= first
	return r, r.at[dim] >= 0 && r.at[dim] < limit-first
}

func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -ceilDiv(-a, b)
	}
	return a / b
}

func ceilDiv(a, b int64) int64 {
	if a < 0 {
		return -(-a / b)
	}
	return (a + b - 1) / b
}

// piece is the region as elements of in.
func (r region) piece(in *hlo.Instruction) Piece {
	strides := shape.Strides(in.Shape.Dims)
	p := Piece{Of: in, To: r.to}
	for d, i := range r.at {
		p.From += i * strides[d]
	}
	for _, a := range r.axes {
		from := int64(0)
		if a.dim >= 0 {
			from = a.step * strides[a.dim]
		}
		p.Axes = append(p.Axes, PieceAxis{a.n, a.to, from})
	}
	return p
}

// through says where the elements of a region are in the operand of what chooses them.
var through = map[hlo.Opcode]func(in *hlo.Instruction, r region) region{
	hlo.Copy:      func(_ *hlo.Instruction, r region) region { return r },
	hlo.Slice:     regionOfSlice,
	hlo.Reverse:   regionOfReverse,
	hlo.Broadcast: regionOfBroadcast,
	hlo.Transpose: regionOfTranspose,
	hlo.Reshape:   regionOfReshape,
}

func regionOfSlice(in *hlo.Instruction, r region) region {
	dims := in.Attrs.(*hlo.SliceAttrs).Slice
	return r.scaled(func(d int64) (start, stride int64) { return dims[d].Start, max(dims[d].Stride, 1) })
}

func regionOfReverse(in *hlo.Instruction, r region) region {
	reversed, dims := in.Attrs.(*hlo.ReverseAttrs).Dimensions, in.Shape.Dims
	return r.scaled(func(d int64) (start, stride int64) {
		if slices.Contains(reversed, d) {
			return dims[d] - 1, -1
		}
		return 0, 1
	})
}

// scaled is the region whose index i along each dimension is start + stride i.
func (r region) scaled(of func(d int64) (start, stride int64)) region {
	r.axes, r.at = slices.Clone(r.axes), slices.Clone(r.at)
	for d := range r.at {
		start, stride := of(int64(d))
		r.at[d] = start + stride*r.at[d]
	}
	for k, a := range r.axes {
		if a.dim >= 0 {
			_, stride := of(a.dim)
			r.axes[k].step *= stride
		}
	}
	return r
}

func regionOfBroadcast(in *hlo.Instruction, r region) region {
	from := slices.Clone([]int64(in.Attrs.(*hlo.BroadcastAttrs).Dimensions))
	for i, n := range in.Operands[0].Shape.Dims {
		if n == 1 {
			from[i] = -1
		}
	}
	return r.mapped(from)
}

func regionOfTranspose(in *hlo.Instruction, r region) region {
	from := make([]int64, len(r.at))
	for i, d := range in.Attrs.(*hlo.TransposeAttrs).Dimensions {
		from[d] = int64(i)
	}
	return r.mapped(from)
}

// regionOfReshape is of reshapes that are sameButOnes.
func regionOfReshape(in *hlo.Instruction, r region) region {
	var from []int64
	d := int64(0)
	for _, n := range in.Operands[0].Shape.Dims {
		if n == 1 {
			from = append(from, -1)
			continue
		}
		for in.Shape.Dims[d] == 1 {
			d++
		}
		from, d = append(from, d), d+1
	}
	return r.mapped(from)
}

// sameButOnes reports whether a reshape only adds or removes dimensions of one index.
func sameButOnes(in *hlo.Instruction) bool {
	one := func(n int64) bool { return n == 1 }
	return slices.Equal(slices.DeleteFunc(slices.Clone(in.Shape.Dims), one),
		slices.DeleteFunc(slices.Clone(in.Operands[0].Shape.Dims), one))
}

// mapped is the region in an operand whose dimension i is dimension from[i], or has one index if that is -1.
func (r region) mapped(from []int64) region {
	at := make([]int64, len(from))
	for i, d := range from {
		if d >= 0 {
			at[i] = r.at[d]
		}
	}
	axes := slices.Clone(r.axes)
	for k, a := range axes {
		axes[k].dim = -1
		if i := slices.Index(from, a.dim); a.dim >= 0 && i >= 0 {
			axes[k].dim = int64(i)
		}
	}
	return region{r.to, axes, at}
}
