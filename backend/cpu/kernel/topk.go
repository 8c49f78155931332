package kernel

import (
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// TopK puts the k largest elements of each row of src, or the smallest, into values, best first, and their places in
// the row into places. src has rows of n elements of type t; floats are in total order, and of equal elements the first
// comes first.
func TopK(t shape.ElementType, values []byte, places []int32, src []byte, n, k int64, largest bool, p Parallel) {
	if n == 0 || k == 0 || len(src) == 0 {
		return
	}
	width := int64(t.Bytes())
	rows := int64(len(src)) / (n * width)
	key := SortKey{Type: t, Total: true, Descending: largest}
	part := max(1, (1<<13)/n)
	p(ceilDiv(rows, part), func(task int64) {
		v := make([]Ranked, n)
		for i := task * part; i < min(rows, (task+1)*part); i++ {
			for j := range v {
				v[j].Index = int32(j)
			}
			key.Keys(v, src, i*n, 1)
			for j, r := range best(v, int(k)) {
				at := i*k + int64(j)
				places[at] = r.Index
				copy(values[at*width:(at+1)*width], src[(i*n+int64(r.Index))*width:])
			}
		}
	})
}

// best returns the k first of v in the order of keys, then of places. It keeps a heap of them, the last one on top.
func best(v []Ranked, k int) []Ranked {
	heap := slices.Clone(v[:k])
	for i := k/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
	for _, r := range v[k:] {
		if r.Key < heap[0].Key {
			heap[0] = r
			sink(heap, 0)
		}
	}
	slices.SortFunc(heap, func(a, b Ranked) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return heap
}

func (r Ranked) before(o Ranked) bool { return r.Key < o.Key || r.Key == o.Key && r.Index < o.Index }

// sink moves element i down to its place in the heap.
func sink(heap []Ranked, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && heap[child].before(heap[child+1]) {
			child++
		}
		if !heap[i].before(heap[child]) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
