package fourier

import "math"

// butterfly is the transform of a few elements, not scaled, in place.
type butterfly[T Number] interface {
	Transform(v []Pair[T], forward bool)
}

// The largest primes that are summed by the formula; a convolution does more.
const (
	largestOdd     = 109
	largestRealOdd = 133
)

// newButterfly returns the transform of a number of elements that is 2, 4, 8 or an odd prime, as part of a plan that
// takes its roots from roots.
func newButterfly[T Number](n int, roots *rootTable[T], ofReals bool) butterfly[T] {
	switch {
	case n == 2:
		return butterfly2[T]{}
	case n == 4:
		return butterfly4[T]{}
	case n == 8:
		return butterfly8[T]{T(math.Sqrt2 / 2)}
	case n > largestOdd && !ofReals || n > largestRealOdd:
		return newChirp(n, roots)
	}
	return newOddButterfly(n, roots, ofReals)
}

type butterfly2[T Number] struct{}

func (butterfly2[T]) Transform(v []Pair[T], _ bool) {
	v[0], v[1] = v[0].plus(v[1]), v[0].minus(v[1])
}

type butterfly4[T Number] struct{}

func (butterfly4[T]) Transform(v []Pair[T], forward bool) {
	even, odd := v[0].plus(v[2]), v[0].minus(v[2])
	sum, diff := v[1].plus(v[3]), v[1].minus(v[3]).quarter(forward)
	v[0], v[1], v[2], v[3] = even.plus(sum), odd.plus(diff), even.minus(sum), odd.minus(diff)
}

type butterfly8[T Number] struct {
	half T // the sine of 45 degrees
}

func (b butterfly8[T]) Transform(v []Pair[T], forward bool) {
	even := [4]Pair[T]{v[0], v[2], v[4], v[6]}
	odd := [4]Pair[T]{v[1], v[3], v[5], v[7]}
	butterfly4[T]{}.Transform(even[:], forward)
	butterfly4[T]{}.Transform(odd[:], forward)
	odd[1] = b.eighth(odd[1], forward)
	odd[2] = odd[2].quarter(forward)
	odd[3] = b.eighth(odd[3], forward).quarter(forward)
	for k := range even {
		v[k], v[k+4] = even[k].plus(odd[k]), even[k].minus(odd[k])
	}
}

// eighth turns a by 45 degrees.
func (b butterfly8[T]) eighth(a Pair[T], forward bool) Pair[T] {
	return a.plus(a.quarter(forward)).Scale(b.half)
}

// oddButterfly sums an odd number n of elements by the formula, with elements j and n-j taken together: their sum meets
// the cosines, their difference the sines.
type oddButterfly[T Number] struct {
	waves       []Pair[T] // exp(2 pi i k/n)
	groups      []int     // sizes of the groups of pairs whose products are summed before they are added to the total
	sums, diffs []Pair[T] // at j from 1 to n/2
}

func newOddButterfly[T Number](n int, roots *rootTable[T], ofReals bool) *oddButterfly[T] {
	half := n / 2
	b := &oddButterfly[T]{waves: make([]Pair[T], n), sums: make([]Pair[T], half+1), diffs: make([]Pair[T], half+1)}
	small := n <= 5 || !ofReals && (n == 7 || n == 11)
	for k := range b.waves {
		if small {
			b.waves[k] = exactRoot[T](k, n)
		} else {
			b.waves[k] = roots.at(k, n)
		}
	}
	if small {
		b.groups = []int{half}
		return b
	}
	b.groups = []int{2}
	rest, size := half-2, 2
	if ofReals {
		size = 4
	}
	for ; size > 0; size /= 2 {
		for ; rest >= size; rest -= size {
			b.groups = append(b.groups, size)
		}
	}
	return b
}

func (b *oddButterfly[T]) Transform(v []Pair[T], forward bool) {
	n, half := len(v), len(v)/2
	total := v[0]
	for j := 1; j <= half; j++ {
		b.sums[j], b.diffs[j] = v[j].plus(v[n-j]), v[j].minus(v[n-j])
		total = total.plus(b.sums[j])
	}
	b.sums[0], v[0] = v[0], total
	for k := 1; k <= half; k++ {
		even, odd := b.sum(k)
		odd = odd.quarter(forward)
		v[k], v[n-k] = even.plus(odd), even.minus(odd)
	}
}

// sum returns the sum of cosines times sums, and of sines times differences, of result k.
func (b *oddButterfly[T]) sum(k int) (even, odd Pair[T]) {
	n, at, j := len(b.waves), k, 2
	even = b.sums[0].plus(b.sums[1].Scale(b.waves[k].Re))
	odd = b.diffs[1].Scale(b.waves[k].Im)
	for g, size := range b.groups {
		var c, s Pair[T]
		for i := range size {
			if g == 0 && i == 0 {
				continue
			}
			if at += k; at >= n {
				at -= n
			}
			x, y := b.sums[j].Scale(b.waves[at].Re), b.diffs[j].Scale(b.waves[at].Im)
			j++
			switch {
			case g == 0:
				even, odd = even.plus(x), odd.plus(y)
			case i == 0:
				c, s = x, y
			default:
				c, s = c.plus(x), s.plus(y)
			}
		}
		if g > 0 {
			even, odd = even.plus(c), odd.plus(s)
		}
	}
	return even, odd
}

// chirp transforms by Bluestein's convolution, through a transform of more elements whose count has small factors.
type chirp[T Number] struct {
	inner        *Plan[T]
	wave, kernel []Pair[T] // exp(pi i k*k/n), and the first half of the transform of it, which is scaled and even
	work         []Pair[T]
}

func newChirp[T Number](n int, roots *rootTable[T]) *chirp[T] {
	if roots.n%(2*n) != 0 {
		roots = newRootTable[T](2 * n)
	}
	m := smoothAtLeast(2*n - 1)
	b := &chirp[T]{inner: NewPlan[T](m), wave: make([]Pair[T], n), work: make([]Pair[T], m)}
	scale, square := 1/T(m), 0 // k*k mod 2n
	for k := range n {
		b.wave[k] = roots.at(square, 2*n)
		square = (square + 2*k + 1) % (2 * n)
		b.work[k] = b.wave[k].Scale(scale)
		if k > 0 {
			b.work[m-k] = b.work[k]
		}
	}
	b.inner.Transform(b.work, true)
	b.kernel = append(b.kernel, b.work[:m/2+1]...)
	return b
}

func (b *chirp[T]) Transform(v []Pair[T], forward bool) {
	for k, c := range v {
		b.work[k] = c.turn(b.wave[k], forward)
	}
	zero := b.work[0].Scale(0) // not a number if the elements are not
	for k := len(v); k < len(b.work); k++ {
		b.work[k] = zero
	}
	b.inner.Transform(b.work, true)
	for k, c := range b.work {
		b.work[k] = c.turn(b.kernel[min(k, len(b.work)-k)], !forward)
	}
	b.inner.Transform(b.work, false)
	for k := range v {
		v[k] = b.work[k].turn(b.wave[k], forward)
	}
}

// smoothAtLeast returns the least number from n on with no prime factor above 11.
func smoothAtLeast(n int) int {
	for ; ; n++ {
		rest := n
		for _, p := range []int{2, 3, 5, 7, 11} {
			for rest%p == 0 {
				rest /= p
			}
		}
		if rest == 1 {
			return n
		}
	}
}
