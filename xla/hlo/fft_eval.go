package hlo

import (
	"math/cmplx"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func evalFft(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := in.Attrs.(*FftAttrs)
	if _, err := e.array(in.Shape); err != nil {
		return nil, err
	}
	dims, w := args[0].Shape().Dims, args[0].Wide()
	s := shape.Array(in.Shape.Type, in.Shape.Dims...)
	if s.Size() == 0 {
		return literal.Zeros(s), nil
	}
	t := &transform{e: e, plans: map[int64]*fftPlan{}}
	var err error
	switch a.Type {
	case FFT, IFFT:
		err = t.dims(w.C, dims, len(a.Length), a.Type == IFFT)
	case RFFT:
		w.C, err = t.forwardReal(w.F, dims, a.Length)
		w.Class, w.F = shape.ComplexClass, nil
	default:
		w.F, err = t.inverseReal(w.C, dims, a.Length)
		w.Class, w.C = shape.FloatClass, nil
	}
	if err != nil {
		return nil, err
	}
	return literal.FromWide(s, w), nil
}

// transform is one evaluation of fft: the plans by length.
type transform struct {
	e     *Evaluator
	plans map[int64]*fftPlan
	round int
}

func (t *transform) plan(n int64) *fftPlan {
	p := t.plans[n]
	if p == nil {
		p = newFFTPlan(int(n))
		t.plans[n] = p
	}
	return p
}

// dims transforms the last count dimensions of v in place, the innermost first.
func (t *transform) dims(v []complex128, dims []int64, count int, inverse bool) error {
	for d := len(dims) - 1; d >= len(dims)-count; d-- {
		if err := t.dim(v, dims, d, inverse); err != nil {
			return err
		}
	}
	return nil
}

// dim transforms one dimension of v in place.
func (t *transform) dim(v []complex128, dims []int64, d int, inverse bool) error {
	rows := linesOf(dims, d)
	p := t.plan(rows.n)
	line := make([]complex128, rows.n)
	for i := range rows.count {
		at := rows.start(i)
		for k := range line {
			line[k] = v[at+int64(k)*rows.stride]
		}
		if err := t.line(p, line, inverse); err != nil {
			return err
		}
		for k := range line {
			v[at+int64(k)*rows.stride] = line[k]
		}
	}
	return nil
}

// line transforms one line in place; the inverse is scaled.
func (t *transform) line(p *fftPlan, line []complex128, inverse bool) error {
	if inverse { // the transform of the parts exchanged, exchanged back
		exchangeAll(line)
	}
	p.transform(line)
	if inverse {
		exchangeAll(line)
		n := float64(len(line))
		for k, v := range line {
			line[k] = complex(real(v)/n, imag(v)/n)
		}
	}
	t.round++
	if len(line) > pollEvery {
		return t.e.tick()
	}
	return t.e.poll(t.round)
}

// exchangeAll exchanges real and imaginary parts.
func exchangeAll(v []complex128) {
	for k, c := range v {
		v[k] = complex(imag(c), real(c))
	}
}

// forwardReal transforms the innermost dimension of reals to its half spectrum, then the others.
func (t *transform) forwardReal(v []float64, dims, lengths []int64) ([]complex128, error) {
	n := lengths[len(lengths)-1]
	half := halfLength(n)
	rows := int64(len(v)) / n
	p, line, out := t.plan(n), make([]complex128, n), make([]complex128, rows*half)
	for i := range rows {
		for k := range line {
			line[k] = complex(v[i*n+int64(k)], 0)
		}
		if err := t.line(p, line, false); err != nil {
			return nil, err
		}
		copy(out[i*half:(i+1)*half], line)
	}
	return out, t.outer(out, dims, half, len(lengths), false)
}

// inverseReal transforms all dimensions but the innermost back, then that one from its half spectrum to reals.
func (t *transform) inverseReal(v []complex128, dims, lengths []int64) ([]float64, error) {
	n := lengths[len(lengths)-1]
	half := halfLength(n)
	if err := t.outer(v, dims, half, len(lengths), true); err != nil {
		return nil, err
	}
	rows := int64(len(v)) / half
	p, line, out := t.plan(n), make([]complex128, n), make([]float64, rows*n)
	for i := range rows {
		in := v[i*half : (i+1)*half]
		line[0] = complex(real(in[0]), 0)
		for k := int64(1); k < half; k++ {
			line[k], line[n-k] = in[k], cmplx.Conj(in[k])
		}
		if n%2 == 0 {
			line[n/2] = complex(real(in[n/2]), 0)
		}
		if err := t.line(p, line, true); err != nil {
			return nil, err
		}
		for k, c := range line {
			out[i*n+int64(k)] = real(c)
		}
	}
	return out, nil
}

// outer transforms the dimensions before the last one, whose size is last, of the count transformed ones.
func (t *transform) outer(v []complex128, dims []int64, last int64, count int, inverse bool) error {
	dims = append(append([]int64(nil), dims[:len(dims)-1]...), last)
	for d := len(dims) - 2; d >= len(dims)-count; d-- {
		if err := t.dim(v, dims, d, inverse); err != nil {
			return err
		}
	}
	return nil
}
