package emit

import (
	"fmt"
	"math"

	"github.com/halo-xla/halo/xla/shape"
)

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
	r := &runs{scatter: s, size: shape.Product(s.window)}
	ranges := ceil(s.count, runLength)
	r.partial = s.e.scratch(ranges * r.size * int64(s.typeOf().Bytes()))
	r.link = s.e.scratch(8 * ranges)
	s.e.add(r.pieces(w))
	s.e.add(r.joined(ranges))
}

// wideFrom is from how many elements of a window on neighbouring threads have those, and go through all of a range.
const wideFrom = 16

// pieces makes the kernel that goes through the pieces of runs: a block for blockSize windows, and if they are wide for
// as many elements of them as a warp has threads.
func (r *runs) pieces(of *windows) *Kernel {
	r.b = newBody(r.e, append(sizesOf(r.in), r.count*r.size)...)
	b := r.b
	r.g = b.newGraphOf(r.in)
	r.bring(of)
	grid := [3]int64{ceil(r.count, blockSize), 1, 1}
	if r.size < wideFrom {
		r.narrow()
		r.links()
	} else {
		grid[1] = min(ceil(r.size, runLength), math.MaxUint16)
		r.wide(grid[1] * runLength)
		b.open("if (blockIdx.y == 0) {")
		r.links()
		b.close("}")
	}
	return b.kernel3("scatter_runs", grid, [3]int{blockSize, 1, 1})
}

// narrow has threads for the elements of all windows. Those of windows where pieces begin go through them.
func (r *runs) narrow() {
	b := r.b
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
}

// wide has a warp for each range of windows: its threads go through all of it, and ask for what they need before they
// know where pieces end. Blocks have columns elements of windows at a time.
func (r *runs) wide(columns int64) {
	b, t := r.b, r.typeOf()
	b.line("const s32 lane = threadIdx.x %% 32, range = threadIdx.x - lane;")
	b.line("const u64 own = start[range + lane + 1];")
	b.line("const u32 valid = __ballot_sync(~0u, own != ~0ull);")
	b.line("const u32 heads = __ballot_sync(~0u, start[range + lane] != own) & valid;")
	b.line("const u32 ends = ((heads | ~valid) >> 1 | 1u << 31) & valid;")
	b.line("#pragma unroll 1")
	b.open("for (%s w = (%s)blockIdx.y * %d + lane; w < %d; w += %d) {", b.ix, b.ix, runLength, r.size, columns)
	offset := b.coordinates(index{flat: "w", of: r.window})
	b.line("const %s there = %s;", b.ix, b.flat(at(r.operand, offset)))
	acc := value{text: b.name("acc"), t: t}
	b.line("%s %s = %s;", ctypes[t].value, acc.text, identityOf(r.reduction(), 0))
	b.line("%s place = -1;", b.ix)
	b.line("#pragma unroll 1")
	b.open("for (s32 q = 0; q < %d; q += %d) {", runLength, ahead)
	b.line("%s v[%d], old[%d];", ctypes[t].value, ahead, ahead)
	b.ahead(func() {
		b.open("if (valid >> (q + k) & 1) {")
		b.line("const %s n = number[range + q + k];", b.ix)
		r.bringUpdate("v[k]", offset)
		b.close("}")
		b.open("if (heads >> (q + k) & 1) {")
		ix := index{flat: b.integer(fmt.Sprintf("(%s)start[range + q + k + 1] + there", b.ix))}
		b.line("old[k] = %s;", b.plain(b.load(Buffer{Result, 0}, t, ix)).text)
		b.close("}")
	})
	b.ahead(func() { r.step(acc) })
	b.closes(2)
}

// step takes in what a thread has asked for of the kth window.
func (r *runs) step(acc value) {
	b := r.b
	b.open("if (heads >> (q + k) & 1) {")
	b.line("%s = old[k];", acc.text)
	b.line("place = (%s)start[range + q + k + 1] + there;", b.ix)
	b.close("}")
	b.open("if (valid >> (q + k) & 1) {")
	b.fold(r.a.ToApply, []value{acc}, []value{b.frozen(acc.t, "v[k]")})
	b.close("}")
	b.open("if (ends >> (q + k) & 1) {")
	b.line("const bool head = place >= 0;")
	r.end(acc, fmt.Sprintf("(first + range) / %d", runLength))
	b.close("}")
}

// ahead is how many windows' loads come before what is made of them.
const ahead = 8

// ahead writes a loop over as many windows.
func (b *body) ahead(inner func()) {
	b.line("#pragma unroll")
	b.open("for (s32 k = 0; k < %d; k++) {", ahead)
	inner()
	b.close("}")
}

// bringUpdate loads the element of the updates of window n.
func (r *runs) bringUpdate(to string, offset []string) {
	b := r.b
	v := r.g.at(r.in.Operands[2], r.update(b.coordinates(index{flat: "n", of: r.sizes}), offset))
	b.line("%s = %s;", to, b.plain(b.converted(v, r.typeOf())).text)
}

// end stores what a piece has made: in the result, or in the row of its range.
func (r *runs) end(acc value, number string) {
	b := r.b
	b.open("if (head) {")
	b.store(Buffer{Result, 0}, "place", acc)
	b.close("}")
	b.open("else {")
	b.store(r.partial, b.integer(r.row(group(b.integer(number)), "w")), acc)
	b.close("}")
}

// bring puts where windows start and which they are into shared memory, and first where the one before starts.
func (r *runs) bring(of *windows) {
	b := r.b
	number, start := of.order.number(b), of.start(b)
	b.line("__shared__ u64 start[%d];", blockSize+1)
	b.line("__shared__ u32 number[%d];", blockSize)
	b.line("const %s first = (%s)blockIdx.x * %d, t = first + threadIdx.x;", b.ix, b.ix, blockSize)
	b.line("number[threadIdx.x] = t < %d ? (u32)%s : 0;", r.count, number("t"))
	b.line("start[threadIdx.x + 1] = t < %d ? %s : ~0ull;", r.count, start("t"))
	b.line("if (threadIdx.x == 0) start[0] = first > 0 ? %s : ~0ull;", start("first - 1"))
	b.line("__syncthreads();")
}

// piece goes through the windows from s to end.
func (r *runs) piece() {
	b, t := r.b, r.typeOf()
	offset := b.coordinates(index{flat: "w", of: r.window})
	b.line("const %s place = (%s)to + %s;", b.ix, b.ix, b.flat(at(r.operand, offset)))
	acc := value{text: b.name("acc"), t: t}
	b.line("%s %s = %s;", ctypes[t].value, acc.text, identityOf(r.reduction(), 0))
	b.open("if (head) {")
	b.line("%s = %s;", acc.text, b.plain(b.load(Buffer{Result, 0}, t, index{flat: "place"})).text)
	b.close("}")
	b.open("for (s32 q = s; q < end; q += %d) {", ahead)
	b.line("%s v[%d];", ctypes[t].value, ahead)
	b.ahead(func() {
		b.open("if (q + k < end) {")
		b.line("const %s n = number[q + k];", b.ix)
		r.bringUpdate("v[k]", offset)
		b.close("}")
	})
	b.ahead(func() {
		b.open("if (q + k < end) {")
		b.fold(r.a.ToApply, []value{acc}, []value{b.frozen(t, "v[k]")})
		b.close("}")
	})
	b.close("}")
	r.end(acc, fmt.Sprintf("(first + s) / %d", runLength))
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
	b.ahead(func() { b.line("of[k] = q + k < %d ? %s[q + k] : ~0ull;", ranges, link) })
	b.ahead(func() {
		b.open("if (of[k] == own) {")
		b.line("v[k] = %s;", b.plain(b.load(r.partial, t, index{flat: b.integer(r.row("(q + k)", "w"))})).text)
		b.close("}")
	})
	b.ahead(func() {
		b.line("more = more && of[k] == own;")
		b.open("if (more) {")
		b.fold(r.a.ToApply, acc, []value{b.frozen(t, "v[k]")})
		b.close("}")
	})
	b.close("}")
	r.save(b, acc)
	return b.kernel("scatter_join", ceil(ranges*r.size, blockSize), blockSize)
}
