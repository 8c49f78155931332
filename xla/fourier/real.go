package fourier

import (
	"math"
	"slices"
)

// RealPlan is a transform between reals and the first half of their spectrum. The half spectrum of n reals is kept in n
// numbers: the real part of the first element, then real and imaginary part of each; the last part, if n is even, is
// real and alone.
type RealPlan[T Number] struct {
	passes []realPass[T] // in the order of the way back; forward they run the other way round
	work   []T

	pairs *Plan[T]  // if n is folded: the transform of n/2 pairs of reals taken as complex numbers
	turns []Pair[T] // exp(2 pi i k/n), for k up to n/4
	folds []Pair[T]
}

// longestReal is the longest even transform that is never one of half as many complex numbers; a longer one is, if it
// has a factor above largestFold or is longer than longestPlain.
const (
	longestReal = 1000
	largestFold = 5
)

// folds reports whether a real transform of n elements is one of n/2 complex numbers.
func folds(n int) bool {
	return n%2 == 0 && n > longestReal && (n > longestPlain || slices.Max(factors(n, 4)) > largestFold)
}

// NewRealPlan returns the plan of transforms of n reals, from 1 on.
func NewRealPlan[T Number](n int) *RealPlan[T] {
	p, roots := &RealPlan[T]{work: make([]T, n)}, newRootTable[T](n)
	if folds(n) {
		p.pairs, p.folds = NewPlan[T](n/2), make([]Pair[T], n/2)
		for k := range n/4 + 1 {
			p.turns = append(p.turns, roots.at(k, n))
		}
		return p
	}
	done := 1
	for _, f := range factors(n, 4) {
		p.passes = append(p.passes, newRealPass(f, done, n/f/done, roots))
		done *= f
	}
	return p
}

// Transform replaces n reals in v by the half spectrum, or, not forward, the reverse; neither is scaled.
func (p *RealPlan[T]) Transform(v []T, forward bool) {
	switch {
	case p.pairs != nil && forward:
		p.unfold(v)
	case p.pairs != nil:
		p.fold(v)
	case forward:
		in, out := v, p.work
		for _, s := range slices.Backward(p.passes) {
			s.forward(in, out)
			in, out = out, in
		}
		p.settle(v, in)
	default:
		in, out := v, p.work
		for _, s := range p.passes {
			s.back(in, out)
			in, out = out, in
		}
		p.settle(v, in)
	}
}

func (p *RealPlan[T]) settle(v, result []T) {
	if len(p.passes)%2 == 1 {
		copy(v, result)
	}
}

// unfold transforms forward: the spectra of the elements at even and at odd places are the even and the odd part of
// that of the pairs.
func (p *RealPlan[T]) unfold(v []T) {
	f := p.folds
	for k := range f {
		f[k] = Pair[T]{v[2*k], v[2*k+1]}
	}
	p.pairs.Transform(f, true)
	n, half := len(v), len(f)
	v[0], v[n-1] = f[0].Re+f[0].Im, f[0].Re-f[0].Im
	for a, b := 1, half-1; a <= b; a, b = a+1, b-1 {
		even := f[a].plus(f[b].conj())
		odd := Pair[T]{f[a].Im + f[b].Im, f[b].Re - f[a].Re}.turn(p.turns[a], true)
		v[2*a-1], v[2*a] = (even.Re+odd.Re)/2, (even.Im+odd.Im)/2
		v[2*b-1], v[2*b] = (even.Re-odd.Re)/2, (odd.Im-even.Im)/2
	}
}

// fold transforms back: unfold reversed.
func (p *RealPlan[T]) fold(v []T) {
	f := p.folds
	n, half := len(v), len(f)
	f[0] = Pair[T]{v[0] + v[n-1], v[0] - v[n-1]}
	for a, b := 1, half-1; a <= b; a, b = a+1, b-1 {
		x, y := Pair[T]{v[2*a-1], v[2*a]}, Pair[T]{v[2*b-1], -v[2*b]}
		even, odd := x.plus(y), x.minus(y).turn(p.turns[a], false)
		f[a] = Pair[T]{even.Re - odd.Im, even.Im + odd.Re}
		f[b] = Pair[T]{even.Re + odd.Im, odd.Re - even.Im}
	}
	p.pairs.Transform(f, false)
	for k, c := range f {
		v[2*k], v[2*k+1] = c.Re, c.Im
	}
}

// realPass is one pass: transforms of done spectra each become, on the way back, transforms of radix times as many.
type realPass[T Number] struct {
	radix, done, rest int
	turns             []Pair[T] // of element j and column i, at (j-1)*((rest-1)/2)+i-1
	b                 butterfly[T]
	v                 []Pair[T]
	half, root2       T // half the square root of 2, and it
}

func newRealPass[T Number](radix, done, rest int, roots *rootTable[T]) realPass[T] {
	p := realPass[T]{radix: radix, done: done, rest: rest, b: newButterfly(radix, roots, true)}
	p.v, p.half, p.root2 = make([]Pair[T], radix), T(math.Sqrt2/2), T(math.Sqrt2)
	for j := 1; j < radix; j++ {
		for i := 1; i <= (rest-1)/2; i++ {
			p.turns = append(p.turns, roots.at(j*done*i, radix*done*rest))
		}
	}
	return p
}

func (p *realPass[T]) turnOf(j, i int) Pair[T] { return p.turns[(j-1)*((p.rest-1)/2)+i-1] }

// forward joins radix half spectra of rest numbers, in[j, k, rest], to one, out[k, radix*rest].
func (p *realPass[T]) forward(in, out []T) {
	n, rest := p.radix, p.rest
	for k := range p.done {
		to := out[k*n*rest : (k+1)*n*rest]
		from := func(i, j int) T { return in[i+rest*(k+p.done*j)] }
		for j := range p.v {
			p.v[j] = Pair[T]{from(0, j), 0}
		}
		p.b.Transform(p.v, true)
		to[0] = p.v[0].Re
		for j := 1; 2*j <= n; j++ {
			to[2*j*rest-1] = p.v[j].Re
			if 2*j < n {
				to[2*j*rest] = p.v[j].Im
			}
		}
		for i := 1; 2*i < rest; i++ {
			p.v[0] = Pair[T]{from(2*i-1, 0), from(2*i, 0)}
			for j := 1; j < n; j++ {
				p.v[j] = Pair[T]{from(2*i-1, j), from(2*i, j)}.turn(p.turnOf(j, i), true)
			}
			p.b.Transform(p.v, true)
			p.store(to, i)
		}
		if rest%2 == 0 {
			p.middleForward(to, func(j int) T { return from(rest-1, j) })
		}
	}
}

// store puts the elements of column i of a spectrum to their places, those of its upper half mirrored.
func (p *realPass[T]) store(to []T, i int) {
	for j, c := range p.v {
		at := 2*j*p.rest + 2*i
		if 2*j >= p.radix {
			at, c = 2*(p.radix-j)*p.rest-2*i, c.conj()
		}
		to[at-1], to[at] = c.Re, c.Im
	}
}

// middleForward does the column at half the frequency, a real one; radix is 2 or 4.
func (p *realPass[T]) middleForward(to []T, from func(j int) T) {
	rest := p.rest
	if p.radix == 2 {
		to[rest-1], to[rest] = from(0), -from(1)
		return
	}
	i, r := T(-p.half*(from(1)+from(3))), T(p.half*(from(1)-from(3)))
	to[rest-1], to[3*rest-1] = from(0)+r, from(0)-r
	to[3*rest], to[rest] = i+from(2), i-from(2)
}

// back is forward reversed: from in[k, radix*rest] to out[j, k, rest].
func (p *realPass[T]) back(in, out []T) {
	n, rest := p.radix, p.rest
	for k := range p.done {
		from := in[k*n*rest : (k+1)*n*rest]
		p.v[0] = Pair[T]{from[0], 0}
		for j := 1; 2*j <= n; j++ {
			c := Pair[T]{from[2*j*rest-1], 0}
			if 2*j < n {
				c.Im = from[2*j*rest]
			}
			p.v[j], p.v[n-j] = c, c.conj()
		}
		p.b.Transform(p.v, false)
		for j, c := range p.v {
			out[rest*(k+p.done*j)] = c.Re
		}
		for i := 1; 2*i < rest; i++ {
			p.load(from, i)
			p.b.Transform(p.v, false)
			for j, c := range p.v {
				if j > 0 {
					c = c.turn(p.turnOf(j, i), false)
				}
				at := rest*(k+p.done*j) + 2*i
				out[at-1], out[at] = c.Re, c.Im
			}
		}
		if rest%2 == 0 {
			p.middleBack(from, func(j int) *T { return &out[rest*(k+p.done*j)+rest-1] })
		}
	}
}

// load is store reversed.
func (p *realPass[T]) load(from []T, i int) {
	for j := range p.v {
		if 2*j < p.radix {
			at := 2*j*p.rest + 2*i
			p.v[j] = Pair[T]{from[at-1], from[at]}
		} else {
			at := 2*(p.radix-j)*p.rest - 2*i
			p.v[j] = Pair[T]{from[at-1], -from[at]}
		}
	}
}

// middleBack is middleForward reversed.
func (p *realPass[T]) middleBack(from []T, to func(j int) *T) {
	rest := p.rest
	if p.radix == 2 {
		*to(0), *to(1) = 2*from[rest-1], -2*from[rest]
		return
	}
	i1, i2 := from[3*rest]+from[rest], from[3*rest]-from[rest]
	r1, r2 := from[rest-1]-from[3*rest-1], from[rest-1]+from[3*rest-1]
	*to(0), *to(2) = 2*r2, 2*i2
	*to(1), *to(3) = T(p.root2*(r1-i1)), T(-p.root2*(r1+i1))
}
