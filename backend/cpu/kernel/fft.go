package kernel

import (
	"sync"

	"github.com/halo-xla/halo/xla/fourier"
	"github.com/halo-xla/halo/xla/shape"
)

// Fft is a Fourier transform of the last dimensions of an array, planned for any number of runs at once. T is the type
// of reals, or of the parts of complex numbers.
type Fft[T fourier.Number] struct {
	kind    fourier.Kind
	forward bool
	scale   T
	steps   []fftStep[T]
	last    int64 // the length of the last dimension in time
	half    int64 // and in frequency, of a real transform
}

// fftStep is the transform of Outer*Inner lines of N numbers that are Inner apart.
type fftStep[T fourier.Number] struct {
	outer, n, inner int64
	real, scaled    bool
	plans, reals    *sync.Pool // of *fourier.Plan[T] and *fourier.RealPlan[T]
}

// NewFft plans a transform. dims are those of the complex side, none of them 0; lengths are those in time.
func NewFft[T fourier.Number](kind fourier.Kind, forward bool, dims, lengths []int64) *Fft[T] {
	f := &Fft[T]{kind: kind, forward: forward, scale: 1, last: lengths[len(lengths)-1], half: dims[len(dims)-1]}
	if !forward {
		product := 1.0
		for _, n := range lengths {
			product *= float64(n)
		}
		f.scale = T(1 / product)
	}
	for _, s := range fourier.Steps(kind, dims, len(lengths)) {
		f.steps = append(f.steps, f.newStep(s, dims))
	}
	return f
}

func (f *Fft[T]) newStep(s fourier.Step, dims []int64) fftStep[T] {
	n := int(dims[s.Dim])
	if s.Real {
		n = int(f.last)
	}
	return fftStep[T]{
		outer: shape.Product(dims[:s.Dim]), n: int64(n), inner: shape.Product(dims[s.Dim+1:]), real: s.Real, scaled: s.Scaled,
		plans: &sync.Pool{New: func() any { return fourier.NewPlan[T](n) }},
		reals: &sync.Pool{New: func() any { return fourier.NewRealPlan[T](n) }},
	}
}

// NeedsScratch says whether Run needs memory as large as src: it transforms several dimensions to reals.
func (f *Fft[T]) NeedsScratch() bool { return f.kind == fourier.RealInverse && len(f.steps) > 1 }

// Run transforms src to dst, which may be the same if the sizes are. scratch is as NeedsScratch says.
func (f *Fft[T]) Run(parallel Parallel, dst, src, scratch []byte) {
	v := dst // the complex side of what is done
	if f.kind == fourier.RealInverse {
		v = scratch
	}
	for _, s := range f.steps {
		switch {
		case s.real && f.forward:
			forwardLines(f, s, parallel, Cast[fourier.Pair[T]](dst), Cast[T](src))
		case s.real:
			inverseLines(f, s, parallel, Cast[T](dst), Cast[fourier.Pair[T]](src))
		default:
			complexLines(f, s, parallel, Cast[fourier.Pair[T]](v), Cast[fourier.Pair[T]](src))
		}
		src = v
	}
}

// fftTask is how many numbers the lines of a task have, at least.
const fftTask = 1 << 12

// columns is how many neighbouring lines are taken from memory together.
const columns = 8

// complexLines transforms the lines of src to dst, which may be the same.
func complexLines[T fourier.Number](f *Fft[T], s fftStep[T], parallel Parallel, dst, src []fourier.Pair[T]) {
	width := min(columns, s.inner)
	across := ceilDiv(s.inner, width)
	groups := s.outer * across
	perTask := max(1, fftTask/(s.n*width))
	scale := T(1)
	if s.scaled {
		scale = f.scale
	}
	parallel(ceilDiv(groups, perTask), func(task int64) {
		p := s.plans.Get().(*fourier.Plan[T])
		defer s.plans.Put(p)
		lines := make([]fourier.Pair[T], s.n*width)
		for g := task * perTask; g < min((task+1)*perTask, groups); g++ {
			first := g / across * s.n * s.inner
			column := g % across * width
			count := min(width, s.inner-column)
			gather(lines, src[first+column:], s.n, s.inner, count)
			for c := range count {
				line := lines[c*s.n : (c+1)*s.n]
				p.Transform(line, f.forward)
				if scale != 1 {
					for k := range line {
						line[k] = line[k].Scale(scale)
					}
				}
			}
			scatter(dst[first+column:], lines, s.n, s.inner, count)
		}
	})
}

// gather copies count neighbouring lines of n numbers, each step apart, to rows.
func gather[T any](rows, src []T, n, step, count int64) {
	if step == 1 {
		copy(rows, src[:n])
		return
	}
	for k := range n {
		for c, v := range src[k*step : k*step+count] {
			rows[int64(c)*n+k] = v
		}
	}
}

// scatter is gather reversed.
func scatter[T any](dst, rows []T, n, step, count int64) {
	if step == 1 {
		copy(dst, rows[:n])
		return
	}
	for k := range n {
		to := dst[k*step : k*step+count]
		for c := range to {
			to[c] = rows[int64(c)*n+k]
		}
	}
}

// forwardLines transforms lines of reals to half spectra.
func forwardLines[T fourier.Number](f *Fft[T], s fftStep[T], parallel Parallel, dst []fourier.Pair[T], src []T) {
	f.realLines(s, parallel, func(p *fourier.RealPlan[T], line []T, i int64) {
		copy(line, src[i*f.last:(i+1)*f.last])
		p.Transform(line, true)
		to := dst[i*f.half : (i+1)*f.half]
		to[0] = fourier.Pair[T]{Re: line[0]}
		for k := int64(1); k < f.half; k++ {
			to[k] = fourier.Pair[T]{Re: line[2*k-1]}
			if 2*k < f.last {
				to[k].Im = line[2*k]
			}
		}
	})
}

// inverseLines transforms half spectra to lines of reals and scales them.
func inverseLines[T fourier.Number](f *Fft[T], s fftStep[T], parallel Parallel, dst []T, src []fourier.Pair[T]) {
	f.realLines(s, parallel, func(p *fourier.RealPlan[T], line []T, i int64) {
		from := src[i*f.half : (i+1)*f.half]
		line[0] = from[0].Re
		for k := int64(1); k < f.half; k++ {
			line[2*k-1] = from[k].Re
			if 2*k < f.last {
				line[2*k] = from[k].Im
			}
		}
		p.Transform(line, false)
		to := dst[i*f.last : (i+1)*f.last]
		if f.scale == 1 {
			copy(to, line)
			return
		}
		for k, v := range line {
			to[k] = v * f.scale
		}
	})
}

// realLines calls one for each line, with a plan and memory for it.
func (f *Fft[T]) realLines(s fftStep[T], parallel Parallel, one func(p *fourier.RealPlan[T], line []T, i int64)) {
	perTask := max(1, 2*fftTask/s.n)
	parallel(ceilDiv(s.outer, perTask), func(task int64) {
		p := s.reals.Get().(*fourier.RealPlan[T])
		defer s.reals.Put(p)
		line := make([]T, s.n)
		for i := task * perTask; i < min((task+1)*perTask, s.outer); i++ {
			one(p, line, i)
		}
	})
}
