package exec

import (
	"context"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
)

// briefCost is the sum of bytes and floating-point operations up to which a program is brief: at the pace of the
// slowest kernels, 50 ns each, it takes 7 ms.
const briefCost = 1 << 17

// lasting are the ops whose time bytes and operations do not tell; besides them, all last that may wait.
var lasting = [hlo.NumOps]bool{
	hlo.AsyncStart: true, hlo.Map: true, hlo.ReduceWindow: true, hlo.Scatter: true, hlo.SelectAndScatter: true,
	hlo.Sort: true, hlo.While: true,
}

// isBrief reports whether the program is over before a cancel could be of use: its steps ask between themselves whether
// the context has ended, and nothing needs to watch it.
func (p *program) isBrief() bool {
	cost, brief := int64(0), len(p.subs) == 0 && len(p.dynamics) == 0 && !p.foreign
	count := func(n int64) { cost += min(n, briefCost+1) } // which any number of steps can add
	p.body.walk(func(st *step) {
		for _, u := range st.uses() {
			count(u.Slice.Size)
		}
		if st.in == nil {
			return
		}
		if _, ok := st.thunk.(nested); !ok { // a fusion's work is that of its computation
			count(st.in.Work().FLOPs)
		}
		brief = brief && !lasts(st.in)
	})
	return brief && cost <= briefCost
}

// lasts reports whether in, or what it calls, may take any time.
func lasts(in *hlo.Instruction) bool {
	for _, c := range in.Called() {
		if slices.ContainsFunc(c.Instructions, lasts) {
			return true
		}
	}
	return lasting[in.Op] || waits[in.Op]
}

func nothing() {}

// watch sets the cancel word when the context ends, until the function that it returns is called.
func (r *Run) watch() (stop func()) {
	if r.ctx.Done() == nil {
		return nothing
	}
	m, over := r.memory, make(chan struct{})
	cancel := context.AfterFunc(r.ctx, func() {
		m.cancel()
		close(over)
	})
	return func() {
		if !cancel() {
			<-over
			m.clear()
		}
	}
}
