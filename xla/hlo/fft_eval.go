package hlo

import (
	"github.com/halo-xla/halo/xla/fourier"
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
		w, err = transformed[float32](e, a, args[0], s)
	} else {
		w, err = transformed[float64](e, a, args[0], s)
	}
	if err != nil {
		return nil, err
	}
	return literal.FromWide(s, w), nil
}

// transformed transforms x to a result of shape s, in the arithmetic of T.
func transformed[T fourier.Number](e *Evaluator, a *FftAttrs, x *literal.Literal, s shape.Shape) (literal.Wide, error) {
	t := &transform[T]{e: e, dims: s.Dims, last: a.Length[len(a.Length)-1], plans: map[int64]*fourier.Plan[T]{}, scale: 1}
	t.forward = a.Type == FFT || a.Type == RFFT
	if !t.forward {
		product := 1.0
		for _, n := range a.Length {
			product *= float64(n)
		}
		t.scale = T(1 / product)
	}
	w, kind := x.Wide(), fourier.Complex
	switch a.Type {
	case RFFT:
		kind, t.reals = fourier.RealForward, w.F
	case IRFFT:
		kind, t.dims = fourier.RealInverse, x.Shape().Dims
		t.pairs = narrowPairs[T](w.C)
	default:
		t.pairs = narrowPairs[T](w.C)
	}
	for _, step := range fourier.Steps(kind, t.dims, len(a.Length)) {
		if err := t.step(step); err != nil {
			return w, err
		}
	}
	if a.Type == IRFFT {
		return literal.Wide{Class: shape.FloatClass, F: t.reals}, nil
	}
	return literal.Wide{Class: shape.ComplexClass, C: widePairs(t.pairs)}, nil
}

func narrowPairs[T fourier.Number](v []complex128) []fourier.Pair[T] {
	out := make([]fourier.Pair[T], len(v))
	for i, c := range v {
		out[i] = fourier.Pair[T]{Re: T(real(c)), Im: T(imag(c))}
	}
	return out
}

func widePairs[T fourier.Number](v []fourier.Pair[T]) []complex128 {
	out := make([]complex128, len(v))
	for i, c := range v {
		out[i] = complex(float64(c.Re), float64(c.Im))
	}
	return out
}

// transform is one evaluation of fft on an array whose complex side has dims.
type transform[T fourier.Number] struct {
	e       *Evaluator
	dims    []int64
	last    int64 // the length of the last dimension
	plans   map[int64]*fourier.Plan[T]
	forward bool
	scale   T
	round   int
	pairs   []fourier.Pair[T]
	reals   []float64 // of a real transform
}

func (t *transform[T]) step(s fourier.Step) (err error) {
	scale := T(1)
	if s.Scaled {
		scale = t.scale
	}
	switch {
	case s.Real && t.forward:
		t.pairs, err = t.forwardReal(t.reals, t.last)
	case s.Real:
		t.reals, err = t.inverseReal(t.pairs, t.last)
	default:
		err = t.dim(t.pairs, s.Dim, scale)
	}
	return err
}

// dim transforms one dimension of v in place.
func (t *transform[T]) dim(v []fourier.Pair[T], d int, scale T) error {
	rows := linesOf(t.dims, d)
	p := t.plans[rows.n]
	if p == nil {
		p = fourier.NewPlan[T](int(rows.n))
		t.plans[rows.n] = p
	}
	line := make([]fourier.Pair[T], rows.n)
	for i := range rows.count {
		at := rows.start(i)
		for k := range line {
			line[k] = v[at+int64(k)*rows.stride]
		}
		p.Transform(line, t.forward)
		for k, c := range line {
			if scale != 1 {
				c = c.Scale(scale)
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
func (t *transform[T]) forwardReal(v []float64, n int64) ([]fourier.Pair[T], error) {
	half := halfLength(n)
	rows := int64(len(v)) / n
	p, line, out := fourier.NewRealPlan[T](int(n)), make([]T, n), make([]fourier.Pair[T], rows*half)
	for i := range rows {
		for k := range line {
			line[k] = T(v[i*n+int64(k)])
		}
		p.Transform(line, true)
		to := out[i*half : (i+1)*half]
		to[0].Re = line[0]
		for k := int64(1); k < half; k++ {
			to[k].Re = line[2*k-1]
			if 2*k < n {
				to[k].Im = line[2*k]
			}
		}
		if err := t.poll(len(line)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// inverseReal transforms half spectra to lines of n reals and scales them.
func (t *transform[T]) inverseReal(v []fourier.Pair[T], n int64) ([]float64, error) {
	half := halfLength(n)
	rows := int64(len(v)) / half
	p, line, out := fourier.NewRealPlan[T](int(n)), make([]T, n), make([]float64, rows*n)
	for i := range rows {
		from := v[i*half : (i+1)*half]
		line[0] = from[0].Re
		for k := int64(1); k < half; k++ {
			line[2*k-1] = from[k].Re
			if 2*k < n {
				line[2*k] = from[k].Im
			}
		}
		p.Transform(line, false)
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
