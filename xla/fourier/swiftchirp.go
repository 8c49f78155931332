package fourier

import "math"

// smoothFactors are the odd parts of the lengths of convolutions.
var smoothFactors = []int{1, 3, 5, 7, 9, 15, 25, 27}

// convolution returns the length of the cheapest convolution that transforms n elements, so many of which are a vector,
// and what it costs: cost is that of a transform.
func (s Swift[T]) convolution(n, lanes int, cost func(n int) float64) (m int, least float64) {
	least = math.Inf(1)
	for _, f := range smoothFactors {
		l := f * s.Lanes // so that vectors are full
		for l < 2*n-1 || l < s.Lanes*s.Lanes {
			l *= 2
		}
		if c := 2*cost(l) + sweepCost*float64(2*n+l)/float64(lanes); c < least {
			m, least = l, c
		}
	}
	return m, least
}

// chirp appends {m, plan, wave, kernel}, of the convolution of columns, and returns what it works in.
func (s Swift[T]) chirp(k *packer[T], n int) (at, work int64) {
	m, _ := s.convolution(n, 1, s.passes)
	plan, work := s.plain(k, m)
	wave, kernel := chirpTables[T](k, n, m)
	return add(&k.data, []int64{int64(m), plan, wave, kernel}), int64(m) + work
}

// chirpTables appends w(k) = exp(-pi i k*k/n) for k < n, and the transform of m numbers of those of 1/w(k) and 1/w(-k)
// over m.
func chirpTables[T Number](k *packer[T], n, m int) (wave, kernel int64) {
	roots, square := newRootTable[float64](2*n), 0 // i*i mod 2n
	waves, around := make([]Pair[float64], n), make([]Pair[float64], m)
	for i := range n {
		w := roots.at(square, 2*n)
		square = (square + 2*i + 1) % (2 * n)
		waves[i], around[i] = w.conj(), w.Scale(1/float64(m))
		if i > 0 {
			around[m-i] = around[i]
		}
	}
	NewPlan[float64](m).Transform(around, true)
	return add(&k.data, rounded[T](waves)), add(&k.data, rounded[T](around))
}

func rounded[T Number](v []Pair[float64]) []Pair[T] {
	out := make([]Pair[T], len(v))
	for i, w := range v {
		out[i] = Pair[T]{T(w.Re), T(w.Im)}
	}
	return out
}
