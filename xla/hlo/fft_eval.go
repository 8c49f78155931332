package hlo

import (
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func evalFft(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := in.Attrs.(*FftAttrs)
	if _, err := e.array(in.Shape); err != nil {
		return nil, err
	}
	s := shape.Array(in.Shape.Type, in.Shape.Dims...)
	if s.Size() == 0 {
		return literal.Zeros(s), nil
	}
	var w literal.Wide
	var err error
	if s.Type == shape.F32 || s.Type == shape.C64 {
		w, err = fourier[float32](e, a, args[0], s)
	} else {
		w, err = fourier[float64](e, a, args[0], s)
	}
	if err != nil {
		return nil, err
	}
	return literal.FromWide(s, w), nil
}

// fourier transforms x to a result of shape s, in the arithmetic of T.
func fourier[T fftNumber](e *Evaluator, a *FftAttrs, x *literal.Literal, s shape.Shape) (literal.Wide, error) {
	t := &transform[T]{e: e, dims: s.Dims, count: len(a.Length), plans: map[int64]*fftPlan[T]{}, scale: 1}
	if a.Type == IFFT || a.Type == IRFFT {
		product := 1.0
		for _, n := range a.Length {
			product *= float64(n)
		}
		t.scale = T(1 / product)
	}
	w := x.Wide()
	last := a.Length[t.count-1]
	if a.Type == IRFFT {
		t.dims = x.Shape().Dims
		spectrum := narrowPairs[T](w.C)
		if err := t.outer(spectrum, t.dims[len(t.dims)-1] == 1); err != nil {
			return w, err
		}
		out, err := t.inverseReal(spectrum, last)
		return literal.Wide{Class: shape.FloatClass, F: out}, err
	}
	var out []pair[T]
	var err error
	if a.Type == RFFT {
		if out, err = t.forwardReal(w.F, last); err == nil {
			err = t.outer(out, false)
		}
	} else {
		t.forward, out = a.Type == FFT, narrowPairs[T](w.C)
		err = t.complex(out)
	}
	return literal.Wide{Class: shape.ComplexClass, C: widePairs(out)}, err
}

func narrowPairs[T fftNumber](v []complex128) []pair[T] {
	out := make([]pair[T], len(v))
	for i, c := range v {
		out[i] = pair[T]{T(real(c)), T(imag(c))}
	}
	return out
}

func widePairs[T fftNumber](v []pair[T]) []complex128 {
	out := make([]complex128, len(v))
	for i, c := range v {
		out[i] = complex(float64(c.r), float64(c.i))
	}
	return out
}

// transform is one evaluation of fft of the last count of dims. The order of dimensions and the place of the scaling
// are part of the answers that are to be met: scaling is done with the first dimension of a complex transform, with
// the last one of a real inverse.
type transform[T fftNumber] struct {
	e       *Evaluator
	dims    []int64
	count   int
	plans   map[int64]*fftPlan[T]
	forward bool
	scale   T
	round   int
}

// complex transforms in place, the innermost dimension first, but for those of size 1 after the second.
func (t *transform[T]) complex(v []pair[T]) error {
	first, d, scale := len(t.dims)-t.count, len(t.dims)-1, t.scale
	for d > first+1 && t.dims[d] == 1 {
		d--
	}
	for ; d >= first; d-- {
		if err := t.dim(v, d, scale); err != nil {
			return err
		}
		scale = 1
	}
	return nil
}

// outer transforms the dimensions before the last one in place, the outermost first unless reversed. It does not scale.
func (t *transform[T]) outer(v []pair[T], reversed bool) error {
	first, count := len(t.dims)-t.count, t.count-1
	for i := range count {
		d := first + i
		if reversed {
			d = first + count - 1 - i
		}
		if err := t.dim(v, d, 1); err != nil {
			return err
		}
	}
	return nil
}

// dim transforms one dimension of v in place.
func (t *transform[T]) dim(v []pair[T], d int, scale T) error {
	rows := linesOf(t.dims, d)
	p := t.plans[rows.n]
	if p == nil {
		p = newFFTPlan[T](int(rows.n))
		t.plans[rows.n] = p
	}
	line := make([]pair[T], rows.n)
	for i := range rows.count {
		at := rows.start(i)
		for k := range line {
			line[k] = v[at+int64(k)*rows.stride]
		}
		p.transform(line, t.forward)
		for k, c := range line {
			if scale != 1 {
				c = c.scale(scale)
			}
			v[at+int64(k)*rows.stride] = c
		}
		if err := t.poll(len(line)); err != nil {
			return err
		}
	}
	return nil
}

// poll looks at the context now and then, after a line of n elements.
func (t *transform[T]) poll(n int) error {
	t.round++
	if n > pollEvery {
		return t.e.tick()
	}
	return t.e.poll(t.round)
}

// forwardReal transforms lines of n reals to their half spectra.
func (t *transform[T]) forwardReal(v []float64, n int64) ([]pair[T], error) {
	t.forward = true
	half := halfLength(n)
	rows := int64(len(v)) / n
	p, line, out := newRealPlan[T](int(n)), make([]T, n), make([]pair[T], rows*half)
	for i := range rows {
		for k := range line {
			line[k] = T(v[i*n+int64(k)])
		}
		p.transform(line, true)
		to := out[i*half : (i+1)*half]
		to[0].r = line[0]
		for k := int64(1); k < half; k++ {
			to[k].r = line[2*k-1]
			if 2*k < n {
				to[k].i = line[2*k]
			}
		}
		if err := t.poll(len(line)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// inverseReal transforms half spectra to lines of n reals and scales them.
func (t *transform[T]) inverseReal(v []pair[T], n int64) ([]float64, error) {
	half := halfLength(n)
	rows := int64(len(v)) / half
	p, line, out := newRealPlan[T](int(n)), make([]T, n), make([]float64, rows*n)
	for i := range rows {
		from := v[i*half : (i+1)*half]
		line[0] = from[0].r
		for k := int64(1); k < half; k++ {
			line[2*k-1] = from[k].r
			if 2*k < n {
				line[2*k] = from[k].i
			}
		}
		p.transform(line, false)
		for k, c := range line {
			if t.scale != 1 {
				c = T(c * t.scale)
			}
			out[i*n+int64(k)] = float64(c)
		}
		if err := t.poll(len(line)); err != nil {
			return nil, err
		}
	}
	return out, nil
}
