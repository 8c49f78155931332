package emit

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// emitHiddenState copies the hidden state and moves it on.
func emitHiddenState(e *Emission, in *hlo.Instruction) {
	b := newBody(e)
	_, state := b.seed(true)
	p, out := b.pointer(Buffer{Result, 0}, "u64")
	p.written = true
	b.line("const u64 low = %s[2] + %dull, next = %s[2] + %dull;", state, hlo.RngHiddenState, state,
		uint64(in.Attrs.(*hlo.RngGetAndUpdateStateAttrs).Delta))
	b.line("%s[0] = low;", out)
	b.line("%s[1] = %s[3] + (low < %s[2]);", out, state, state)
	b.line("%s[3] += next < %s[2];", state, state)
	b.line("%s[2] = next;", state)
	e.add(b.kernel("rng_hidden_state", 1, 1))
}

// seed is the pointer to the state of the run's random numbers.
func (b *body) seed(written bool) (*param, string) {
	p, name := b.pointer(Buffer{Seed, 0}, "u64")
	p.written = p.written || written
	return p, name
}

// drawing are the random numbers of one rng instruction, of which kernels take a share each.
type drawing struct {
	in   *hlo.Instruction
	t    shape.ElementType
	n    int64
	redo Buffer // a word that is not 0 if a number was drawn again, which moves those after it
}

// emitRng draws from Philox, keyed by the run's seed and counted from the instruction's turn. Rows 109 to 111.
func emitRng(e *Emission, in *hlo.Instruction) {
	d := &drawing{in: in, t: in.Shape.Type, n: in.Shape.Size()}
	if d.n > 0 {
		if d.again() {
			d.redo = e.scratch(4)
			e.Steps = append(e.Steps, Step{Fill: &Fill{Dst: d.redo, Bytes: 4}})
		}
		e.add(d.kernel(e))
		if d.again() {
			e.add(d.redoKernel(e))
		}
	}
	b := newBody(e)
	_, state := b.seed(true)
	b.line("%s[1]++;", state)
	e.add(b.kernel("rng_turn", 1, 1))
}

// again reports whether numbers may have to be drawn again: integers, of ranges that do not divide 2^64.
func (d *drawing) again() bool {
	return d.in.Attrs.(*hlo.RngAttrs).Distribution == hlo.RngUniform && !d.t.IsFloat()
}

// kernel draws the numbers side by side.
func (d *drawing) kernel(e *Emission) *Kernel {
	b := d.newBody(e)
	b.threads(d.n)
	g := b.newGraphOf(d.in)
	switch a := d.in.Attrs.(*hlo.RngAttrs); {
	case a.Distribution == hlo.RngBernoulli:
		p := b.converted(g.at(d.in.Operands[0], scalar()), shape.F64)
		less := b.element(shape.Pred, fmt.Sprintf("uniform_of(%s) < %s", b.draw("t"), p.text))
		b.store(Buffer{Result, 0}, "t", b.converted(less, d.t))
	case a.Distribution == hlo.RngNormal:
		mean, deviation := b.converted(g.at(d.in.Operands[0], scalar()), shape.F64),
			b.converted(g.at(d.in.Operands[1], scalar()), shape.F64)
		v := b.element(shape.F64, fmt.Sprintf("%s + %s * normal_of(%s, %s)", mean.text, deviation.text,
			b.draw("2 * (u64)t"), b.draw("2 * (u64)t + 1")))
		b.store(Buffer{Result, 0}, "t", b.converted(v, d.t))
	case d.t.IsFloat():
		b.store(Buffer{Result, 0}, "t", d.uniformFloat(b, g))
	default:
		d.uniformInt(b, g)
	}
	return b.kernel("rng_"+d.t.String(), ceil(d.n, blockSize), blockSize)
}

func (d *drawing) newBody(e *Emission) *body {
	b := newBody(e, d.n)
	b.need("random")
	return b
}

// draw is draw number i of the instruction, 64 bits.
func (b *body) draw(i string) string {
	_, state := b.seed(false)
	return b.let("u64", fmt.Sprintf("draw(%s[0], %s[1] + 1, (u64)(%s))", state, state, i))
}

// uniformFloat is a number in [a, b), a if there is none. Where rounding reaches b it is the one below. Row 111.
func (d *drawing) uniformFloat(b *body, g *graph) value {
	low, high := b.plain(g.at(d.in.Operands[0], scalar())), b.plain(g.at(d.in.Operands[1], scalar()))
	x, y := b.converted(low, shape.F64), b.converted(high, shape.F64)
	u := b.let("f64", fmt.Sprintf("uniform_of(%s)", b.draw("t")))
	v := b.plain(b.converted(b.element(shape.F64, fmt.Sprintf("%s * (1 - %s) + %s * %s", x.text, u, y.text, u)), d.t))
	w := b.converted(v, shape.F64)
	bits := b.let(unsignedType(d.t.Bits()), b.bitsOf(high))
	down, up := b.plain(b.ofBits(d.t, bits+" - 1")), b.plain(b.ofBits(d.t, bits+" + 1"))
	return b.element(d.t, fmt.Sprintf("!(%s < %s) ? %s : %s < %s ? (%s < %s ? %s : %s) : %s > 0 ? %s : %s < 0 ? %s : %s",
		x.text, y.text, low.text, w.text, y.text, w.text, x.text, low.text, v.text, y.text, down.text, y.text, up.text,
		low.text))
}

// limits declares low, the first number, and size, how many there are, 0 for none.
func (d *drawing) limits(b *body, g *graph) {
	x, y := g.at(d.in.Operands[0], scalar()), g.at(d.in.Operands[1], scalar())
	wide := "s64"
	if d.t.IsUnsigned() {
		wide = "u64"
	}
	last := "" // half-open would leave predicates one value
	if d.t == shape.Pred {
		last = " + 1"
	}
	b.line("const %s first = (%s)%s, past = (%s)%s;", wide, wide, x.text, wide, y.text)
	b.line("const u64 low = (u64)first, size = first < past ? (u64)past - (u64)first%s : 0;", last)
}

// uniformInt stores a number in [a, b), a if there is none, each as likely as the others; what would favour some is
// noted to be drawn again. Row 111.
func (d *drawing) uniformInt(b *body, g *graph) {
	d.limits(b, g)
	p, redo := b.pointer(d.redo, "u32")
	p.written = true
	bits := b.draw("t")
	b.line("if (%s * size < (0 - size) %% (size | !size)) *%s = 1;", bits, redo)
	d.storeInt(b, "t", fmt.Sprintf("low + __umul64hi(%s, size)", bits))
}

func (d *drawing) storeInt(b *body, at, number string) {
	v := value{text: b.let("u64", number), t: shape.U64}
	if d.t.IsSigned() {
		v = value{text: b.let("s64", "(s64)"+v.text), t: shape.S64}
	}
	b.store(Buffer{Result, 0}, at, b.converted(v, d.t))
}

// redoKernel draws the numbers one after the other, if one has to be drawn again.
func (d *drawing) redoKernel(e *Emission) *Kernel {
	b := d.newBody(e)
	g := b.newGraphOf(d.in)
	_, redo := b.pointer(d.redo, "u32")
	_, state := b.seed(false)
	b.line("if (!*%s) return;", redo)
	d.limits(b, g)
	b.line("u64 next = 0;")
	b.open("for (%s t = 0; t < %d; t++) {", b.ix, d.n)
	b.line("u64 bits = draw(%s[0], %s[1] + 1, next++);", state, state)
	b.line("while (bits * size < (0 - size) %% size) bits = draw(%s[0], %s[1] + 1, next++);", state, state)
	d.storeInt(b, "t", "low + __umul64hi(bits, size)")
	b.close("}")
	return b.kernel("rng_again_"+d.t.String(), 1, 1)
}

// stochasticConvert rounds away from 0 if the random bits, as a fraction of 1, are below the fraction that rounding
// towards 0 drops.
func stochasticConvert(g *graph, in *hlo.Instruction, ix index) []value {
	b, t, from := g.b, in.Shape.Type, in.Operands[0].Shape.Type
	v := b.converted(g.at(in.Operands[0], ix), shape.F64)
	r := g.at(in.Operands[1], ix)
	b.need("random")
	a := b.element(shape.F64, fmt.Sprintf("x_abs(%s)", v.text))
	low := b.element(shape.F64, fmt.Sprintf("floor(%s)", a.text))
	high := b.element(shape.F64, low.text+" + 1")
	if t.IsFloat() {
		bits := b.let(unsignedType(t.Bits()), b.bitsOf(b.converted(a, t)))
		rounded := b.converted(b.ofBits(t, bits), shape.F64)
		below := b.let(unsignedType(t.Bits()), fmt.Sprintf("%s - (%s > %s && %s > 0)", bits, rounded.text, a.text, bits))
		low = b.converted(b.ofBits(t, below), shape.F64)
		high = b.converted(b.ofBits(t, below+" + 1"), shape.F64)
	}
	u := fmt.Sprintf("(f64)%s * %s", r.text, floatText(1/float64(uint64(1)<<(from.Bits()-1))/2, true))
	return []value{b.converted(b.element(shape.F64, fmt.Sprintf("stochastic(%s, %s, %s, %s, %s)", v.text, a.text,
		low.text, high.text, u)), t)}
}
