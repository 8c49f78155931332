package emit

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// radix sorts lines by keys of some bits, digits of 8 bits after each other, the lowest first.
type radix struct {
	*sorter
	bits int
	// key writes what makes the key of element j of a line, an unsigned number of 32 or 64 bits.
	key func(b *body, line, j string) string
	// from and to are where values lie that go with the keys, and where they go; without them these are the numbers of
	// elements, and go into perm.
	from, to Buffer
	carried  string // the type of the values
	numbers  bool   // the values are numbers of elements
	sorted   bool   // the keys are wanted, too: the last of keys has them

	t         string // of keys
	keys      [2]Buffer
	values    [2]Buffer
	counts    Buffer // of digits by tiles
	totals    Buffer // and by lines
	rows      int64  // keys of a thread
	tiles     int64  // of a line
	ix        string
	passes, p int
}

// radixFrom is the length of lines from which on they are sorted by digits.
const radixFrom = local + 1

// fewTiles is how many tiles of a line each block may look at.
const fewTiles = 64

// radixTile is the least number of keys that a block has.
const radixTile = 8 * blockSize

func (r *radix) emit(sizes []int64) {
	r.checkLength()
	r.prepare(sizes)
	r.makeKeys(sizes)
	for r.p = range r.passes {
		if r.p > 0 && r.tiles > 1 {
			r.count()
		}
		if r.tiles > fewTiles {
			r.sum()
		}
		r.move()
	}
}

// prepare chooses sizes and has memory for what lies between the passes.
func (r *radix) prepare(sizes []int64) {
	total := r.n * r.lines
	r.ix = newBody(r.e, append(sizes, total)...).ix
	r.rows = 8
	if r.n > radixTile && (r.n <= 2*radixTile || total >= 1<<22) {
		r.rows = 16
	}
	r.tiles = ceil(r.n, r.rows*blockSize)
	r.passes = (r.bits + 7) / 8
	r.t = unsignedOf(r.bits)
	r.keys[0] = r.e.scratch(total * widthOf(r.t))
	r.keys[1] = r.keys[0]
	if r.passes > 1 || r.sorted {
		r.keys[1] = r.e.scratch(total * widthOf(r.t))
	}
	if r.carried == "" {
		r.room, r.perm, r.carried, r.numbers = r.n, r.e.scratch(4*total), "u32", true
		r.from, r.to = r.perm, r.perm // nothing is read there
	}
	r.values = [2]Buffer{r.to, r.to}
	if r.passes > 1 {
		r.values[1] = r.e.scratch(total * widthOf(r.carried))
	}
	if r.tiles > 1 {
		r.counts = r.e.scratch(4 * 256 * r.lines * r.tiles)
	}
	if r.tiles > fewTiles {
		r.totals = r.e.scratch(4 * 256 * r.lines)
	}
}

// after makes r sort what is in the order of perm already.
func (r *radix) after(perm Buffer) {
	r.from, r.to, r.carried = perm, r.e.scratch(4*r.n*r.lines), "u32"
	r.perm = r.to
	key := r.key
	r.key = func(b *body, line, j string) string {
		_, order := b.pointer(perm, "u32")
		return key(b, line, fmt.Sprintf("(%s)%s[%s * %d + %s]", b.ix, order, line, r.n, j))
	}
}

// unsignedOf is the type in memory of unsigned numbers of so many bits, and widthOf its bytes.
func unsignedOf(bits int) string {
	return fmt.Sprintf("u%d", max(8, int(powerOf2(int64(bits)))))
}

func widthOf(t string) int64 { return map[string]int64{"u8": 1, "u16": 2, "u32": 4, "u64": 8}[t] }

// body begins a kernel, and the parameters that it takes in this order.
func (r *radix) body() *body {
	b := newBody(r.e)
	b.ix = r.ix
	b.need("radix")
	return b
}

func (b *body) parameter(buf Buffer, t string, written bool) string {
	b.params = append(b.params, &param{Buffer: buf, t: t, written: written})
	return fmt.Sprintf("p%d", len(b.params)-1)
}

// makeKeys stores the keys, and counts their first digits.
func (r *radix) makeKeys(sizes []int64) {
	b := newBody(r.e, append(sizes, r.n*r.lines)...)
	b.need("radix")
	tile := r.rows * blockSize
	keys, counts := b.parameter(r.keys[0], r.t, true), ""
	if r.tiles > 1 {
		counts = b.parameter(r.counts, "u32", true)
		b.line("__shared__ u32 count[1024];")
		b.line("radix_clear(count);")
	}
	b.line("const %s line = (%s)blockIdx.x / %d, first = (%s)blockIdx.x %% %d * %d;", b.ix, b.ix, r.tiles, b.ix,
		r.tiles, tile)
	b.open("for (%s j = first + threadIdx.x; j < %d && j < first + %d; j += %d) {", b.ix, r.n, tile, blockSize)
	b.line("const %s key = (%s)%s;", r.t, r.t, group(r.key(b, "line", "j")))
	b.line("%s[line * %d + j] = key;", keys, r.n)
	if r.tiles > 1 {
		b.line("radix_add(count, key, 0);")
	}
	b.close("}")
	if r.tiles > 1 {
		b.line("radix_put(count, %s);", counts)
	}
	r.e.add(b.kernel(r.name+"_keys", r.lines*r.tiles, blockSize))
}

// The flags RADIX_FIRST and RADIX_LAST of prelude/radix.cu.
const (
	radixFirst = 1 << iota
	radixLast
)

// table has the shift and the flags of a pass.
func (r *radix) table(b *body) string {
	var flags uint32
	if r.p == 0 && r.numbers {
		flags |= radixFirst
	}
	if r.p == r.passes-1 && !r.sorted {
		flags |= radixLast
	}
	data := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(8*r.p)), flags)
	return b.parameter(r.e.table(data), "u32", false)
}

// count counts the digits of the tiles.
func (r *radix) count() {
	b := r.body()
	keys, counts, table := b.parameter(r.keys[r.p%2], r.t, false), b.parameter(r.counts, "u32", true), r.table(b)
	b.line("__shared__ u32 count[1024];")
	b.line("radix_count<%d>(%s, %s, %s[0], (%s)%d, (%s)%d, count);", r.rows, keys, counts, table, b.ix, r.n, b.ix,
		r.tiles)
	r.e.add(b.kernel(r.name+"_count", r.lines*r.tiles, blockSize))
}

// sum sums the counts over tiles.
func (r *radix) sum() {
	b := r.body()
	counts, totals := b.parameter(r.counts, "u32", true), b.parameter(r.totals, "u32", true)
	b.line("__shared__ u32 sums[256];")
	b.line("radix_sum(%s, %s, (%s)%d, sums);", counts, totals, b.ix, r.tiles)
	r.e.add(b.kernel(r.name+"_sum", r.lines*32, 1024))
}

// move moves the tiles.
func (r *radix) move() {
	b := r.body()
	const none = "(const u32*)0"
	from, left := r.values[(r.passes-r.p)%2], r.passes-1-r.p
	if r.p == 0 {
		from = r.from
	}
	args := []string{b.parameter(r.keys[r.p%2], r.t, false), b.parameter(r.keys[(r.p+1)%2], r.t, true),
		b.parameter(from, r.carried, false), b.parameter(r.values[left%2], r.carried, true), none, none}
	way := "RADIX_ONE"
	if r.tiles > 1 {
		way, args[4] = "RADIX_FEW", b.parameter(r.counts, "u32", false)
	}
	if r.tiles > fewTiles {
		way, args[5] = "RADIX_MANY", b.parameter(r.totals, "u32", false)
	}
	table, wider := r.table(b), r.t
	if widthOf(r.carried) > widthOf(wider) {
		wider = r.carried
	}
	b.line("__shared__ radix_room<%d, %s> room;", r.rows, wider)
	b.line("radix_move<%d, %s>(%s, %s[0], %s[1], (%s)%d, (%s)%d, room);", r.rows, way, strings.Join(args, ", "), table,
		table, b.ix, r.n, b.ix, r.tiles)
	r.e.add(b.kernel(r.name+"_move", r.lines*r.tiles, blockSize))
}

// ordered is the unsigned number, of as many bits as v has, by which v is ordered among those of its type: floats by
// their total order, or with -0 equal to +0.
func (b *body) ordered(v value, total bool) string {
	t, bits := v.t, v.t.Bits()
	u := unsignedType(bits)
	sign := fmt.Sprintf("(%s)%#xull", u, uint64(1)<<(bits-1))
	switch {
	case t.IsFloat() && t != shape.F8E8M0FNU:
		x := b.let(u, b.bitsOf(v))
		if minusZeroIsNaN(t) { // it comes first
			return fmt.Sprintf("low(%s == %s ? 0 : %s & %s ? 0 - %s : %s ^ %s, %d)", x, sign, x, sign, x, x, sign, bits)
		}
		if !total {
			x = b.let(u, fmt.Sprintf("%s == %s ? (%s)0 : %s", x, sign, u, x))
		}
		return fmt.Sprintf("low(%s & %s ? ~%s : %s ^ %s, %d)", x, sign, x, x, sign, bits)
	case t.IsSigned():
		return fmt.Sprintf("low((%s)%s ^ %s, %d)", u, v.text, sign, bits)
	}
	return b.bitsOf(v)
}

// sortKey writes the number by which the key of a comparator is ordered, of the elements that operand says.
func (b *body) sortKey(k hlo.SortKey, operand func(i int) value) string {
	g := b.newGraph()
	for i, p := range k.Of.Parameters {
		g.args[p] = []source{func(index) value { return b.converted(operand(i/2), p.Shape.Type) }}
	}
	key := b.ordered(g.at(k.Of.Root, scalar()), k.Total)
	if k.Descending {
		key = fmt.Sprintf("low(~(%s), %d)", key, k.Of.Root.Shape.Type.Bits())
	}
	return key
}
