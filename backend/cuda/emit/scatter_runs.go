package emit

// runs is the end of a scatter whose windows are sorted: windows that start at one place are a run. Runs are cut where
// a multiple of runLength lies, so that none takes long. What runs make of the places where they begin is stored there,
// what later pieces are in an array of one row for each multiple; another kernel takes those in.
type runs struct {
	*scatter
	b             *body
	g             *graph
	size          int64 // elements of a window
	partial, link Buffer
}

// runLength is the most windows that a thread goes through.
const runLength = 32

func (s *scatter) runs(w *windows) {
	r := &runs{scatter: s, size: product(s.window)}
	ranges := ceil(s.count, runLength)
	r.partial = s.e.scratch(ranges * r.size * int64(s.typeOf().Bytes()))
	r.link = s.e.scratch(8 * ranges)
	s.e.add(r.pieces(w))
	s.e.add(r.joined(ranges))
}

// pieces makes the kernel that goes through the pieces of runs: a block for blockSize windows.
func (r *runs) pieces(w *windows) *Kernel {
	r.b = newBody(r.e, append(sizesOf(r.in), r.count*r.size)...)
	b := r.b
	r.g = b.newGraphOf(r.in)
	r.bring(w)
	b.line("#pragma unroll 1")
	b.open("for (s32 i = threadIdx.x; i < %d; i += %d) {", blockSize*r.size, blockSize)
	b.line("const s32 s = %s, w = %s;", over("i", r.size), modulo("i", r.size))
	b.line("const u64 to = start[s + 1];")
	b.line("const bool head = start[s] != to;")
	b.line("if (to == ~0ull || (!head && s %% %d > 0)) continue;", runLength)
	b.line("s32 end = s + 1;")
	b.line("while (end %% %d > 0 && start[end + 1] == to) end++;", runLength)
	r.piece()
	b.close("}")
	r.links()
	return b.kernel("scatter_runs", ceil(r.count, blockSize), blockSize)
}

// bring puts where windows start and which they are into shared memory, and first where the one before starts.
func (r *runs) bring(w *windows) {
	b := r.b
	number, start := w.order.number(b), w.start(b)
	b.line("__shared__ u64 start[%d];", blockSize+1)
	b.line("__shared__ u32 number[%d];", blockSize)
	b.line("const %s first = (%s)blockIdx.x * %d, t = first + threadIdx.x;", b.ix, b.ix, blockSize)
	b.line("number[threadIdx.x] = t < %d ? (u32)%s : 0;", r.count, number("t"))
	b.line("start[threadIdx.x + 1] = t < %d ? %s : ~0ull;", r.count, start("t"))
	b.line("if (threadIdx.x == 0) start[0] = first > 0 ? %s : ~0ull;", start("first - 1"))
	b.line("__syncthreads();")
}

// piece goes through the windows from s to end, with the loads of some before what is made of them.
func (r *runs) piece() {
	const ahead = 8
	b, t := r.b, r.typeOf()
	offset := b.coordinates(index{flat: "w", of: r.window})
	b.line("const %s place = (%s)to + %s;", b.ix, b.ix, b.flat(at(r.operand, offset)))
	acc := b.name("acc")
	b.line("%s %s = %s;", ctypes[t].value, acc, identityOf(r.reduction(), 0))
	b.open("if (head) {")
	b.line("%s = %s;", acc, b.plain(b.load(Buffer{Result, 0}, t, index{flat: "place"})).text)
	b.close("}")
	b.open("for (s32 q = s; q < end; q += %d) {", ahead)
	b.line("%s v[%d];", ctypes[t].value, ahead)
	b.line("#pragma unroll")
	b.open("for (s32 k = 0; k < %d; k++) {", ahead)
	b.open("if (q + k < end) {")
	b.line("const %s n = number[q + k];", b.ix)
	v := r.g.at(r.in.Operands[2], r.update(b.coordinates(index{flat: "n", of: r.sizes}), offset))
	b.line("v[k] = %s;", b.plain(b.converted(v, t)).text)
	b.closes(2)
	b.line("#pragma unroll")
	b.open("for (s32 k = 0; k < %d; k++) {", ahead)
	b.open("if (q + k < end) {")
	b.fold(r.a.ToApply, []value{{text: acc, t: t}}, []value{b.frozen(t, "v[k]")})
	b.closes(3)
	b.open("if (head) {")
	b.store(Buffer{Result, 0}, "place", value{text: acc, t: t})
	b.close("}")
	b.open("else {")
	b.line("const %s range = (first + s) / %d;", b.ix, runLength)
	b.store(r.partial, b.integer(r.row("range", "w")), value{text: acc, t: t})
	b.close("}")
}

func (s *scatter) reduction() reduction {
	return reduction{in: s.in, c: s.a.ToApply, types: accumulatorTypes(s.a.ToApply, 1, 1)}
}

// links notes of each range of windows where the run starts within which it begins: all ones if there is none.
func (r *runs) links() {
	b := r.b
	p, link := b.pointer(r.link, "u64")
	p.written = true
	b.open("if (threadIdx.x < %d && first + threadIdx.x * %d < %d) {", blockSize/runLength, runLength, r.count)
	b.line("const s32 s = threadIdx.x * %d;", runLength)
	b.line("const u64 to = start[s + 1];")
	b.line("%s[first / %d + threadIdx.x] = start[s] == to ? to : ~0ull;", link, runLength)
	b.close("}")
}

// joined makes the kernel that takes in the later pieces of runs, each run by the threads of its first range.
func (r *runs) joined(ranges int64) *Kernel {
	const ahead = 8
	r.b = newBody(r.e, append(sizesOf(r.in), ranges*r.size)...)
	b, t := r.b, r.typeOf()
	b.need(ctypes[t].uses)
	_, link := b.pointer(r.link, "u64")
	b.threads(ranges * r.size)
	b.line("const %s range = %s, w = %s;", b.ix, over("t", r.size), modulo("t", r.size))
	b.line("const u64 own = %s[range];", link)
	b.line("if (own == ~0ull || (range > 0 && %s[range - 1] == own)) return;", link)
	b.line("const %s place = (%s)own + %s;", b.ix, b.ix,
		b.flat(at(r.operand, b.coordinates(index{flat: "w", of: r.window}))))
	acc := r.load(b)
	b.line("bool more = true;")
	b.open("for (%s q = range; more; q += %d) {", b.ix, ahead)
	b.line("%s v[%d];", ctypes[t].value, ahead)
	b.line("u64 of[%d];", ahead)
	b.line("#pragma unroll")
	b.open("for (s32 k = 0; k < %d; k++) {", ahead)
	b.line("of[k] = q + k < %d ? %s[q + k] : ~0ull;", ranges, link)
	b.close("}")
	b.line("#pragma unroll")
	b.open("for (s32 k = 0; k < %d; k++) {", ahead)
	b.open("if (of[k] == own) {")
	b.line("v[k] = %s;", b.plain(b.load(r.partial, t, index{flat: b.integer(r.row("(q + k)", "w"))})).text)
	b.closes(2)
	b.line("#pragma unroll")
	b.open("for (s32 k = 0; k < %d; k++) {", ahead)
	b.line("more = more && of[k] == own;")
	b.open("if (more) {")
	b.fold(r.a.ToApply, acc, []value{b.frozen(t, "v[k]")})
	b.close("}")
	b.closes(2)
	r.save(b, acc)
	return b.kernel("scatter_join", ceil(ranges*r.size, blockSize), blockSize)
}
