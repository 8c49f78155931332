package hlo

import (
	"math"
	"math/bits"
	"math/cmplx"
)

// fftPlan is what transforms of one length share. Lengths with small prime factors are split by them; others go through
// a convolution of the next power of two (Bluestein), so that every length takes O(n log n).
type fftPlan struct {
	n       int
	factors []int        // nil if the length goes through a convolution
	roots   []complex128 // exp(-2 pi i k/n)
	work    []complex128
	sums    []complex128 // of one butterfly

	chirp  []complex128 // exp(-pi i k*k/n)
	kernel []complex128 // transform of the chirp that is convolved with
	inner  *fftPlan
}

// splitFactors are what a length is split by, in this order.
var splitFactors = []int{4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, largestFactor}

const largestFactor = 31

func newFFTPlan(n int) *fftPlan {
	p := &fftPlan{n: n}
	rest := n
	for _, f := range splitFactors {
		for rest%f == 0 {
			p.factors = append(p.factors, f)
			rest /= f
		}
	}
	if rest > 1 {
		p.factors = nil
		p.convolve()
		return p
	}
	p.roots, p.work, p.sums = unitRoots(n, n), make([]complex128, n), make([]complex128, 2*largestFactor)
	return p
}

// unitRoots returns exp(-2 pi i k/n) for k below count, each computed in the first octant, where it is most exact.
func unitRoots(n, count int) []complex128 {
	out := make([]complex128, count)
	for k := range out {
		out[k] = unitRoot(k, n)
	}
	return out
}

func unitRoot(k, n int) complex128 {
	octant, rest := 8*k/n, 8*k%n // the angle is octant*45 degrees and rest/n of 45
	if octant%2 == 1 {
		rest = n - rest
	}
	s, c := math.Sincos(math.Pi / 4 * float64(rest) / float64(n))
	if octant%4 == 1 || octant%4 == 2 {
		s, c = c, s
	}
	if octant >= 2 && octant < 6 {
		c = -c
	}
	if octant >= 4 {
		s = -s
	}
	return complex(c, -s)
}

// convolve prepares the transform as a convolution with a chirp.
func (p *fftPlan) convolve() {
	m := 1 << bits.Len(uint(2*p.n-2))
	p.inner = newFFTPlan(m)
	p.chirp, p.kernel, p.work = make([]complex128, p.n), make([]complex128, m), make([]complex128, m)
	square := 0 // k*k mod 2n
	for k := range p.n {
		p.chirp[k] = unitRoot(square, 2*p.n)
		square = (square + 2*k + 1) % (2 * p.n)
		p.kernel[k] = cmplx.Conj(p.chirp[k])
		if k > 0 {
			p.kernel[m-k] = p.kernel[k]
		}
	}
	p.inner.transform(p.kernel)
}

// transform replaces v by its transform, not scaled.
func (p *fftPlan) transform(v []complex128) {
	if p.inner == nil {
		copy(p.work, v)
		p.split(v, p.work, p.n, 1, p.factors)
		return
	}
	clear(p.work)
	for k, c := range v {
		p.work[k] = c * p.chirp[k]
	}
	p.inner.transform(p.work)
	for k, c := range p.work { // multiply, and conjugate to transform back
		p.work[k] = cmplx.Conj(c * p.kernel[k])
	}
	p.inner.transform(p.work)
	scale := 1 / float64(len(p.work)) // a power of two
	for k := range v {
		c := p.work[k]
		v[k] = complex(real(c)*scale, -imag(c)*scale) * p.chirp[k]
	}
}

// split puts the transform of the n elements of in that are stride apart into out, by the first of factors.
func (p *fftPlan) split(out, in []complex128, n, stride int, factors []int) {
	if n == 1 {
		out[0] = in[0]
		return
	}
	f := factors[0]
	m := n / f
	for q := range f {
		p.split(out[q*m:(q+1)*m], in[q*stride:], m, stride*f, factors[1:])
	}
	switch f {
	case 2:
		p.combine2(out, m, stride)
	case 4:
		p.combine4(out, m, stride)
	default:
		p.combine(out, m, f, stride)
	}
}

func (p *fftPlan) combine2(out []complex128, m, stride int) {
	a, b := out[:m], out[m:2*m]
	for k := range a {
		x, y := a[k], b[k]*p.roots[k*stride]
		a[k], b[k] = x+y, x-y
	}
}

func (p *fftPlan) combine4(out []complex128, m, stride int) {
	a, b, c, d := out[:m], out[m:2*m], out[2*m:3*m], out[3*m:4*m]
	for k := range a {
		at := k * stride
		w, x, y, z := a[k], b[k]*p.roots[at], c[k]*p.roots[2*at], d[k]*p.roots[3*at]
		even, odd := w+y, w-y
		sum, diff := x+z, x-z
		turned := complex(imag(diff), -real(diff)) // times -i
		a[k], b[k], c[k], d[k] = even+sum, odd+turned, even-sum, odd-turned
	}
}

// combine joins f transforms of m elements for any f.
func (p *fftPlan) combine(out []complex128, m, f, stride int) {
	parts, turns := p.sums[:f], p.sums[largestFactor:largestFactor+f]
	for q := range turns {
		turns[q] = p.roots[q*p.n/f]
	}
	for k := range m {
		for q := range parts {
			parts[q] = out[q*m+k] * p.roots[q*k*stride]
		}
		for j := range f {
			sum, at := parts[0], 0
			for _, x := range parts[1:] {
				if at += j; at >= f {
					at -= f
				}
				sum += x * turns[at]
			}
			out[j*m+k] = sum
		}
	}
}
