package emit

import (
	"fmt"

	"github.com/halo-xla/halo/xla/shape"
)

// maxFlags is how many blocks look at an array, each with a flag of its own.
const maxFlags = 128

// careful appends kernels that compute all of a convolution anew where weights are not finite and there is padding, or
// what is like it between elements. Libraries may multiply those zeros by weights, which the law leaves out.
func (p *convolving) careful() {
	padded := p.c.Kind == ConvBackwardData
	for _, w := range p.a.Window {
		padded = padded || w.PadLow > 0 || w.PadHigh > 0
	}
	if !padded || p.finite {
		return
	}
	p.again(notFinite(newBody(p.e, sizesOf(p.in)...), p.from[1], p.in.Operands[1].Shape))
}

// notFinite appends a kernel, of which b is the empty body, that looks at an array: it sets flags, n of them, where
// that has a NaN or an infinity.
func notFinite(b *body, from Buffer, s shape.Shape) (flags Buffer, n int64) {
	n = min(ceil(s.Size(), 16*blockSize), maxFlags)
	flags = b.e.scratch(4 * n)
	b.line("bool found = false;")
	b.everyThread(s.Size())
	v := b.plain(b.load(from, s.Type, index{flat: "t", of: s.Dims}))
	b.line("found = found || !%s(%s);", map[bool]string{false: "x_finite", true: "finite"}[s.Type.IsComplex()], v.text)
	b.close("}")
	b.line("const int any = __syncthreads_or(found);")
	b.line("if (threadIdx.x == 0) %s[blockIdx.x] = any;", b.flags(flags, true))
	b.e.add(b.kernel("finite", n, blockSize))
	return flags, n
}

// unlessSet ends a block if none of the flags is set, of which there are n.
func (b *body) unlessSet(flags Buffer, n int64) {
	set := fmt.Sprintf("threadIdx.x < %d && %s[threadIdx.x] != 0", n, b.flags(flags, false))
	b.line("if (!__syncthreads_or(%s)) return;", set)
}

// flags returns the pointer to flags.
func (b *body) flags(f Buffer, written bool) string {
	p, name := b.pointer(f, "s32")
	p.written, p.elsewhere = written, true
	return name
}

// everyThread opens a loop in which all threads take their part of n elements t.
func (b *body) everyThread(n int64) {
	b.open("for (%[1]s t = (%[1]s)blockIdx.x * %[2]d + threadIdx.x; t < %[3]d; t += (%[1]s)gridDim.x * %[2]d) {", b.ix,
		blockSize, n)
}

// againBlocks is how many blocks a kernel has that does nothing as a rule.
const againBlocks = 1024

// again appends a kernel that computes the convolution if one of the flags is set.
func (p *convolving) again(flags Buffer, n int64) {
	b := newBody(p.e, sizesOf(p.whole)...)
	b.rolled = true
	b.unlessSet(flags, n)
	s := p.in.Shape
	b.everyThread(s.Size())
	b.store(theResult, "t", b.newGraphOf(p.whole).at(p.whole, index{flat: "t", of: s.Dims}))
	b.close("}")
	p.e.add(b.kernel("careful", min(ceil(s.Size(), blockSize), againBlocks), blockSize))
}
