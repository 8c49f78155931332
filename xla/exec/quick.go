package exec

import (
	"context"
	"runtime/trace"
)

// quickSegment returns the one segment of a program of which an execution is no more than to copy small arguments into
// the arena, to run that, and to copy small results out, before anybody could cancel it; nil for other programs. What
// those need, each execution would ask for: boxes, remote memory, views, donated arguments, memory that is lent.
func (p *program) quickSegment() Segment {
	if !p.brief || p.remote != nil || p.options.Verify || p.options.Profile || len(p.lent) > 0 || len(p.body.code) != 1 {
		return nil
	}
	for _, s := range p.parameters {
		if s == NoSlot || !p.slots[s].staged {
			return nil
		}
	}
	for _, l := range p.results {
		if l.Slot == NoSlot || p.slots[l.Slot].kind != result || !p.slots[l.Slot].staged {
			return nil
		}
	}
	t, _ := p.body.code[0].thunk.(segmentThunk)
	return t.Segment
}

// isQuick reports whether c is one for quick.
func (p *program) isQuick(c *Call) bool {
	return p.quick != nil && c.Fit && c.Place.Hub == nil && !trace.IsEnabled()
}

// quick is execute and end of a program with a quick segment, in memory that lies ready on seat, where an execution has
// left the addresses of all that is in the arena. No step waits, so that the seat is the run's to the end.
func (r *Run) quick(ctx context.Context, seat *shelf, c *Call) error {
	p := r.program
	r.ctx, r.options, r.seat, c.seat = ctx, &c.Options, seat, seat
	defer r.leaveQuick()
	err := ctx.Err()
	if err == nil {
		for i, s := range p.parameters {
			copy(r.Bytes(Slice{Slot: s, Size: p.slots[s].size}), c.Args[i].Bytes())
		}
		err = p.quick.Run(r)
	}
	if err != nil {
		return located(p.body.code[0], err)
	}
	return r.collect(c)
}

func (r *Run) leaveQuick() {
	seat := r.seat
	r.ctx, r.options, r.seat = nil, nil, nil
	r.program.executor.release(seat)
}
