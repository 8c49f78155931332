package emit

import "fmt"

// shortDot is a skinny dot whose sums are short: their terms are added one by one, as the definition has them. A block
// brings some lines of each side into shared memory, all threads together, and then a thread makes each sum.
type shortDot struct {
	*skinny
	width, vector, pitch int64 // lines of a block, elements that are read from shared memory at once, and of a line there
}

// shortOf returns a dot with short sums; nil if a block has no memory for it, or threads have no registers, of which
// conversions of f8 take many.
func (s *skinny) shortOf() *shortDot {
	if t := s.many.t; narrow(t) && t.Bits() < 16 || narrow(s.few.t) && s.few.t.Bits() < 16 {
		return nil
	}
	d := &shortDot{skinny: s, vector: max(16/int64(s.sum.Bytes()), 1)}
	d.pitch = ceil(s.few.depth, 32)*32 + d.vector
	least := int64(2) // lines: 32 bytes of neighbours
	if !s.many.alongDepth() {
		least = max(32/int64(s.many.t.Bytes()), 2)
	}
	few := func() bool { return d.width > least && s.batch*ceil(s.many.lines, d.width) < wave }
	for d.width = 16; d.width > 0 && (few() || d.bytes() > 48<<10); {
		d.width /= 2
	}
	if d.width == 0 {
		return nil
	}
	d.blocks = ceil(s.many.lines, d.width)
	return d
}

func (d *shortDot) bytes() int64 { return (d.few.lines + d.width) * d.pitch * int64(d.sum.Bytes()) }

func (d *shortDot) kernel() *Kernel {
	b, value := d.b, ctypes[d.sum].value
	z := "0"
	if d.batch > 1 {
		b.line("const %s z = (%s)blockIdx.x / %d;", b.ix, b.ix, d.blocks)
		z = "z"
	}
	b.line("const %s first = %s * %d;", b.ix, d.block(), d.width)
	b.line("__shared__ __align__(16) %s few[%d], many[%d];", value, d.few.lines*d.pitch, d.width*d.pitch)
	d.fetch("many", d.many, d.width, z, "first")
	d.fetch("few", d.few, d.few.lines, z, "0")
	b.line("__syncthreads();")
	b.line("const s32 i = threadIdx.x / %d, c = threadIdx.x %% %d;", d.width, d.width)
	b.open("if (i < %d && first + c < %d) {", d.few.lines, d.many.lines)
	d.store(Buffer{Result, 0}, z, "i", "(first + c)", d.chain())
	b.close("}")
	return b.kernel("dot_short", d.batch*d.blocks, blockSize)
}

// fetch brings some lines of a side into shared memory.
func (d *shortDot) fetch(to string, side *dotSide, lines int64, z, first string) {
	v := side.together(16 / min(int64(side.t.Bytes()), 16))
	for !side.alongDepth() && lines%v != 0 {
		v /= 2
	}
	d.b.shared("#pragma unroll 4", "t", lines*side.depth/v, blockSize, func() {
		d.bring(to, side, lines, v, z, first)
	})
}

// bring brings v neighbours, of number t, into shared memory.
func (d *shortDot) bring(to string, side *dotSide, lines, v int64, z, first string) {
	b, line, k := d.b, over("t", side.depth/v), times(modulo("t", side.depth/v), v)
	if !side.alongDepth() {
		line, k = times(modulo("t", lines/v), v), over("t", lines/v)
	}
	b.line("const s32 l = %s, k = %s;", line, k)
	whole := first == "0" && lines == side.lines
	if !whole {
		b.open("if (%s < %d) {", plus(first, "l"), side.lines)
	}
	elements := side.load(d.g, d.in, d.whole, v, z, group(plus(first, "l")), "k")
	q, end := b.unrolled("q", v)
	place := plus(times("l", d.pitch), plus("k", q))
	if !side.alongDepth() {
		place = plus(times(plus("l", q), d.pitch), "k")
	}
	b.line("%s[%s] = %s;", to, place, b.plain(b.converted(elements(q), d.sum)).text)
	end()
	if !whole {
		b.close("}")
	}
}

// chain is the sum of the products of line i and line c, one after the other.
func (d *shortDot) chain() value {
	b := d.b
	acc := b.zero(d.sum)
	t := fmt.Sprintf("pack<%s, %d>", ctypes[d.sum].value, d.vector)
	whole := d.few.depth / d.vector * d.vector
	b.line("#pragma unroll 4")
	b.open("for (s32 k = 0; k < %d; k += %d) {", whole, d.vector)
	b.line("const %s x = *(const %s*)(few + i * %d + k), y = *(const %s*)(many + c * %d + k);", t, t, d.pitch, t, d.pitch)
	q, end := b.unrolled("q", d.vector)
	d.product(acc.text, valueOf("x.v["+q+"]", d.sum), valueOf("y.v["+q+"]", d.sum))
	end()
	b.close("}")
	for k := whole; k < d.few.depth; k++ {
		d.product(acc.text, valueOf(fmt.Sprintf("few[i * %d + %d]", d.pitch, k), d.sum),
			valueOf(fmt.Sprintf("many[c * %d + %d]", d.pitch, k), d.sum))
	}
	return acc
}
