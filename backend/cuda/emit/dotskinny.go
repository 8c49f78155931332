package emit

import (
	"fmt"
	"math/bits"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// skinnyDepth is how long lines are before a dot with less than dotDepth of them on a side is one of skinny's.
const skinnyDepth = 16

// skinny is a dot with few lines on one side, which takes as long as reading the many of the other.
type skinny struct {
	e         *Emission
	in        *hlo.Instruction // the dot
	whole     *hlo.Instruction // the fusion that it is in, or itself
	b         *body
	g         *graph
	few, many *dotSide
	batch     int64
	sum       shape.ElementType
	split     *split
	// Threads of a group take lines by columns and lines' elements by lanes: so many of each, and so many elements of a
	// thread at once. A block has some groups.
	columns, lanes, groups, lines, elements int64
	blocks                                  int64 // for each matrix
	parts, part                             int64 // of lines' elements, for blocks of their own
	short                                   *shortDot
}

// skinnyOf returns a dot with few lines on one side; nil if it is none, or one that a loop does better.
func skinnyOf(in *hlo.Instruction) *skinny {
	if in.Op != hlo.Dot || in.IsDynamic() || in.Shape.Size() == 0 {
		return nil
	}
	lhs, rhs := dotSides(in)
	s := &skinny{in: in, few: lhs, many: rhs, batch: lhs.sizeOf(lhs.batch), sum: sumType(in.Shape.Type),
		split: splitOf(in), parts: 1}
	if lhs.lines > rhs.lines {
		s.few, s.many = rhs, lhs
	}
	if s.few.lines >= dotDepth || s.few.depth < skinnyDepth || s.batch > 512 && s.many.lines < dotDepth {
		return nil
	}
	if t := in.Shape.Type; s.few.depth <= shortSum && (t.IsComplex() || t.IsFloat() && !narrow(t)) {
		if s.short = s.shortOf(); s.short == nil {
			return nil
		}
	}
	return s
}

// emitSkinny makes kernels of a dot with few lines on one side, and reports whether they are better than a loop.
func emitSkinny(e *Emission, in *hlo.Instruction) bool {
	s := skinnyOf(in)
	if s == nil {
		return false
	}
	s.e, s.whole = e, in
	s.emit()
	return true
}

// body starts a kernel.
func (s *skinny) body() {
	s.b = newBody(s.e, append(append(sizesOf(s.whole), sizesOf(s.in)...), s.in.Shape.Size()*s.parts)...)
	s.g = s.b.newGraphOf(s.whole)
	if a, ok := s.whole.Attrs.(*hlo.FusionAttrs); ok {
		s.g = s.g.inner(s.whole, a.Calls)
	}
	s.b.need(ctypes[s.sum].uses)
}

// emit makes a kernel in which threads share the sums, and another that adds what blocks have if those share them, too.
func (s *skinny) emit() {
	if s.short != nil {
		s.body()
		s.e.add(s.short.kernel())
		return
	}
	s.part = s.few.depth
	if s.many.alongDepth() {
		s.shareLines()
	} else {
		s.shareColumns()
	}
	s.body()
	if s.parts == 1 {
		s.e.add(s.kernel(Buffer{Result, 0}))
		return
	}
	sums := s.e.scratch(s.in.Shape.Size() * s.parts * s.bytes())
	s.e.add(s.kernel(sums))
	s.body()
	s.e.add(s.total(sums))
}

// skinnyThreads is how many threads there should be at least: what keeps the memory of a large device busy.
const skinnyThreads = 1 << 17

// bytes is how many a sum has while it is made.
func (s *skinny) bytes() int64 { return int64(max(s.sum.Bytes(), 4)) }

// most is how many neighbours a thread loads at once: 16 bytes, and no more than it has registers for.
func (s *skinny) most(copies int64) int64 {
	v := 16 / int64(s.many.t.Bytes())
	for v > 1 && (v*s.bytes() > 32 || copies*v*s.bytes() > 256) {
		v /= 2
	}
	return v
}

// shareLines is for lines that lie as they are summed: a warp takes one, several where there are few.
func (s *skinny) shareLines() {
	s.columns, s.lines = 1, 1
	s.elements = s.many.together(s.most(1))
	threads := int64(blockSize)
	for s.lanes = 1; s.lanes < 32 && s.lanes*s.elements < s.few.depth; {
		s.lanes *= 2
	}
	lines := s.batch * s.many.lines
	for s.lanes < threads && lines*s.lanes < skinnyThreads && s.lanes*s.elements*4 <= s.few.depth {
		s.lanes *= 2
	}
	s.groups = threads / s.lanes
	s.finish(8)
}

// shareColumns is for lines whose neighbours lie together: a thread takes some, 64 bytes of them or more a group, and
// the elements are shared.
func (s *skinny) shareColumns() {
	s.elements = 1
	s.lines = s.many.together(s.most(s.few.lines))
	neighbours, bytes := ceil(s.many.lines, s.lines), s.lines*int64(s.many.t.Bytes())
	for s.columns = min(32, powerOf2(neighbours)); s.columns > 1 && s.columns*bytes > 64 &&
		s.batch*ceil(neighbours, s.columns) < wave; {
		s.columns /= 2
	}
	threads, blocks := int64(blockSize), s.batch*ceil(neighbours, s.columns)
	for threads < 1024 && threads*s.few.lines*s.lines*s.bytes() < 1<<14 && blocks*threads < skinnyThreads &&
		s.few.depth*s.columns >= 4*threads {
		threads *= 2
	}
	for s.lanes = threads / s.columns; s.lanes > 1 && s.lanes*4 > s.few.depth; {
		s.lanes /= 2
	}
	s.groups = threads / s.columns / s.lanes
	s.finish(16)
}

// wave is about how many blocks a large device runs at once with one on each of its processors.
const wave = 128

// finish counts the blocks, and cuts lines into parts if there are few, with at least so many rounds of each.
func (s *skinny) finish(rounds int64) {
	s.blocks = ceil(ceil(s.many.lines, s.lines*s.columns), s.groups)
	blocks, round := s.batch*s.blocks, s.lanes*s.elements
	if blocks < wave/4 && s.groups == 1 {
		s.parts = max(min(s.few.depth/(round*rounds), 2*wave/blocks), 1)
		s.part = ceil(ceil(s.few.depth, s.parts), round) * round
		s.parts = ceil(s.few.depth, s.part)
	}
}

// kernel sums products, all of them or a part of each line's.
func (s *skinny) kernel(to Buffer) *Kernel {
	b := s.b
	z := s.where()
	b.line("const %s line = ((%s * %d + group) * %d + column) * %d;", b.ix, s.block(), s.groups, s.columns, s.lines)
	begin, end := "0", num(s.few.depth)
	if s.parts > 1 {
		b.line("const %s begin = (%s)blockIdx.y * %d, end = x_min(begin + %d, (%s)%d);", b.ix, b.ix, s.part, s.part, b.ix,
			s.few.depth)
		begin, end = "begin", "end"
	}
	b.line("%s sums[%d][%d] = {};", ctypes[s.sum].value, s.few.lines, s.lines)
	b.open("if (line < %d) {", s.many.lines)
	s.rounds(z, begin, end)
	b.close("}")
	s.reduce(z, to)
	return b.kernel3("dot_skinny", [3]int64{s.batch * s.blocks, s.parts, 1},
		[3]int{int(s.groups * s.lanes * s.columns), 1, 1})
}

// rounds goes through a thread's elements. The number of rounds is known, so that what several of them read is asked
// for at once; a last one that not all threads have reads the last elements again.
func (s *skinny) rounds(z, begin, end string) {
	b := s.b
	round := s.lanes * s.elements
	count := ceil(s.part, round)
	b.line("#pragma unroll %d", min(max(min(16/(s.few.lines*s.lines), 8), 1), count))
	b.open("for (s32 r = 0; r < %d; r++) {", count)
	b.line("const %s own = %s;", b.ix, plus(begin, plus(times("lane", s.elements), fmt.Sprintf("r * %d", round))))
	if s.part*s.parts == s.few.depth && s.part%round == 0 {
		b.line("const %s k = own;", b.ix)
		s.products(z, "")
	} else {
		b.line("const %s k = x_min(own, (%s)%d);", b.ix, b.ix, s.few.depth-s.elements)
		s.products(z, "own < "+end)
	}
	b.close("}")
}

// where says what a thread has to do, and returns the number of its matrix.
func (s *skinny) where() string {
	b := s.b
	b.line("const s32 column = threadIdx.x %% %d, lane = threadIdx.x / %d %% %d, group = threadIdx.x / %d;", s.columns,
		s.columns, s.lanes, s.columns*s.lanes)
	if s.batch == 1 {
		return "0"
	}
	b.line("const %s z = (%s)blockIdx.x / %d;", b.ix, b.ix, s.blocks)
	return "z"
}

// block is the number of a block among those of its matrix.
func (s *skinny) block() string {
	if s.batch == 1 {
		return fmt.Sprintf("(%s)blockIdx.x", s.b.ix)
	}
	return fmt.Sprintf("((%s)blockIdx.x %% %d)", s.b.ix, s.blocks)
}

// unrolled opens a loop that is unrolled, and returns its variable and what closes it; one round needs none.
func (b *body) unrolled(variable string, n int64) (string, func()) {
	if n == 1 {
		return "0", func() {}
	}
	b.line("#pragma unroll")
	b.open("for (s32 %s = 0; %s < %d; %s++) {", variable, variable, n, variable)
	return variable, func() { b.close("}") }
}

// products adds the products of a round, under a condition unless it is "".
func (s *skinny) products(z, condition string) {
	b := s.b
	n := s.lines * s.elements
	many := s.many.load(s.g, s.in, s.whole, n, z, "line", "k")
	i, end := b.unrolled("i", s.few.lines)
	together := s.elements
	if s.elements > 1 && (!s.few.alongDepth() || s.few.together(s.elements) < s.elements) {
		together = 0
	}
	var few func(string) value
	if together > 0 {
		few = s.few.load(s.g, s.in, s.whole, together, z, i, "k")
	}
	q, endq := b.unrolled("q", n)
	if together == 0 {
		few = s.few.load(s.g, s.in, s.whole, 1, z, i, "k + "+q)
	}
	place := q
	if s.lines == 1 {
		place = "0"
	}
	x, y := few(q), many(q)
	if condition != "" {
		b.open("if (%s) {", condition)
	}
	s.product(fmt.Sprintf("sums[%s][%s]", i, place), x, y)
	if condition != "" {
		b.close("}")
	}
	endq()
	end()
}

// product adds the product of an element of the side with few lines and one of the other.
func (s *skinny) product(sum string, few, many value) {
	if s.few.operand == 1 {
		few, many = many, few
	}
	s.b.addProducts(sum, s.sum, few, many, s.split)
}

// reduce adds what the lanes have, in a fixed order: those of a warp by shuffles, warps by shared memory.
func (s *skinny) reduce(z string, to Buffer) {
	b := s.b
	size := s.columns * s.lanes
	if within := min(size, 32); within > s.columns {
		b.line("#pragma unroll")
		b.open("for (s32 s = %d; s >= %d; s /= 2) {", within/2, s.columns)
		i, end := b.unrolled("i", s.few.lines)
		q, endq := b.unrolled("q", s.lines)
		sum := fmt.Sprintf("sums[%s][%s]", i, q)
		b.line("%s = x_add(%s, lane_xor(%s, s));", sum, sum, sum)
		endq()
		end()
		b.close("}")
	}
	if size > 32 {
		s.acrossWarps(z, to)
		return
	}
	b.open("if (lane == 0 && line < %d) {", s.many.lines)
	i, end := b.unrolled("i", s.few.lines)
	q, endq := b.unrolled("q", s.lines)
	s.store(to, z, i, plus("line", q), valueOf(fmt.Sprintf("sums[%s][%s]", i, q), s.sum))
	endq()
	end()
	b.close("}")
}

// acrossWarps adds what the warps of a group have, some rows at a time.
func (s *skinny) acrossWarps(z string, to Buffer) {
	b := s.b
	value, width := ctypes[s.sum].value, s.columns*s.lines
	warps := s.lanes * s.columns / 32
	rows := min(max(32<<10/(s.groups*warps*width*s.bytes()), 1), s.few.lines)
	b.line("__shared__ %s shared[%d][%d];", value, s.groups*warps, rows*width)
	for first := int64(0); first < s.few.lines; first += rows {
		n := min(rows, s.few.lines-first)
		if first > 0 {
			b.line("__syncthreads();")
		}
		b.open("if (threadIdx.x %% 32 < %d) {", s.columns)
		i, end := b.unrolled("i", n)
		q, endq := b.unrolled("q", s.lines)
		b.line("shared[threadIdx.x / 32][%s] = sums[%s][%s];", plus(plus(times(i, width), times("column", s.lines)), q),
			plus(i, num(first)), q)
		endq()
		end()
		b.close("}")
		b.line("__syncthreads();")
		b.open("for (s32 t = threadIdx.x; t < %d; t += %d) {", s.groups*n*width, s.groups*s.lanes*s.columns)
		b.line("const s32 g = %s, i = %s, c = %s;", over("t", n*width), over(modulo("t", n*width), width), modulo("t", width))
		b.line("const %s at = (%s * %d + g) * %d + c;", b.ix, s.block(), s.groups, width)
		b.open("if (at < %d) {", s.many.lines)
		b.line("%s sum = shared[g * %d][i * %d + c];", value, warps, width)
		b.line("#pragma unroll")
		b.line("for (s32 w = 1; w < %d; w++) sum = x_add(sum, shared[g * %d + w][i * %d + c]);", warps, warps, width)
		s.store(to, z, plus("i", num(first)), "at", valueOf("sum", s.sum))
		b.close("}")
		b.close("}")
	}
}

// store writes a sum, as it is if it is one of a part.
func (s *skinny) store(to Buffer, z, few, many string, v value) {
	row, column, columns := few, many, s.many.lines
	if s.few.operand == 1 {
		row, column, columns = many, few, s.few.lines
	}
	b, rows := s.b, s.many.lines*s.few.lines/columns
	at := plus(times(plus(times(z, rows), row), columns), column)
	if s.parts > 1 {
		b.line("%s", s.partial(to, at, v))
		return
	}
	s.finished(b.integer(at), v)
}

// finished stores what becomes of a sum, the result with some number.
func (s *skinny) finished(at string, sum value) {
	b, root := s.b, s.in
	v := b.roundedSum(sum, s.in.Shape.Type, s.split)
	if a, ok := s.whole.Attrs.(*hlo.FusionAttrs); ok {
		root = a.Calls.Root
		s.g.args[s.in] = []source{func(index) value { return v }}
	}
	if root != s.in {
		v = s.g.at(root, index{flat: at, of: root.Shape.Dims})
	}
	b.store(Buffer{Result, 0}, at, v)
}

// partial is the statement that writes a part's sum of the result with some number.
func (s *skinny) partial(to Buffer, at string, v value) string {
	p, name := s.b.pointer(to, ctypes[s.sum].value)
	p.written = true
	return fmt.Sprintf("%s[%s + blockIdx.y] = %s;", name, times(at, s.parts), v.text)
}

// total adds the sums of parts: a warp for each result.
func (s *skinny) total(sums Buffer) *Kernel {
	b, value := s.b, ctypes[s.sum].value
	p, name := b.pointer(sums, value)
	p.elsewhere = true
	lanes := int64(1) << bits.Len64(uint64(min(s.parts, 32)-1))
	b.line("const s32 lane = threadIdx.x %% %d;", lanes)
	b.line("const %s at = (%s)blockIdx.x * %d + threadIdx.x / %d;", b.ix, b.ix, blockSize/lanes, lanes)
	b.line("%s sum = {};", value)
	b.open("if (at < %d) {", s.in.Shape.Size())
	b.line("#pragma unroll 4")
	b.line("for (s32 k = lane; k < %d; k += %d) sum = x_add(sum, %s[at * %d + k]);", s.parts, lanes, name, s.parts)
	b.close("}")
	b.line("#pragma unroll")
	b.line("for (s32 s = %d; s >= 1; s /= 2) sum = x_add(sum, lane_xor(sum, s));", lanes/2)
	b.open("if (lane == 0 && at < %d) {", s.in.Shape.Size())
	s.finished("at", valueOf("sum", s.sum))
	b.close("}")
	return b.kernel("dot_total", ceil(s.in.Shape.Size(), blockSize/lanes), blockSize)
}
