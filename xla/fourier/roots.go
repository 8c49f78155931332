package fourier

import "math"

// Number is what a transform computes in: the type of the parts of its operand or result.
type Number interface{ float32 | float64 }

// Pair is a complex number. Every product and sum is rounded to T: the conversions forbid a fused multiply-add, so that
// all machines give the same bits.
type Pair[T Number] struct{ Re, Im T }

func (a Pair[T]) plus(b Pair[T]) Pair[T]  { return Pair[T]{a.Re + b.Re, a.Im + b.Im} }
func (a Pair[T]) minus(b Pair[T]) Pair[T] { return Pair[T]{a.Re - b.Re, a.Im - b.Im} }

// Scale returns a times a number.
func (a Pair[T]) Scale(by T) Pair[T] { return Pair[T]{T(a.Re * by), T(a.Im * by)} }
func (a Pair[T]) conj() Pair[T]      { return Pair[T]{a.Re, -a.Im} }

// turn returns a times w, or, forward, a times the conjugate of w.
func (a Pair[T]) turn(w Pair[T], forward bool) Pair[T] {
	if forward {
		return Pair[T]{T(a.Re*w.Re) + T(a.Im*w.Im), T(a.Im*w.Re) - T(a.Re*w.Im)}
	}
	return Pair[T]{T(a.Re*w.Re) - T(a.Im*w.Im), T(a.Re*w.Im) + T(a.Im*w.Re)}
}

// quarter returns a times i, or, forward, a times -i.
func (a Pair[T]) quarter(forward bool) Pair[T] {
	if forward {
		return Pair[T]{a.Im, -a.Re}
	}
	return Pair[T]{-a.Im, a.Re}
}

// rootTable gives the roots of unity exp(2 pi i k/n). Each is the product in float64 of one of the first 2^shift roots
// and one of every 2^shift-th: two tables of about sqrt(n/2) numbers. In float32 the product is as good as correctly
// rounded; in float64 its last bit is part of the answers that are to be met.
type rootTable[T Number] struct {
	n, shift     int
	fine, coarse []Pair[float64]
}

func newRootTable[T Number](n int) *rootTable[T] {
	r := &rootTable[T]{n: n, shift: 1}
	count := (n + 2) / 2
	for 1<<(2*r.shift) < count {
		r.shift++
	}
	size := 1 << r.shift
	eighth := quarterPi.over(float64(n)).hi
	r.fine, r.coarse = make([]Pair[float64], size), make([]Pair[float64], (count+size-1)/size)
	for k := range r.fine {
		r.fine[k] = unitRoot(k, n, twofold{hi: eighth})
	}
	for k := range r.coarse {
		r.coarse[k] = unitRoot(k*size, n, twofold{hi: eighth})
	}
	return r
}

// at returns root k of n, with n a divisor of the count of roots and 0 <= k < n.
func (r *rootTable[T]) at(k, n int) Pair[T] {
	k *= r.n / n
	mirrored := 2*k > r.n
	if mirrored {
		k = r.n - k
	}
	w := r.fine[k&(1<<r.shift-1)].turn(r.coarse[k>>r.shift], false)
	if mirrored {
		w = w.conj()
	}
	return Pair[T]{T(w.Re), T(w.Im)}
}

// exactRoot returns exp(2 pi i k/n), correctly rounded.
func exactRoot[T Number](k, n int) Pair[T] {
	w := unitRoot(k, n, quarterPi.over(float64(n)))
	return Pair[T]{T(w.Re), T(w.Im)}
}

// unitRoot returns exp(2 pi i k/n), computed in the first octant; eighth is pi/4/n, as exact as the angle shall be.
func unitRoot(k, n int, eighth twofold) Pair[float64] {
	octant, rest := 8*k/n%8, 8*k%n // the angle is octant*45 degrees and rest/n of 45
	if octant%2 == 1 {
		rest = n - rest
	}
	angle := eighth.times(twofold{hi: float64(rest)})
	if eighth.lo == 0 {
		angle.lo = 0
	}
	s, c := angle.sincos()
	if octant%4 == 1 || octant%4 == 2 {
		s, c = c, s
	}
	if octant >= 2 && octant < 6 {
		c = -c
	}
	if octant >= 4 {
		s = -s
	}
	return Pair[float64]{c, s}
}

// twofold is the unevaluated sum of two float64, good for about 100 bits: with it sines come out correctly rounded.
type twofold struct{ hi, lo float64 }

var quarterPi = twofold{math.Pi / 4, 0x1.1a62633145c07p-55}

// settle moves into hi what fits there, for |hi| >= |lo|.
func (a twofold) settle() twofold {
	s := a.hi + a.lo
	return twofold{s, a.lo - (s - a.hi)}
}

func (a twofold) times(b twofold) twofold {
	p := float64(a.hi * b.hi)
	return twofold{p, math.FMA(a.hi, b.hi, -p) + (float64(a.hi*b.lo) + float64(a.lo*b.hi))}.settle()
}

func (a twofold) over(d float64) twofold {
	q := a.hi / d
	return twofold{q, (math.FMA(-q, d, a.hi) + a.lo) / d}.settle()
}

// sincos returns the sine and cosine of an angle from 0 to pi/4, by their series.
func (a twofold) sincos() (sin, cos float64) {
	square := a.times(a)
	return a.times(square.series(3)).hi, square.series(2).hi
}

// series returns 1 - x/(k(k-1)) (1 - x/((k+2)(k+1)) (1 - ...)) of x = a.
func (a twofold) series(k int) twofold {
	sum := twofold{hi: 1}
	for m := k + 24; m >= k; m -= 2 {
		t := a.times(sum).over(float64(m * (m - 1)))
		hi := 1 - t.hi
		sum = twofold{hi, (1 - hi - t.hi) - t.lo}.settle()
	}
	return sum
}
