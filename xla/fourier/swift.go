package fourier

import "math"

// Swift packs plans whose arithmetic is free within the error of the type: butterflies of up to Radix elements on Lanes
// lines at once. cgo/loops/fft/swift.h has the structs.
type Swift[T Number] struct{ Lanes, Radix int }

// swiftCosts are about what an element costs in a pass of each radix, spreadCost what it costs between columns and
// rows.
var swiftCosts = map[int]float64{2: 3, 3: 4, 4: 4, 5: 6, 7: 8, 8: 5, 16: 7.5}

const spreadCost = 5

// radices splits n in passes, small ones first, those of twos about equal; false if it has a prime factor that has no
// butterfly.
func (s Swift[T]) radices(n int) (out []int, ok bool) {
	for _, f := range []int{3, 5, 7} {
		for ; n%f == 0; n /= f {
			out = append(out, f)
		}
	}
	bits := 0
	for ; n%2 == 0; n /= 2 {
		bits++
	}
	most := int(math.Log2(float64(s.Radix)))
	for passes := (bits + most - 1) / most; passes > 0; passes-- {
		out = append(out, 1<<(bits/passes))
		bits -= bits / passes
	}
	return out, n == 1
}

// cost is about what the transform of n elements costs.
func (s Swift[T]) cost(n int) float64 {
	c := 0.0
	fs, _ := s.radices(n)
	for _, f := range fs {
		c += swiftCosts[f]
	}
	return c * float64(n)
}

// split returns the cheapest a and b whose product is n, both of Lanes elements at least, and what they cost. Of two
// alike, it takes those that work in less memory.
func (s Swift[T]) split(n int) (a, b int, least float64) {
	least = math.Inf(1)
	if _, ok := s.radices(n); !ok {
		return 0, 0, least
	}
	groups := func(n int) float64 { return float64((n + s.Lanes - 1) / s.Lanes) }
	for x := s.Lanes; x <= n/s.Lanes; x++ {
		if n%x != 0 {
			continue
		}
		y := n / x
		c := groups(y)*(s.cost(x)+spreadCost*float64(x)) + groups(x)*s.cost(y)
		if c *= 1 + 0.05*math.Abs(math.Log2(float64(x)/float64(y))); c < least {
			least, a, b = c, x, y
		}
	}
	return a, b, least
}

// PackColumns returns the plan of n elements as data; false if there is none.
func (s Swift[T]) PackColumns(n int) (Packed, bool) {
	if _, ok := s.radices(n); !ok || n < 2 {
		return Packed{}, false
	}
	k := &packer[T]{data: make([]byte, alignment)}
	root := s.columns(k, n)
	return Packed{k.data, root, 2 * int64(n)}, true
}

// columns appends {n, passes, list}.
func (s Swift[T]) columns(k *packer[T], n int) int64 {
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
		list = append(list, int64(f), int64(done), int64(rest), add(&k.data, roots))
		done *= f
	}
	return add(&k.data, []int64{int64(n), int64(len(fs)), add(&k.data, list)})
}

// SwiftLine is the plan of a line of A*B complex numbers, of B if Together lines become columns.
type SwiftLine struct {
	Packed
	A, B     int64
	Together bool
}

// directTurns is the longest line that has a turn for each element; a longer one has products of two.
const directTurns = 1 << 14

// mostTogether is the longest line that becomes a column beside others: longer ones do not stay in the first cache.
const mostTogether = 512

// PackLine returns the plan of one of some lines of n numbers as data; they are reals if real. False if there is none.
func (s Swift[T]) PackLine(n, lines int, real bool) (SwiftLine, bool) {
	m := n
	if real {
		m = n / 2
	}
	_, smooth := s.radices(m)
	if !smooth || real && (n%2 != 0 || m/2 < s.Lanes) {
		return SwiftLine{}, false
	}
	a, b, cost := s.split(m)
	together := lines >= s.Lanes && m <= mostTogether && s.cost(m)+2*spreadCost*float64(m) < cost*float64(s.Lanes)
	if together {
		a, b = 1, m
	}
	if a == 0 {
		return SwiftLine{}, false
	}
	k := &packer[T]{data: make([]byte, alignment)}
	list := []int64{int64(a), int64(b), 0, s.columns(k, b), 0, 0, 0, halves[T](k, n, real)}
	if !together {
		list[2] = s.columns(k, a)
		list[4], list[5], list[6] = s.turns(k, a, b)
	}
	root := add(&k.data, list)
	return SwiftLine{Packed{k.data, root, 2 * int64(max(a, b))}, int64(a), int64(b), together}, true
}

// turns appends the turns between columns and rows: for each group of columns so many vectors, real parts first. Those
// of a long line are for the first results of the last pass and then for its elements, 1 if they are products.
func (s Swift[T]) turns(k *packer[T], a, b int) (at, count, products int64) {
	var results []int // that have a turn
	low := a
	if a*b > directTurns {
		fs, _ := s.radices(a)
		low, products = a/fs[len(fs)-1], 1
	}
	for i := range low {
		results = append(results, i)
	}
	for i := 0; products > 0 && i < a; i += low {
		results = append(results, i)
	}
	table, lanes := newRootTable[T](a*b), s.Lanes
	out := make([]T, 0, 2*(b+lanes)*len(results))
	for g := 0; g < b; g += lanes {
		first := min(g, b-lanes)
		for _, r := range results {
			at := len(out)
			out = out[:at+2*lanes]
			for l := range lanes {
				w := table.at((first+l)*r, a*b)
				out[at+l], out[at+lanes+l] = w.Re, -w.Im
			}
		}
	}
	return add(&k.data, out), int64(len(results)), products
}

// halves appends exp(-2 pi i (k/n + 1/4))/2 for k from 0 to n/4, for a real line.
func halves[T Number](k *packer[T], n int, real bool) int64 {
	if !real {
		return 0
	}
	table, out := newRootTable[T](n), make([]Pair[T], n/4+1)
	for i := range out {
		w := table.at(i, n)
		out[i] = Pair[T]{-w.Im / 2, -w.Re / 2}
	}
	return add(&k.data, out)
}
