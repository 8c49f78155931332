package emit

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// topK is the first elements of lines by their total order.
type topK struct {
	in    *hlo.Instruction
	a     *hlo.TopKAttrs
	lines lineOf
}

// emitTopK finds where the first elements of short lines end, and sorts those; it sorts all of long ones.
func emitTopK(e *Emission, in *hlo.Instruction) {
	if in.Shape.Elems[0].Size() == 0 {
		return
	}
	dims := in.Operands[0].Shape.Dims
	k := &topK{in, in.Attrs.(*hlo.TopKAttrs), linesAlong(dims, len(dims)-1)}
	threads := k.threads()
	if threads > 0 {
		k.find(e, threads)
		return
	}
	s := &sorter{e: e, name: "topk", n: k.lines.n, lines: k.lines.count}
	if s.n >= radixFrom {
		r := &radix{sorter: s, bits: k.bits()}
		r.key = func(b *body, line, j string) string { return k.key(b, line, j, !k.a.Largest) }
		r.emit(sizesOf(in))
	} else {
		s.less = func(b *body) {
			b.line("return %s > %s;", k.key(b, "line", "a", k.a.Largest), k.key(b, "line", "b", k.a.Largest))
		}
		s.emit(sizesOf(in))
	}
	s.gather(in, k.lines, k.a.K, func(b *body, from string) { k.store(b, "to", from, "from") })
}

func (k *topK) bits() int { return k.in.Operands[0].Shape.Type.Bits() }

// key is the number by which element j of a line is ordered, or the one that orders the other way round.
func (k *topK) key(b *body, line, j string, up bool) string {
	key := b.ordered(k.load(b, k.lines.place(b, line, j).flat), true)
	if !up {
		key = fmt.Sprintf("low(~(%s), %d)", key, k.bits())
	}
	return key
}

func (k *topK) load(b *body, at string) value {
	return b.load(Buffer{Operand, 0}, k.in.Operands[0].Shape.Type, index{flat: at})
}

// store stores the element at a place, and its number in the line.
func (k *topK) store(b *body, to, from, number string) {
	b.store(Buffer{Result, 0}, to, k.load(b, from))
	b.store(Buffer{Result, 1}, to, b.converted(value{text: "(s32)" + number, t: shape.S32}, k.in.Shape.Elems[1].Type))
}

// threads is how many threads find the first elements of a line: those of a warp or of a block; 0 if they should not.
func (k *topK) threads() int64 {
	n, room := k.lines.n, powerOf2(k.a.K)
	switch {
	case k.bits() > 32:
		return 0
	case n <= 1024 && room <= 256:
		return 32
	case n <= 32*blockSize && room <= 2048:
		return blockSize
	}
	return 0
}

// find makes the kernel in which threads find the first elements of a line.
func (k *topK) find(e *Emission, threads int64) {
	n, room, lines := k.lines.n, max(powerOf2(k.a.K), 2), blockSize/threads
	b := newBody(e, sizesOf(k.in)...)
	b.need("network")
	b.need("top")
	rows := ceil(n, threads)
	b.line("const %s of = threadIdx.x / %d, t = threadIdx.x %% %d, line = (%s)blockIdx.x * %d + of;", b.ix, threads,
		threads, b.ix, lines)
	b.line("__shared__ u64 lists[%d];", lines*room)
	b.line("__shared__ u32 sums[8], filled[%d];", lines)
	b.line("if (line >= %d) return;", k.lines.count)
	b.line("u32 key[%d];", rows)
	b.line("#pragma unroll")
	b.open("for (u32 i = 0; i < %d; i++) {", rows)
	b.line("const %s j = i * %d + t;", b.ix, threads)
	b.line("key[i] = 0;")
	b.open("%s{", map[bool]string{false: fmt.Sprintf("if (j < %d) ", n)}[n%threads == 0])
	b.line("key[i] = %s;", k.key(b, "line", "j", k.a.Largest))
	b.closes(2)
	b.line("u64* list = lists + of * %d;", room)
	b.line("const u32 taken = top_find<%d, %d>(key, %d, %d, sums);", rows, threads, k.bits(), k.a.K)
	b.line("top_take<%d, %d>(key, taken, list, %d, filled + of);", rows, threads, room)
	b.line("network<%d>(list, %d, %d);", threads, room, room)
	b.open("for (%s q = t; q < %d; q += %d) {", b.ix, k.a.K, threads)
	b.line("const u32 from = (u32)list[q];")
	b.line("const %s to = line * %d + q;", b.ix, k.a.K)
	k.store(b, "to", k.lines.place(b, "line", "("+b.ix+")from").flat, "from")
	b.close("}")
	e.add(b.kernel("topk", ceil(k.lines.count, lines), blockSize))
}
