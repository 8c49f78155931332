package emit

import (
	"fmt"
	"math/bits"
	"slices"
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
	none := product(w.open())
	r := &radix{sorter: w.order, bits: max(bits.Len64(uint64(none)), 1), sorted: true}
	r.key = func(b *body, _, j string) string {
		start, inside := w.at(b, j)
		return fmt.Sprintf("%s ? (u64)%s : %dull", inside, b.flat(at(w.open(), start)), none)
	}
	r.emit(sizesOf(w.in))
	w.numbers, w.t = r.keys[r.passes%2], r.t
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
	b.line("if (n >= %dull) return ~0ull;", product(w.open()))
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
