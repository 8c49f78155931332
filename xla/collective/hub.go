package collective

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// ErrDeadlock is what devices get that wait for each other, or for one that has ended.
var ErrDeadlock = errors.New("deadlock")

// ErrMismatch is what devices get that meet for different collectives.
var ErrMismatch = errors.New("the devices' programs differ")

// Hub is where the devices of one execution meet. Each device calls it from one goroutine of its own. After the first
// fault all calls, and all devices that wait, get that fault. That of Job.Join is for devices in several processes:
// each of these has a hub for its own.
type Hub struct {
	grid Grid
	span *span // nil: all devices are in this process
	// context ends with the first fault.
	context context.Context
	cancel  context.CancelFunc
	abroad  int // calls that wait for other ranks

	mu       sync.Mutex
	waits    []*wait // of each device; nil: it runs
	own      []wait  // what they point to: a device waits for one thing at a time
	ended    []bool
	expected []bool // they have not begun
	missed   error  // why they never will
	meetings map[string]*meeting
	boxes    map[Channel]*box
	err      error
	failed   chan struct{} // closed with the first fault
}

// NewHub returns a hub for the devices of g.
func NewHub(g Grid) *Hub {
	n := g.Size()
	h := &Hub{
		grid: g, waits: make([]*wait, n), own: make([]wait, n), ended: make([]bool, n),
		meetings: map[string]*meeting{}, boxes: map[Channel]*box{}, failed: make(chan struct{}),
	}
	for d := range h.own {
		h.own[d] = wait{self: d, over: make(chan struct{}, 1)}
	}
	h.context, h.cancel = context.WithCancel(context.Background())
	return h
}

// wait is why a device does not go on.
type wait struct {
	// what is "all-reduce.3 of group {0,1}", "recv.1 on channel 5".
	what func() string
	self int
	// It needs all members of meeting that are not here, or if that is nil, peer, or any other device if that is -1.
	meeting *meeting
	peer    int
	over    chan struct{} // has room for one: the result is there, or the fault of the execution
	result  any
	err     error
}

// Meeting is one collective of one group of devices.
type Meeting struct {
	// Op is the collective's name for messages.
	Op string
	// Group are the members in the order in which their values count.
	Group []int
	// Program is what must be the same on all members: the op, its attributes and shapes.
	Program string
	// Needs reports whether the member at place to of the group needs the value of the one at place from, so that those on
	// other ranks are only sent where they are; nil: all need all.
	Needs func(from, to int) bool
	// Rest calls its argument, which waits for the other members: who has what others could use meanwhile lends it to
	// them there. nil: there is nothing to lend.
	Rest func(wait func() error) error

	key string // of the group, the same in any order; "": it has to be made
}

// Ready returns m as it is cheapest to meet for often. m must not change afterwards.
func (m Meeting) Ready() Meeting {
	if m.key == "" {
		sorted := slices.Clone(m.Group)
		slices.Sort(sorted)
		m.key = ids(sorted)
	}
	return m
}

// meeting is that of a group, again and again.
type meeting struct {
	Meeting
	first  int // the device that came first
	values []any
	here   []bool
	local  int // members of this process
	left   int // those of them that have not come
	waits  []*wait
	busy   bool // all have come, and the last one works in the memory of all
	// until is when the exchange with other ranks ends, and stop ends it; nil: there is none, or it is over.
	until context.Context
	stop  context.CancelCauseFunc
}

// rest calls f, which waits for other members.
func (m Meeting) rest(f func() error) error {
	if m.Rest == nil {
		return f()
	}
	return m.Rest(f)
}

func (m *meeting) what() string { return m.Op + " of group " + ids(m.Group) }

// absent returns the members that have not come.
func (m *meeting) absent() []int {
	var d []int
	for i, here := range m.here {
		if !here {
			d = append(d, m.Group[i])
		}
	}
	return d
}

// Meet waits until all members of m's group have come with a value each, and returns to all of them what combine makes
// of the values, which are in the order of the group. combine is called once, on the goroutine of the last to come.
//
// It fails if a member comes to another collective of the same group, or can never come because it has ended or waits
// itself, if combine fails, or with ctx's error when ctx ends first.
func (h *Hub) Meet(ctx context.Context, self int, m Meeting, value any, combine func([]any) (any, error)) (any, error) {
	place := slices.Index(m.Group, self)
	if place < 0 {
		return nil, fmt.Errorf("%s: %s is not in group %s", m.Op, h.grid.Name(self), ids(m.Group))
	}
	if len(m.Group) == 1 {
		return combine([]any{value})
	}
	h.mu.Lock()
	mt, err := h.join(self, m)
	if err != nil {
		h.mu.Unlock()
		return nil, err
	}
	mt.values[place], mt.here[place] = value, true
	if mt.left--; mt.left > 0 {
		w := h.wait(self, mt, mt.what, 0)
		mt.waits = append(mt.waits, w)
		h.block(w)
		h.mu.Unlock()
		var result any
		err := m.rest(func() (err error) {
			result, err = h.await(ctx, w)
			return err
		})
		return result, err
	}
	if mt.busy = true; h.spread(m.Group) {
		mt.until, mt.stop = h.until(ctx)
	}
	h.mu.Unlock()
	return h.finish(ctx, self, m, mt, combine)
}

// wait is device self's for a meeting, or for a peer.
func (h *Hub) wait(self int, mt *meeting, what func() string, peer int) *wait {
	w := &h.own[self]
	w.meeting, w.what, w.peer = mt, what, peer
	return w
}

// join returns the meeting of m's group, which self may be the first to come to.
func (h *Hub) join(self int, m Meeting) (*meeting, error) {
	if h.err != nil {
		return nil, h.err
	}
	m = m.Ready()
	mt := h.meetings[m.key]
	if mt == nil {
		n := len(m.Group)
		mt = &meeting{values: make([]any, n), here: make([]bool, n), local: h.local(m.Group)}
		mt.left = mt.local
		h.meetings[m.key] = mt
	}
	if mt.left == mt.local {
		mt.Meeting, mt.first = m, self
		mt.Rest = nil // is self's alone
		return mt, nil
	}
	if mt.Program != m.Program || !slices.Equal(mt.Group, m.Group) {
		h.fail(fmt.Errorf("group %s: %w: %s is at %s: %s, %s is at %s: %s", m.key, ErrMismatch,
			h.grid.Name(mt.first), mt.Op, mt.Program, h.grid.Name(self), m.Op, m.Program))
		return nil, h.err
	}
	return mt, nil
}

// finish hands the result of a meeting to all who came, or the fault of the execution: not before combine has returned,
// which works in the memory of all. There is no result once ctx has ended: combine may have left out what nobody was to
// need any more.
func (h *Hub) finish(ctx context.Context, self int, m Meeting, mt *meeting,
	combine func([]any) (any, error)) (result any, err error) {
	returned := false // and has not panicked
	defer func() { result, err = h.hand(mt, returned, result, err) }()
	if err = h.collect(m, mt); err == nil {
		result, err = combine(mt.values)
	}
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("%s in %s: %w", h.grid.Name(self), mt.what(), ctx.Err())
	}
	returned = true
	return result, err
}

// hand lets those go on who wait for what finish does. If it has panicked, who it does that for makes it their fault.
func (h *Hub) hand(mt *meeting, returned bool, result any, err error) (any, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	mt.busy = false
	if returned && err != nil {
		h.fail(err)
	}
	if h.err == nil && !returned {
		return nil, nil
	}
	for _, w := range mt.waits {
		if h.waits[w.self] == w {
			h.release(w, result, h.err)
		}
	}
	if h.err != nil {
		return nil, h.err
	}
	mt.end()
	return result, nil
}

// end makes m ready for the next time.
func (m *meeting) end() {
	clear(m.values)
	clear(m.here)
	m.waits, m.left = m.waits[:0], m.local
}

// release ends the wait w.
func (h *Hub) release(w *wait, result any, err error) {
	h.waits[w.self] = nil
	if w.result, w.err = result, err; err != nil {
		w.result = nil
	}
	w.over <- struct{}{}
}

// block notes that a device waits, and looks whether that can end: it can if what it needs runs, and then nothing has
// changed for the others.
func (h *Hub) block(w *wait) {
	h.waits[w.self] = w
	if !h.canEnd(w, func(d int) bool { return h.waits[d] == nil && !h.ended[d] }) {
		h.checkDeadlock()
	}
}

// await waits until w is over, which a fault makes it too, or ctx ends.
func (h *Hub) await(ctx context.Context, w *wait) (any, error) {
	select {
	case <-w.over:
		return w.end()
	case <-ctx.Done():
	}
	h.mu.Lock()
	switch m := w.meeting; {
	case h.waits[w.self] != w: // it came at the same moment
	case m == nil || !m.busy:
		h.fail(fmt.Errorf("%s waits in %s for %s: %w", h.grid.Name(w.self), w.what(), h.names(w), ctx.Err()))
	case m.stop != nil: // who does the exchange knows whose fault it is
		m.stop(ctx.Err())
	default:
		h.fail(fmt.Errorf("%s in %s: %w", h.grid.Name(w.self), w.what(), ctx.Err()))
	}
	h.mu.Unlock()
	<-w.over
	return w.end()
}

// end returns what a wait that is over has come to.
func (w *wait) end() (any, error) {
	result := w.result
	w.result = nil // the device's alone
	return result, w.err
}

// End notes that a device's program is over: nobody can wait for it any more.
func (h *Hub) End(self int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended[self] = true
	h.checkDeadlock()
}

// Fail makes err the fault of the execution unless there is one; all devices that wait get it.
func (h *Hub) Fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fail(err)
}

func (h *Hub) fail(err error) {
	if h.err == nil {
		h.err = err
		close(h.failed)
		for _, w := range h.waits {
			if w != nil && (w.meeting == nil || !w.meeting.busy) {
				h.release(w, nil, err)
			}
		}
		h.cancel()
		if h.span != nil {
			h.span.job.Fail(err)
		}
	}
}

// Expect says that no device has begun: each does with Begin.
func (h *Hub) Expect() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expected = make([]bool, len(h.waits))
	for d := range h.expected {
		h.expected[d] = h.here(d)
	}
}

// Begin notes that a device has begun.
func (h *Hub) Begin(self int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expected[self] = false
}

// Miss notes that devices that have not begun never will, and why: those that wait for them fail.
func (h *Hub) Miss(devices []int, why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range devices {
		h.ended[d], h.missed = true, why
	}
	if h.span != nil && len(devices) > 0 {
		h.fail(why) // devices on other ranks may wait for them
	}
	h.checkDeadlock()
}

// Failed is closed when there is a fault.
func (h *Hub) Failed() <-chan struct{} { return h.failed }

// Err returns the first fault, nil if there is none.
func (h *Hub) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// maxEager is the number of devices up to which every wait is looked at closely; with more, only when no device runs.
const maxEager = 64

// running reports whether a device neither waits nor has ended.
func (h *Hub) running() bool {
	for d, w := range h.waits {
		if w == nil && !h.ended[d] {
			return true
		}
	}
	return false
}

// checkDeadlock fails if a device waits for what can no longer come. A device can go on if it runs, if all it waits for
// can, or, where one is enough, if one can.
func (h *Hub) checkDeadlock() {
	if len(h.waits) > maxEager && h.running() {
		return
	}
	can := make([]bool, len(h.waits))
	for changed := true; changed; {
		changed = false
		for d, w := range h.waits {
			if !can[d] && !h.ended[d] && (w == nil || h.canEnd(w, func(d int) bool { return can[d] })) {
				can[d], changed = true, true
			}
		}
	}
	var stuck []int
	for d, w := range h.waits {
		if w != nil && !can[d] {
			stuck = append(stuck, d)
		}
	}
	if len(stuck) == 0 {
		return
	}
	who := some(stuck, "; ", func(d int) string {
		return fmt.Sprintf("%s waits in %s for %s", h.grid.Name(d), h.waits[d].what(), h.names(h.waits[d]))
	})
	if h.missed != nil {
		h.fail(fmt.Errorf("%s: %w", who, h.missed))
		return
	}
	h.fail(fmt.Errorf("%w: %s", ErrDeadlock, who))
}

// some joins what a message says of each of some devices; of many it says how many.
func some(devices []int, between string, say func(d int) string) string {
	const most = 8
	var parts []string
	for _, d := range devices[:min(len(devices), most)] {
		parts = append(parts, say(d))
	}
	if n := len(devices) - most; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more", n))
	}
	return strings.Join(parts, between)
}

// canEnd reports whether w can, by whether devices can.
func (h *Hub) canEnd(w *wait, can func(d int) bool) bool {
	switch mt := w.meeting; {
	case mt != nil:
		for i, here := range mt.here {
			if !here && !can(mt.Group[i]) {
				return false
			}
		}
		return true
	case w.peer >= 0:
		return can(w.peer)
	}
	for d := range h.waits {
		if d != w.self && can(d) {
			return true
		}
	}
	return false
}

// needs are the devices that w needs, of other ranks only when nobody of this process is missing; nil: any other.
func (h *Hub) needs(w *wait) []int {
	switch {
	case w.meeting != nil:
		absent := w.meeting.absent()
		if w.meeting.left > 0 {
			absent = slices.DeleteFunc(absent, func(d int) bool { return !h.here(d) })
		}
		return absent
	case w.peer >= 0:
		return []int{w.peer}
	}
	return nil
}

// names lists the devices that w needs.
func (h *Hub) names(w *wait) string {
	others := h.needs(w)
	switch {
	case others == nil && len(h.waits) != 2:
		return "any other device"
	case others == nil:
		others = []int{1 - w.self}
	}
	return some(others, " and ", func(d int) string {
		switch {
		case h.expected != nil && h.expected[d]:
			return h.place(d) + ", which has not begun"
		case h.ended[d]:
			return h.place(d) + ", which has ended"
		}
		return h.place(d)
	})
}
