package emit

import (
	"fmt"
	"math/bits"

	"github.com/halo-xla/halo/xla/shape"
)

// slicedScatter is a scatter into few elements: they all have room in a block's shared memory. Each block takes in a
// slice of the updates, the first on top of what is there; then the blocks' are combined in order. A thread owns
// elements of the result, and goes through the block's updates for those that are for them.
type slicedScatter struct {
	*scatter
	b               *body
	elements, size  int64 // of the result, of a window
	block, columns  int64 // threads, and how many of them are for neighbours in a window
	chunk           int64 // how many updates are brought into shared memory at once
	slice, slices   int64
	acc, to, update string // shared memory
}

// The shared memory for elements and for updates, in bytes, and the least length of a slice.
const (
	slicedRoom, chunkRoom = 36 << 10, 8 << 10
	leastSlice            = 64
)

// newSliced returns s as that, or nil if it takes too much room or may be done otherwise.
func (s *scatter) newSliced() *slicedScatter {
	const blocks, shared = 132, 200 << 10
	if _, ok := s.simple(); !ok || narrow(s.typeOf()) || s.a.UniqueIndices || !s.disjoint() {
		return nil
	}
	t := &slicedScatter{scatter: s, elements: shape.Product(s.operand), size: shape.Product(s.window)}
	bytes := int64(max(s.typeOf().Bytes(), 4))
	if t.elements*bytes > slicedRoom || t.size*bytes*4 > chunkRoom {
		return nil
	}
	t.block = min(max(powerOf2(t.size), powerOf2(t.elements/16), leastSlice), blockSize)
	t.columns = min(powerOf2(t.size), t.block)
	for t.chunk = leastSlice; t.chunk*t.size*bytes > chunkRoom; t.chunk /= 2 {
	}
	most := blocks * min(shared/(t.elements*bytes+chunkRoom), 8)
	t.slice = ceil(max(leastSlice, ceil(s.count, most)), t.chunk) * t.chunk
	t.slices = ceil(s.count, t.slice)
	return t
}

func (s *slicedScatter) emit() {
	s.e.InPlace = append(s.e.InPlace, Alias{0, 0})
	to := Buffer{Result, 0}
	if s.slices > 1 {
		to = s.e.scratch(s.slices * s.elements * int64(s.typeOf().Bytes()))
	}
	s.e.add(s.kernel(to))
	if s.slices > 1 {
		s.combine(to)
	}
}

// kernel takes in the updates.
func (s *slicedScatter) kernel(to Buffer) *Kernel {
	s.b = newBody(s.e, append(sizesOf(s.in), s.slices*s.elements)...)
	b, g, t := s.b, s.b.newGraphOf(s.in), ctypes[s.typeOf()].value
	b.need(ctypes[s.typeOf()].uses)
	s.acc, s.to, s.update = b.name("acc"), b.name("to"), b.name("update")
	b.line("__shared__ %s %s[%d], %s[%d];", t, s.acc, s.elements, s.update, s.chunk*s.size)
	b.line("__shared__ s32 %s[%d];", s.to, s.chunk)
	b.line("const %s first = (%s)blockIdx.x * %d, end = x_min(first + %d, (%s)%d);", b.ix, b.ix, s.slice, s.slice, b.ix,
		s.count)
	s.each("e", s.elements, func() { s.begin(g) })
	b.line("#pragma unroll 1")
	b.open("for (%s from = first; from < end; from += %d) {", b.ix, s.chunk)
	b.line("const s32 n = (s32)x_min(end - from, (%s)%d);", b.ix, s.chunk)
	b.line("__syncthreads();")
	s.each("q", s.chunk, func() { s.start(g) })
	s.each("k", s.chunk*s.size, func() { s.bring(g) })
	b.line("__syncthreads();")
	s.takeIn()
	b.close("}")
	b.line("__syncthreads();")
	s.each("e", s.elements, func() {
		b.store(to, b.integer(fmt.Sprintf("blockIdx.x * %d + e", s.elements)), b.frozen(s.typeOf(), s.acc+"[e]"))
	})
	return b.kernel("scatter_slices", s.slices, int(s.block))
}

// each has the threads share n things.
func (s *slicedScatter) each(i string, n int64, inner func()) {
	s.b.shared("#pragma unroll 8", i, n, s.block, inner)
}

// begin gives an element its first value: what is there in the first slice, what leaves others as they are elsewhere.
func (s *slicedScatter) begin(g *graph) {
	b, o := s.b, s.in.Operands[0]
	b.line("%s[e] = %s;", s.acc, identityOf(s.reduction(), 0))
	b.open("if (blockIdx.x == 0) {")
	b.line("%s[e] = %s;", s.acc, b.plain(g.at(o, index{flat: "e", of: o.Shape.Dims})).text)
	b.close("}")
	for _, p := range b.params { // the result may lie there
		p.own = p.own || p.Buffer == Buffer{Operand, 0}
	}
}

// start notes where a window starts, -1 if that is not in the operand.
func (s *slicedScatter) start(g *graph) {
	b := s.b
	b.line("%s[q] = -1;", s.to)
	b.open("if (q < n) {")
	start, conditions := s.place(b, g, b.coordinates(index{flat: b.integer("from + q"), of: s.sizes}))
	b.line("if (%s) %s[q] = (s32)(%s);", always(conditions), s.to, b.flat(at(s.operand, start)))
	b.close("}")
}

// bring loads an element of the updates.
func (s *slicedScatter) bring(g *graph) {
	b := s.b
	b.line("const s32 q = %s;", over("k", s.size))
	b.open("if (q < n) {")
	vector := b.coordinates(index{flat: b.integer("from + q"), of: s.sizes})
	offset := b.coordinates(index{flat: b.let("s32", modulo("k", s.size)), of: s.window})
	v := g.at(s.in.Operands[2], s.scatter.update(vector, offset))
	b.line("%s[k] = %s;", s.update, b.plain(b.converted(v, s.typeOf())).text)
	b.close("}")
}

// takeIn folds the updates of a chunk in. Threads of one column share the places by their remainders, mixed.
func (s *slicedScatter) takeIn() {
	b, groups := s.b, s.block/s.columns
	b.open("for (s32 w = threadIdx.x %% %d; w < %d; w += %d) {", s.columns, s.size, s.columns)
	offset := b.integer(b.flat(at(s.operand, b.coordinates(index{flat: "w", of: s.window}))))
	b.line("#pragma unroll 4")
	b.open("for (s32 q = 0; q < n; q++) {")
	b.line("const s32 start = %s[q];", s.to)
	mine := "start >= 0"
	if groups > 1 {
		shift := 33 - bits.Len64(uint64(groups))
		mine += fmt.Sprintf(" && (u32)start * 2654435769u >> %d == threadIdx.x / %d", shift, s.columns)
	}
	b.open("if (%s) {", mine)
	place := fmt.Sprintf("%s[start + %s]", s.acc, offset)
	old, v := b.frozen(s.typeOf(), place), b.frozen(s.typeOf(), s.update+"[q * "+num(s.size)+" + w]")
	b.line("%s = %s;", place, b.plain(b.combine(s.a.ToApply, []value{old}, []value{v})[0]).text)
	b.closes(3)
}

// combine makes the kernel that combines what slices have made of each element.
func (s *slicedScatter) combine(from Buffer) {
	r := &reductions{e: s.e, name: "scatter_slices", in: s.in, list: []reduction{s.reduction()},
		graph: func(b *body) *graph { return b.newGraphOf(s.in) }}
	p := r.newPass(s.elements, s.slices, true)
	p.element = func(_ reduction, _ int, row, j string) []value {
		at := p.b.integer(fmt.Sprintf("%s * %d + %s", j, s.elements, row))
		return []value{p.b.load(from, s.typeOf(), index{flat: at})}
	}
	p.finish = func(_ reduction, _ int, acc []value) { p.b.store(Buffer{Result, 0}, "row", acc[0]) }
	s.e.add(p.kernel())
}
