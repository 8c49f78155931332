package emit

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
)

// runningFrom is how long a running sum is before a block makes it in shares.
const runningFrom = 32

// emitReduceWindow makes running sums and the like in one go over each line, all else window by window.
func emitReduceWindow(e *Emission, in *hlo.Instruction) {
	a := in.Attrs.(*hlo.ReduceWindowAttrs)
	d, backward, ok := running(a.Window, in.Operands[0].Shape.Dims)
	_, simple := simpleOp(a.ToApply)
	rounded := simple && narrow(in.Operands[0].Shape.Type) && termsOf(a.Window) <= shortSum
	if !ok || rounded || backward && !simple || in.Shape.IsTuple() != (len(in.Operands) > 2) ||
		in.Operands[0].Shape.Dims[d] < runningFrom || in.Operands[0].Shape.Size() == 0 {
		emitLoop(e, in)
		return
	}
	r := &runningSum{in: in, a: a, n: len(in.Operands) / 2, backward: backward,
		lines: linesAlong(in.Operands[0].Shape.Dims, d)}
	r.b = newBody(e, sizesOf(in)...)
	r.g = r.b.newGraphOf(in)
	e.add(r.kernel())
}

// running reports whether each window is all elements of a dimension up to its place, or from there on.
func running(w hlo.Window, dims []int64) (d int, backward, ok bool) {
	d = -1
	for i, x := range w {
		n := dims[i]
		plain := max(x.Stride, 1) == 1 && max(x.BaseDilation, 1) == 1 && max(x.WindowDilation, 1) == 1 && !x.Reversal
		switch {
		case plain && x.Size == 1 && x.PadLow == 0 && x.PadHigh == 0:
		case d >= 0 || !plain || x.Size != n:
			return 0, false, false
		case x.PadLow == n-1 && x.PadHigh == 0:
			d = i
		case x.PadLow == 0 && x.PadHigh == n-1:
			d, backward = i, true
		default:
			return 0, false, false
		}
	}
	return max(d, 0), backward, d >= 0
}

// runningSum is a kernel that makes running sums: a block for each line, its threads for neighbours of it.
type runningSum struct {
	b        *body
	g        *graph
	in       *hlo.Instruction
	a        *hlo.ReduceWindowAttrs
	n        int
	backward bool
	lines    lineOf
}

func (r *runningSum) kernel() *Kernel {
	b, n := r.b, r.lines.n
	block := threadsWith(accumulatorTypes(r.a.ToApply, r.n, n))
	share := ceil(n, block)
	used := ceil(n, share)
	b.line("const %s line = blockIdx.x, from = threadIdx.x * %d, to = x_min(from + %d, (%s)%d);", b.ix, share, share,
		b.ix, n)
	inits := r.g.inits(r.in, r.n)
	acc := b.accumulators(r.a.ToApply, inits, r.lines.n)
	shared := make([]string, r.n)
	for i, v := range acc {
		shared[i] = b.name("shared")
		b.line("__shared__ %s %s[%d];", ctypes[v.t].value, shared[i], block)
	}
	b.open("if (from < %d) {", n)
	first := r.elements("from")
	total := make([]value, r.n)
	for i, v := range first {
		total[i] = b.variable(b.converted(v, acc[i].t))
	}
	b.open("for (%s j = from + 1; j < to; j++) {", b.ix)
	b.fold(r.a.ToApply, total, r.elements("j"))
	b.close("}")
	for i := range total {
		b.line("%s[threadIdx.x] = %s;", shared[i], total[i].text)
	}
	b.close("}")
	b.line("__syncthreads();")
	b.open("for (s32 s = 0; s < (s32)threadIdx.x && s < %d; s++) {", used)
	before := make([]value, r.n)
	for i := range before {
		before[i] = b.frozen(acc[i].t, shared[i]+"[s]")
	}
	b.fold(r.a.ToApply, acc, before)
	b.close("}")
	b.open("for (%s j = from; j < to; j++) {", b.ix)
	b.fold(r.a.ToApply, acc, r.elements("j"))
	place := r.place("j")
	for i, s := range leaves(r.in.Shape) {
		b.store(Buffer{Result, i}, b.flat(place), b.converted(b.frozen(acc[i].t, acc[i].text), s.Type))
	}
	b.close("}")
	return b.kernel("running_"+r.a.ToApply.Root.Op.String(), r.lines.count, int(block))
}

// place is that of element j of the line, counted from the end if the sums run backward.
func (r *runningSum) place(j string) index {
	if r.backward {
		j = r.b.integer(fmt.Sprintf("%d - %s", r.lines.n-1, j))
	}
	ix := r.lines.place(r.b, "line", j)
	return index{flat: ix.flat, of: r.in.Operands[0].Shape.Dims}
}

func (r *runningSum) elements(j string) []value { return r.g.elements(r.in, r.n, r.place(j)) }
