//go:build cgo

package cuda

import (
	"encoding/binary"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/xla/exec"
)

// part is a piece of a segment that the host submits at once, or decides on.
type part interface {
	run(r *exec.Run, m *memory) error
}

// commands is a part of commands alone.
type commands struct{ cuda.Array }

func (c *commands) run(r *exec.Run, m *memory) error { return m.submit(&c.Array) }

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

// add appends what is no command.
func (q *queue) add(p part) { q.parts, q.last = append(q.parts, p), nil }

// parts joins what follows each other without a decision.
func parts(list []exec.Thunk) []part {
	var q queue
	for _, t := range list {
		if e, ok := t.(enqueued); ok {
			e.appendTo(&q)
		} else {
			q.add(t.(part))
		}
	}
	return q.parts
}

func runParts(r *exec.Run, m *memory, list []part) error {
	for _, p := range list {
		if err := r.Cancelled(); err != nil {
			return err
		}
		if err := p.run(r, m); err != nil {
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
}

func (t *looping) run(r *exec.Run, m *memory) error {
	var again [1]byte
	for {
		if err := r.Cancelled(); err != nil { // there may be no parts
			return err
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

// choosing runs one of several branches.
type choosing struct {
	recordOnly
	index    exec.Slice
	isPred   bool
	branches [][]part
}

func (t *choosing) run(r *exec.Run, m *memory) error {
	data := make([]byte, t.index.Size)
	if err := m.read(data, t.index); err != nil {
		return err
	}
	return runParts(r, m, t.branches[t.choose(data)])
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
