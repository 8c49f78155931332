package hlo

// tap is an element of a window that lies on an element of the operand: their positions.
type tap struct{ window, operand int }

// tapRun is n taps at equal distances, beginning with tap.
type tapRun struct {
	tap
	n    int
	step tap
}

// taps returns for each place of the window on a dimension of size n the taps in the order of the operand; the numbers
// are multiplied by the strides. Reversal turns the window around. Padding and holes have no tap.
func (w WindowDim) taps(n, windowStride, operandStride int64) []tapRun {
	places, err := w.slide(n)
	if err != nil {
		panic("hlo: bug: " + err.Error())
	}
	out := make([]tapRun, places)
	base, dilation := orOne(w.BaseDilation), orOne(w.WindowDilation)
	g := gcd(base, dilation)
	for o := range out {
		first := int64(o)*orOne(w.Stride) - w.PadLow
		low, high := max(0, -floorDiv(-first, base)), min(n-1, floorDiv(first+(w.Size-1)*dilation, base))
		for low <= high && (low*base-first)%dilation != 0 {
			low++
		}
		if low > high {
			continue
		}
		k, dk := (low*base-first)/dilation, base/g
		if w.Reversal {
			k, dk = w.Size-1-k, -dk
		}
		out[o] = tapRun{
			tap{int(k * windowStride), int(low * operandStride)}, int((high-low)/(dilation/g)) + 1,
			tap{int(dk * windowStride), int(dilation / g * operandStride)},
		}
	}
	return out
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// floorDiv returns a/b rounded down, for positive b.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// taps returns the runs of taps along each dimension of an operand with the sizes dims.
func (w Window) taps(dims, windowStrides, operandStrides []int64) [][]tapRun {
	out := make([][]tapRun, len(w))
	for d := range w {
		out[d] = w[d].taps(dims[d], windowStrides[d], operandStrides[d])
	}
	return out
}

// appendTaps appends to buf the taps at the place whose runs along each dimension are given, in row-major order.
func appendTaps(buf []tap, at tap, runs []tapRun) []tap {
	if len(runs) == 0 {
		return append(buf, at)
	}
	r := runs[0]
	at.window, at.operand = at.window+r.window, at.operand+r.operand
	for range r.n {
		buf = appendTaps(buf, at, runs[1:])
		at.window, at.operand = at.window+r.step.window, at.operand+r.step.operand
	}
	return buf
}

// places goes through all places of a window, in row-major order but for one dimension that may be fastest.
type places struct {
	runs    [][]tapRun
	strides []int // of the result
	order   []int // dimensions, slowest first
	index   []int
	here    []tapRun // the runs at index
	at      int      // position in the result
	more    bool
}

// newPlaces returns the first place; dimension fastest is the fastest, the last one if it is -1.
func newPlaces(runs [][]tapRun, fastest int) *places {
	p := &places{runs: runs, strides: make([]int, len(runs)), index: make([]int, len(runs)),
		here: make([]tapRun, len(runs)), more: true}
	n := 1
	for d := len(runs) - 1; d >= 0; d-- {
		p.strides[d] = n
		n *= len(runs[d])
	}
	if n == 0 {
		p.more = false
		return p
	}
	for d, r := range runs {
		p.here[d] = r[0]
		if d != fastest {
			p.order = append(p.order, d)
		}
	}
	if fastest >= 0 {
		p.order = append(p.order, fastest)
	}
	return p
}

func (p *places) next() {
	for i := len(p.order) - 1; i >= 0; i-- {
		d := p.order[i]
		p.index[d]++
		p.at += p.strides[d]
		if p.index[d] < len(p.runs[d]) {
			p.here[d] = p.runs[d][p.index[d]]
			return
		}
		p.at -= p.strides[d] * p.index[d]
		p.index[d] = 0
		p.here[d] = p.runs[d][0]
	}
	p.more = false
}

// growing returns a dimension along which every window begins where the one before begins and has its elements and
// maybe more, as in running sums, or -1.
func growing(runs [][]tapRun) int {
	for d, r := range runs {
		grows := len(r) > 1
		for i := 1; i < len(r) && grows; i++ {
			grows = r[i-1].n > 0 && r[i].operand == r[i-1].operand && r[i].n >= r[i-1].n && r[i].step == r[i-1].step
		}
		if grows {
			return d
		}
	}
	return -1
}

// grown returns what the window here has more than the window last, which must be the first elements of here in
// row-major order; false if they are not.
func grown(rest, here, last []tapRun) bool {
	copy(rest, here)
	single := true // all dimensions so far have one element
	for d, r := range here {
		if r == last[d] {
			single = single && r.n == 1
			continue
		}
		if !single || last[d].n == 0 || r.operand != last[d].operand || r.step != last[d].step || r.n < last[d].n {
			return false
		}
		n := last[d].n
		rest[d].window, rest[d].operand = r.window+n*r.step.window, r.operand+n*r.step.operand
		rest[d].n = r.n - n
		return equalRuns(here[d+1:], last[d+1:])
	}
	return false
}

func equalRuns(a, b []tapRun) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
