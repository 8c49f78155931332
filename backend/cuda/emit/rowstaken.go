package emit

import "fmt"

// How many elements of a row a thread may take, so that it computes each once and keeps what all reductions and results
// want of it in registers, and how many instructions a fusion may have for all of them: threads have so many registers.
const (
	mostTaken    = 4
	longestTaken = 128
)

// take says which row a thread works on and, where it takes few elements, where these are. What is computed outside of
// loops and blocks is known from then on. A thread without a row or an element computes the last one's and keeps that
// to itself.
func (f *rowFusion) take(p *linePass) {
	b := f.b
	count := ceil(f.length, p.lanes)
	if f.ordered() || count > mostTaken || count*int64(len(f.c.Instructions)) > longestTaken {
		b.line("const %s row = (%s)blockIdx.x * %d + line;", b.ix, b.ix, p.width)
		return
	}
	if f.rows%p.width == 0 {
		b.line("const %s row = (%s)blockIdx.x * %d + line;", b.ix, b.ix, p.width)
	} else {
		b.line("const %s own = (%s)blockIdx.x * %d + line, row = x_min(own, (%s)%d);", b.ix, b.ix, p.width, b.ix, f.rows-1)
	}
	for k := range count {
		at := plus("lane", num(k*p.lanes))
		if (k+1)*p.lanes > f.length {
			at = fmt.Sprintf("x_min(%s, %d)", at, f.length-1)
		}
		f.taken = append(f.taken, b.integer(at))
	}
	for _, x := range f.c.Parameters { // all that is to be read for all rows is asked for at once
		if x.Shape.IsScalar() {
			f.g.at(x, scalar())
		}
	}
}

// ordered reports whether a reduction of rows depends on the order of their elements.
func (f *rowFusion) ordered() bool {
	for _, in := range f.reduces {
		r := &reductions{}
		r.add(in, 0)
		if (&linePass{r: r}).ordered() {
			return true
		}
	}
	return false
}

// takenElements are the elements of a reduction that a thread takes; none if it takes too many.
func (f *rowFusion) takenElements(p *linePass, x reduction) (list [][]value) {
	for _, j := range f.taken {
		list = append(list, p.element(x, 0, "row", j))
	}
	return list
}

// condition says when a thread has its element number k; it is "" if it has always.
func (f *rowFusion) condition(p *linePass, k int) string {
	var list []string
	if f.rows%p.width != 0 {
		list = append(list, fmt.Sprintf("own < %d", f.rows))
	}
	if int64(k+1)*p.lanes > f.length {
		list = append(list, fmt.Sprintf("%s < %d", plus("lane", num(int64(k)*p.lanes)), f.length))
	}
	return joined(list)
}

// fold folds what a thread has taken into its accumulator.
func (f *rowFusion) fold(p *linePass, x reduction, elements [][]value) {
	for k, v := range elements {
		f.where(f.condition(p, k), func() { f.b.fold(x.c, p.acc[0], v) })
	}
}

// where writes what is done under a condition, or always if it is "".
func (f *rowFusion) where(condition string, write func()) {
	if condition == "" {
		write()
		return
	}
	f.b.open("if (%s) {", condition)
	write()
	f.b.close("}")
}

// takenResults stores the results of what a thread has taken, and the first of a row what there is for all of it.
func (f *rowFusion) takenResults(p *linePass) {
	n := f.rows * f.length
	for k, j := range f.taken {
		ix := f.place(j)
		list, leaf := f.values(ix, n)
		f.where(f.condition(p, k), func() {
			for i, v := range list {
				f.b.store(Buffer{Result, leaf[i]}, f.b.flat(ix), v)
			}
		})
	}
	first := "lane == 0"
	if f.rows%p.width != 0 {
		first += fmt.Sprintf(" && own < %d", f.rows)
	}
	f.b.open("if (%s) {", first)
	f.store(f.leadPlace(), f.rows)
	f.b.close("}")
}
