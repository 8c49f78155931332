//go:build cgo

package cuda

import (
	"encoding/binary"
	"errors"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/xla/exec"
)

// mostCommands is how many commands a loop that counts puts one after the other in a graph: whole loops of fewer, and
// rounds of others, between which the device decides whether to go on.
const mostCommands = 512

// counting runs body a known number of times.
type counting struct {
	recordOnly
	exec.Count
	body   []part
	whole  bool // it can be nodes of a graph
	turns  turns
	weight int64
}

// Count makes a loop whose rounds follow each other without a decision, or many of them do.
func (m *machine) Count(c exec.Count, body []exec.Thunk) exec.Thunk {
	t := &counting{Count: c, body: parts(body)}
	t.whole = m.device.conditional && allFit(t.body)
	t.turns, t.weight = turnsOf(c.Trips, weight(t.body))
	return t
}

func (t *counting) fits() bool { return t.whole }

func (t *counting) ready(m *memory) bool { return allReady(m, t.body) }

func (t *counting) slots(list []int64) []int64 {
	return append(slotsIn(list, t.body), int64(t.At.Slot))
}

// run has the host count.
func (t *counting) run(r *exec.Run, m *memory) error {
	for k := range t.Trips {
		if err := m.put(t.At, t.count(k)); err != nil {
			return err
		}
		if err := runParts(r, m, t.body); err != nil {
			return err
		}
	}
	if err := r.Cancelled(); err != nil || !t.Wanted {
		return err
	}
	return m.put(t.At, t.count(t.Trips))
}

// count is the bytes of the count in round k.
func (t *counting) count(k int64) []byte {
	data := binary.LittleEndian.AppendUint64(nil, uint64(t.Init+k*t.Step))
	return data[:t.At.Size]
}

// turns is how a loop is written: as a node that goes round chunks times, with each rounds in its body, and rest rounds
// behind it.
type turns struct{ chunks, each, rest int64 }

// turnsOf is how a loop whose body is n commands is written, and how many that puts into a graph. It is reckoned once:
// for each loop around it again would be twice as often for each level.
func turnsOf(trips, n int64) (turns, int64) {
	w := bestTurns(trips, max(mostCommands/max(n, 1), 1))
	return w, n*(w.each+w.rest) + 2
}

// bestTurns leaves as few rounds behind the node as there may be, of most in its body.
func bestTurns(trips, most int64) turns {
	if trips <= most {
		return turns{rest: trips}
	}
	best := turns{each: most, rest: most}
	for each := most; each > most/2; each-- {
		if rest := trips % each; rest < best.rest {
			best = turns{each: each, rest: rest}
		}
	}
	best.chunks = trips / best.each
	return best
}

// weight is how many commands parts put into a graph.
func weight(list []part) (n int64) {
	for _, p := range list {
		switch p := p.(type) {
		case *commands:
			n += int64(p.Len())
		case *sequence:
			n += weight(p.list)
		case *counting:
			n += p.weight
		case *looping:
			n += 2*weight(p.cond) + weight(p.body) + 2
		case *choosing:
			for _, b := range p.branches {
				n += weight(b) + 1
			}
		}
	}
	return n
}

// The counts of a loop are in memory of their own: what the device has counted, the counts of the rounds in a node, and
// those of the rounds behind it, which the host has written.
const countedBytes = 8

func (t *counting) write(w *writer) error {
	n := t.turns
	at, err := w.m.counts(t, n)
	if err != nil {
		return err
	}
	if n.chunks > 0 {
		if err := t.node(w, n, at); err != nil {
			return err
		}
	}
	behind := at + cuda.Ptr(countedBytes+n.each*t.At.Size)
	if err := t.rounds(w, n.rest, behind); err != nil || !t.Wanted {
		return err
	}
	var a cuda.Array
	a.Copy(valueOf(t.At), word(behind+cuda.Ptr(n.rest*t.At.Size)), t.At.Size)
	return w.commands(&a)
}

// rounds writes n rounds, with their counts at an address.
func (t *counting) rounds(w *writer, n int64, at cuda.Ptr) error {
	base := &w.m.base[t.At.Slot]
	defer func(before cuda.Ptr) { *base = before }(*base)
	for k := range n {
		*base = at + cuda.Ptr(k*t.At.Size-t.At.Offset)
		if err := w.parts(t.body); err != nil {
			return err
		}
	}
	return nil
}

// node writes a node of some rounds that goes round.
func (t *counting) node(w *writer, n turns, at cuda.Ptr) error {
	c, err := w.m.device.NewCondition(w.graph)
	if err != nil {
		return err
	}
	if err := t.decide(w, c, n, at, 1); err != nil {
		return err
	}
	inner, err := w.conditional(c, true)
	if err != nil {
		return err
	}
	if err := t.rounds(inner, n.each, at+countedBytes); err != nil {
		return err
	}
	return t.decide(inner, c, n, at, 0)
}

// decide writes what counts, and lets the node go round as long as there are rounds.
func (t *counting) decide(w *writer, c cuda.Condition, n turns, at cuda.Ptr, first int64) error {
	k, stop, err := w.deciding()
	if err != nil {
		return err
	}
	l := alone(k.count, cuda.Word(int64(c)), word(at), cuda.Word(first), cuda.Word(t.Init), cuda.Word(t.Step),
		cuda.Word(t.At.Size), cuda.Word(n.each), cuda.Word(n.chunks*n.each), word(stop))
	l.Block[0] = 128
	var a cuda.Array
	a.Launch(l)
	return w.commands(&a)
}

// counts returns the memory of a loop's counts.
func (m *memory) counts(t *counting, n turns) (cuda.Ptr, error) {
	if at, ok := m.counters[t]; ok {
		return at, nil
	}
	d := m.device
	from := countedBytes + n.each*t.At.Size
	var data []byte
	for k := range n.rest + 1 {
		data = append(data, t.count(n.chunks*n.each+k)...)
	}
	at, err := d.alloc(from+int64(len(data)), m.stream)
	if err != nil {
		return 0, limit(err, from+int64(len(data)))
	}
	if err := d.in(at+cuda.Ptr(from), data, m.stream); err != nil {
		return 0, errors.Join(err, d.release(at, m.stream))
	}
	m.counters[t] = at
	return at, nil
}

// put copies data to where s lies.
func (m *memory) put(s exec.Slice, data []byte) error {
	return m.device.in(m.base[s.Slot]+cuda.Ptr(s.Offset), data, m.stream)
}
