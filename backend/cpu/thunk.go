package cpu

import (
	"errors"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
)

// thunk is a kernel with its operands bound: a function in Go, or a record that runs in a segment.
type thunk struct {
	kernel  string
	uses    []exec.Use
	inPlace []exec.Pair
	run     func(r *exec.Run) error // nil for a record
	record  run.Record
	keep    any // what the record needs, and Go does not see
	parts   *parts
	// biased is the same with a number for each feature added to the result; nil: there is no such kernel.
	biased func(bias exec.Slice) *thunk
	// summed is the same with the elements of an array like the result added to it, and floored with 0 where it is less;
	// nil: there is no such kernel.
	summed  func(other exec.Slice) *thunk
	floored func() *thunk
	// capped is the same with the least of each element and most, a number above 0; nil: there is no such kernel.
	capped func(most float32) *thunk
	// gated is the same in pieces of as many columns of each of some gates, which make up the columns; nil: there is none.
	gated func(gates int) *thunk
	calls exec.Calls // of vendors' libraries
}

// goThunk returns the thunk that runs a kernel in Go; kernel is its name in reports, "go transpose".
func goThunk(kernel string, uses []exec.Use, run func(r *exec.Run) error) *thunk {
	return &thunk{kernel: kernel, uses: uses, run: run}
}

// recordThunk returns the thunk that runs a native kernel; kernel is its name in reports, "loops transpose". It may be
// used only where run.Available() holds.
func recordThunk(kernel string, uses []exec.Use, record run.Record) *thunk {
	return &thunk{kernel: kernel, uses: uses, record: record}
}

// ref is s as a record names it.
func ref(s exec.Slice) run.Ref { return run.Ref{Slot: s.Slot, Offset: s.Offset} }

// memoryOf returns the bytes of each of a list in a run.
func memoryOf(r *exec.Run, list []exec.Slice) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = r.Bytes(s)
	}
	return out
}

// overwriting says which results may have the memory of which operands.
func (t *thunk) overwriting(pairs ...exec.Pair) *thunk {
	t.inPlace = pairs
	return t
}

// keeping says what must live as long as the thunk: native objects that its record points at.
func (t *thunk) keeping(objects any) *thunk {
	t.keep = objects
	return t
}

// calling says which calls of vendors' libraries the thunk makes.
func (t *thunk) calling(c exec.Calls) *thunk {
	t.calls = c
	return t
}

// sequence is a thunk of several that run one after the other; its name is that of the last.
func sequence(list ...*thunk) *thunk {
	s := &thunk{kernel: list[len(list)-1].kernel, keep: list}
	native := true
	for _, t := range list {
		s.uses = append(s.uses, t.uses...)
		s.calls = s.calls.Then(t.calls)
		native = native && t.run == nil
	}
	if native {
		s.record = run.Repeat(1, newSegment(list))
		if last := list[len(list)-1].parts; len(list) == 2 && last != nil && last.before == nil {
			s.parts = &parts{list[0], last.list, last.apart}
		}
		return s
	}
	steps := make([]func(r *exec.Run) error, len(list))
	for i, t := range list {
		steps[i] = runnable(t)
	}
	s.run = func(r *exec.Run) error {
		for _, step := range steps {
			if err := step(r); err != nil {
				return err
			}
		}
		return nil
	}
	return s
}

// runnable returns what runs t by itself, also if it is a record.
func runnable(t *thunk) func(r *exec.Run) error {
	if t.run != nil {
		return t.run
	}
	return segment{newSegment([]*thunk{t})}.Run
}

// newSegment makes a segment of thunks that are records.
func newSegment(list []*thunk) *run.Segment {
	records := make([]run.Record, len(list))
	for i, t := range list {
		records[i] = t.record
	}
	return run.NewSegment(records)
}

func (t *thunk) Run(r *exec.Run) error {
	if t.run == nil {
		panic("cpu: bug: " + t.kernel + " runs outside a segment")
	}
	return t.run(r)
}

func (t *thunk) Uses() []exec.Use { return t.uses }

func (t *thunk) InPlace() []exec.Pair { return t.inPlace }

func (t *thunk) Kernel() string { return t.kernel }

func (t *thunk) Calls() exec.Calls { return t.calls }

// recorder is the machine of a build with native kernels: exec runs consecutive records in one call.
type recorder struct{ *machine }

func (recorder) Recorded(t exec.Thunk) bool {
	x, ok := t.(*thunk)
	return ok && x.run == nil
}

func (recorder) Segment(list []exec.Thunk) exec.Segment { return segment{records(list)} }

func records(list []exec.Thunk) *run.Segment {
	out := make([]run.Record, len(list))
	for i, t := range list {
		out[i] = t.(*thunk).record
	}
	return run.NewSegment(out)
}

func (recorder) Copy(dst, src exec.Slice) exec.Thunk {
	uses := append(exec.Reads(src), exec.Writes(dst)...)
	return recordThunk("loops copy", uses, run.Copy(ref(dst), ref(src), dst.Size))
}

func (recorder) While(cond []exec.Thunk, again exec.Slice, body []exec.Thunk) exec.Thunk {
	return recordThunk("loops while", nil, run.While(records(cond), ref(again), records(body)))
}

// Count keeps the count where the body finds it; nothing adds to it and nothing compares it.
func (recorder) Count(c exec.Count, body []exec.Thunk) exec.Thunk {
	n := run.Counter{At: ref(c.At), Times: c.Trips, Bytes: c.At.Size, First: c.Init, Step: c.Step, Wanted: c.Wanted}
	return recordThunk("loops count", nil, run.Count(n, records(body)))
}

func (recorder) Conditional(index exec.Slice, isPred bool, branches [][]exec.Thunk) exec.Thunk {
	parts := make([]*run.Segment, len(branches))
	for i, b := range branches {
		parts[i] = records(b)
	}
	return recordThunk("loops conditional", exec.Reads(index), run.Conditional(ref(index), isPred, parts))
}

func mode(r *exec.Run) run.Mode {
	var m run.Mode
	if r.FlushDenormals() {
		m = run.Flush
	}
	if r.Brief() {
		m |= run.Brief
	}
	return m
}

// segment is records that run in one call.
type segment struct{ *run.Segment }

func (s segment) Run(r *exec.Run) error {
	err := s.Segment.Run(r.Base(), r.CancelWord(), r.Threads(), mode(r))
	if errors.Is(err, run.ErrCancelled) {
		return r.CancelledBy()
	}
	return err
}
