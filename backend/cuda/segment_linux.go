//go:build cgo

package cuda

import (
	"encoding/binary"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/xla/exec"
)

// part is a piece of a segment: commands that the host submits at once, control flow, or what it does itself.
type part interface {
	// run does it from the host.
	run(r *exec.Run, m *memory) error
}

// node is a part that can be nodes of a graph.
type node interface {
	part
	// fits reports whether it can be, on this device.
	fits() bool
	// ready reports whether all of its libraries have worked for m before: they may do more in their first call than a
	// graph may have.
	ready(m *memory) bool
	// slots appends the slots that it counts addresses from.
	slots(list []int64) []int64
	write(w *writer) error
}

// commands is a part of commands alone.
type commands struct {
	cuda.Array
	work []work
}

func (c *commands) run(_ *exec.Run, m *memory) error {
	err := m.device.Submit(&c.Array, m.stream, m.base)
	if err == nil && c.Calls() {
		m.called[c] = true
	}
	return err
}

func (c *commands) fits() bool { return true }

func (c *commands) ready(m *memory) bool { return !c.Calls() || m.called[c] }

func (c *commands) slots(list []int64) []int64 { return append(list, c.Slots()...) }

func (c *commands) write(w *writer) error {
	if before := c.branches(w.m); before != nil {
		return w.branches(c, before)
	}
	return w.commands(&c.Array)
}

// sequence is nodes that follow each other, for one graph.
type sequence struct{ list []part }

func (t *sequence) run(r *exec.Run, m *memory) error { return runParts(r, m, t.list) }

func (t *sequence) fits() bool { return true }

func (t *sequence) ready(m *memory) bool { return allReady(m, t.list) }

func (t *sequence) slots(list []int64) []int64 { return slotsIn(list, t.list) }

func (t *sequence) write(w *writer) error { return w.parts(t.list) }

func allReady(m *memory, list []part) bool {
	for _, p := range list {
		if !p.(node).ready(m) {
			return false
		}
	}
	return true
}

func slotsIn(slots []int64, list []part) []int64 {
	for _, p := range list {
		slots = p.(node).slots(slots)
	}
	return slots
}

// allFit reports whether parts can be nodes of a graph, all of them.
func allFit(list []part) bool {
	for _, p := range list {
		if n, ok := p.(node); !ok || !n.fits() {
			return false
		}
	}
	return true
}

// grouped makes sequences of parts that can be nodes of one graph.
func grouped(list []part) (out []part) {
	for len(list) > 0 {
		n := 0
		for n < len(list) && allFit(list[n:n+1]) {
			n++
		}
		if n > 1 {
			out, list = append(out, &sequence{list[:n]}), list[n:]
		} else {
			out, list = append(out, list[0]), list[1:]
		}
	}
	return out
}

// enqueued is a record of commands.
type enqueued interface{ appendTo(q *queue) }

// queue joins commands that follow each other.
type queue struct {
	parts []part
	last  *commands // of parts, if that takes more
}

// array is where the next commands go.
func (q *queue) array() *cuda.Array {
	if q.last == nil {
		q.last = &commands{}
		q.parts = append(q.parts, q.last)
	}
	return &q.last.Array
}

// did says what the commands since the last call of it use.
func (q *queue) did(uses []exec.Use) {
	if c := q.last; c != nil && (len(c.work) == 0 || c.work[len(c.work)-1].end < c.Len()) {
		c.work = append(c.work, work{c.Len(), uses})
	}
}

// add appends what is no command.
func (q *queue) add(p part) { q.parts, q.last = append(q.parts, p), nil }

// parts joins what follows each other without a decision, and what can be one graph.
func parts(list []exec.Thunk) []part {
	var q queue
	for _, t := range list {
		if e, ok := t.(enqueued); ok {
			e.appendTo(&q)
		} else {
			q.add(t.(part))
		}
	}
	return grouped(q.parts)
}

func runParts(r *exec.Run, m *memory, list []part) error {
	for _, p := range list {
		if err := r.Cancelled(); err != nil {
			return err
		}
		if err := m.do(r, p); err != nil {
			return err
		}
	}
	return nil
}

// looping runs cond, and body and cond again as long as cond leaves a 1.
type looping struct {
	recordOnly
	cond  []part
	again exec.Slice
	body  []part
	whole bool // it can be a node of a graph
}

func (t *looping) fits() bool { return t.whole }

func (t *looping) ready(m *memory) bool { return allReady(m, t.cond) && allReady(m, t.body) }

func (t *looping) slots(list []int64) []int64 {
	return append(slotsIn(slotsIn(list, t.cond), t.body), int64(t.again.Slot))
}

// run has the host decide after each round, as long as the rest of the loop is no graph.
func (t *looping) run(r *exec.Run, m *memory) error {
	var again [1]byte
	for round := 0; ; round++ {
		if err := r.Cancelled(); err != nil { // there may be no parts
			return err
		}
		if round > 0 && t.whole {
			if done, err := m.launch(t); done || err != nil {
				return err
			}
		}
		if err := runParts(r, m, t.cond); err != nil {
			return err
		}
		if err := m.read(again[:], t.again); err != nil || again[0] == 0 {
			return err
		}
		if err := runParts(r, m, t.body); err != nil {
			return err
		}
	}
}

// write writes the condition, and a node of body and condition that runs as long as that leaves a 1.
func (t *looping) write(w *writer) error {
	c, err := w.m.device.NewCondition(w.graph)
	if err != nil {
		return err
	}
	if err := t.decide(w, c); err != nil {
		return err
	}
	inner, err := w.conditional(c, true)
	if err != nil {
		return err
	}
	if err := inner.parts(t.body); err != nil {
		return err
	}
	return t.decide(inner, c)
}

// decide writes the loop's condition and what hands it on.
func (t *looping) decide(w *writer, c cuda.Condition) error {
	if err := w.parts(t.cond); err != nil {
		return err
	}
	k, stop, err := w.deciding()
	if err != nil {
		return err
	}
	var a cuda.Array
	a.Launch(alone(k.again, cuda.Word(int64(c)), valueOf(t.again), word(stop)))
	return w.commands(&a)
}

// choosing runs one of several branches.
type choosing struct {
	recordOnly
	index    exec.Slice
	isPred   bool
	branches [][]part
	whole    bool // it can be nodes of a graph
}

func (t *choosing) fits() bool { return t.whole }

func (t *choosing) ready(m *memory) bool {
	for _, b := range t.branches {
		if !allReady(m, b) {
			return false
		}
	}
	return true
}

func (t *choosing) slots(list []int64) []int64 {
	for _, b := range t.branches {
		list = slotsIn(list, b)
	}
	return append(list, int64(t.index.Slot))
}

func (t *choosing) run(r *exec.Run, m *memory) error {
	data := make([]byte, t.index.Size)
	if err := m.read(data, t.index); err != nil {
		return err
	}
	return runParts(r, m, t.branches[t.choose(data)])
}

// write writes what sets a condition for each branch, since the first may overwrite the index, and a node for each.
func (t *choosing) write(w *writer) error {
	conditions := make([]cuda.Condition, len(t.branches))
	for i := range conditions {
		var err error
		if conditions[i], err = w.m.device.NewCondition(w.graph); err != nil {
			return err
		}
	}
	if err := t.decide(w, conditions); err != nil {
		return err
	}
	for i, b := range t.branches {
		inner, err := w.conditional(conditions[i], false)
		if err != nil {
			return err
		}
		if err := inner.parts(b); err != nil {
			return err
		}
	}
	return nil
}

// decide writes launches that set the conditions, some each.
func (t *choosing) decide(w *writer, conditions []cuda.Condition) error {
	k, err := w.m.device.deciding()
	if err != nil {
		return err
	}
	isPred := int64(0)
	if t.isPred {
		isPred = 1
	}
	var a cuda.Array
	for first := 0; first < len(conditions); first += emit.Choices {
		some := conditions[first:min(first+emit.Choices, len(conditions))]
		params := []cuda.Value{valueOf(t.index), cuda.Word(isPred), cuda.Word(int64(len(conditions) - 1)),
			cuda.Word(int64(first)), cuda.Word(int64(len(some)))}
		for i := range emit.Choices {
			params = append(params, cuda.Word(int64(some[min(i, len(some)-1)])))
		}
		a.Launch(alone(k.choose, params...))
	}
	return w.commands(&a)
}

// alone is a launch of one thread.
func alone(f cuda.Function, params ...cuda.Value) cuda.Launch {
	return cuda.Launch{Function: f, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Params: params}
}

// choose is the number of the branch: true is the first, an index out of range the last. Law: row 81.
func (t *choosing) choose(data []byte) int {
	last := len(t.branches) - 1
	if t.isPred {
		return 1 - int(data[0])
	}
	if i := int32(binary.LittleEndian.Uint32(data)); i >= 0 && int(i) < last {
		return int(i)
	}
	return last
}

// segment is parts in order.
type segment struct {
	parts []part
	waits bool // somebody takes the time
}

func newSegment(list []exec.Thunk) *segment {
	s := &segment{parts: parts(list)}
	for _, t := range list {
		if k, ok := t.(*thunk); ok {
			s.waits = s.waits || k.built.waits
		}
	}
	return s
}

func (s *segment) Run(r *exec.Run) error {
	m := r.Remote().(*memory)
	if err := runParts(r, m, s.parts); err != nil || !s.waits {
		return err
	}
	return m.Wait()
}

func (s *segment) Close() {}
