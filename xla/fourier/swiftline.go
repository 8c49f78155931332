package fourier

// SwiftLine is the plan of a line of A*B complex numbers, of B if Together lines become columns.
type SwiftLine struct {
	Packed
	A, B     int64
	Together bool
	Cost     float64 // about what each of the lines costs
	// Own is how many complex numbers, besides what groups of columns become, a line lies in between.
	Own int64
}

// directTurns is the longest line that has a turn for each element; a longer one has products of two.
const directTurns = 1 << 14

// mostTogether is the longest line that becomes a column beside others: longer ones do not stay in the first cache.
const mostTogether = 512

// lineForm is how a line is transformed: through a*b numbers if it is convolved, else it has as many.
type lineForm struct {
	a, b                int
	together, convolved bool
	cost                float64
}

// lineForm returns the cheapest form of one of some lines of n complex numbers.
func (s Swift[T]) lineForm(n, lines int) lineForm {
	a, b, cost := s.split(n)
	f := lineForm{a: a, b: b, cost: cost}
	m, cost := s.convolution(n, s.Lanes, func(m int) float64 {
		_, _, c := s.split(m)
		return c
	})
	if cost < f.cost {
		a, b, _ := s.split(m)
		f = lineForm{a: a, b: b, convolved: true, cost: cost}
	}
	if n > mostTogether {
		return f
	}
	if c := (s.cost(n) + 2*spreadCost*float64(n)) / float64(min(lines, s.Lanes)); c < f.cost {
		f = lineForm{a: 1, b: n, together: true, cost: c}
	}
	return f
}

// PackLine returns the plan of one of some lines of n numbers, which are reals if real, as data. Reals are folded to
// half as many complex numbers if they are of an even count, else they are taken as complex numbers.
func (s Swift[T]) PackLine(n, lines int, real bool) SwiftLine {
	m, folded := n, real && n%2 == 0
	if folded {
		m = n / 2
	}
	f := s.lineForm(m, lines)
	k := &packer[T]{data: make([]byte, alignment)}
	l := SwiftLine{A: int64(f.a), B: int64(f.b), Together: f.together, Cost: f.cost}
	list := []int64{l.A, l.B, 0, 0, 0, 0, 0, halves[T](k, n, folded), int64(m), 0, 0}
	if f.together {
		list[3], l.Work = s.columns(k, f.b)
	} else {
		list[2], _ = s.plain(k, f.a)
		list[3], _ = s.plain(k, f.b)
		l.Work = 2 * max(l.A, l.B)
		list[4], list[5], list[6] = s.turns(k, f.a, f.b)
	}
	if f.convolved {
		list[9], list[10] = chirpTables[T](k, m, f.a*f.b)
		l.Own += l.A * l.B
	}
	if real {
		l.Own += int64(m)
	}
	l.Root = add(&k.data, list)
	l.Data = k.data
	return l
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

// halves appends exp(-2 pi i (k/n + 1/4))/2 for k from 0 to n/4, for a folded line.
func halves[T Number](k *packer[T], n int, folded bool) int64 {
	if !folded {
		return 0
	}
	table, out := newRootTable[T](n), make([]Pair[T], n/4+1)
	for i := range out {
		w := table.at(i, n)
		out[i] = Pair[T]{-w.Im / 2, -w.Re / 2}
	}
	return add(&k.data, out)
}
