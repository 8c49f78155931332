package fourier

import "slices"

// Plan is a transform of complex numbers in passes, one per factor of the length. It has memory to work in: one
// goroutine uses it at a time.
type Plan[T Number] struct {
	passes []pass[T]
	work   []Pair[T]
}

// longestPlain is the longest transform in one row of passes; a longer one is two of about the square root.
const longestPlain = 10000

// NewPlan returns the plan of transforms of n numbers, from 1 on.
func NewPlan[T Number](n int) *Plan[T] { return newInnerPlan(n, newRootTable[T](n)) }

// newInnerPlan returns a plan that takes its roots from those of a larger one.
func newInnerPlan[T Number](n int, roots *rootTable[T]) *Plan[T] {
	p := &Plan[T]{work: make([]Pair[T], n)}
	fs := factors(n, 8)
	if n <= longestPlain || len(fs) == 1 {
		done := 1
		for _, f := range fs {
			p.passes = append(p.passes, newPass(f, done, n/f/done, newButterfly(f, roots, false), roots))
			done *= f
		}
		return p
	}
	a, b := balance(fs)
	p.passes = []pass[T]{
		newPass(a, 1, b, butterflyOf(a, roots), roots), newPass(b, a, 1, butterflyOf(b, roots), roots),
	}
	return p
}

// butterflyOf returns the transform of n elements, of one factor or of several.
func butterflyOf[T Number](n int, roots *rootTable[T]) butterfly[T] {
	if len(factors(n, 8)) == 1 {
		return newButterfly(n, roots, false)
	}
	return newInnerPlan(n, roots)
}

// factors splits n into eights (if largest is 8), fours, a two, which goes first, and odd primes.
func factors(n, largest int) []int {
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

// Transform replaces v, as many numbers as the plan is for, by its transform or, not forward, by the reverse; neither
// is scaled.
func (p *Plan[T]) Transform(v []Pair[T], forward bool) {
	in, out := v, p.work
	for i := range p.passes {
		p.passes[i].run(in, out, forward)
		in, out = out, in
	}
	if len(p.passes)%2 == 1 {
		copy(v, in)
	}
}

// pass is one pass: before it, transforms of done elements each; after it, of radix times as many.
type pass[T Number] struct {
	radix, done, rest int
	turns             []Pair[T] // of element j and column i, at (j-1)*(rest-1)+i-1
	b                 butterfly[T]
	v                 []Pair[T]
}

func newPass[T Number](radix, done, rest int, b butterfly[T], roots *rootTable[T]) pass[T] {
	p := pass[T]{radix: radix, done: done, rest: rest, b: b, v: make([]Pair[T], radix)}
	for j := 1; j < radix; j++ {
		for i := 1; i < rest; i++ {
			p.turns = append(p.turns, roots.at(j*done*i, radix*done*rest))
		}
	}
	return p
}

// run transforms from in[k, j, i] to out[j, k, i], where j < radix, k < done and i < rest.
func (p *pass[T]) run(in, out []Pair[T], forward bool) {
	for k := range p.done {
		for i := range p.rest {
			for j := range p.v {
				p.v[j] = in[i+p.rest*(j+p.radix*k)]
			}
			p.b.Transform(p.v, forward)
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
