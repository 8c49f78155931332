package kernel

import "unsafe"

// KeyedBy is one key of a sort and where it reads: b has an element for each of the sorted arrays.
type KeyedBy struct {
	SortKey
	Data []byte
}

// Sorter sorts the rows of arrays that go together.
type Sorter struct {
	Rows
	Width []int64 // of the elements of each array
	// NewLess makes the comparator of the row that begins at an element, for one task. It is asked if there are no keys
	// and for rows whose keys have no order.
	NewLess func(start int64) Less
}

// Sort sorts src into dst, array by array, which do not overlap: by keys, the first one most.
func (s *Sorter) Sort(dst, src [][]byte, keys []KeyedBy, p Parallel) {
	if s.N == 0 || s.Count == 0 {
		return
	}
	part := max(1, (1<<14)/s.N)
	inner := p
	if s.Count > 1 {
		inner = Serial
	}
	p(ceilDiv(s.Count, part), func(task int64) {
		w := sortWork{s: s, perm: make([]int32, s.N), spare: make([]int32, s.N)}
		if len(keys) > 0 {
			w.ranks, w.rankSpare = make([]Ranked, s.N), make([]Ranked, s.N)
		}
		for i := task * part; i < min(s.Count, (task+1)*part); i++ {
			w.row(s.Start(i), keys, inner)
			for k := range dst {
				permutes[log2(s.Width[k])](dst[k], src[k], s.Start(i), s.Stride, w.perm)
			}
		}
	})
}

// sortWork is the memory of a task.
type sortWork struct {
	s                *Sorter
	perm, spare      []int32
	ranks, rankSpare []Ranked
}

// row finds the order of the row that begins at start.
func (w *sortWork) row(start int64, keys []KeyedBy, p Parallel) {
	if len(keys) > 0 && w.byKeys(start, keys) {
		return
	}
	for i := range w.perm {
		w.perm[i] = int32(i)
	}
	mergeParallel(w.perm, w.spare, func() Less { return w.s.NewLess(start) }, p)
}

// byKeys sorts by each key, the last one first. It reports whether they have an order.
func (w *sortWork) byKeys(start int64, keys []KeyedBy) bool {
	v := w.ranks
	for i := range v {
		v[i].Index = int32(i)
	}
	for i := len(keys) - 1; i >= 0; i-- {
		k := keys[i]
		if !k.Keys(v, k.Data, start, w.s.Stride) {
			return false
		}
		spare := w.rankSpare
		if &v[0] == &spare[0] {
			spare = w.ranks
		}
		v = sortRanked(v, spare, k.bits())
	}
	for i := range v {
		w.perm[i] = v[i].Index
	}
	return true
}

// permutes make element j of the row at start the one that was at perm[j], by the logarithm of the width.
var permutes = [...]func(dst, src []byte, start, stride int64, perm []int32){
	permute[uint8], permute[uint16], permute[uint32], permute[uint64], permute[[2]uint64],
}

func permute[T word](dst, src []byte, start, stride int64, perm []int32) {
	width := int64(unsafe.Sizeof(*new(T)))
	to, from := unsafe.Pointer(&dst[start*width]), unsafe.Pointer(&src[start*width])
	for j, p := range perm {
		*at[T](to, int64(j)*stride*width) = *at[T](from, int64(p)*stride*width)
	}
}
