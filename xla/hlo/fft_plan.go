package hlo

import "slices"

// fftPlan is a transform of complex numbers in passes, one per factor of the length.
type fftPlan[T fftNumber] struct {
	passes []fftPass[T]
	work   []pair[T]
}

// longestPlain is the longest transform in one row of passes; a longer one is two of about the square root.
const longestPlain = 10000

func newFFTPlan[T fftNumber](n int) *fftPlan[T] { return newInnerPlan(n, newFFTRoots[T](n)) }

// newInnerPlan returns a plan that takes its roots from those of a larger one.
func newInnerPlan[T fftNumber](n int, roots *fftRoots[T]) *fftPlan[T] {
	p := &fftPlan[T]{work: make([]pair[T], n)}
	factors := fftFactors(n, 8)
	if n <= longestPlain || len(factors) == 1 {
		done := 1
		for _, f := range factors {
			p.passes = append(p.passes, newFFTPass(f, done, n/f/done, newButterfly(f, roots, false), roots))
			done *= f
		}
		return p
	}
	a, b := balance(factors)
	p.passes = []fftPass[T]{
		newFFTPass(a, 1, b, butterflyOf(a, roots), roots), newFFTPass(b, a, 1, butterflyOf(b, roots), roots),
	}
	return p
}

// butterflyOf returns the transform of n elements, of one factor or of several.
func butterflyOf[T fftNumber](n int, roots *fftRoots[T]) butterfly[T] {
	if len(fftFactors(n, 8)) == 1 {
		return newButterfly(n, roots, false)
	}
	return newInnerPlan(n, roots)
}

// fftFactors splits n into eights (if largest is 8), fours, a two, which goes first, and odd primes.
func fftFactors(n, largest int) []int {
	var out []int
	for f := largest; f >= 4; f /= 2 {
		for ; n%f == 0; n /= f {
			out = append(out, f)
		}
	}
	if n%2 == 0 {
		out = append(out, 2)
		out[0], out[len(out)-1] = 2, out[0]
		n /= 2
	}
	for f := 3; f*f <= n; f += 2 {
		for ; n%f == 0; n /= f {
			out = append(out, f)
		}
	}
	if n > 1 {
		out = append(out, n)
	}
	return out
}

// balance multiplies the prime factors up, the largest first, to two numbers that are about equal.
func balance(factors []int) (a, b int) {
	var primes []int
	for _, f := range factors {
		for ; f%2 == 0 && f > 2; f /= 2 {
			primes = append(primes, 2)
		}
		primes = append(primes, f)
	}
	slices.Sort(primes)
	a, b = 1, 1
	for _, f := range slices.Backward(primes) {
		if a > b {
			b *= f
		} else {
			a *= f
		}
	}
	return a, b
}

// transform replaces v by its transform, not scaled.
func (p *fftPlan[T]) transform(v []pair[T], forward bool) {
	in, out := v, p.work
	for i := range p.passes {
		p.passes[i].run(in, out, forward)
		in, out = out, in
	}
	if len(p.passes)%2 == 1 {
		copy(v, in)
	}
}

// fftPass is one pass: before it, transforms of done elements each; after it, of radix times as many.
type fftPass[T fftNumber] struct {
	radix, done, rest int
	turns             []pair[T] // of element j and column i, at (j-1)*(rest-1)+i-1
	b                 butterfly[T]
	v                 []pair[T]
}

func newFFTPass[T fftNumber](radix, done, rest int, b butterfly[T], roots *fftRoots[T]) fftPass[T] {
	p := fftPass[T]{radix: radix, done: done, rest: rest, b: b, v: make([]pair[T], radix)}
	for j := 1; j < radix; j++ {
		for i := 1; i < rest; i++ {
			p.turns = append(p.turns, roots.at(j*done*i, radix*done*rest))
		}
	}
	return p
}

// run transforms from in[k, j, i] to out[j, k, i], where j < radix, k < done and i < rest.
func (p *fftPass[T]) run(in, out []pair[T], forward bool) {
	for k := range p.done {
		for i := range p.rest {
			for j := range p.v {
				p.v[j] = in[i+p.rest*(j+p.radix*k)]
			}
			p.b.transform(p.v, forward)
			out[i+p.rest*k] = p.v[0]
			for j := 1; j < p.radix; j++ {
				w := p.v[j]
				if i > 0 {
					w = w.turn(p.turns[(j-1)*(p.rest-1)+i-1], forward)
				}
				out[i+p.rest*(k+p.done*j)] = w
			}
		}
	}
}
