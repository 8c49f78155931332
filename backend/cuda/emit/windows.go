package emit

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// windows are those of a scatter in the order of where they start. It is known where each of them starts, or, in their
// order, at which of the places that are open to them.
type windows struct {
	*scatter
	order   *sorter
	starts  Buffer // u64, by windows; all ones for those that do not lie in the operand
	numbers Buffer // by places in the order, of a type; as many as there are places for those that do not
	t       string // that type, "" if there are starts
}

// places stores where windows start.
func (w *windows) places() {
	w.starts = w.e.scratch(8 * w.count)
	b := newBody(w.e, append(sizesOf(w.in), w.count)...)
	b.threads(w.count)
	start, inside := w.at(b, "t")
	p, name := b.pointer(w.starts, "u64")
	p.written = true
	b.line("%s[t] = %s ? (u64)(%s) : ~0ull;", name, inside, b.flat(at(w.operand, start)))
	w.e.add(b.kernel("scatter_keys", ceil(w.count, blockSize), blockSize))
}

// at is where window t starts, by dimensions, if a condition holds.
func (w *windows) at(b *body, t string) (start []string, inside string) {
	start, conditions := w.place(b, b.newGraphOf(w.in), b.coordinates(index{flat: t, of: w.sizes}))
	return start, always(conditions)
}

// open is how many places there are where windows may start, by dimensions.
func (w *windows) open() []int64 {
	list := make([]int64, len(w.operand))
	for d, n := range w.operand {
		list[d] = 1
		if slices.Contains(w.a.ScatterDimsToOperandDims, int64(d)) || slices.Contains(w.a.InputBatchingDims, int64(d)) {
			list[d] = n
		}
	}
	return list
}

// byDigits sorts by the numbers of places, which have few bits.
func (w *windows) byDigits() {
	none := shape.Product(w.open())
	r := &radix{sorter: w.order, bits: max(bits.Len64(uint64(none)), 1), sorted: true}
	r.key = func(b *body, _, j string) string {
		start, inside := w.at(b, j)
		return fmt.Sprintf("%s ? (u64)%s : %dull", inside, b.flat(at(w.open(), start)), none)
	}
	r.emit(sizesOf(w.in))
	w.numbers, w.t = r.keys[r.passes%2], r.t
}

// inBlock makes the kernel of one block that sorts few windows: numbers that are those of places and of windows.
func (w *windows) inBlock() *Kernel {
	room := max(powerOf2(w.count), 64)
	block := min(room/2, 1024)
	w.numbers, w.t, w.order.perm = w.e.scratch(4*w.count), "u32", w.e.scratch(4*w.count)
	b := newBody(w.e, sizesOf(w.in)...)
	b.need("network")
	b.line("__shared__ u64 entry[%d];", room)
	b.open("for (%s q = threadIdx.x; q < %d; q += %d) {", b.ix, room, block)
	b.line("entry[q] = ~0ull;")
	b.open("if (q < %d) {", w.count)
	start, inside := w.at(b, "q")
	b.line("entry[q] = (%s ? (u64)%s : %dull) << 32 | (u32)q;", inside, b.flat(at(w.open(), start)),
		shape.Product(w.open()))
	b.closes(2)
	b.line("__syncthreads();")
	b.line("network<%d>(entry, %d, %d);", block, room, room)
	numbers, perm := b.parameter(w.numbers, "u32", true), b.parameter(w.order.perm, "u32", true)
	b.open("for (%s q = threadIdx.x; q < %d; q += %d) {", b.ix, w.count, block)
	b.line("%s[q] = (u32)(entry[q] >> 32);", numbers)
	b.line("%s[q] = (u32)entry[q];", perm)
	b.close("}")
	return b.kernel(w.order.name+"_order", 1, int(block))
}

// start returns what gives the start of the window at a place of the order.
func (w *windows) start(b *body) func(at string) string {
	if w.t == "" {
		_, starts := b.pointer(w.starts, "u64")
		number := w.order.number(b)
		return func(at string) string { return starts + "[" + number(at) + "]" }
	}
	_, numbers := b.pointer(w.numbers, w.t)
	b.open("auto start_of = [&](u64 n) -> u64 {")
	b.line("if (n >= %dull) return ~0ull;", shape.Product(w.open()))
	start := b.coordinates(index{flat: b.integer("(" + b.ix + ")n"), of: w.open()})
	b.line("return %s;", b.flat(at(w.operand, start)))
	b.close("};")
	return func(at string) string { return "start_of(" + numbers + "[" + at + "])" }
}

// number returns what gives the number of the window at a place of the order.
func (s *sorter) number(b *body) func(at string) string {
	if s.perm == (Buffer{}) {
		return func(at string) string { return at }
	}
	_, perm := b.pointer(s.perm, "u32")
	return func(at string) string { return perm + "[" + at + "]" }
}
