package hlo

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// lines are the rows of an array along one dimension: n elements, stride apart.
type lines struct{ n, stride, count int64 }

func linesOf(dims []int64, dim int) lines {
	l := lines{n: 1, stride: 1, count: 1}
	for d, n := range dims {
		switch {
		case d == dim:
			l.n = n
		case d > dim:
			l.stride *= n
		}
		if d != dim {
			l.count *= n
		}
	}
	return l
}

// start returns the position of the first element of row i.
func (l lines) start(i int64) int64 { return i/l.stride*l.stride*l.n + i%l.stride }

func evalSort(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := in.Attrs.(*SortAttrs)
	dims := args[0].Shape().Dims
	dim, err := a.dim(len(dims))
	if err != nil {
		return nil, err
	}
	out := make([]*literal.Literal, len(args))
	for i, l := range args {
		if out[i], err = e.array(l.Shape()); err != nil {
			return nil, err
		}
	}
	rows := linesOf(dims, dim)
	if rows.n > math.MaxInt32 {
		return nil, fmt.Errorf("sorted dimension %d of %v has more elements than can be sorted", dim, args[0].Shape())
	}
	if rows.n > 0 && rows.count > 0 {
		order, err := e.sorter(a.ToApply, args, rows)
		if err != nil {
			return nil, err
		}
		for i := range rows.count {
			perm, err := order(rows.start(i))
			if err != nil {
				return nil, err
			}
			for k, l := range args {
				permuteRow(out[k], l, rows.start(i), rows.stride, perm)
			}
		}
	}
	if len(out) == 1 && !in.Shape.IsTuple() {
		return out[0], nil
	}
	return literal.NewTuple(out...), nil
}

// permuteRow makes element j of the row at start the one that was at perm[j].
func permuteRow(dst, src *literal.Literal, start, stride int64, perm []int32) {
	switch src.Shape().Type.Bytes() {
	case 1:
		permuteRowOf[uint8](dst, src, start, stride, perm)
	case 2:
		permuteRowOf[uint16](dst, src, start, stride, perm)
	case 4:
		permuteRowOf[uint32](dst, src, start, stride, perm)
	case 8:
		permuteRowOf[uint64](dst, src, start, stride, perm)
	default:
		permuteRowOf[[2]uint64](dst, src, start, stride, perm)
	}
}

func permuteRowOf[T any](dst, src *literal.Literal, start, stride int64, perm []int32) {
	to, from := itemsOf[T](dst.Bytes()), itemsOf[T](src.Bytes())
	for j, p := range perm {
		to[start+int64(j)*stride] = from[start+int64(p)*stride]
	}
}

// rowOrder returns the order of the elements of the row that starts at a position: which one comes first, second, ...
type rowOrder func(start int64) ([]int32, error)

// sorter returns the function that orders rows by the comparator c: quickly if c compares one key of each side.
func (e *Evaluator) sorter(c *Computation, args []*literal.Literal, rows lines) (rowOrder, error) {
	wide := make([]literal.Wide, len(args))
	for i, l := range args {
		wide[i] = l.Wide()
	}
	ap, err := e.applier(c)
	if err != nil {
		return nil, err
	}
	slow := e.compareSorter(ap, wide, rows)
	if k, ok := keyOf(c, c.Root); ok {
		return e.keySorter(k, wide, rows, slow)
	}
	return slow, nil
}

// compareSorter orders rows by asking the comparator about pairs.
func (e *Evaluator) compareSorter(ap *applier, wide []literal.Wide, rows lines) rowOrder {
	in, out := make([]Cell, 2*len(wide)), make([]Cell, 1)
	perm, spare := make([]int32, rows.n), make([]int32, rows.n)
	round := 0
	return func(start int64) ([]int32, error) {
		var failed error
		less := func(a, b int32) bool {
			if failed != nil {
				return false
			}
			for i, w := range wide {
				in[2*i] = cellAt(w, int(start+int64(a)*rows.stride))
				in[2*i+1] = cellAt(w, int(start+int64(b)*rows.stride))
			}
			if failed = ap.apply(in, out); failed == nil {
				failed = e.poll(round)
			}
			round++
			return out[0].I != 0
		}
		for i := range perm {
			perm[i] = int32(i)
		}
		mergeSort(perm, spare, less)
		return perm, failed
	}
}

// mergeSort sorts v stably. It ends and stays in bounds whatever less says.
func mergeSort(v, spare []int32, less func(a, b int32) bool) {
	if len(v) <= 8 {
		for i := range v {
			for j := i; j > 0 && less(v[j], v[j-1]); j-- {
				v[j], v[j-1] = v[j-1], v[j]
			}
		}
		return
	}
	half := len(v) / 2
	mergeSort(v[:half], spare, less)
	mergeSort(v[half:], spare, less)
	if !less(v[half], v[half-1]) {
		return
	}
	left := spare[:copy(spare, v[:half])]
	i, j := 0, half
	for k := range v {
		if i == len(left) {
			return
		}
		if j < len(v) && less(v[j], left[i]) {
			v[k] = v[j]
			j++
		} else {
			v[k] = left[i]
			i++
		}
	}
}

// keySorter orders rows by one key of each element. A key without order, NaN in an ordinary comparison, needs slow.
func (e *Evaluator) keySorter(k SortKey, wide []literal.Wide, rows lines, slow rowOrder) (rowOrder, error) {
	ap, err := e.applier(k.Of)
	if err != nil || ap.plain != nil {
		return slow, err
	}
	in, out := make([]Cell, 2*len(wide)), make([]Cell, 1)
	keys, perm := make([]rank, rows.n), make([]int32, rows.n)
	round := 0
	return func(start int64) ([]int32, error) {
		for j := range keys {
			for i, w := range wide {
				in[2*i] = cellAt(w, int(start+int64(j)*rows.stride))
				in[2*i+1] = in[2*i]
			}
			if err := ap.apply(in, out); err != nil {
				return nil, err
			}
			key, ok := orderKey(k.Of.Root.Shape.Type, out[0], k.Total)
			if !ok {
				return slow(start)
			}
			if k.Descending {
				key = ^key
			}
			keys[j] = rank{key, int32(j)}
			if err := e.poll(round); err != nil {
				return nil, err
			}
			round++
		}
		sortRanks(keys, perm)
		return perm, nil
	}, nil
}

// rank is an element's place among others: by key, then by index.
type rank struct {
	key   uint64
	index int32
}

func sortRanks(ranks []rank, perm []int32) {
	slices.SortFunc(ranks, func(a, b rank) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return cmp.Compare(a.index, b.index)
	})
	for j := range perm {
		perm[j] = ranks[j].index
	}
}

// orderKey returns a number that orders as c does among values of type t; total says that floats are in total order
// (row 49). It fails for a NaN that has no order.
func orderKey(t shape.ElementType, c Cell, total bool) (uint64, bool) {
	const sign = 1 << 63
	switch t.Class() {
	case shape.SignedClass:
		return uint64(c.I) ^ sign, true
	case shape.FloatClass:
		if !total && math.IsNaN(c.F) {
			return 0, false
		}
		if !total && c.F == 0 {
			c.F = 0 // -0 equals +0
		}
		if b := math.Float64bits(c.F); b&sign != 0 {
			return ^b, true
		} else {
			return b | sign, true
		}
	}
	return uint64(c.I), true
}

func evalTopK(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a, s := in.Attrs.(*TopKAttrs), args[0].Shape()
	rows, k := linesOf(s.Dims, len(s.Dims)-1), a.K
	values, err := e.array(in.Shape.Elems[0])
	if err != nil {
		return nil, err
	}
	places := literal.MakeWide(shape.SignedClass, int(rows.count*k))
	w, keys, perm := args[0].Wide(), make([]rank, rows.n), make([]int32, k)
	width := int64(s.Type.Bytes())
	for i := range rows.count {
		for j := range keys {
			key, _ := orderKey(s.Type, cellAt(w, int(i*rows.n)+j), true)
			if a.Largest {
				key = ^key
			}
			keys[j] = rank{key, int32(j)}
		}
		sortRanks(keys, perm)
		for j, p := range perm {
			to, from := (i*k+int64(j))*width, (i*rows.n+int64(p))*width
			copy(values.Bytes()[to:to+width], args[0].Bytes()[from:])
			places.I[i*k+int64(j)] = int64(p)
		}
		if err := e.tick(); err != nil {
			return nil, err
		}
	}
	return literal.NewTuple(values, literal.FromWide(in.Shape.Elems[1], places)), nil
}
