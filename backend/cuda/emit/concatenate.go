package emit

import (
	"slices"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// emitConcatenate makes one loop, or one for some of the operands at a time where they are more than a kernel has
// parameters.
func emitConcatenate(e *Emission, in *hlo.Instruction) {
	if len(in.Operands) < cuda.MaxParams {
		emitLoop(e, in)
		return
	}
	d, start := in.Attrs.(*hlo.ConcatenateAttrs).Dimension, int64(0)
	for operands := range slices.Chunk(in.Operands, cuda.MaxParams-1) {
		dims := slices.Clone(in.Shape.Dims)
		dims[d] = sizeAlong(operands, d)
		if n := shape.Product(dims); n > 0 {
			b := newBody(e, sizesOf(in)...)
			b.threads(n)
			place := b.coordinates(index{flat: "t", of: dims})
			v := b.beside(b.newGraphOf(in), in, operands, place)
			place[d] = b.integer(plus(place[d], num(start)))
			b.store(Buffer{Result, 0}, b.flat(at(in.Shape.Dims, place)), v)
			e.add(b.kernel("concatenate", ceil(n, blockSize), blockSize))
		}
		start += dims[d]
	}
}

func sizeAlong(operands []*hlo.Instruction, d hlo.OneDim) (n int64) {
	for _, o := range operands {
		n += o.Shape.Dims[d]
	}
	return n
}

func concatenate(g *graph, in *hlo.Instruction, ix index) []value {
	return []value{g.b.beside(g, in, in.Operands, g.b.coordinates(ix))}
}

// beside looks in which of the operands, some or all of in's, a place lies that is counted from the first of them.
func (b *body) beside(g *graph, in *hlo.Instruction, operands []*hlo.Instruction, dims []string) value {
	d, n, start, t := in.Attrs.(*hlo.ConcatenateAttrs).Dimension, b.name("w"), int64(0), in.Shape.Type
	c := ctypes[t].value
	if narrow(t) {
		c = ctypes[t].store
	}
	b.line("%s %s;", c, n)
	end := sizeAlong(operands, d)
	for _, o := range operands {
		size := o.Shape.Dims[d]
		if size == 0 {
			continue
		}
		switch {
		case start == 0 && size == end:
			b.open("{")
		case start == 0:
			b.open("if (%s < %d) {", dims[d], size)
		case start+size == end:
			b.open("else {")
		default:
			b.open("else if (%s < %d) {", dims[d], start+size)
		}
		out := slices.Clone(dims)
		out[d] = b.integer(plus(dims[d], num(-start)))
		b.line("%s = %s;", n, b.asRaw(g.at(o, at(o.Shape.Dims, out))).text)
		b.close("}")
		start += size
	}
	return value{n, t, narrow(t)}
}
