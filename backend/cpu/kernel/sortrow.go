package kernel

// sortRanked sorts v stably by the low bits of the keys. It returns the sorted elements, in v or in spare, which is as
// long.
func sortRanked(v, spare []Ranked, bits int) []Ranked {
	if len(v) <= 256 {
		mergeRanked(v, spare)
		return v
	}
	digit := 11
	if bits <= 16 {
		digit = 8
	}
	for low := 0; low < bits; low += digit {
		if radixPass(spare, v, low, digit) {
			v, spare = spare, v
		}
	}
	return v
}

// radixPass sorts src by digit bits of the keys from bit low on into dst. It reports whether it did: elements that have
// all the same digit stay where they are.
func radixPass(dst, src []Ranked, low, digit int) bool {
	var count [1 << 11]int
	mask := uint64(1)<<digit - 1
	for i := range src {
		count[src[i].Key>>low&mask]++
	}
	if count[src[0].Key>>low&mask] == len(src) {
		return false
	}
	sum := 0
	for d := range count[:mask+1] {
		count[d], sum = sum, sum+count[d]
	}
	for i := range src {
		d := src[i].Key >> low & mask
		dst[count[d]] = src[i]
		count[d]++
	}
	return true
}

// mergeRanked sorts v stably by keys.
func mergeRanked(v, spare []Ranked) {
	if len(v) <= 12 {
		for i := range v {
			x, j := v[i], i
			for ; j > 0 && x.Key < v[j-1].Key; j-- {
				v[j] = v[j-1]
			}
			v[j] = x
		}
		return
	}
	half := len(v) / 2
	mergeRanked(v[:half], spare)
	mergeRanked(v[half:], spare)
	left := spare[:copy(spare, v[:half])]
	i, j := 0, half
	for k := range v {
		if i == len(left) {
			return
		}
		if j < len(v) && v[j].Key < left[i].Key {
			v[k] = v[j]
			j++
		} else {
			v[k] = left[i]
			i++
		}
	}
}

// Less says whether the element at index a of a row comes before the one at index b.
type Less func(a, b int32) bool

// mergeBy sorts v stably by less. It ends and stays in bounds whatever less says, and its steps are those of the
// reference, so that its result is the same even where less is no order.
func mergeBy(v, spare []int32, less Less) {
	if len(v) <= 8 {
		for i := range v {
			for j := i; j > 0 && less(v[j], v[j-1]); j-- {
				v[j], v[j-1] = v[j-1], v[j]
			}
		}
		return
	}
	half := len(v) / 2
	mergeBy(v[:half], spare, less)
	mergeBy(v[half:], spare[half:], less)
	mergeHalves(v, spare, less)
}

// mergeHalves merges the sorted halves of v.
func mergeHalves(v, spare []int32, less Less) {
	half := len(v) / 2
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

// mergeTasks is the length from which on a row is sorted by less in several tasks.
const mergeTasks = 1 << 13

// mergeParallel is mergeBy in tasks: the halves of the halves at once, level by level. newLess makes what a task
// compares by.
func mergeParallel(v, spare []int32, newLess func() Less, p Parallel) {
	levels := 0
	for len(v)>>levels > mergeTasks && levels < 5 {
		levels++
	}
	parts := halves(len(v), levels)
	p(int64(len(parts)), func(i int64) { mergeBy(v[parts[i][0]:parts[i][1]], spare[parts[i][0]:parts[i][1]], newLess()) })
	for l := levels - 1; l >= 0; l-- {
		parts := halves(len(v), l)
		p(int64(len(parts)), func(i int64) {
			mergeHalves(v[parts[i][0]:parts[i][1]], spare[parts[i][0]:parts[i][1]], newLess())
		})
	}
}

// halves cuts 0 to n into halves, levels times.
func halves(n, levels int) [][2]int {
	parts := [][2]int{{0, n}}
	for range levels {
		var next [][2]int
		for _, p := range parts {
			middle := p[0] + (p[1]-p[0])/2
			next = append(next, [2]int{p[0], middle}, [2]int{middle, p[1]})
		}
		parts = next
	}
	return parts
}
