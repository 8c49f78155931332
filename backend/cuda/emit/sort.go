package emit

import (
	"encoding/binary"
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
)

// sorter sorts numbers of elements of lines, by a bitonic network: whatever the comparator says, what comes out are the
// same numbers in some order. Equal elements keep their order, since their numbers are compared after them.
type sorter struct {
	e        *Emission
	name     string
	n, lines int64
	room     int64 // a power of two: the entries of a line, of which those from n on come last
	perm     Buffer
	// less writes the end of a function that tells whether element a of a line comes before element b.
	less func(b *body)
}

// local is how many entries a block sorts in shared memory.
const local = 1024

// checkLength refuses lines with more elements than numbers of 32 bits count, a power of two of them.
func (s *sorter) checkLength() {
	if s.n > 1<<31 {
		refuse("%s of lines of %d elements", s.name, s.n)
	}
}

func (s *sorter) emit(sizes []int64) {
	s.checkLength()
	s.room = max(powerOf2(s.n), 2)
	total := s.lines * s.room
	s.perm = s.e.scratch(4 * total)
	s.step(sizes, total, true, 0, 0)
	for k := int64(2 * local); k <= s.room; k *= 2 {
		for j := k / 2; j >= local; j /= 2 {
			s.step(sizes, total, false, k, j)
		}
		s.step(sizes, total, true, k, 0)
	}
}

// step compares entries that are j apart, or sorts blocks of entries: wholly, or merging runs of k.
func (s *sorter) step(sizes []int64, total int64, blocks bool, k, j int64) {
	b := newBody(s.e, append(sizes, total)...)
	s.functions(b)
	_, perm := b.pointer(s.perm, "u32")
	var kj string
	if k > 0 {
		table := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(k)), uint32(j))
		_, kj = b.pointer(s.e.table(table), "u32")
	}
	for _, p := range b.params {
		p.written = p.Buffer == s.perm
	}
	switch {
	case !blocks:
		b.line("const u32 k = %s[0], j = %s[1];", kj, kj)
		b.line("const u64 t = (u64)blockIdx.x * %d + threadIdx.x, i = 2 * t - (t & (j - 1));", blockSize)
		b.line("if (i >= %d) return;", total)
		s.exchange(b, perm+"[i]", perm+"[i + j]", "i", "k")
		s.e.add(b.kernel(s.name+"_step", ceil(total/2, blockSize), blockSize))
		return
	case k == 0:
		s.open(b, fmt.Sprintf("(u32)((first + q) %% %d)", s.room), total)
		b.line("#pragma unroll 1") // all rounds at once are more places than there are registers
		b.open("for (u32 k = 2; k <= %d; k *= 2) {", min(s.room, local))
	default:
		s.open(b, perm+"[first + q]", total)
		b.open("for (u32 k = %s[0]; k; k = 0) {", kj)
	}
	b.open("for (u32 j = k / 2 < %d ? k / 2 : %d; j > 0; j /= 2) {", local/2, local/2)
	b.line("const u32 i = 2 * threadIdx.x - (threadIdx.x & (j - 1));")
	b.line("__syncthreads();")
	b.open("if (first + i < %d) {", total)
	s.exchange(b, "entry[i]", "entry[i + j]", "(first + i)", "k")
	b.closes(3)
	b.line("__syncthreads();")
	b.line("for (u32 q = threadIdx.x; q < %d && first + q < %d; q += %d) %s[first + q] = entry[q];", local, total,
		local/2, perm)
	s.e.add(b.kernel(s.name+"_block", ceil(total, local), local/2))
}

// open brings the entries of a block into shared memory.
func (s *sorter) open(b *body, entry string, total int64) {
	b.line("__shared__ u32 entry[%d];", local)
	b.line("const u64 first = (u64)blockIdx.x * %d;", local)
	b.line("for (u32 q = threadIdx.x; q < %d && first + q < %d; q += %d) entry[q] = %s;", local, total, local/2, entry)
}

// exchange brings two entries into the order of their run: upwards if a bit of the place is 0.
func (s *sorter) exchange(b *body, x, y, place, k string) {
	b.line("const u32 x = %s, y = %s;", x, y)
	b.line("const bool up = (%s & (%s & %d)) == 0;", place, k, s.room-1)
	b.line("if (before((%s)(%s / %d), y, x) == up) %s = y, %s = x;", b.ix, place, s.room, x, y)
}

// functions writes the comparison of entries.
func (s *sorter) functions(b *body) {
	b.open("auto less = [&](%s line, %s a, %s b) -> bool {", b.ix, b.ix, b.ix)
	s.less(b)
	b.close("};")
	b.open("auto before = [&](%s line, u32 a, u32 b) -> bool {", b.ix)
	b.line("if (a >= %d || b >= %d) return a < b;", s.n, s.n)
	b.line("return less(line, a, b) || (a < b && !less(line, b, a));")
	b.close("};")
}

// lineOf are the lines of an array along a dimension.
type lineOf struct{ n, stride, count int64 }

func linesAlong(dims []int64, d int) lineOf {
	l := lineOf{1, 1, 1}
	for i, n := range dims {
		switch {
		case i == d:
			l.n = n
		case i > d:
			l.stride *= n
			l.count *= n
		default:
			l.count *= n
		}
	}
	return l
}

// place is where element j of a line lies.
func (l lineOf) place(b *body, line, j string) index {
	start := line
	if l.stride == 1 {
		start = times(line, l.n)
	} else if l.count > l.stride {
		start = fmt.Sprintf("%s / %d * %d + %s %% %d", line, l.stride, l.stride*l.n, line, l.stride)
	}
	return index{flat: b.integer(plus(start, times(j, l.stride))), of: []int64{l.n * l.count}}
}

func emitSort(e *Emission, in *hlo.Instruction) {
	a, dims := in.Attrs.(*hlo.SortAttrs), in.Operands[0].Shape.Dims
	d := int(a.Dimension)
	if d < 0 {
		d += len(dims)
	}
	lines := linesAlong(dims, d)
	if in.Operands[0].Shape.Size() == 0 {
		return
	}
	if lines.n == 1 || len(dims) == 0 {
		for i, s := range leaves(in.Shape) {
			e.copy(Buffer{Result, i}, Buffer{Operand, i}, s.Size()*int64(s.Type.Bytes()))
		}
		return
	}
	s := &sorter{e: e, name: "sort", n: lines.n, lines: lines.count}
	if keys, ok := hlo.SortKeysOf(a.ToApply); ok && s.byKeys(in, keys, lines) {
		return
	}
	s.less = func(b *body) {
		g := b.newGraphOf(in)
		var args []value
		for _, o := range in.Operands {
			for _, j := range []string{"a", "b"} {
				ix := lines.place(b, "line", j)
				args = append(args, g.at(o, index{flat: ix.flat, of: o.Shape.Dims}))
			}
		}
		b.line("return %s;", b.apply(a.ToApply, args)[0].text)
	}
	s.emit(sizesOf(in))
	s.gatherAll(in, lines)
}

// gatherAll brings all operands into the order of the sorted numbers.
func (s *sorter) gatherAll(in *hlo.Instruction, lines lineOf) {
	s.gather(in, lines, lines.n, func(b *body, from string) {
		for i, o := range in.Operands {
			v := b.load(Buffer{Operand, i}, o.Shape.Type, index{flat: from})
			b.store(Buffer{Result, i}, "to", v)
		}
	})
}

// byKeys sorts by keys, and reports whether that can be done: in shared memory, or by digits.
func (s *sorter) byKeys(in *hlo.Instruction, keys []hlo.SortKey, lines lineOf) bool {
	switch {
	case bitsOf(keys) <= 32 && s.n <= 4*local:
		s.e.add(s.inBlocks(in, lines, keys))
	case s.n >= radixFrom:
		s.byDigits(in, lines, keys)
	default:
		return false
	}
	return true
}

func bitsOf(keys []hlo.SortKey) (bits int) {
	for _, k := range keys {
		bits += k.Bits()
	}
	return bits
}

// keys writes the keys of element j of a line as one number.
func (b *body) keys(in *hlo.Instruction, keys []hlo.SortKey, lines lineOf, line, j string) string {
	at, t := lines.place(b, line, j).flat, unsignedOf(max(bitsOf(keys), 32))
	all := ""
	for _, k := range keys {
		key := fmt.Sprintf("(%s)%s", t, group(b.sortKey(k, func(i int) value {
			return b.load(Buffer{Operand, i}, in.Operands[i].Shape.Type, index{flat: at})
		})))
		if all != "" {
			key = fmt.Sprintf("%s << %d | %s", b.let(t, all), k.Bits(), key)
		}
		all = key
	}
	return all
}

// inBlocks sorts lines within blocks: numbers that are keys and, in their low half, places.
func (s *sorter) inBlocks(in *hlo.Instruction, lines lineOf, keys []hlo.SortKey) *Kernel {
	room := powerOf2(s.n)
	size := max(room, local)
	block := min(size/2, 1024)
	b := newBody(s.e, append(sizesOf(in), s.lines*room)...)
	b.need("network")
	b.line("__shared__ u64 entry[%d];", size)
	b.line("const %s first = (%s)blockIdx.x * %d;", b.ix, b.ix, size)
	each := func(inner func()) {
		b.open("for (u32 q = threadIdx.x; q < %d; q += %d) {", size, block)
		b.line("const %s line = (first + q) / %d, j = (first + q) %% %d;", b.ix, room, room)
		inner()
		b.close("}")
	}
	each(func() {
		b.line("entry[q] = ~0ull;")
		b.open("if (line < %d && j < %d) {", s.lines, s.n)
		b.line("entry[q] = (u64)%s << 32 | (u32)j;", group(b.keys(in, keys, lines, "line", "j")))
		b.close("}")
	})
	b.line("__syncthreads();")
	b.line("network<%d>(entry, %d, %d);", block, size, room)
	each(func() {
		b.line("if (line >= %d || j >= %d) continue;", s.lines, s.n)
		b.line("const %s from = (u32)entry[q];", b.ix)
		to, at := lines.place(b, "line", "j"), lines.place(b, "line", "from")
		for i, o := range in.Operands {
			b.store(Buffer{Result, i}, to.flat, b.load(Buffer{Operand, i}, o.Shape.Type, index{flat: at.flat}))
		}
	})
	return b.kernel(s.name+"_lines", ceil(s.lines*room, size), int(block))
}

// byDigits sorts by digits: by the last keys first. A single array of neighbours goes with its keys.
func (s *sorter) byDigits(in *hlo.Instruction, lines lineOf, keys []hlo.SortKey) {
	o := in.Operands[0].Shape.Type
	list := numbersOf(keys)
	if width := 8 * o.Bytes(); len(in.Operands) == 1 && lines.stride == 1 && width <= 64 && len(list) == 1 {
		r := s.digitsOf(in, lines, keys)
		r.from, r.to, r.carried = Buffer{Operand, 0}, Buffer{Result, 0}, unsignedOf(width)
		r.emit(sizesOf(in))
		return
	}
	for i, part := range list {
		r := s.digitsOf(in, lines, part)
		if i > 0 {
			r.after(s.perm)
		}
		r.emit(sizesOf(in))
	}
	s.gatherAll(in, lines)
}

// numbersOf cuts keys into as many as make a number, the last ones first.
func numbersOf(keys []hlo.SortKey) (list [][]hlo.SortKey) {
	for last := len(keys); last > 0; {
		first := last - 1
		for first > 0 && bitsOf(keys[first-1:last]) <= 64 {
			first--
		}
		list, last = append(list, keys[first:last]), first
	}
	return list
}

func (s *sorter) digitsOf(in *hlo.Instruction, lines lineOf, keys []hlo.SortKey) *radix {
	return &radix{sorter: s, bits: bitsOf(keys), key: func(b *body, line, j string) string {
		return b.keys(in, keys, lines, line, j)
	}}
}

// gather opens a kernel over the first k elements of the sorted lines.
func (s *sorter) gather(in *hlo.Instruction, lines lineOf, k int64, store func(b *body, from string)) {
	b := newBody(s.e, append(sizesOf(in), s.lines*s.room)...)
	_, perm := b.pointer(s.perm, "u32")
	b.line("const %s t = (%s)blockIdx.x * %d + threadIdx.x;", b.ix, b.ix, blockSize)
	b.line("if (t >= %d) return;", s.lines*k)
	b.line("const %s line = %s, j = %s;", b.ix, over("t", k), modulo("t", k))
	b.line("const u32 from = %s[line * %d + j];", perm, s.room)
	out := lines
	out.n = k
	b.line("const %s to = %s;", b.ix, out.place(b, "line", "j").flat)
	store(b, lines.place(b, "line", "("+b.ix+")from").flat)
	s.e.add(b.kernel(s.name+"_gather", ceil(s.lines*k, blockSize), blockSize))
}
