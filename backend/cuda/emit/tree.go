package emit

import "fmt"

// tree combines what the lanes of a line have, neighbours first, so that the order of elements is kept. Lane 0 has it
// then, and where lines are warps the first of each.
func (p *linePass) tree(begin, end string) {
	switch {
	case p.lanes == 1:
	case p.byWarps():
		p.warpTree(p.active(begin, end))
	default:
		p.sharedTree(p.active(begin, end))
	}
}

// byWarps reports whether the lanes of a line are neighbours in warps, all of which are whole.
func (p *linePass) byWarps() bool { return !p.byColumn && p.lanes*p.width%32 == 0 }

// sharedValues is how many values of an accumulator a block has in shared memory for its tree.
func (p *linePass) sharedValues() int64 {
	switch {
	case p.lanes == 1 || p.byWarps() && p.lanes <= 32:
		return 0
	case p.byWarps():
		return p.lanes / 32 * p.width
	}
	return p.lanes * p.width
}

// warpTree combines by shuffles, and what several warps of a line have once more in each of these.
func (p *linePass) warpTree(active string) {
	b := p.b
	p.shuffles(min(p.lanes, 32), fmt.Sprintf("lane %% (2 * s) == 0 && lane + s < %s", active))
	if p.lanes <= 32 {
		return
	}
	warps := p.lanes / 32
	b.open("if (lane %% 32 == 0) {")
	p.eachShared(func(acc, shared string) { b.line("%s[line * %d + lane / 32] = %s;", shared, warps, acc) })
	b.close("}")
	b.line("__syncthreads();")
	p.eachShared(func(acc, shared string) { b.line("%s = %s[line * %d + lane %% %d];", acc, shared, warps, warps) })
	p.shuffles(warps, fmt.Sprintf("lane %% (2 * s) == 0 && (lane %% 32 + s) * 32 < %s", active))
}

// eachShared does something with each accumulator and its shared memory.
func (p *linePass) eachShared(do func(acc, shared string)) {
	for n := range p.acc {
		for i, acc := range p.acc[n] {
			do(acc.text, p.shared[n][i])
		}
	}
}

// shuffles combines what n neighbours in a warp have; where the order counts those for which a condition holds, which
// have elements.
func (p *linePass) shuffles(n int64, condition string) {
	b := p.b
	b.rounds("#pragma unroll", fmt.Sprintf("for (s32 s = 1; s < %d; s *= 2) {", n), func() {
		elements := make([][]value, len(p.r.list))
		for n, x := range p.r.list {
			for i, t := range x.types {
				elements[n] = append(elements[n], b.frozen(t, fmt.Sprintf("lane_down(%s, s)", p.acc[n][i].text)))
			}
		}
		if !p.ordered() {
			p.foldAll(elements, "")
			return
		}
		b.open("if (%s) {", condition)
		p.foldAll(elements, "")
		b.close("}")
	})
}

// sharedTree combines through shared memory.
func (p *linePass) sharedTree(active string) {
	b := p.b
	step := int64(1)
	if p.byColumn {
		step = p.width
	}
	b.line("#pragma unroll")
	b.open("for (s32 s = 1; s < %d; s *= 2) {", p.lanes)
	p.eachShared(func(acc, shared string) { b.line("%s[threadIdx.x] = %s;", shared, acc) })
	b.line("__syncthreads();")
	b.open("if (lane %% (2 * s) == 0 && lane + s < %s) {", active)
	elements := make([][]value, len(p.r.list))
	for n, x := range p.r.list {
		for i, t := range x.types {
			elements[n] = append(elements[n], b.frozen(t, fmt.Sprintf("%s[threadIdx.x + s * %d]", p.shared[n][i], step)))
		}
	}
	p.foldAll(elements, "")
	b.close("}")
	b.line("__syncthreads();")
	b.close("}")
}
