package emit

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Fft is transforms by a library, which does not scale them.
type Fft struct {
	Type FftType
	// Real is the type of the parts: f32 or f64.
	Real shape.ElementType
	// Inverse says which way complex numbers go.
	Inverse bool
	// Dims are 1 to 3 dimensions, the outermost first: of real numbers, where there are such. Neighbours in the last lie
	// Stride elements apart.
	Dims   []int64
	Stride int64
	// Batch is how many transforms there are at once, InStep and OutStep how far they begin apart, in elements.
	Batch, InStep, OutStep int64
	// Count is how often that is done, with so many bytes between the arrays.
	Count, Bytes   int64
	From, To, Work Buffer
}

// FftType is what a transform takes and gives.
type FftType uint8

// The types of transforms: of complex numbers, of real numbers to the half of the result that says all, and back; the
// last overwrites what it takes.
const (
	Complex FftType = iota
	RealToComplex
	ComplexToReal
)

// fftPlan is an fft by a library that is being lowered.
type fftPlan struct {
	e       *Emission
	in      *hlo.Instruction
	a       *hlo.FftAttrs
	real    shape.ElementType
	outer   int64 // transforms that the leading dimensions make
	work    func(*Fft) (int64, error)
	failure error
}

// LowerFft returns in, an fft, by a library; nil if it has no elements or a length of less than two.
func LowerFft(in *hlo.Instruction, work func(*Fft) (int64, error)) (*Emission, error) {
	a, ok := in.Attrs.(*hlo.FftAttrs)
	if !ok || in.IsDynamic() || in.Shape.Size() == 0 || in.Operands[0].Shape.Size() == 0 {
		return nil, nil
	}
	p := &fftPlan{e: &Emission{}, in: in, a: a, work: work, outer: 1, real: shape.F32}
	if t := in.Operands[0].Shape.Type; t == shape.F64 || t == shape.C128 {
		p.real = shape.F64
	}
	for _, n := range a.Length {
		if n < 2 {
			return nil, nil
		}
	}
	for _, n := range in.Shape.Dims[:in.Shape.Rank()-len(a.Length)] {
		p.outer *= n
	}
	if p.half(in) {
		return nil, nil
	}
	ffts[a.Type](p)
	return p.e, p.failure
}

// half reports whether the operand of an irfft is something else than the half that says all.
func (p *fftPlan) half(in *hlo.Instruction) bool {
	last := in.Operands[0].Shape.Dims[in.Operands[0].Shape.Rank()-1]
	return p.a.Type == hlo.IRFFT && last != p.a.Length[len(p.a.Length)-1]/2+1
}

var ffts = map[hlo.FftType]func(*fftPlan){
	hlo.FFT: (*fftPlan).complex, hlo.IFFT: (*fftPlan).complex, hlo.RFFT: (*fftPlan).fromReal, hlo.IRFFT: (*fftPlan).toReal,
}

// transform appends x with its work area.
func (p *fftPlan) transform(x Fft) {
	if p.failure != nil {
		return
	}
	x.Real, x.Inverse = p.real, p.a.Type == hlo.IFFT || p.a.Type == hlo.IRFFT
	bytes, err := p.work(&x)
	p.failure = err
	x.Work = p.e.scratch(bytes)
	p.e.Steps = append(p.e.Steps, Step{Fft: &x})
}

var theOperand, theResult = Buffer{Operand, 0}, Buffer{Result, 0}

func (p *fftPlan) complex() {
	n := shape.Product(p.a.Length)
	p.transform(Fft{Type: Complex, Dims: p.a.Length, Stride: 1, Batch: p.outer, InStep: n, OutStep: n, Count: 1,
		From: theOperand, To: theResult})
	if p.a.Type == hlo.IFFT {
		p.scale()
	}
}

// halved is how many elements the half has of what says all of some real numbers.
func halved(dims []int64) int64 {
	last := len(dims) - 1
	return shape.Product(dims[:last]) * (dims[last]/2 + 1)
}

func (p *fftPlan) fromReal() {
	p.transform(Fft{Type: RealToComplex, Dims: p.a.Length, Stride: 1, Batch: p.outer, InStep: shape.Product(p.a.Length),
		OutStep: halved(p.a.Length), Count: 1, From: theOperand, To: theResult})
}

// toReal transforms the outer dimensions as complex ones, so that imaginary parts of what is its own mirror image in
// the last dimension do not count, whatever the others are: libraries leave it open what becomes of them.
func (p *fftPlan) toReal() {
	last := len(p.a.Length) - 1
	n := p.a.Length[last]
	of := p.in.Operands[0].Shape
	half, lines := n/2+1, of.Size()/(n/2+1)
	from, spectrum := theOperand, p.e.scratch(of.Size()*int64(of.Type.Bytes()))
	if last > 0 {
		block := shape.Product(p.a.Length[:last]) * half
		from = p.e.scratch(of.Size() * int64(of.Type.Bytes()))
		p.transform(Fft{Type: Complex, Dims: p.a.Length[:last], Stride: half, Batch: half, InStep: 1, OutStep: 1,
			Count: p.outer, Bytes: block * int64(of.Type.Bytes()), From: theOperand, To: from})
	}
	p.kernel("fft_half", of.Size(), func(b *body) {
		v := b.variable(b.load(from, of.Type, index{flat: "t", of: of.Dims}))
		b.line("const %s k = %s;", b.ix, modulo("t", half))
		b.line("if (k == 0 || 2 * k == %d) %s.im = 0;", n, v.text)
		b.store(spectrum, "t", v)
	})
	p.transform(Fft{Type: ComplexToReal, Dims: []int64{n}, Stride: 1, Batch: lines, InStep: half, OutStep: n, Count: 1,
		From: spectrum, To: theResult})
	p.scale()
}

// scale multiplies the result by one over the number of elements of a transform, which the evaluator rounds too.
func (p *fftPlan) scale() {
	s, by := p.in.Shape, floatText(1/float64(shape.Product(p.a.Length)), p.real == shape.F64)
	p.kernel("fft_scale", s.Size(), func(b *body) {
		v := b.load(theResult, s.Type, index{flat: "t", of: s.Dims})
		text := fmt.Sprintf("%s * %s", v.text, by)
		if s.Type.IsComplex() {
			text = fmt.Sprintf("{%[1]s.re * %[2]s, %[1]s.im * %[2]s}", v.text, by)
		}
		w := b.name("w")
		b.line("const %s %s = %s;", ctypes[s.Type].value, w, text)
		b.store(theResult, "t", valueOf(w, s.Type))
	})
}

// kernel makes a kernel with a thread t for each of n elements.
func (p *fftPlan) kernel(name string, n int64, code func(b *body)) {
	b := newBody(p.e, sizesOf(p.in)...)
	b.threads(n)
	code(b)
	p.e.add(b.kernel(name, ceil(n, blockSize), blockSize))
}
