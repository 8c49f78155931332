package collective

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Portable is a value that members of a meeting on other ranks can have: it goes there as bytes.
type Portable interface {
	// Parts is the memory that is sent. Members that come to the same Program have parts of the same lengths.
	Parts() [][]byte
	// With returns a value as this one that has other parts, which it may keep: that of a member on another rank. parts
	// is nil if nobody here needs it.
	With(parts [][]byte) any
}

// span is the ranks over which the devices of one execution are.
type span struct {
	job    *Job
	owners []int // the rank of each device
	turn   uint64

	mu    sync.Mutex
	lines map[direction]*line
}

func (s *span) tag(name string) uint64 { return tagOf(s.turn, name) }

// here reports whether device d is in this process.
func (h *Hub) here(d int) bool { return h.span == nil || h.span.owners[d] == h.span.job.Rank() }

// place names device d, and its rank if that is another.
func (h *Hub) place(d int) string {
	if h.here(d) {
		return h.grid.Name(d)
	}
	return fmt.Sprintf("%s on rank %d", h.grid.Name(d), h.span.owners[d])
}

// spread reports whether a group is not all in this process.
func (h *Hub) spread(group []int) bool {
	return h.span != nil && slices.ContainsFunc(group, func(d int) bool { return !h.here(d) })
}

// Job returns the job whose ranks have the devices, nil if all are in this process.
func (h *Hub) Job() *Job {
	if h.span == nil {
		return nil
	}
	return h.span.job
}

// Owners returns the rank of each device, nil if all are in this process. It is not to be changed.
func (h *Hub) Owners() []int {
	if h.span == nil {
		return nil
	}
	return h.span.owners
}

// local counts the devices of a group that are in this process.
func (h *Hub) local(group []int) int {
	n := 0
	for _, d := range group {
		if h.here(d) {
			n++
		}
	}
	return n
}

// until returns a context that ends with ctx and with the first fault, and what else ends it.
func (h *Hub) until(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(h.context, func() { cancel(context.Canceled) })
	return ctx, func(why error) {
		stop()
		cancel(why)
	}
}

// collect fills in the values of the members on other ranks, when all that are here have come.
func (h *Hub) collect(m Meeting, mt *meeting) error {
	stop := mt.stop
	if stop == nil {
		return nil
	}
	defer stop(nil)
	err := m.rest(func() error { return h.away(func() error { return h.span.gather(mt.until, mt) }) })
	if err == nil {
		h.mu.Lock()
		mt.stop = nil
		h.mu.Unlock()
		return nil
	}
	if lost := (*LostError)(nil); errors.As(err, &lost) && lost.Err == context.Canceled {
		err = &LostError{lost.Ranks, context.Cause(mt.until)} // another device's deadline, if that has stopped the exchange
	}
	return h.blame(err, mt.what(), m.Group, h.here)
}

// AfterFault calls f when there is a fault, of whichever rank; what it returns takes that back.
func (h *Hub) AfterFault(f func()) (stop func() bool) { return context.AfterFunc(h.context, f) }

// away calls f, which waits for other ranks. When it fails, its caller makes that the execution's fault.
func (h *Hub) away(f func() error) error {
	add := func(n int) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.abroad += n
	}
	add(1)
	err := f()
	if err == nil {
		add(-1)
	}
	return err
}

// watch waits for a fault of this rank, which ends the wait of devices for others that are here. Who waits for other
// ranks meets it too, and can say more.
func (h *Hub) watch() {
	err := h.span.job.transport.Watch(h.context)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil || h.abroad > 0 {
		return
	}
	var waits []int
	for d, w := range h.waits {
		if lost := (*LostError)(nil); w != nil && errors.As(err, &lost) {
			waits = append(waits, d)
		}
	}
	if waits != nil {
		who := some(waits, "; ", func(d int) string { return h.grid.Name(d) + " waits in " + h.waits[d].what() })
		err = fmt.Errorf("%s: %w", who, err)
	}
	h.fail(err)
}

// blame makes what failed say who waits in what, and for whom: the devices of the ranks that did not come.
func (h *Hub) blame(err error, what string, devices []int, waits func(d int) bool) error {
	var lost *LostError
	switch {
	case errors.Is(err, ErrMismatch):
		return fmt.Errorf("group %s: %w", ids(devices), err)
	case !errors.As(err, &lost):
		return err
	}
	var who, whom []int
	for _, d := range devices {
		if waits(d) {
			who = append(who, d)
		} else if slices.Contains(lost.Ranks, h.span.owners[d]) {
			whom = append(whom, d)
		}
	}
	verb := "waits"
	if len(who) > 1 {
		verb = "wait"
	}
	return fmt.Errorf("%s %s in %s for %s: %w", some(who, " and ", h.grid.Name), verb, what,
		some(whom, " and ", h.place), err)
}

// gather sends the values of the members that are here to the ranks that need them, and fills in theirs.
func (s *span) gather(ctx context.Context, m *meeting) error {
	var ranks []int
	for _, d := range m.Group {
		ranks = append(ranks, s.owners[d])
	}
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	tag := s.tag(m.key)
	if err := s.agree(ctx, tag, ranks, ids(m.Group)+m.Program, m.Op+": "+m.Program); err != nil {
		return err
	}
	like, ok := m.values[slices.IndexFunc(m.Group, func(d int) bool { return s.owners[d] == s.job.Rank() })].(Portable)
	if !ok {
		return fmt.Errorf("%s: %w: its values cannot go to other ranks", m.what(), errors.ErrUnsupported)
	}
	out, in := make([][]byte, len(ranks)), make([][]byte, len(ranks))
	for k, r := range ranks {
		if r != s.job.Rank() {
			out[k] = s.pack(m, r)
			in[k] = make([]byte, len(s.needed(m, r, s.job.Rank()))*size(like.Parts()))
		}
	}
	if err := s.job.transport.Exchange(ctx, tag, ranks, out, in); err != nil {
		return err
	}
	for k, r := range ranks {
		if r != s.job.Rank() {
			s.unpack(m, r, like, in[k])
		}
	}
	return nil
}

// needed lists the places of the members on rank from whose values some member on rank to needs.
func (s *span) needed(m *meeting, from, to int) []int {
	var places []int
	for i, d := range m.Group {
		if s.owners[d] == from && (m.Needs == nil || s.wants(m, i, to)) {
			places = append(places, i)
		}
	}
	return places
}

// wants reports whether some member on a rank needs the value of the one at place i.
func (s *span) wants(m *meeting, i, rank int) bool {
	for k, d := range m.Group {
		if s.owners[d] == rank && m.Needs(i, k) {
			return true
		}
	}
	return false
}

// pack joins the parts that rank needs.
func (s *span) pack(m *meeting, rank int) []byte {
	var all [][]byte
	for _, i := range s.needed(m, s.job.Rank(), rank) {
		all = append(all, m.values[i].(Portable).Parts()...)
	}
	if len(all) == 1 {
		return all[0]
	}
	return slices.Concat(all...)
}

// unpack makes the values of the members on rank, of which data has those that are needed.
func (s *span) unpack(m *meeting, rank int, like Portable, data []byte) {
	for i, d := range m.Group {
		if s.owners[d] == rank {
			m.values[i] = like.With(nil)
		}
	}
	whole := cap(data)
	for _, i := range s.needed(m, rank, s.job.Rank()) {
		var parts [][]byte
		for _, p := range like.Parts() {
			part := data[:len(p):len(p)]
			if (cap(data)-whole)%widest != 0 { // elements lie where they can be read
				part = slices.Clone(part)
			}
			parts, data = append(parts, part), data[len(p):]
		}
		m.values[i] = like.With(parts)
	}
}

// widest is what the address of an element is a multiple of, in bytes.
const widest = 16

func size(parts [][]byte) int {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	return n
}

// Finish ends the execution when all devices that are here have: it waits until those on other ranks have too. It fails
// with the fault of the execution if there is one, if a message was never received, or as Transport.Exchange does.
func (h *Hub) Finish(ctx context.Context) error {
	err := h.Unread()
	if h.Err() != nil {
		return h.Err()
	}
	if h.span == nil {
		return err
	}
	if err == nil {
		err = h.leave(ctx)
	}
	if err != nil {
		h.Fail(err)
		return h.Err()
	}
	h.cancel()
	return nil
}

// leave waits for the other ranks that have devices. All of them compare the counts of messages.
func (h *Hub) leave(ctx context.Context) error {
	s := h.span
	ranks := slices.Compact(slices.Sorted(slices.Values(s.owners)))
	if !slices.Contains(ranks, s.job.Rank()) {
		return nil
	}
	var mine []byte // how many messages this rank has sent to each, and received
	for _, r := range ranks {
		mine = binary.LittleEndian.AppendUint64(mine, s.messages(r, true))
		mine = binary.LittleEndian.AppendUint64(mine, s.messages(r, false))
	}
	out, in := make([][]byte, len(ranks)), make([][]byte, len(ranks))
	for k, r := range ranks {
		out[k], in[k] = mine, mine
		if r != s.job.Rank() {
			in[k] = make([]byte, len(mine))
		}
	}
	err := h.away(func() error { return s.job.transport.Exchange(ctx, s.tag("end"), ranks, out, in) })
	if err != nil {
		return h.blame(err, "the end of the execution", allDevices(len(h.waits)), h.here)
	}
	for from, r := range ranks {
		for to, other := range ranks {
			sent, received := binary.LittleEndian.Uint64(in[from][16*to:]), binary.LittleEndian.Uint64(in[to][16*from+8:])
			if sent != received {
				return fmt.Errorf("nobody received what was sent: %d messages of rank %d to rank %d, which received %d", sent, r,
					other, received)
			}
		}
	}
	return h.away(func() error { return s.clear(ctx) })
}
