package emit

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// stepped is a scan whose computation works on each element of its arrays by itself: a thread for each element goes
// through all steps, and has its carries at hand.
type stepped struct {
	b       *body
	in      *hlo.Instruction
	a       *hlo.ScanAttrs
	inputs  int // operands that are gone through; the others are initial carries
	outs    int // results with an element for each step; the others are the last carries
	lane    []int64
	size    int64
	carries []value
}

// emitScan makes the kernel of a scan.
func emitScan(e *Emission, in *hlo.Instruction) {
	a := in.Attrs.(*hlo.ScanAttrs)
	d := int(a.Dimension)
	s := &stepped{in: in, a: a, inputs: len(in.Operands) - int(a.NumCarries),
		outs: in.Shape.LeafCount() - int(a.NumCarries), lane: in.Operands[0].Shape.Dims, size: in.Operands[0].Shape.Dims[d]}
	s.lane = slices.Delete(slices.Clone(s.lane), d, d+1)
	if shape.Product(s.lane) == 0 {
		return
	}
	s.b = newBody(e, sizesOf(in)...)
	e.add(s.kernel())
}

func (s *stepped) kernel() *Kernel {
	b, n := s.b, shape.Product(s.lane)
	b.threads(n)
	for i, o := range s.in.Operands[s.inputs:] {
		s.sameSizes(o.Shape.Dims)
		v := b.load(Buffer{Operand, s.inputs + i}, o.Shape.Type, index{flat: "t", of: s.lane})
		s.carries = append(s.carries, b.variable(v))
	}
	b.open("for (%s s = 0; s < %d; s++) {", b.ix, s.size)
	s.step()
	b.close("}")
	for i, c := range s.carries {
		b.store(Buffer{Result, s.outs + i}, "t", c)
	}
	return b.kernel("scan", ceil(n, blockSize), blockSize)
}

// sameSizes refuses arrays of other sizes than those of a step.
func (s *stepped) sameSizes(dims []int64) {
	if !slices.Equal(dims, s.lane) {
		refuse("scan over steps of sizes %v with an array of sizes %v", s.lane, dims)
	}
}

// step runs the computation once.
func (s *stepped) step() {
	b, c := s.b, s.a.ToApply
	at := "s"
	if s.a.IsReverse {
		at = b.integer(differ(num(s.size-1), "s"))
	}
	g := b.newGraph()
	for i, p := range c.Parameters {
		var v value
		if i < s.inputs {
			v = b.load(Buffer{Operand, i}, p.Shape.Type, s.place(s.in.Operands[i].Shape.Dims, at))
		} else {
			v = b.frozen(p.Shape.Type, s.carries[i-s.inputs].text)
		}
		g.args[p] = []source{func(ix index) value {
			if own := (index{flat: "t", of: s.lane}); ix.flat != "t" && b.flat(ix) != b.flat(own) &&
				!slices.Equal(b.coordinates(ix), b.coordinates(own)) && len(s.lane) > 0 {
				refuse("scan with a computation that mixes elements")
			}
			return v
		}}
	}
	results := make([]value, s.in.Shape.LeafCount())
	for k, r := range leaves(c.Root.Shape) {
		s.sameSizes(r.Dims)
		results[k] = b.plain(g.leaf(c.Root, k, index{flat: "t", of: s.lane}))
	}
	for k := range s.outs {
		b.store(Buffer{Result, k}, b.flat(s.place(leaves(s.in.Shape)[k].Dims, at)), results[k])
	}
	b.assign(s.carries, results[s.outs:])
}

// place is where the lane's element of a step lies in an array of all steps.
func (s *stepped) place(of []int64, at string) index {
	dims := slices.Clone(s.b.coordinates(index{flat: "t", of: s.lane}))
	return index{dims: slices.Insert(dims, int(s.a.Dimension), at), of: of}
}
