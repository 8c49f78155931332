package emit

import (
	"fmt"
	"math"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// reduction is one reduction of a kernel: of a reduce, or of one of several that a fusion ends in.
type reduction struct {
	in    *hlo.Instruction
	c     *hlo.Computation
	types []shape.ElementType // of the accumulators
	leaf  int                 // the first result leaf
}

// reductions are those of one kernel, which reduce the same dimensions of arrays of the same sizes.
type reductions struct {
	e    *Emission
	name string
	in   *hlo.Instruction
	// graph gives the operands of the reductions.
	graph         func(b *body) *graph
	list          []reduction
	of, dims      []int64 // sizes of the operands, and what is reduced
	rows, length  int64   // how many results, and how many elements go into one
	byColumn      bool    // neighbours of a result lie side by side
	kept, reduced []int64 // sizes
}

func emitReduce(e *Emission, in *hlo.Instruction) {
	r := &reductions{e: e, name: "reduce", in: in, graph: func(b *body) *graph { return b.newGraphOf(in) }}
	r.add(in, 0)
	r.emit()
}

// reduceFusion makes kernels of a fusion whose results are all reductions of one kind, and reports whether it is one.
func reduceFusion(e *Emission, in *hlo.Instruction, c *hlo.Computation) bool {
	r := &reductions{e: e, name: "reduce_" + fusionName(c), in: in,
		graph: func(b *body) *graph { return b.newGraphOf(in).inner(in, c) }}
	for i, root := range c.Roots() {
		if root.Op != hlo.Reduce || root.Shape.IsTuple() || !r.agrees(root) {
			return false
		}
		r.add(root, i)
	}
	if len(r.list) == 0 || r.length == 0 {
		return false
	}
	r.emit()
	return true
}

// agrees reports whether a reduction goes over the elements that those before it go over.
func (r *reductions) agrees(in *hlo.Instruction) bool {
	dims := in.Attrs.(*hlo.ReduceAttrs).Dimensions
	return r.list == nil || slices.Equal(dims, r.dims) && slices.Equal(in.Operands[0].Shape.Dims, r.of)
}

func (r *reductions) add(in *hlo.Instruction, leaf int) {
	a := in.Attrs.(*hlo.ReduceAttrs)
	r.list = append(r.list, reduction{in, a.ToApply, accumulatorTypes(a.ToApply, len(in.Operands)/2, manyTerms), leaf})
	if len(r.list) > 1 {
		return
	}
	r.of, r.dims = in.Operands[0].Shape.Dims, a.Dimensions
	for d, n := range r.of {
		if slices.Contains(r.dims, int64(d)) {
			r.reduced = append(r.reduced, n)
		} else {
			r.kept = append(r.kept, n)
		}
		if n > 1 {
			r.byColumn = !slices.Contains(r.dims, int64(d))
		}
	}
	r.rows, r.length = shape.Product(r.kept), shape.Product(r.reduced)
}

// linePass is a kernel that reduces lines: length elements of each of rows lines, in parts of some elements.
type linePass struct {
	r                         *reductions
	b                         *body
	g                         *graph
	rows, length, part, parts int64
	lanes, width              int64 // threads of a line, lines of a block
	byColumn                  bool
	// element returns the elements of a reduction's operands, finish stores what comes out.
	element func(x reduction, n int, row, j string) []value
	finish  func(x reduction, n int, acc []value)
	acc     [][]value
	shared  [][]string
}

// emit makes one pass, or two if there are few lines and they are long.
func (r *reductions) emit() {
	if r.rows == 0 {
		return
	}
	if r.length == 0 {
		emitLoop(r.e, r.in)
		return
	}
	p := r.newPass(r.rows, r.length, r.byColumn)
	p.element = func(x reduction, n int, row, j string) []value {
		return p.g.elements(x.in, len(x.types), r.place(p.b, row, j))
	}
	p.split()
	p.finish = p.toResults
	if p.parts == 1 {
		r.e.add(p.kernel())
		return
	}
	partial := p.toParts()
	r.e.add(p.kernel())
	q := r.newPass(r.rows, p.parts, false)
	q.finish = q.toResults
	q.element = func(x reduction, n int, row, j string) []value {
		return q.b.partial(partial[n], x.types, row, j, p.parts)
	}
	r.e.add(q.kernel())
}

// toParts has what comes out of parts of lines stored in scratch buffers, which it returns: those of each reduction.
func (p *linePass) toParts() (partial [][]Buffer) {
	for _, x := range p.r.list {
		var list []Buffer
		for _, t := range x.types {
			list = append(list, p.r.e.scratch(p.rows*p.parts*int64(t.Bytes())))
		}
		partial = append(partial, list)
	}
	p.finish = func(_ reduction, n int, acc []value) {
		for i, v := range acc {
			p.b.store(partial[n][i], p.b.integer(fmt.Sprintf("row * %d + part", p.parts)), v)
		}
	}
	return partial
}

// partial loads what toParts has stored of a part of a line.
func (b *body) partial(list []Buffer, types []shape.ElementType, row, part string, parts int64) []value {
	var out []value
	for i, t := range types {
		out = append(out, b.load(list[i], t, index{flat: b.integer(fmt.Sprintf("%s * %d + %s", row, parts, part))}))
	}
	return out
}

// place is the place of element j of a line.
func (r *reductions) place(b *body, row, j string) index {
	if !r.byColumn && r.trailing() {
		return index{flat: b.integer(plus(times(row, r.length), j)), of: r.of}
	}
	kept, reduced := b.coordinates(index{flat: row, of: r.kept}), b.coordinates(index{flat: j, of: r.reduced})
	dims := make([]string, len(r.of))
	for d := range dims {
		if slices.Contains(r.dims, int64(d)) {
			dims[d], reduced = reduced[0], reduced[1:]
		} else {
			dims[d], kept = kept[0], kept[1:]
		}
	}
	return at(r.of, dims)
}

// trailing reports whether what is reduced are the last dimensions.
func (r *reductions) trailing() bool {
	seen := false
	for d, n := range r.of {
		reduced := slices.Contains(r.dims, int64(d))
		if seen && !reduced && n > 1 {
			return false
		}
		seen = seen || reduced && n > 1
	}
	return true
}

func (r *reductions) newPass(rows, length int64, byColumn bool) *linePass {
	b := newBody(r.e, sizesOf(r.in)...)
	p := &linePass{r: r, b: b, rows: rows, length: length, part: length, parts: 1, byColumn: byColumn, lanes: 1}
	p.g = r.graph(b)
	var types []shape.ElementType
	for _, x := range r.list {
		types = append(types, x.types...)
	}
	block := threadsWith(types)
	if byColumn {
		p.width = min(powerOf2(rows), 32, block)
		p.lanes = min(block/p.width, powerOf2(length))
		for p.lanes > 1 && rows*p.lanes/2 >= manyThreads { // a thread for each column is as many as there is room for
			p.lanes, p.width = p.lanes/2, p.width*2
		}
		return p
	}
	for p.lanes < block && p.lanes*4 < length {
		p.lanes *= 2
	}
	p.width = block / p.lanes
	return p
}

// manyThreads is about how many threads a device has at once.
const manyThreads = 1 << 18

// threadsWith is how many threads a block has whose threads keep a value of each of some types in shared memory: there
// are 48 KiB of that.
func threadsWith(types []shape.ElementType) int64 {
	n, bytes := int64(blockSize), int64(0)
	for _, t := range types {
		bytes += int64(max(t.Bytes(), 4))
	}
	for n > 1 && n*bytes > 48<<10 {
		n /= 2
	}
	return n
}

// powerOf2 is the least power of two that is at least n.
func powerOf2(n int64) int64 {
	p := int64(1)
	for p < n {
		p *= 2
	}
	return p
}

// split cuts long lines into parts if there are too few blocks to keep a processor busy.
func (p *linePass) split() {
	const busy = 512
	blocks, least, enough := ceil(p.rows, p.width), 4096/p.width, 8192/p.width
	if p.byColumn {
		enough *= 2 // a block asks for more of columns at once
	}
	if blocks >= busy/2 || p.length < enough {
		return
	}
	p.parts = min(ceil(p.length, least), max(busy/blocks, 1))
	p.part = ceil(p.length, p.parts)
	p.parts = ceil(p.length, p.part)
}

// ordered reports whether some reduction depends on the order of its elements.
func (p *linePass) ordered() bool {
	for _, x := range p.r.list {
		if _, ok := simpleOp(x.c); !ok {
			return true
		}
	}
	return false
}

func (p *linePass) kernel() *Kernel {
	b := p.b
	b.line("const s32 lane = %s, line = %s;", p.pick("threadIdx.x / %d", p.width, "threadIdx.x %% %d", p.lanes),
		p.pick("threadIdx.x %% %d", p.width, "threadIdx.x / %d", p.lanes))
	b.line("const %s row = (%s)blockIdx.x * %d + line;", b.ix, b.ix, p.width)
	begin, end := "0", num(p.length)
	if p.parts > 1 {
		b.line("const %s part = blockIdx.y, begin = part * %d, end = x_min(begin + %d, (%s)%d);", b.ix, p.part, p.part,
			b.ix, p.length)
		begin, end = "begin", "end"
	}
	p.declare()
	b.open("if (row < %d) {", p.rows)
	p.accumulate(begin, end)
	b.close("}")
	p.tree(begin, end)
	b.open("if (lane == 0 && row < %d) {", p.rows)
	for n, x := range p.r.list {
		p.finish(x, n, p.acc[n])
	}
	b.close("}")
	return b.kernel3(p.r.name, [3]int64{ceil(p.rows, p.width), p.parts, 1}, [3]int{int(p.lanes * p.width), 1, 1})
}

func (p *linePass) pick(column string, c int64, row string, r int64) string {
	if p.byColumn {
		return fmt.Sprintf(column, c)
	}
	return fmt.Sprintf(row, r)
}

// declare declares the accumulators, those of simple ops with their identities, and the shared memory.
func (p *linePass) declare() {
	b := p.b
	for _, x := range p.r.list {
		var acc []value
		var shared []string
		for i, t := range x.types {
			b.need(ctypes[t].uses)
			n, s := b.name("acc"), b.name("shared")
			b.line("%s %s = %s;", ctypes[t].value, n, identityOf(x, i))
			if n := p.sharedValues(); n > 0 {
				b.line("__shared__ %s %s[%d];", ctypes[t].value, s, n)
			}
			acc, shared = append(acc, value{text: n, t: t}), append(shared, s)
		}
		p.acc, p.shared = append(p.acc, acc), append(p.shared, shared)
	}
	if p.ordered() {
		b.line("bool some = false;")
	}
}

// identityOf is the number that a simple op leaves all others as they are with; of other computations anything.
func identityOf(x reduction, i int) string {
	op, ok := simpleOp(x.c)
	t := x.types[i]
	if !ok {
		return "{}"
	}
	value := ctypes[t].value
	switch op {
	case hlo.Add:
		return map[shape.Class]string{shape.FloatClass: "-0.0f", shape.ComplexClass: "{-0.0f, -0.0f}",
			shape.PredClass: "false"}[t.Class()] + map[bool]string{true: "0"}[t.IsInteger()]
	case hlo.Multiply:
		return map[shape.Class]string{shape.ComplexClass: "{1, 0}", shape.PredClass: "true"}[t.Class()] +
			map[bool]string{true: "1"}[t.IsInteger() || t.IsFloat()]
	case hlo.And:
		return fmt.Sprintf("(%s)~(%s)0", value, wideOf(t))
	case hlo.Or, hlo.Xor:
		return "(" + value + ")0"
	}
	return extreme(t, op == hlo.Minimum)
}

// wideOf is a C type in which all bits can be set.
func wideOf(t shape.ElementType) string {
	if t == shape.Pred {
		return "s32"
	}
	return ctypes[t].value
}

// extreme is the greatest or the least number of a type.
func extreme(t shape.ElementType, greatest bool) string {
	sign, n := "-", t.Bits()
	if greatest {
		sign = ""
	}
	switch t.Class() {
	case shape.FloatClass:
		return sign + floatText(math.Inf(1), t == shape.F64)
	case shape.PredClass:
		return fmt.Sprint(greatest)
	case shape.UnsignedClass:
		if !greatest {
			return "0"
		}
		return fmt.Sprintf("~(%s)0", ctypes[t].value)
	case shape.SignedClass:
		low := fmt.Sprintf("(s%d)((u%d)1 << %d)", n, n, n-1)
		if n < 32 { // it may go through memory, where it has to fit
			low = fmt.Sprintf("(%d)", -1<<(n-1))
		}
		if greatest {
			return fmt.Sprintf("~%s", low)
		}
		return low
	}
	return "{}"
}

// accumulate goes through a thread's share of a line: every so manieth element, or neighbours where the order counts.
// A round asks for some elements at once, more of them in columns, whose threads have more.
func (p *linePass) accumulate(begin, end string) {
	b := p.b
	j := b.name("j")
	hint, head := "", fmt.Sprintf("for (%s %s = %s; %s < %s; %s++) {", b.ix, j, begin, j, end, j)
	switch {
	case p.lanes == 1 && p.byColumn:
		hint = fmt.Sprintf("#pragma unroll %d", p.atOnce())
	case p.lanes == 1:
	case p.ordered():
		b.line("const %s share = (%s + %d) / %d;", b.ix, group(differ(end, begin)), p.lanes-1, p.lanes)
		b.line("const %s from = %s, to = x_min(from + share, (%s)%s);", b.ix, plus(begin, "lane * share"), b.ix, end)
		head = fmt.Sprintf("for (%s %s = from; %s < to; %s++) {", b.ix, j, j, j)
	default:
		hint = p.pick("#pragma unroll %d", p.atOnce(), "#pragma unroll %d", 4)
		head = fmt.Sprintf("for (%s %s = %s; %s < %s; %s += %d) {", b.ix, j, plus(begin, "lane"), j, end, j, p.lanes)
	}
	b.rounds(hint, head, func() {
		var elements [][]value
		for n, x := range p.r.list {
			elements = append(elements, p.element(x, n, "row", j))
		}
		p.foldAll(elements, "some")
		if p.ordered() {
			b.line("some = true;")
		}
	})
}

// atOnce is how many elements of a column a thread asks for at once, if it has as many.
func (p *linePass) atOnce() int64 {
	if p.part >= 16*p.lanes {
		return 8
	}
	return 4
}

// foldAll folds values into all accumulators; those without an identity take the first as it is.
func (p *linePass) foldAll(elements [][]value, some string) {
	b := p.b
	for n, x := range p.r.list {
		if _, simple := simpleOp(x.c); simple || some == "" {
			b.fold(x.c, p.acc[n], elements[n])
			continue
		}
		b.open("if (%s) {", some)
		b.fold(x.c, p.acc[n], elements[n])
		b.close("}")
		b.open("else {")
		for i, v := range elements[n] {
			b.line("%s = %s;", p.acc[n][i].text, b.plain(b.converted(v, x.types[i])).text)
		}
		b.close("}")
	}
}

// active is how many lanes have elements; the rest of simple ops have identities.
func (p *linePass) active(begin, end string) string {
	if !p.ordered() {
		return num(p.lanes)
	}
	n := p.b.integer(differ(end, begin))
	share := p.b.integer(fmt.Sprintf("(%s + %d) / %d", n, p.lanes-1, p.lanes))
	return p.b.integer(fmt.Sprintf("(%s + %s - 1) / %s", n, share, share))
}

// toResults puts the initial values before what came out and stores it.
func (p *linePass) toResults(x reduction, n int, acc []value) {
	b := p.b
	held := make([]value, len(acc))
	for i, a := range acc {
		held[i] = b.frozen(a.t, a.text)
	}
	inits := p.g.inits(x.in, len(x.types))
	for i := range inits {
		inits[i] = b.converted(inits[i], x.types[i])
	}
	out := b.combine(x.c, inits, held)
	for i, s := range leaves(x.in.Shape) {
		b.store(Buffer{Result, x.leaf + i}, "row", b.converted(out[i], s.Type))
	}
}
