package kernel

// fewLanes is how many batch indices make it worth while to compute them side by side.
const fewLanes = 8

// lanes returns a contractor that has batch indices side by side, nil where tiles are better. It is for depthwise
// convolutions and their like: one row of rhs for each batch index, and batch indices that are neighbours in memory.
func (t *tiling[T]) lanes() *Contractor {
	if t.n != 1 || t.m == 1 && t.k > 64 || t.b < fewLanes || t.c.LHS.Batch.run() != t.b {
		return nil
	}
	rows := max(taskTerms/(t.b*max(t.k, 1)), 1)
	return &Contractor{ceilDiv(int64(t.m), int64(rows)), func(out, lhs, rhs []byte, task int64) {
		t.runLanes(out, lhs, rhs, int(task)*rows, min((int(task)+1)*rows, t.m))
	}}
}

func (t *tiling[T]) runLanes(out, lhs, rhs []byte, from, to int) {
	terms := t.k * t.copies
	weights, work := make([]T, t.b*terms), make([]T, t.b*(t.copies+1)+t.copies)
	x, sums, one := work[:t.b*t.copies], work[t.b*t.copies:][:t.b], work[t.b*(t.copies+1):]
	for k, o := range t.rk {
		for b, first := range t.rb { // transposed: the lanes of a term are neighbours
			t.rhs(one, rhs, t.c.RHS.First+first+o, zeroOffset, 1)
			for c, v := range one {
				weights[(k*t.copies+c)*t.b+b] = v
			}
		}
	}
	run := t.b
	if t.copies > 1 {
		run = 1
	}
	for i := from; i < to; i++ {
		clear(sums)
		for k, o := range t.lk {
			t.lhs(x, lhs, t.c.LHS.First+t.lm[i]+o, t.lb, run)
			for b := range sums {
				for c := range t.copies {
					sums[b] += x[b*t.copies+c] * weights[(k*t.copies+c)*t.b+b]
				}
			}
		}
		t.store(out, sums, t.c.Out.First+t.om[i], t.ob, gcd(t.c.Out.Batch.run(), t.b))
	}
}

var zeroOffset = []int{0}
