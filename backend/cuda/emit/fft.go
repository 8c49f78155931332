package emit

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// transform is an fft in the making: numbers of f64 go from one buffer to the other, a factor of a length at a time.
type transform struct {
	e       *Emission
	in      *hlo.Instruction
	from    Buffer
	to      Buffer
	dims    []int64
	inverse bool
}

// emitFft transforms dimension by dimension: real transforms as complex ones of which half is dropped or made up.
func emitFft(e *Emission, in *hlo.Instruction) {
	a := in.Attrs.(*hlo.FftAttrs)
	if in.Shape.Size() == 0 {
		return
	}
	rank, k := in.Shape.Rank(), len(a.Length)
	if in.Operands[0].Shape.Size() == 0 {
		refuse("fft of %v", in.Operands[0].Shape)
	}
	full := append([]int64{}, in.Operands[0].Shape.Dims...)
	full[rank-1] = a.Length[k-1]
	bytes := 16 * shape.Product(full)
	t := &transform{e: e, in: in, from: e.scratch(bytes), to: e.scratch(bytes), dims: full,
		inverse: a.Type == hlo.IFFT || a.Type == hlo.IRFFT}
	switch a.Type {
	case hlo.IRFFT:
		t.dims = in.Operands[0].Shape.Dims
		t.load()
		t.along(rank-k, rank-1)
		t.mirror(a.Length[k-1])
		t.along(rank-1, rank)
	default:
		t.load()
		t.along(rank-1, rank)
		t.along(rank-k, rank-1)
	}
	t.store(a)
}

// kernel opens a kernel over n numbers and ends it by what code writes.
func (t *transform) kernel(name string, n int64, code func(b *body)) {
	b := newBody(t.e, append(sizesOf(t.in), n)...)
	b.need("complex")
	b.threads(n)
	code(b)
	t.e.add(b.kernel(name, ceil(n, blockSize), blockSize))
}

// swap makes what was written what is read next.
func (t *transform) swap() { t.from, t.to = t.to, t.from }

func (b *body) complexAt(buf Buffer, written bool) string {
	p, name := b.pointer(buf, "c128")
	p.written = p.written || written
	return name
}

func (t *transform) load() {
	o := t.in.Operands[0].Shape
	t.kernel("fft_load", o.Size(), func(b *body) {
		g := b.newGraphOf(t.in)
		v := b.converted(g.at(t.in.Operands[0], index{flat: "t", of: o.Dims}), shape.C128)
		b.line("%s[t] = %s;", b.complexAt(t.from, true), v.text)
	})
}

// along transforms the dimensions from first to end.
func (t *transform) along(first, end int) {
	for d := end - 1; d >= first; d-- {
		done := int64(1)
		for _, r := range factors(t.dims[d]) {
			t.pass(d, done, r)
			done *= r
		}
	}
}

// factors are those of n, fours first.
func factors(n int64) []int64 {
	var list []int64
	for n%4 == 0 {
		list, n = append(list, 4), n/4
	}
	for p := int64(2); n > 1; p++ {
		for n%p == 0 {
			list, n = append(list, p), n/p
		}
		if p*p > n && n > 1 {
			list, n = append(list, n), 1
		}
	}
	return list
}

// pass makes transforms of length done*r of r transforms of length done each, by Stockham's order.
func (t *transform) pass(d int, done, r int64) {
	lines := linesAlong(t.dims, d)
	sign := map[bool]string{true: "", false: "-"}[t.inverse]
	t.kernel("fft_pass", shape.Product(t.dims), func(b *body) {
		x, y := b.complexAt(t.from, false), b.complexAt(t.to, true)
		b.line("const %s inner = %s, o = %s, outer = %s;", b.ix, modulo("t", lines.stride),
			modulo(over("t", lines.stride), lines.n), over("t", lines.stride*lines.n))
		b.line("const %s block = o / %d, q = o %% %d, j = block * %d + q %% %d;", b.ix, done*r, done*r, done, done)
		b.line("const c128* line = %s + outer * %d + inner;", x, lines.stride*lines.n)
		b.line("c128 sum = line[j * %d];", lines.stride)
		b.open("for (%s k = 1; k < %d; k++) {", b.ix, r)
		b.line("const c128 root = root_of_one((s64)k * q %% %d, %d, %s1);", done*r, done*r, sign)
		b.line("sum = x_add(sum, x_mul(line[(j + k * %d) * %d], root));", lines.n/r, lines.stride)
		b.close("}")
		b.line("%s[t] = sum;", y)
	})
	t.swap()
}

// mirror makes the whole last dimension of the half that a real transform has; the imaginary parts of what is its own
// mirror image do not count.
func (t *transform) mirror(n int64) {
	half := t.dims[len(t.dims)-1]
	full := append([]int64{}, t.dims...)
	full[len(full)-1] = n
	t.kernel("fft_mirror", shape.Product(full), func(b *body) {
		b.line("const %s j = t %% %d, row = t / %d, k = j < %d ? j : %d - j;", b.ix, n, n, half, n)
		b.line("c128 v = %s[row * %d + k];", b.complexAt(t.from, false), half)
		b.line("if (j == 0 || 2 * j == %d) v.im = 0;", n)
		b.line("if (j != k) v.im = -v.im;")
		b.line("%s[t] = v;", b.complexAt(t.to, true))
	})
	t.dims = full
	t.swap()
}

// store writes the part that is wanted, scaled.
func (t *transform) store(a *hlo.FftAttrs) {
	s := t.in.Shape
	last := s.Rank() - 1
	n := s.Dims[last]
	t.kernel("fft_store", s.Size(), func(b *body) {
		v := fmt.Sprintf("%s[t / %d * %d + t %% %d]", b.complexAt(t.from, false), n, t.dims[last], n)
		b.line("c128 v = %s;", v)
		if t.inverse {
			b.line("v = c(v.re / %d.0, v.im / %d.0);", shape.Product(a.Length), shape.Product(a.Length))
		}
		b.store(Buffer{Result, 0}, "t", b.converted(valueOf("v", shape.C128), s.Type))
	})
}
