package fourier

import "math"

// Swift packs plans whose arithmetic is free within the error of the type: butterflies of up to Radix elements, and of
// primes up to Prime, on Lanes lines at once. cgo/loops/fft/swift.h has the structs.
type Swift[T Number] struct{ Lanes, Radix, Prime int }

// swiftCosts are about what an element costs in a pass of each radix, spreadCost what it costs between columns and
// rows, sweepCost what a product of each element with a number of a table does.
var swiftCosts = map[int]float64{2: 3, 3: 4, 4: 4, 5: 6, 7: 8, 8: 5, 9: 6.5, 16: 7.5}

const (
	spreadCost = 5
	sweepCost  = 4
)

// passCost is about what an element costs in a pass of a radix: that of a prime above 7 is summed by the formula.
func passCost(radix int) float64 {
	if c, ok := swiftCosts[radix]; ok {
		return c
	}
	return 6 + 0.55*float64(radix)
}

// radices splits n in passes, odd primes first, then those of twos, about equal; false if it has a prime factor that is
// too large.
func (s Swift[T]) radices(n int) (out []int, ok bool) {
	bits := 0
	for ; n%2 == 0; n /= 2 {
		bits++
	}
	for ; n%9 == 0; n /= 9 {
		out = append(out, 9)
	}
	for _, f := range factors(n, 4) {
		if f > s.Prime {
			return nil, false
		}
		out = append(out, f)
	}
	most := int(math.Log2(float64(s.Radix)))
	for passes := (bits + most - 1) / most; passes > 0; passes-- {
		out = append(out, 1<<(bits/passes))
		bits -= bits / passes
	}
	return out, true
}

// passes is about what the transform of n elements in passes costs, infinite if there is none.
func (s Swift[T]) passes(n int) float64 {
	fs, ok := s.radices(n)
	if !ok {
		return math.Inf(1)
	}
	c := 0.0
	for _, f := range fs {
		c += passCost(f)
	}
	return c * float64(n)
}

// cost is about what the cheapest transform of n elements costs.
func (s Swift[T]) cost(n int) float64 {
	_, c := s.convolution(n, 1, s.passes)
	return min(s.passes(n), c)
}

// groups is how many groups of Lanes n lines are.
func (s Swift[T]) groups(n int) float64 { return float64((n + s.Lanes - 1) / s.Lanes) }

// split returns the cheapest a and b whose product is n, both of Lanes elements at least, and what they cost. Of two
// alike, it takes those that work in less memory.
func (s Swift[T]) split(n int) (a, b int, least float64) {
	least = math.Inf(1)
	try := func(x, y int) {
		c := s.groups(y)*(s.passes(x)+spreadCost*float64(x)) + s.groups(x)*s.passes(y)
		if c *= 1 + 0.05*math.Abs(math.Log2(float64(x)/float64(y))); c < least {
			least, a, b = c, x, y
		}
	}
	for x := s.Lanes; x*x <= n; x++ {
		if n%x == 0 {
			try(x, n/x)
			try(n/x, x)
		}
	}
	return a, b, least
}

// PackColumns returns the plan of n elements, 2 at least, as data.
func (s Swift[T]) PackColumns(n int) Packed {
	k := &packer[T]{data: make([]byte, alignment)}
	root, work := s.columns(k, n)
	return Packed{k.data, root, work}
}

// columns appends {n, passes, list, chirp} and returns what it works in.
func (s Swift[T]) columns(k *packer[T], n int) (at, work int64) {
	if s.cost(n) < s.passes(n) {
		chirp, work := s.chirp(k, n)
		return add(&k.data, []int64{int64(n), 0, 0, chirp}), work
	}
	return s.plain(k, n)
}

// plain appends columns that are transformed in passes.
func (s Swift[T]) plain(k *packer[T], n int) (at, work int64) {
	fs, _ := s.radices(n)
	table := newRootTable[T](n)
	var list []int64
	done := 1
	for _, f := range fs {
		rest := n / f / done
		roots := make([]Pair[T], 0, rest*(f-1))
		for i := range rest {
			for j := 1; j < f; j++ {
				roots = append(roots, table.at(j*done*i, n).conj())
			}
		}
		list = append(list, int64(f), int64(done), int64(rest), add(&k.data, roots), waves[T](k, f))
		done *= f
	}
	return add(&k.data, []int64{int64(n), int64(len(fs)), add(&k.data, list), 0}), 2 * int64(n)
}

// waves appends exp(-2 pi i j k/n), with k and j from 1 to n/2, of a prime above 7.
func waves[T Number](k *packer[T], n int) int64 {
	if _, ok := swiftCosts[n]; ok {
		return 0
	}
	table, half := newRootTable[T](n), n/2
	out := make([]Pair[T], 0, half*half)
	for i := 1; i <= half; i++ {
		for j := 1; j <= half; j++ {
			out = append(out, table.at(i*j%n, n).conj())
		}
	}
	return add(&k.data, out)
}
