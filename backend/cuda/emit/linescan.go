package emit

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// lineScan is a kernel that scans lines, or parts of lines from known values on. Blocks have threads for some
// neighbouring lines. They bring a chunk of each into shared memory, neighbours of it by neighbouring threads; each
// thread scans the items of its own there, and the threads of a line what came out; then all is stored, with what came
// before it.
type lineScan struct {
	b                   *body
	c                   *hlo.Computation
	types               []shape.ElementType
	lines               lineOf
	part, parts         int64
	width, lanes, items int64 // lines of a block, threads of a line, elements of a thread
	load                func(row, j string) []value
	store               func(row, j string, v []value)
	carry               []value  // what comes before the chunk in the thread's line
	tile, total         []string // shared memory: the chunk, and two arrays of a value for each thread
}

func newLineScan(b *body, c *hlo.Computation, types []shape.ElementType, lines lineOf) *lineScan {
	s := &lineScan{b: b, c: c, types: types, lines: lines, part: lines.n, parts: 1}
	threads, most := scanRoom(types)
	if s.byColumn() {
		s.width = min(powerOf2(lines.stride), 32, threads)
		s.lanes = threads / s.width
	} else {
		for s.lanes = 1; s.lanes < threads && s.lanes*most < lines.n; s.lanes *= 2 {
		}
		s.width = threads / s.lanes
	}
	s.items = min(ceil(lines.n, s.lanes)|1, most)
	return s
}

// scanRoom is how many threads a block has that scans values of some types, and the most elements of each in a chunk:
// an odd number, so that threads that go through neighbouring shares find them in different banks.
func scanRoom(types []shape.ElementType) (threads, items int64) {
	bytes := int64(0)
	for _, t := range types {
		bytes += int64(max(t.Bytes(), 4))
	}
	switch threads = blockSize; {
	case bytes <= 4:
		items = 15
	case bytes <= 16:
		items = 7
	default:
		items = 3
	}
	for threads > 1 && (items+2)*threads*bytes > 40<<10 {
		threads /= 2
	}
	return threads, items
}

func (s *lineScan) byColumn() bool { return s.lines.stride > 1 }

func (s *lineScan) threads() int64 { return s.width * s.lanes }

func (s *lineScan) chunk() int64 { return s.lanes * s.items }

// pitch is how far lines are apart in shared memory: an odd number where neighbouring threads have neighbouring lines.
func (s *lineScan) pitch() int64 {
	if s.byColumn() {
		return s.chunk() | 1
	}
	return s.chunk()
}

// split cuts long lines into parts if there are too few blocks to keep a processor busy.
func (s *lineScan) split() {
	const busy, enough, least = 2048, 256, 4
	blocks, chunks := ceil(s.lines.count, s.width), ceil(s.lines.n, s.chunk())
	if blocks >= enough || chunks < least {
		return
	}
	s.part = ceil(chunks, min(chunks, busy/blocks)) * s.chunk()
	s.parts = ceil(s.lines.n, s.part)
}

// declare declares the places of threads, shared memory, and what comes before a line.
func (s *lineScan) declare(inits []value) {
	b, n := s.b, s.threads()
	by, lane, line := s.width, "threadIdx.x / %[1]d", "threadIdx.x %% %[1]d"
	if !s.byColumn() {
		by, lane, line = s.lanes, line, lane
	}
	b.line("const s32 lane = "+lane+", line = "+line+";", by)
	b.line("const %s first = (%s)blockIdx.x * %d, row = first + line, part = blockIdx.y;", b.ix, b.ix, s.width)
	for i, t := range s.types {
		b.need(ctypes[t].uses)
		tile, total := b.name("tile"), b.name("total")
		b.line("__shared__ %s %s[%d], %s[%d];", ctypes[t].value, tile, s.width*s.pitch(), total, 2*n)
		s.tile, s.total = append(s.tile, tile), append(s.total, total)
		s.carry = append(s.carry, b.variable(b.converted(inits[i], t)))
	}
}

// startAt makes parts but the first start with what comes before them.
func (s *lineScan) startAt(before func(row, part string) []value) {
	s.b.open("if (part > 0 && row < %d) {", s.lines.count)
	s.b.assign(s.carry, before("row", "(part - 1)"))
	s.b.close("}")
}

func (s *lineScan) kernel(name string) *Kernel {
	b, grid := s.b, [3]int64{ceil(s.lines.count, s.width), s.parts, 1}
	begin, end := "part * "+num(s.part), fmt.Sprintf("x_min((part + 1) * %d, (%s)%d)", s.part, b.ix, s.lines.n)
	if s.parts == 1 {
		begin, end = "0", num(s.lines.n)
	}
	b.line("const %s end = %s;", b.ix, end)
	b.line("#pragma unroll 1")
	b.open("for (%s from = %s; from < end; from += %d) {", b.ix, begin, s.chunk())
	b.line("const s32 n = (s32)x_min(end - from, (%s)%d), own = lane * %d;", b.ix, s.chunk(), s.items)
	s.striped(func(at, row, j, _ string) {
		for i, v := range s.load(row, j) {
			b.line("%s[%s] = %s;", s.tile[i], at, b.plain(b.converted(v, s.types[i])).text)
		}
	})
	b.line("__syncthreads();")
	b.line("const bool some = own < n && row < %d;", s.lines.count)
	s.shares()
	s.across()
	s.striped(func(at, row, j, lane string) {
		before := s.shared(s.total, "other + "+lane)
		s.store(row, j, b.combine(s.c, before, s.shared(s.tile, at)))
	})
	b.line("__syncthreads();")
	b.close("}")
	return b.kernel3(name, grid, [3]int{int(s.threads()), 1, 1})
}

// striped goes through a chunk of the block's lines: f gets the place in shared memory, that in the arrays, and where
// the values of the thread lie that the place is of.
func (s *lineScan) striped(f func(at, row, j, lane string)) {
	b := s.b
	line, j := "line", fmt.Sprintf("k * %d + lane", s.lanes)
	if q := fmt.Sprintf("k * %d + (s32)threadIdx.x", s.threads()); !s.byColumn() && s.width > 1 {
		line, j = over(q, s.chunk()), modulo(q, s.chunk())
	}
	b.rounds(s.unrolled(), fmt.Sprintf("for (s32 k = 0; k < %d; k++) {", s.items), func() {
		b.line("const s32 x = %s, y = %s;", line, j)
		b.open("if (y < n && first + x < %d) {", s.lines.count)
		b.line("const %s of = first + x, j = from + y;", b.ix)
		f(plus(times("x", s.pitch()), "y"), "of", "j", s.thread("x", over("y", s.items)))
		b.close("}")
	})
}

// unrolled is the hint for loops over the items of a thread: more at once than this are more conditions than there are
// registers for.
func (s *lineScan) unrolled() string {
	if s.items > 5 {
		return "#pragma unroll 5"
	}
	return "#pragma unroll"
}

// thread is the number of a line's thread.
func (s *lineScan) thread(line, lane string) string {
	if s.byColumn() {
		return plus(times(lane, s.width), line)
	}
	return plus(times(line, s.lanes), lane)
}

// shared returns what lies at a place of arrays in shared memory.
func (s *lineScan) shared(arrays []string, at string) []value {
	var out []value
	for i, t := range s.types {
		out = append(out, s.b.frozen(t, fmt.Sprintf("%s[%s]", arrays[i], at)))
	}
	return out
}

func (s *lineScan) put(arrays []string, at string, v []value) {
	for i := range v {
		s.b.line("%s[%s] = %s;", arrays[i], at, s.b.plain(v[i]).text)
	}
}

// shares scans what each thread has, in its place, and notes its end.
func (s *lineScan) shares() {
	b, start := s.b, plus(times("line", s.pitch()), "own")
	b.open("if (some) {")
	var acc []value
	for _, v := range s.shared(s.tile, start) {
		acc = append(acc, b.variable(v))
	}
	b.rounds(s.unrolled(), fmt.Sprintf("for (s32 k = 1; k < %d; k++) {", s.items), func() {
		b.open("if (own + k < n) {")
		b.fold(s.c, acc, s.shared(s.tile, plus(start, "k")))
		s.put(s.tile, plus(start, "k"), acc)
		b.close("}")
	})
	s.put(s.total, "threadIdx.x", acc)
	b.close("}")
	b.line("__syncthreads();")
}

// across scans the ends of the threads of each line, from one half of an array to the other and back.
func (s *lineScan) across() {
	b, n, step := s.b, s.threads(), int64(1)
	if s.byColumn() {
		step = s.width
	}
	b.line("s32 side = 0;")
	if s.lanes > 1 {
		b.line("#pragma unroll")
		b.open("for (s32 s = 1; s < %d; s *= 2) {", s.lanes)
		b.line("const s32 at = side + threadIdx.x;")
		b.line("side = %d - side;", n)
		b.open("if (some) {")
		var v []value
		for _, own := range s.shared(s.total, "at") {
			v = append(v, b.variable(own))
		}
		b.open("if (lane >= s) {")
		b.assign(v, b.combine(s.c, s.shared(s.total, fmt.Sprintf("at - s * %d", step)), s.held(v)))
		b.close("}")
		s.put(s.total, "side + threadIdx.x", v)
		b.close("}")
		b.line("__syncthreads();")
		b.close("}")
	}
	s.before(step)
}

func (s *lineScan) held(v []value) []value {
	out := make([]value, len(v))
	for i := range v {
		out[i] = s.b.frozen(v[i].t, v[i].text)
	}
	return out
}

// before puts what comes before each thread into the half that is free, and makes the carry that of the next chunk.
func (s *lineScan) before(step int64) {
	b := s.b
	b.line("const s32 other = %d - side;", s.threads())
	b.open("if (some) {")
	var v []value
	for _, c := range s.held(s.carry) {
		v = append(v, b.variable(c))
	}
	b.open("if (lane > 0) {")
	b.assign(v, b.combine(s.c, s.held(v), s.shared(s.total, fmt.Sprintf("side + threadIdx.x - %d", step))))
	b.close("}")
	s.put(s.total, "other + threadIdx.x", v)
	b.close("}")
	if s.part > s.chunk() {
		b.open("if (row < %d) {", s.lines.count)
		last := s.thread("line", fmt.Sprintf("(n - 1) / %d", s.items))
		b.fold(s.c, s.carry, s.shared(s.total, "side + "+last))
		b.close("}")
	}
	b.line("__syncthreads();")
}
