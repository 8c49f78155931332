package emit

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// threads opens a kernel with a thread for each of n things, whose number is t.
func (b *body) threads(n int64) {
	b.line("const %s t = (%s)blockIdx.x * %d + threadIdx.x;", b.ix, b.ix, blockSize)
	b.line("if (t >= %d) return;", n)
}

// emitUpdate copies the operand, unless the result lies on it, and writes the update into it.
func emitUpdate(e *Emission, in *hlo.Instruction) {
	o, u := in.Operands[0].Shape, in.Operands[1].Shape
	e.copy(Buffer{Result, 0}, Buffer{Operand, 0}, o.Size()*int64(o.Type.Bytes()))
	e.InPlace = append(e.InPlace, Alias{0, 0})
	if u.Size() == 0 {
		return
	}
	b := newBody(e, sizesOf(in)...)
	b.threads(u.Size())
	g := b.newGraphOf(in)
	ix := index{flat: "t", of: u.Dims}
	from, dims := g.starts(in.Operands[2:], o.Dims, u.Dims), b.coordinates(ix)
	out := make([]string, len(dims))
	for d := range out {
		out[d] = plus(dims[d], from[d])
	}
	b.store(Buffer{Result, 0}, b.flat(at(o.Dims, out)), g.at(in.Operands[1], ix))
	e.add(b.kernel("update", ceil(u.Size(), blockSize), blockSize))
}

// tileSide is the side of the tiles in which transposes go through shared memory.
const tileSide = 32

// emitTranspose goes tile by tile where the innermost dimension changes, so that loads and stores are of neighbours.
func emitTranspose(e *Emission, in *hlo.Instruction) {
	dims, perm := joinedTranspose(in.Operands[0].Shape.Dims, in.Attrs.(*hlo.TransposeAttrs).Dimensions)
	n := len(dims)
	if in.Shape.Size() == 0 {
		return
	}
	if n < 2 || perm[n-1] == n-1 || dims[n-1] < 8 || dims[perm[n-1]] < 8 {
		emitLoop(e, in)
		return
	}
	b := newBody(e, sizesOf(in)...)
	p := newTransposePlan(dims, perm)
	c := ctypes[in.Shape.Type]
	b.need(c.uses)
	src, _ := b.pointer(Buffer{Operand, 0}, c.store)
	src.elsewhere = true
	dst, _ := b.pointer(Buffer{Result, 0}, c.store)
	dst.written = true
	b.line("__shared__ %s tile[%d][%d];", c.store, tileSide, tileSide+1)
	b.line("const s32 tx = threadIdx.x %% %d, ty = threadIdx.x / %d;", tileSide, tileSide)
	b.line("const %s block = blockIdx.x;", b.ix)
	b.line("const %s x0 = block %% %d * %d, y0 = block / %d %% %d * %d;", b.ix, p.acrossX, tileSide, p.acrossX, p.acrossY,
		tileSide)
	rest := b.coordinates(index{flat: b.integer(over("block", p.acrossX*p.acrossY)), of: p.batch})
	from, to := "0", "0"
	for i, x := range rest {
		from, to = plus(from, times(x, p.batchFrom[i])), plus(to, times(x, p.batchTo[i]))
	}
	b.line("const %s from = %s, to = %s;", b.ix, from, to)
	b.line("for (s32 i = ty; i < %d; i += 8)", tileSide)
	b.line("  if (x0 + tx < %d && y0 + i < %d) tile[i][tx] = p0[from + (y0 + i) * %d + x0 + tx];", p.x, p.y, p.stepY)
	b.line("__syncthreads();")
	b.line("for (s32 i = ty; i < %d; i += 8)", tileSide)
	b.line("  if (x0 + i < %d && y0 + tx < %d) p1[to + (x0 + i) * %d + y0 + tx] = tile[tx][i];", p.x, p.y, p.stepX)
	e.add(b.kernel("transpose", p.acrossX*p.acrossY*shape.Product(p.batch), blockSize))
}

// transposePlan is a transpose whose operand's innermost dimension has size x, and whose result's has size y.
type transposePlan struct {
	x, y, stepX, stepY, acrossX, acrossY int64
	batch, batchFrom, batchTo            []int64
}

func newTransposePlan(dims []int64, perm []int) transposePlan {
	n := len(dims)
	from := shape.Strides(dims)
	result := make([]int64, n)
	for i, d := range perm {
		result[i] = dims[d]
	}
	to := shape.Strides(result)
	toOf := make([]int64, n)
	for i, d := range perm {
		toOf[d] = to[i]
	}
	m := perm[n-1]
	p := transposePlan{x: dims[n-1], y: dims[m], stepX: toOf[n-1], stepY: from[m]}
	p.acrossX, p.acrossY = ceil(p.x, tileSide), ceil(p.y, tileSide)
	for d := range dims {
		if d != m && d != n-1 {
			p.batch, p.batchFrom, p.batchTo = append(p.batch, dims[d]), append(p.batchFrom, from[d]), append(p.batchTo, toOf[d])
		}
	}
	return p
}

// joinedTranspose leaves out dimensions of size 1 and joins those that stay neighbours.
func joinedTranspose(dims, dimensions []int64) ([]int64, []int) {
	var order []int64 // of the operand's dimensions in the result
	for _, d := range dimensions {
		if dims[d] != 1 {
			order = append(order, d)
		}
	}
	next := func(d int64) int64 {
		for d++; d < int64(len(dims)) && dims[d] == 1; d++ {
		}
		return d
	}
	first, size := []int64{}, map[int64]int64{} // groups by their first dimension
	for i, d := range order {
		if i > 0 && next(order[i-1]) == d {
			size[first[len(first)-1]] *= dims[d]
			continue
		}
		first = append(first, d)
		size[d] = dims[d]
	}
	var out []int64
	number := map[int64]int{}
	for d := range int64(len(dims)) {
		if n, ok := size[d]; ok {
			number[d] = len(out)
			out = append(out, n)
		}
	}
	perm := make([]int, len(first))
	for i, d := range first {
		perm[i] = number[d]
	}
	return out, perm
}

// emitRandomBits makes the bits, and the state after them.
func emitRandomBits(e *Emission, in *hlo.Instruction) {
	threeFry := in.Attrs.(*hlo.RngBitGeneratorAttrs).Algorithm == hlo.RngThreeFry
	s, words := in.Shape.Elems[1], in.Operands[0].Shape.Dims[0]
	n := s.Size()
	b := newBody(e, n)
	_, state := b.pointer(Buffer{Operand, 0}, "u64")
	p, after := b.pointer(Buffer{Result, 0}, "u64")
	p.written = true
	perBlock := int64(4)
	if s.Type.Bits() == 64 {
		perBlock = 2
	}
	blocks := ceil(n, perBlock)
	if threeFry {
		blocks = threeFryBlocks(s.Dims, s.Type.Bits())
	}
	b.line("const u64 low = %s[1] + %dull;", state, blocks)
	b.line("%s[0] = %s[0];", after, state)
	if words == 3 {
		b.line("%s[2] = %s[2] + (low < %s[1]);", after, state, state)
	}
	b.line("%s[1] = low;", after)
	stateKernel := b.kernel("rng_state", 1, 1)
	if n > 0 {
		b := newBody(e, n)
		b.need("random")
		_, state := b.pointer(Buffer{Operand, 0}, "u64")
		b.threads(n)
		bits := b.philoxBits(state, words, s.Type.Bits())
		if threeFry {
			bits = b.threeFryBits(state, s.Dims, s.Type.Bits())
		}
		b.store(Buffer{Result, 1}, "t", b.ofBits(s.Type, bits))
		e.add(b.kernel("rng_bits", ceil(n, blockSize), blockSize))
	}
	e.add(stateKernel)
}

func threeFryBlocks(dims []int64, bits int) int64 {
	n := shape.Product(dims)
	switch {
	case n == 0 || bits == 64:
		return n
	case len(dims) == 0:
		return 1
	}
	size := dims[shape.SplitDim(dims)]
	return n / size * ((size + 1) / 2)
}

// threeFryBits are the bits of element t.
func (b *body) threeFryBits(state string, dims []int64, bits int) string {
	block, word := "t", "0"
	if bits < 64 && len(dims) > 0 {
		d := shape.SplitDim(dims)
		inner, size := shape.Product(dims[d+1:]), dims[d]
		s := b.integer(modulo(over("t", inner), size))
		outer := over("t", inner*size)
		block = plus(times(fmt.Sprintf("%s * %d + %s / 2", group(outer), (size+1)/2, s), inner), modulo("t", inner))
		word = s + " % 2"
	}
	v := b.let("u64", fmt.Sprintf("three_fry(%s[0], %s[1] + (u64)(%s))", state, state, block))
	if bits == 64 {
		return v
	}
	return b.let("u32", fmt.Sprintf("(u32)(%s >> 32 * (%s))", v, word))
}

func (b *body) philoxBits(state string, words int64, bits int) string {
	per, high := 4, state+"[0]"
	if bits == 64 {
		per = 2
	}
	if words == 3 {
		high = state + "[2]"
	}
	b.line("const u64 low = %s[1] + (u64)(t / %d);", state, per)
	b.line("const words w = philox(%s[0], low, %s + (low < %s[1]));", state, high, state)
	if bits == 64 {
		return b.let("u64", "t % 2 ? (u64)w.v[3] << 32 | w.v[2] : (u64)w.v[1] << 32 | w.v[0]")
	}
	return b.let("u32", "t % 4 == 0 ? w.v[0] : t % 4 == 1 ? w.v[1] : t % 4 == 2 ? w.v[2] : w.v[3]")
}
